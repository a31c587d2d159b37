"""`python -m clients.typescript.codegen`: writes the generated files into the package."""

from pathlib import Path

from clients.python.codegen.document import Document
from clients.typescript.codegen import objects_module, resource_modules
from retinue.app import APIS
from retinue.openapi import build

PACKAGE = Path(__file__).parents[1]


def files() -> dict[str, str]:
    """Return the text of each generated file, by its path in the package."""
    document = Document(build(APIS))
    return {
        "types/objects.d.ts": objects_module.render(document),
        "types/resources.d.ts": resource_modules.render_types(document),
        "src/resources.js": resource_modules.render_code(document),
    }


if __name__ == "__main__":
    for name, text in files().items():
        (PACKAGE / name).write_text(text)
