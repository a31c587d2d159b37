"""What the programs of this folder share: the settings that they get, and how they report."""

import os
import sys
import traceback
from collections.abc import Awaitable, Callable
from importlib.metadata import version

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


async def report(*packages: str, **cases: Callable[[], Awaitable[object]]) -> None:
    """Run the cases, and print a line for each: its name, a tab, and what went wrong, or nothing."""
    print("versions", ", ".join(f"{package} {version(package)}" for package in packages), sep="\t")
    for name, case in cases.items():
        try:
            await case()
            print(name.replace("_", " "), "", sep="\t")
        except Exception as error:
            traceback.print_exc()
            print(name.replace("_", " "), f"{type(error).__name__}: {' '.join(str(error).split())[:300]}", sep="\t")
    sys.stdout.flush()
