"""Where the command line prints: results on standard output, all else beside it."""

from rich.console import Console

results = Console(soft_wrap=True)
"""What was asked for; may be piped into another program."""

messages = Console(stderr=True, soft_wrap=True)
"""Progress, warnings and errors."""
