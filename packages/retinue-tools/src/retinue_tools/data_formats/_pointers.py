"""JSON Pointers (RFC 6901)."""

import re
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

from retinue.sdk import ToolError

_INDEX = re.compile(r"0|[1-9][0-9]{0,17}")


def pointer_of(steps: Iterable[str | int]) -> str:
    """Return the pointer for these steps from the root."""
    return "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)


def steps_of(pointer: str) -> list[str]:
    """Return the steps of a pointer; a leading # marks a URI fragment. Raises `ToolError`."""
    text = unquote(pointer[1:]) if pointer.startswith("#") else pointer
    if not text:
        return []
    if not text.startswith("/"):
        raise ToolError(f"The pointer {pointer[:80]!r} must begin with /, or be empty for the whole document.")
    if re.search("~(?![01])", text):
        raise ToolError(f"In the pointer {pointer[:80]!r}, write ~ in a name as ~0 and / as ~1.")
    return [step.replace("~1", "/").replace("~0", "~") for step in text[1:].split("/")]


def resolve(document: Any, pointer: str) -> Any:
    """Return the value at a pointer. Raises `ToolError` with the step that does not exist."""
    value = document
    for step in steps_of(pointer):
        value = value[key_of(value, step, pointer)]
    return value


def key_of(value: Any, step: str, pointer: str) -> Any:
    """Return the key or position in `value` for a step. Raises `ToolError` if there is none."""
    if isinstance(value, dict):
        if step in value:
            return step
        raise ToolError(f"{pointer[:200]}: the object has no member {step[:60]!r}. It has {_names(value)}.")
    if isinstance(value, list):
        return position_of(value, step, len(value), pointer)
    raise ToolError(f"{pointer[:200]}: the value at {step[:60]!r} is neither an object nor a list.")


def position_of(value: list[Any], step: str, end: int, pointer: str) -> int:
    """Return the position below `end` in a list for a step. Raises `ToolError` if there is none."""
    if _INDEX.fullmatch(step) and int(step) < end:
        return int(step)
    items = f"{len(value)} item" + ("" if len(value) == 1 else "s")
    raise ToolError(f"{pointer[:200]}: the list has {items}, counted from 0, and none at {step[:60]!r}.")


def _names(value: dict[str, Any]) -> str:
    return ", ".join(str(name)[:40] for name in list(value)[:10]) or "none"
