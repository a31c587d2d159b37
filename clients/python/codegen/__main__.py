"""`python -m clients.python.codegen [FOLDER]`: writes the generated files, by default into the package."""

import subprocess
import sys
from pathlib import Path

from clients.python.codegen import resource_modules, types_module
from clients.python.codegen.document import Document
from retinue.app import APIS
from retinue.openapi import build

PACKAGE = Path(__file__).parents[1] / "src/retinue_client"
_ROOT = Path(__file__).parents[3]


def files() -> dict[str, str]:
    """Return the unformatted source of each generated file, by its path in the package."""
    document = Document(build(APIS))
    modules = {f"_resources/{name}": text for name, text in resource_modules.render(document).items()}
    return {"types.py": types_module.render(document), **modules}


def write(folder: Path) -> list[Path]:
    """Write the generated files to `folder` and format them. Returns their paths."""
    paths = []
    for name, text in files().items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        paths.append(path)
    for command in (["check", "--fix-only", "--select", "F401,I"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--quiet", "--config", str(_ROOT / "pyproject.toml")]
        subprocess.run([*ruff, *map(str, paths)], check=True)  # noqa: S603 - our own files
    return paths


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE
    if target == PACKAGE:
        for old in (target / "_resources").glob("*.py"):
            old.unlink()
    write(target)
