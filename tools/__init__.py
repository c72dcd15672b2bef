"""Builds of the models that pullfx ships. Never imported at run time."""
