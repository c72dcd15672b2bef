"""The one error of the converter."""


class ConversionError(Exception):
    """A network that cannot be converted; the message names the operator, tensor or file."""
