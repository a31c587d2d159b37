"""Table tools read files as real programs export them, and say what they changed or what is wrong."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from retinue.core.errors import ValidationFailed
from retinue.tools.verification.example_runner import LocalExecutor
from tests.support.sampling import EXHAUSTIVE
from tests.tools.executors import ON_ONE_LOOP, open_executor, tools_of
from tests.tools.library.data_analysis.exports import DELIMITED, EXPORTS, Export

pytestmark = ON_ONE_LOOP
MODULES = ("data_analysis.rows", "data_analysis.groups", "data_formats.csv_files")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def executor(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[LocalExecutor]:
    """Runs the tools in the environment that the server uses."""
    async with open_executor(tools_of(*MODULES), tmp_path_factory.mktemp("executor")) as opened:
        yield opened


async def _outcome(executor: LocalExecutor, export: Export) -> dict[str, Any]:
    file = await executor.lend(export.name, export.content)
    try:
        result = await executor.execute("table_preview", {"file": file, "count": 100})
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
async def test_exports_of_real_programs(executor: LocalExecutor) -> None:
    outcomes = {export.name: await _outcome(executor, export) for export in EXPORTS}
    assert not {
        export.name: outcomes[export.name] for export in EXPORTS if not _is_right(export, outcomes[export.name])
    }


async def test_results_of_all_table_tools_have_the_notes(executor: LocalExecutor) -> None:
    file = await executor.lend("sales.csv", b"Report\ncity,amount\nBonn,1\nUlm\n")
    filtered = await executor.execute("table_filter_rows", {"file": file, "condition": "amount IS NULL"})
    assert filtered["rows"] == [{"city": "Ulm", "amount": None}]
    assert [note.split(" ", 2)[1] for note in filtered["notes"]] == ["1", "4"]
    regular = await executor.lend("sales.csv", b"city,amount\nBonn,1\n")
    assert "notes" not in await executor.execute("table_filter_rows", {"file": regular, "condition": "amount = 1"})


async def test_a_named_encoding_is_the_way_out_of_an_unknown_one(executor: LocalExecutor) -> None:
    unknown = next(export for export in DELIMITED if export.name == "DOS")
    file = await executor.lend("names.csv", unknown.content)
    args = {"file": file, "encoding": "cp850", "to_delimiter": "comma"}
    converted = await executor.execute("csv_convert_dialect", args)
    result = await executor.execute("table_preview", {"file": converted["file"]})
    assert result["rows"] == [{"Name": "Jürgen", "Stadt": "Köln"}]
