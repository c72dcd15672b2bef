"""Everything pullfx raises on purpose: `PullfxError` and its kinds.

The message of each is one line for a person: what was wrong, and what to do about it.
This module is a leaf, so that kernels, nodes, engine and command line can all raise from it.
"""


class PullfxError(Exception):
    """Base of every error that pullfx raises on purpose."""


class GraphError(PullfxError):
    """A graph that cannot be built: wrong type, missing input, cycle, or a port used as a value."""


class NodeError(PullfxError):
    """A node failed while it ran; `node` names it, the cause is chained.

    Attributes:
        node: name of the node that failed.
        effects: names of the active effects that needed it.
    """

    def __init__(self, message: str, node: str = "", effects: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.node = node
        self.effects = effects


class ParameterError(PullfxError):
    """An effect or a parameter that does not exist, or a value that it does not allow."""


class FrameError(PullfxError):
    """Pixels that cannot be a frame: wrong shape, dtype, strides or format."""


class KernelError(PullfxError):
    """A kernel refused its arguments, or the instruction set asked for is not available."""


class ModelError(PullfxError):
    """A network that is missing, damaged, altered or not of the shape that the node needs."""


class SourceError(PullfxError):
    """A file, address or device that gives no frames."""


class SinkError(PullfxError):
    """A file, window, device or pipe that takes no frames."""


class ClusterError(PullfxError):
    """A cluster that cannot be reached, or on which no process can begin."""
