"""Compile added tools. This runs in a worker process, because a module may do anything while it is imported."""

import importlib
import traceback
from dataclasses import replace

from retinue.tools.authoring.aliases import entries
from retinue.tools.authoring.declare import Declaration, declarations
from retinue.tools.authoring.import_stubs import absent_libraries
from retinue.tools.authoring.plugin_module import PluginModule, import_source
from retinue.tools.authoring.schema_from_function import DeclarationError
from retinue.tools.authoring.tool import Tool


def compile_module(module: PluginModule) -> dict[str, object]:
    """Return the tools of a module, and one line for each error in it."""
    begun = len(declarations)
    try:
        with absent_libraries():
            import_source(module.name, module.source) if module.source else importlib.import_module(module.name)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a module may raise anything
        place = _line(error, f"<{module.name}>")
        return {"tools": [], "faults": [f"{module.origin}: {place}{type(error).__name__}: {error}"]}
    tools: list[Tool] = []
    faults: list[str] = []
    for declaration in declarations[begun:]:
        try:
            tools += _entries(declaration, module)
        except DeclarationError as error:
            faults.append(f"{module.origin}: {error}")
        except Exception as error:  # noqa: BLE001 - pydantic says what is wrong with a type in many ways
            faults.append(f"{module.origin}: {declaration.function.__name__}: {error}")
    if not declarations[begun:]:
        faults.append(f"{module.origin}: it declares no tool. Decorate a function with @tool(…).")
    return {"tools": tools, "faults": [" ".join(fault.split()) for fault in faults]}


def _entries(declaration: Declaration, module: PluginModule) -> list[Tool]:
    """Return the tool and its aliases."""
    tools = entries(declaration)
    if tools[0].inside:
        raise DeclarationError(
            f"{tools[0].name}: only the server's built-in tools can run inside it. Use def instead of async def."
        )
    return [replace(tool, source=module.source) for tool in tools]


def _line(error: BaseException, file: str) -> str:
    """Return the line of the module at which the error occurred."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return f"line {error.lineno}: "
    frames = traceback.extract_tb(error.__traceback__)
    return next((f"line {frame.lineno}: " for frame in reversed(frames) if frame.filename == file), "")
