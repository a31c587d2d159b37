"""The settings, with their defaults and bounds. `python -m tests.core.published_settings` records them."""

import json
from pathlib import Path

from retinue.settings import Settings
from tests.support.snapshot import Snapshot, strip_wording

SNAPSHOT = Snapshot(Path(__file__).with_suffix(".jsonl"), "tests.core.published_settings")
_OF_THE_MACHINE = {"tool_workers", "network_tool_workers"}
"""Settings whose defaults depend on the number of cores."""


def setting_lines() -> list[str]:
    """Return a line of JSON for each setting, in the order of their declaration."""
    schemas = strip_wording(Settings.model_json_schema(by_alias=False))["properties"]
    for name in _OF_THE_MACHINE:
        del schemas[name]["default"]
    return [json.dumps({"name": name, **schema}, ensure_ascii=False) for name, schema in schemas.items()]


if __name__ == "__main__":
    SNAPSHOT.write(setting_lines())
