"""The environment of the tools' libraries, apart from the server's own: installed while the server answers already."""

from pathlib import Path
from typing import Self

from retinue.core.environment import PackageEnvironment, environment_folder
from retinue.tools.sources import PACKAGE

REQUIREMENTS = PACKAGE / "requirements.txt"


class ToolEnvironment(PackageEnvironment):
    """The libraries that tools are written with."""

    @classmethod
    def beside(cls, fallback: Path) -> Self:
        """Within the server's own environment where that can be written, else in the folder `fallback`."""
        return cls(environment_folder("tools", REQUIREMENTS, fallback), REQUIREMENTS)
