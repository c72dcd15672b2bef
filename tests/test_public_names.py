"""What `import pullfx` offers, and what it costs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import pullfx


def test_every_public_name_is_there() -> None:
    assert len(pullfx.__all__) > 50
    for name in pullfx.__all__:
        assert getattr(pullfx, name) is not None


@pytest.mark.parametrize("module", ["pullfx", "pullfx.cli", "pullfx.models"])
def test_importing_loads_no_large_library(module: str) -> None:
    """They take a second together, which a program spends when it first uses them.

    Help and completion are there at once, and `pullfx doctor` is where one cannot be loaded.
    """
    code = (
        f"import sys, {module};"
        "print(*{'av', 'cv2', 'networkx', 'numpy', 'onnx', 'onnxruntime'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, check=True)
    assert not found.stdout.split()
