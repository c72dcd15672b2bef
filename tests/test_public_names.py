"""What `import pullfx` offers, and what it costs."""

from __future__ import annotations

import subprocess
import sys

import pullfx


def test_every_public_name_is_there() -> None:
    assert len(pullfx.__all__) > 50
    for name in pullfx.__all__:
        assert getattr(pullfx, name) is not None


def test_importing_loads_no_large_library() -> None:
    """They take a second together, which a program spends when it first uses them."""
    code = (
        "import sys, pullfx;"
        "print(*{'av', 'cv2', 'networkx', 'numpy', 'onnx', 'onnxruntime'} & set(sys.modules))"
    )
    found = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, check=True)
    assert not found.stdout.split()
