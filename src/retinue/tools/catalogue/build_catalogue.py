"""Build the catalogue: import the tools of the libraries in a confined process, which prints the compiled file.

A library may be another author's, and a module may do anything while it is imported.
"""

import importlib
import json
import sys
from collections import Counter
from collections.abc import Iterable

from retinue.tools.authoring.aliases import entries
from retinue.tools.authoring.declare import declarations
from retinue.tools.authoring.import_stubs import absent_libraries
from retinue.tools.authoring.libraries import SHIPPED, libraries
from retinue.tools.authoring.schema_from_function import DeclarationError
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.catalogue_file import CompiledCatalogue
from retinue.tools.catalogue.fingerprint import fingerprint, stat_hash
from retinue.tools.execution import sandbox


def compiled_tools(modules: Iterable[str] = ("*",)) -> list[Tool]:
    """Return the tools of the libraries, or of modules such as `text/lists` or `text`, by name.

    Raises `DeclarationError` for the first tool that breaks a rule.
    """
    patterns = [module if "/" in module else f"{module}/*" for module in modules]
    with absent_libraries():
        for library in libraries():
            for path in sorted({path for pattern in patterns for path in library.folder.glob(f"{pattern}.py")}):
                if path.stem != "__init__":
                    importlib.import_module(f"{library.module}.{path.parent.name}.{path.stem}")
    tools = [tool for declaration in declarations for tool in entries(declaration)]
    for field in ("name", "description"):
        twice = [value for value, count in Counter(getattr(tool, field) for tool in tools).items() if count > 1]
        if twice:
            raise DeclarationError(f"The {field} must be unique to one tool: {twice[0]}")
    return sorted(tools, key=lambda tool: tool.name)


def main() -> None:
    """Confine this process, then compile the modules named in the JSON object on the command line.

    The fingerprint is computed first, so that later changes to the sources make the file stale. What modules print
    goes to standard error.
    """
    answers, sys.stdout = sys.stdout, sys.stderr
    options = json.loads(sys.argv[1])
    seen, read = stat_hash(), fingerprint()
    unconfined = sandbox.confine_python(options["scratch"])
    others = [library.origin for library in libraries() if library.module != SHIPPED]
    if unconfined and others and options["confined"]:
        sys.exit(
            f"The kernel does not confine the process that imports {others[0]} ({'; '.join(unconfined)}), and "
            "RETINUE_SANDBOX=require asks for that. Uninstall the package, or change the setting."
        )
    try:
        document = CompiledCatalogue.of(compiled_tools(options["modules"]), fingerprint=read, stat_hash=seen).document()
    except DeclarationError as error:
        sys.exit(str(error))
    answers.buffer.write(document)
    answers.flush()
