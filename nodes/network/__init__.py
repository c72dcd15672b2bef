"""Networks as nodes use them: opened, checked, and run by whichever engine can."""

from pullfx.nodes.network.loading import (
    Network,
    TensorNetwork,
    is_int8_faster,
    load,
    load_tensors,
    shipped,
)

__all__ = ["Network", "TensorNetwork", "is_int8_faster", "load", "load_tensors", "shipped"]
