"""What the programs of this folder share: the settings that they get, and how they report."""

import json
import os
import sys
import traceback
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from pathlib import Path

URL, KEY = os.environ["RETINUE_URL"], os.environ["RETINUE_API_KEY"]
MODEL, AGENT = os.environ["RETINUE_MODEL"], os.environ["RETINUE_AGENT"]
PIXEL = (
    "data:image/png;base64,"
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
"""A red image of one pixel."""


def call(name: str, arguments: str) -> str:
    """Return a message that makes the scripted model call a tool."""
    return f"[[tool:{name} {arguments}]]"


def find_version(package: str) -> str:
    """Return the version of an installed package of Python or, if its name begins with @, of Node.js."""
    if not package.startswith("@"):
        return version(package)
    about = Path(os.environ["NODE_MODULES"], package, "package.json").read_text()
    return str(json.loads(about)["version"])


async def report(*packages: str, **cases: Callable[[], Awaitable[object]]) -> None:
    """Run the cases, and print a line for each: its name, a tab, and what went wrong, or nothing."""
    print("versions", ", ".join(f"{package} {find_version(package)}" for package in packages), sep="\t")
    for name, case in cases.items():
        try:
            await case()
            print(name.replace("_", " "), "", sep="\t")
        except Exception as error:  # noqa: BLE001 # any error of a program is its result
            traceback.print_exc()
            print(name.replace("_", " "), f"{type(error).__name__}: {' '.join(str(error).split())[:300]}", sep="\t")
    sys.stdout.flush()
