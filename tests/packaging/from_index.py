"""Installs the wheels in empty environments, as users do, and starts the server: `make package`.

`python -m tests.packaging.from_index FOLDER` takes the wheels in that folder. Their libraries come from the index that
pip and uv are set to use, in the newest versions that the ranges in `pyproject.toml` allow. This is no test of the
suite, because its result depends on what the index has today.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from uv import find_uv_bin

from retinue import __version__
from tests.packaging.installed import running_server


def main(wheels: Path) -> None:
    """Install with pip and start the server; then run the command with uv."""
    packages = [str(path) for path in sorted(wheels.glob("*.whl"))]
    (server,) = (path for path in packages if Path(path).name.startswith("retinue-"))
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        run(sys.executable, "-m", "venv", str(folder / "venv"))
        run(str(folder / "venv/bin/python"), "-m", "pip", "install", "--quiet", f"{server}[all]", *packages)
        (folder / "home").mkdir()
        with running_server(folder / "venv/bin/retinue", folder / "home") as installed:
            installed.check()
        others = [option for path in packages if path != server for option in ("--with", path)]
        run(find_uv_bin(), "tool", "run", "--python", sys.executable, "--from", server, *others, "retinue", "--version")


def run(*command: str) -> None:
    """Run a command that must succeed."""
    sys.stdout.write(f"$ {' '.join(command)}\n")
    sys.stdout.flush()
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())
    sys.stdout.write(f"Retinue {__version__} installs and starts.\n")
