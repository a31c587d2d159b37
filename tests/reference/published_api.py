"""What the API promises to its callers. `python -m tests.reference.published_api` records it."""

import json
from pathlib import Path
from typing import Any

from retinue.app import APIS
from retinue.openapi import build
from tests.support.snapshot import Snapshot, strip_wording

SNAPSHOT = Snapshot(Path(__file__).with_suffix(".json"), "tests.reference.published_api")


def api_lines(document: dict[str, Any]) -> list[str]:
    """Return the lines of an OpenAPI document without its wording, sorted and indented."""
    return json.dumps(strip_wording(document), ensure_ascii=False, indent=1, sort_keys=True).splitlines()


if __name__ == "__main__":
    SNAPSHOT.write(api_lines(build(APIS)))
