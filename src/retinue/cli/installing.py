"""Install a package environment and show the progress."""

import asyncio

from retinue.cli.progress import showing
from retinue.core.children.environment import PackageEnvironment
from retinue.core.children.pip_install import NotInstalled
from retinue.core.errors import Unavailable


def install_shown(environment: PackageEnvironment, name: str) -> None:
    """Install `environment`, with `name` as its label in messages, such as "the tools' libraries"."""
    with showing(f"Installing {name}") as show:

        def progress(installed: int, total: int, doing: str) -> None:
            downloading = doing.startswith("Downloading") and not installed
            show(installed, total, doing if downloading else f"{installed} of {total} packages")

        try:
            asyncio.run(environment.install(progress))
        except NotInstalled as error:
            raise Unavailable(f"Installing {name} failed: {error}") from error
