"""Examples of the requests to each operation, and of the records in responses. `examples.json` holds them."""

from importlib.resources import files

import orjson

from retinue.openapi.schemas import Json

_EXAMPLES: dict[str, dict[str, Json]] = orjson.loads(files("retinue.openapi").joinpath("examples.json").read_bytes())

BODIES = _EXAMPLES["bodies"]
"""Example bodies by operation name."""

QUERIES = _EXAMPLES["queries"]
"""Example query parameters by operation name."""

RECORDS = _EXAMPLES["records"]
"""Example records by schema name."""


def add_to(schemas: Json) -> Json:
    """Add the examples to the schemas that have one."""
    return {
        name: {**schema, "examples": [RECORDS[name]]} if name in RECORDS else schema for name, schema in schemas.items()
    }
