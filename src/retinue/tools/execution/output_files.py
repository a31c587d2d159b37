"""Store the output files of a tool: a result field declared as a file id holds the name of a file the tool
created.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, BinaryIO, TypeAlias

from retinue.core.errors import InternalError
from retinue.files.file_access import FORMAT
from retinue.tools.authoring.tool import properties_of

Keep: TypeAlias = Callable[[str, BinaryIO], Awaitable[str]]
"""Stores a file under a name, and returns its id."""


async def keep_made_files(
    schema: Mapping[str, object], value: object, open_file: Callable[[str], BinaryIO], keep: Keep
) -> Any:
    """Store every output file, and return the value with ids in place of names.

    Raises `InternalError` for a file that the tool did not create.
    """
    if schema.get("format") == FORMAT and isinstance(value, str):
        return await _kept_file(value, open_file, keep)
    if isinstance(value, list) and isinstance(items := schema.get("items"), dict):
        return (
            [await keep_made_files(items, item, open_file, keep) for item in value] if _has_file_ids(items) else value
        )
    if isinstance(value, dict):
        parts = properties_of(schema)
        return {name: await keep_made_files(parts.get(name, {}), part, open_file, keep) for name, part in value.items()}
    return value


def _has_file_ids(schema: Mapping[str, object]) -> bool:
    return schema.get("format") == FORMAT or any(map(_has_file_ids, properties_of(schema).values()))


async def _kept_file(name: str, open_file: Callable[[str], BinaryIO], keep: Keep) -> str:
    try:
        file = open_file(name)
    except OSError as error:
        raise InternalError(
            "The tool returned a file that it did not create. Include the request id when you report it."
        ) from error
    with file:
        return await keep(name, file)
