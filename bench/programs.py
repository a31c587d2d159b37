"""Programs that measure in a process, and where need be an environment, of their own."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from bench.figures import Figures

RETINUE = str(Path(".venv/bin/python").absolute())
"""The server's own environment, for programs that drive its parts directly."""

HERE = {"PYTHONPATH": os.pathsep.join([str(Path.cwd()), os.environ.get("PYTHONPATH", "")])}
"""The environment variables with which programs find this package from another folder."""


def measure_command(command: list[str]) -> Figures:
    """What a command prints last, run in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        printed = subprocess.run(command, cwd=folder, env={**os.environ, **HERE}, check=True, stdout=subprocess.PIPE)
    figures: Figures = json.loads(printed.stdout.splitlines()[-1])
    return figures
