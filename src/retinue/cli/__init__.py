"""The command `retinue`.

Commands parse arguments and print results; the domains do the work.
"""

from retinue.cli.main import main

__all__ = ["main"]
