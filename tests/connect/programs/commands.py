"""What the programs that run an agent of the command line share."""

import os
import subprocess
from pathlib import Path
from tempfile import mkdtemp

NOTE = "The code word is marmalade.\n"


def new_folder(*parts: str) -> Path:
    """Return a new folder with a file `note.txt`, or one within it."""
    folder = Path(mkdtemp(), *parts)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "note.txt").write_text(NOTE)
    return folder


def run(command: list[str], folder: Path, **environment: str) -> str:
    """Run a command in a folder, with nothing of the caller's settings. Returns its output."""
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    done = subprocess.run(
        command,
        cwd=folder,
        env={**kept, "HOME": str(folder), **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout[-1500:]
    return done.stdout
