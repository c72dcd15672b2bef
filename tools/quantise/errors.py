"""The one error of the quantiser."""


class QuantisationError(Exception):
    """What cannot be quantised or measured; the message names the node, tensor or file."""
