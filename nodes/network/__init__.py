"""The network behind `Segment`: opened, checked, and run, by whichever engine can."""

from pullfx.nodes.network.loading import Network, load

__all__ = ["Network", "load"]
