"""Tools bear whatever fits their schemas: a result that fits too, a refusal, or unavailable; never a fault of theirs.

`RETINUE_HOSTILE` says how many calls a category is put to, as in `RETINUE_HOSTILE=1000 pytest FILE`; they are the same
in every run, and others with another `RETINUE_HOSTILE_SEED`.
"""

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, BinaryIO

import orjson
import pytest
from structlog.testing import capture_logs
from structlog.typing import EventDict

from retinue.core.errors import InternalError, RetinueError, Unavailable, ValidationFailed
from retinue.core.network.http_client import Address, AddressGuard
from retinue.core.runtime.ids import new_id
from retinue.files.file_access import named_files
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.argument_validation import ArgumentChecker
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.execution.environment import ToolEnvironment
from retinue.tools.execution.pool import ToolPool
from retinue.tools.verification.example_runner import LOOPBACK
from retinue.tools.verification.mock_web_server import fill_marks, stand_ins
from tests.support.catalogue import TOOLS
from tests.support.sampling import sample
from tests.tools.hostile import Trial, Trials, connect, corpus_of

CALLS = int(os.environ.get("RETINUE_HOSTILE", "60"))
SEED = int(os.environ.get("RETINUE_HOSTILE_SEED", "20261121"))
LONGEST_S = 5.0 if CALLS <= 60 else 20.0
"""Nothing is learnt by waiting for tools that may run for longer."""

SECRET = "kept from all tools 5f0c"
IN_WORKERS = [tool for tool in TOOLS if not tool.inside]
CATEGORIES = sorted({tool.category for tool in IN_WORKERS})
_ATTEMPTS = 10
_PAGE = os.sysconf("SC_PAGESIZE")


def with_needs(category: str) -> Any:
    """The category as a parameter, with the programs without which some of its tools refuse everything."""
    needs = sorted({name for tool in IN_WORKERS if tool.category == category for name in tool.needs})
    return pytest.param(category, marks=pytest.mark.needs_program(*needs))


class Nowhere(AddressGuard):
    """Permits no address."""

    def permits(self, address: Address) -> bool:
        """No."""
        return False


@dataclass
class Ordeal:
    """Puts trials to a pool, and writes down what went wrong."""

    pool: ToolPool
    folder: Path
    faults: list[str] = field(default_factory=list)
    outcomes: dict[str, int] = field(default_factory=dict)

    async def run(self, trials: list[Trial]) -> None:
        """Both halves at once, so that each worker imports its own modules."""
        half = len(trials) // 2
        with capture_logs() as logs:
            await asyncio.gather(self._work(trials[:half], logs), self._work(trials[half:], logs))

    async def _work(self, trials: list[Trial], logs: list[EventDict]) -> None:
        for trial in trials:
            if fault := await self._fault(trial):
                logged = [str(entry.get("detail", entry)) for entry in logs if entry.get("tool") == trial.tool.name]
                self.faults.append(f"{trial.tool.name}: {fault}\n{_show(trial)}\n{''.join(logged[-1:])}")

    async def answer(self, tool: Tool, example: Mapping[str, Any]) -> None:
        """Call a tool as its example does, while the servers of the example stand there."""
        with stand_ins(example) as marks, capture_logs() as logs:
            args = ArgumentChecker(tool).check(fill_marks(example["args"], marks))
            await self._work([Trial(tool, connect(tool, args, marks), {})], logs)

    async def _fault(self, trial: Trial) -> str | None:
        paths = {name: self.folder / name for name in named_files(trial.tool.input_schema, trial.args)}
        for name, path in paths.items():
            path.write_bytes(trial.files.get(name, b""))
        try:
            result = await self.pool.execute(trial.tool, trial.args, paths, self._keep)
            _check_result(trial.tool, result)
        except (Unavailable, ValidationFailed) as refused:
            return self._describe(type(refused).__name__, refused.message)
        except InternalError as failed:
            return self._describe("fault", "") or failed.message
        finally:
            for path in paths.values():
                path.unlink(missing_ok=True)
        return self._describe("result", orjson.dumps(result).decode())

    def _describe(self, outcome: str, answer: str) -> str | None:
        """What an answer must not tell."""
        self.outcomes[outcome] = self.outcomes.get(outcome, 0) + 1
        if SECRET in answer or "root:x:0" in answer:
            return "it read a file that is none of its business"
        return None

    async def _keep(self, name: str, content: BinaryIO) -> str:
        assert content.read(1) is not None, name
        return new_id("file")


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    """A folder beside those of the workers that no tool has any business in."""
    folder = tmp_path / "canary"
    folder.mkdir()
    (folder / "secret").write_text(SECRET)
    return folder


@asynccontextmanager
async def ordeal(folder: Path, guard: AddressGuard) -> AsyncIterator[Ordeal]:
    """One with a pool of two workers that reach what the guard permits."""
    environment = ToolEnvironment.beside(folder / "cache")
    await environment.install()
    (inputs := folder / "inputs").mkdir()
    pool = ToolPool(2, python=str(environment.python), guard=guard, scratch=folder / "scratch")
    await pool.start()
    try:
        yield Ordeal(pool, inputs)
    finally:
        await pool.stop()


@pytest.mark.long
@pytest.mark.timeout(60 + 2 * CALLS)
@pytest.mark.parametrize("category", sample(map(with_needs, CATEGORIES), every=9))
async def test_tools_bear_hostile_arguments(category: str, catalogue: Catalogue, canary: Path, tmp_path: Path) -> None:
    trials = _trials([tool for tool in catalogue if tool.category == category and not tool.inside])
    before = _resident_bytes()
    async with ordeal(tmp_path, Nowhere()) as tried:
        await tried.run(trials)
    assert not tried.faults, "\n\n".join(tried.faults)
    assert sum(tried.outcomes.values()) == CALLS
    assert _resident_bytes() - before < 50 * 2**20
    assert _outside(tmp_path) == {canary / "secret": SECRET}


@pytest.mark.timeout(60 + 2 * CALLS)
async def test_tools_bear_hostile_answers(catalogue: Catalogue, canary: Path, tmp_path: Path) -> None:
    random = Random(SEED)
    trials = Trials([], random)
    examples = [
        (tool, example)
        for tool in catalogue
        for example in tool.examples
        if "result" in example and (example["site"] or example["servers"]) and not tool.inside
    ]
    async with ordeal(tmp_path, LOOPBACK) as tried:
        for tool, example in sorted(random.choices(examples, k=CALLS), key=lambda pair: pair[0].module):
            await tried.answer(replace(tool, timeout_s=LONGEST_S), trials.answers(example))
    assert not tried.faults, "\n\n".join(tried.faults)
    assert tried.outcomes["result"] > CALLS / 4
    assert _outside(tmp_path) == {canary / "secret": SECRET}


def _trials(tools: list[Tool]) -> list[Trial]:
    """As many as are wanted, the same in every run, those of one module together: a worker then imports it once."""
    random = Random(SEED)
    makers = Trials(corpus_of(tools), random)
    chosen = random.choices(tools, k=CALLS) if len(tools) > CALLS else (tools * CALLS)[:CALLS]
    chosen.sort(key=lambda tool: (tool.module, tool.name))
    return [_acceptable(tool, makers) for tool in chosen]


def _acceptable(tool: Tool, trials: Trials) -> Trial:
    """A trial whose arguments fit the schema; what does not fit is refused, and nothing else comes of it."""
    checker = ArgumentChecker(tool)
    quick = replace(tool, timeout_s=min(tool.timeout_s, LONGEST_S))
    for _ in range(_ATTEMPTS):
        trial = trials.trial(tool)
        with suppress(ValidationFailed):
            return replace(trial, tool=quick, args=connect(tool, checker.check(trial.args)))
    trial = trials.first_example(tool)
    return replace(trial, tool=quick, args=connect(tool, checker.check(trial.args)))


def _check_result(tool: Tool, result: Mapping[str, Any]) -> None:
    """Raise `InternalError` unless the result fits its schema, without a field that is not in it."""
    schema = {**tool.result_schema, "additionalProperties": False}
    try:
        ArgumentChecker(replace(tool, input_schema=schema)).check(result)
    except RetinueError as unfit:
        raise InternalError(f"its result does not fit: {unfit.message}") from unfit


def _show(trial: Trial) -> str:
    """What one needs to try it again."""
    files = {name: f"{len(content)} bytes, {content[:60]!r}" for name, content in trial.files.items()}
    return f"{str(trial.args)[:1_500]} {files or ''}"


def _outside(folder: Path) -> dict[Path, str]:
    """What lies beside the scratch folders, where no tool has any business."""
    scratch = folder / "scratch"
    return {path: path.read_text() for path in folder.rglob("*") if path.is_file() and scratch not in path.parents}


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * _PAGE
