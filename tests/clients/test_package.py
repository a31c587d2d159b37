"""The package can be built, and holds what its users need."""

import subprocess
import zipfile
from pathlib import Path

from uv import find_uv_bin

from tests.docs.blocks import ROOT


def test_the_wheel_has_the_package_and_its_types(tmp_path: Path) -> None:
    command = [find_uv_bin(), "build", "--quiet", "--offline", "--wheel", "--out-dir", str(tmp_path), "clients/python"]
    subprocess.run(command, cwd=ROOT, check=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (metadata,) = (archive.read(name).decode() for name in names if name.endswith("/METADATA"))
    assert {"retinue_client/py.typed", "retinue_client/types.py", "retinue_client/_resources/agents.py"} <= names
    assert not [name for name in names if "codegen" in name]
    needed = [
        line.removeprefix("Requires-Dist: ") for line in metadata.splitlines() if line.startswith("Requires-Dist")
    ]
    assert needed == ["httpx>=0.27,<1"]
