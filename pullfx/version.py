"""The version of pullfx that is installed."""

from importlib.metadata import version

__version__ = version("pullfx")
