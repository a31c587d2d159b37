"""The command `retinue`.

Commands only parse arguments and print results. The domain packages do the work.
"""

from retinue.cli.main import main

__all__ = ["main"]
