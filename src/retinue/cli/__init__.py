"""The command `retinue`.

A command reads arguments and prints; what it does belongs to the domains, not here.
"""

from retinue.cli.main import main

__all__ = ["main"]
