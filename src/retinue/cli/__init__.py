"""The command `retinue`."""

from retinue.cli.main import main

__all__ = ["main"]
