"""Networks in 8 bits: from an ONNX file to a program of fused integer kernels."""

from pullfx.kernels.network.compiler import compile_network
from pullfx.kernels.network.program import Program
from pullfx.kernels.network.running import Network, check_threads

__all__ = ["Network", "Program", "check_threads", "compile_network"]
