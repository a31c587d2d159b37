"""Table tools read files as real programs export them, and say what they changed or what is wrong."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from retinue.core.errors import ValidationFailed
from retinue.tools.verification.example_runner import LocalExecutor
from tests.support.sampling import EXHAUSTIVE
from tests.tools.library.data_analysis.exports import DELIMITED, EXPORTS, Export
from tests.tools.workshops import ON_ONE_LOOP, open_workshop, tools_of

pytestmark = ON_ONE_LOOP
MODULES = ("data_analysis.rows", "data_analysis.groups", "data_formats.csv_files")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def workshop(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalExecutor]:
    """Runs the tools in the environment that the server uses."""
    async with open_workshop(tools_of(*MODULES), tmp_path_factory.mktemp("workshop")) as shop:
        yield shop


async def _outcome(workshop: LocalExecutor, export: Export) -> dict[str, Any]:
    file = await workshop.lend(export.name, export.content)
    try:
        result = await workshop.execute("table_preview", {"file": file, "count": 100})
    except ValidationFailed as refused:
        return {"refusal": refused.message}
    return {"rows": result["rows"], "notes": result.get("notes", [])}


def _is_right(export: Export, outcome: dict[str, Any]) -> bool:
    if export.refusal:
        return export.refusal in outcome.get("refusal", "")
    notes = outcome.get("notes", [])
    told = len(notes) == len(export.notes) and all(map(str.__contains__, notes, export.notes))
    return told and outcome["rows"] == export.rows


@EXHAUSTIVE
@pytest.mark.long
async def test_exports_of_real_programs(workshop: LocalExecutor) -> None:
    outcomes = {export.name: await _outcome(workshop, export) for export in EXPORTS}
    assert not {
        export.name: outcomes[export.name] for export in EXPORTS if not _is_right(export, outcomes[export.name])
    }


async def test_results_of_all_table_tools_have_the_notes(workshop: LocalExecutor) -> None:
    file = await workshop.lend("sales.csv", b"Report\ncity,amount\nBonn,1\nUlm\n")
    filtered = await workshop.execute("table_filter_rows", {"file": file, "condition": "amount IS NULL"})
    assert filtered["rows"] == [{"city": "Ulm", "amount": None}]
    assert [note.split(" ", 2)[1] for note in filtered["notes"]] == ["1", "4"]
    regular = await workshop.lend("sales.csv", b"city,amount\nBonn,1\n")
    assert "notes" not in await workshop.execute("table_filter_rows", {"file": regular, "condition": "amount = 1"})


async def test_a_named_encoding_is_the_way_out_of_an_unknown_one(workshop: LocalExecutor) -> None:
    unknown = next(export for export in DELIMITED if export.name == "DOS")
    file = await workshop.lend("names.csv", unknown.content)
    args = {"file": file, "encoding": "cp850", "to_delimiter": "comma"}
    converted = await workshop.execute("csv_convert_dialect", args)
    result = await workshop.execute("table_preview", {"file": converted["file"]})
    assert result["rows"] == [{"Name": "Jürgen", "Stadt": "Köln"}]
