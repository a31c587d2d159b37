"""Run benchmark programs in their own processes, and if necessary in other environments."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from bench.figures import Figures

RETINUE = str(Path(".venv/bin/python").absolute())
"""The Python of the server's environment, for programs that use its components directly."""

HERE = {"PYTHONPATH": os.pathsep.join([str(Path.cwd()), os.environ.get("PYTHONPATH", "")])}
"""Environment variables that let programs in other folders import this package."""


def measure_command(command: list[str]) -> Figures:
    """Run a command in a folder of its own; return the figures on the last line of its output."""
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        printed = subprocess.run(command, cwd=folder, env={**os.environ, **HERE}, check=True, stdout=subprocess.PIPE)
    figures: Figures = json.loads(printed.stdout.splitlines()[-1])
    return figures
