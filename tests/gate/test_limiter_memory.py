"""The in-memory limiter: its counts, its file, and what happens when the file is unusable."""

import asyncio
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from structlog.testing import capture_logs

from retinue.core.database.sqlite import connect
from retinue.core.runtime.expiring_dict import ExpiringDict
from retinue.gate.memory_limiter import MemoryLimiter
from retinue.gate.sliding_windows import AccountWindows, MinuteLog
from retinue.gate.window_flush import WindowFlusher
from tests.gate.limiter_support import START, Clock, Model, limits
from tests.support.waiting import until

_PATIENT = limits(hour=3)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "counters.db"


def _rows(path: Path) -> list[tuple[str, int, int, int]]:
    connection = connect(path)
    try:
        return list(connection.execute("SELECT account, width, slot, requests FROM request_slots ORDER BY 1, 2, 3"))
    finally:
        connection.close()


async def _windows_that_refuse(path: Path, clock: Clock, hits: int) -> list[str]:
    """Return the windows that a new process refuses by, after it has loaded the file."""
    limiter = MemoryLimiter(path, clock)
    await limiter.start()
    answers = [limiter.count("key", "account", _PATIENT).window for _ in range(hits)]
    await limiter.stop()
    return answers


async def test_hour_and_day_survive_a_restart(path: Path) -> None:
    clock = Clock()
    assert await _windows_that_refuse(path, clock, 2) == ["", ""]
    clock.time += 3_600
    assert await _windows_that_refuse(path, clock, 2) == ["", "hour"]
    clock.time += 60
    assert await _windows_that_refuse(path, clock, 3) == ["", "", "hour"]


async def test_the_file_is_written_every_second_and_survives_a_kill(path: Path) -> None:
    program = (
        "import asyncio, pathlib, sys\n"
        "from retinue.auth.plans import RequestLimits\n"
        "from retinue.gate.memory_limiter import MemoryLimiter\n"
        "async def main():\n"
        "    limiter = MemoryLimiter(pathlib.Path(sys.argv[1]), lambda: 1_800_000_000.0)\n"
        "    await limiter.start()\n"
        "    for _ in range(3): limiter.count('key', 'account', RequestLimits(minute=9, hour=3, day=9))\n"
        "    print('counted', flush=True)\n"
        "    await asyncio.Event().wait()\n"
        "asyncio.run(main())\n"
    )
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, str(path), stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert await process.stdout.readline() == b"counted\n"
    await until(lambda: len(_rows(path)) == 2)
    process.kill()
    await process.wait()
    assert await _windows_that_refuse(path, Clock(), 1) == ["hour"]


_PAUSE = st.sampled_from([0.0, 1.0, 59.0, 60.0, 599.0, 3_600.0, 3_660.0, 40_000.0, 86_400.0, 87_000.0])


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(_PAUSE, st.booleans()), max_size=25))
async def test_restarts_at_any_moment_change_no_decision(steps: list[tuple[float, bool]]) -> None:
    rules = limits(hour=3, day=7)
    clock, model = Clock(), Model(rules)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "counters.db"
        limiter = MemoryLimiter(path, clock)
        await limiter.start()
        for pause, restart in steps:
            clock.time += pause
            if restart:
                await limiter.stop()
                limiter = MemoryLimiter(path, clock)
                await limiter.start()
            assert limiter.count("key", "account", rules).allowed == model.hit(clock.time, "key")[0]
        await limiter.stop()


@pytest.mark.parametrize("step", [90.0, 7_200.0, 400 * 86_400.0])
async def test_a_clock_set_back_between_restarts_neither_frees_nor_locks(path: Path, step: float) -> None:
    clock = Clock(START + step)
    assert await _windows_that_refuse(path, clock, 3) == ["", "", ""]
    clock.time = START
    assert await _windows_that_refuse(path, clock, 1) == ["hour"]
    clock.time += 3_599
    assert await _windows_that_refuse(path, clock, 1) == ["hour"]
    clock.time += 61
    assert await _windows_that_refuse(path, clock, 1) == [""]
    assert max(slot * width for _, width, slot, _ in _rows(path)) <= clock.time


async def test_expired_slots_leave_the_file(path: Path) -> None:
    clock = Clock()
    await _windows_that_refuse(path, clock, 1)
    clock.time += 87_000
    await _windows_that_refuse(path, clock, 1)
    assert _rows(path) == [("account", 60, clock.time // 60, 1), ("account", 600, clock.time // 600, 1)]


@settings(max_examples=60, deadline=None)
@given(places=st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), min_size=1, max_size=200))
async def test_no_damage_to_the_file_stops_the_counting(places: list[tuple[int, int]]) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "counters.db"
        await _windows_that_refuse(path, Clock(), 1)
        content = bytearray(path.read_bytes())
        for place, value in places:
            content[place % len(content)] = value
        path.write_bytes(content)
        answers = await _windows_that_refuse(path, Clock(), 4)
        assert answers[-1] in {"hour", "day"}


@pytest.fixture
def no_database(path: Path) -> Path:
    path.write_bytes(b"not a database " * 1_000)
    return path


async def test_a_file_that_is_no_database_is_set_aside_and_started_anew(no_database: Path) -> None:
    with capture_logs() as logs:
        assert await _windows_that_refuse(no_database, Clock(), 3) == ["", "", ""]
    assert [line["event"] for line in logs] == ["limiter.file_unusable"]
    assert await _windows_that_refuse(no_database, Clock(), 1) == ["hour"]
    assert no_database.with_name("counters.db.damaged").is_file()


async def test_without_a_usable_file_the_process_counts_alone(tmp_path: Path) -> None:
    with capture_logs() as logs:
        assert await _windows_that_refuse(tmp_path / "missing" / "counters.db", Clock(), 4) == ["", "", "", "hour"]
        assert await _windows_that_refuse(tmp_path, Clock(), 4) == ["", "", "", "hour"]
    assert {line["event"] for line in logs} == {"limiter.file_unusable"}


async def test_a_failed_write_is_told_once_and_made_up_for(path: Path) -> None:
    clock = Clock()
    keeper = WindowFlusher(path, clock)
    assert await keeper.start() == []
    windows = AccountWindows()
    intruder = connect(path)
    intruder.execute("ALTER TABLE request_slots RENAME TO elsewhere")
    with capture_logs() as logs:
        for _ in range(2):
            windows.advance(clock.time)
            windows.hour.add()
            keeper.changed["account"] = windows
            await keeper.fold()
            clock.time += 60
    assert [line["event"] for line in logs] == ["limiter.file_not_written"]
    intruder.execute("ALTER TABLE elsewhere RENAME TO request_slots")
    intruder.close()
    await keeper.stop()
    assert _rows(path) == [("account", 60, START // 60, 1), ("account", 60, START // 60 + 1, 1)]


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from("abcdef")), max_size=80))
def test_recently_used_entries_are_kept(uses: list[tuple[int, str]]) -> None:
    clock = Clock()
    recent = ExpiringDict(MinuteLog, clock, seconds=10)
    last: dict[str, tuple[float, MinuteLog]] = {}
    for pause, key in uses:
        clock.time += pause
        value = recent[key]
        used, known = last.get(key, (0.0, value))
        assert value is known or clock.time - used >= 10
        last[key] = clock.time, value


def test_unused_entries_are_dropped() -> None:
    clock = Clock()
    recent = ExpiringDict(MinuteLog, clock, seconds=60)
    for second in range(1_000):
        clock.time = START + second
        assert recent[str(second)].count(clock.time) == 0
    assert recent.size() <= 120


def test_more_than_the_most_are_not_kept_and_the_latest_are() -> None:
    recent = ExpiringDict(MinuteLog, Clock(), seconds=60, most=10)
    logs = [recent[str(number)] for number in range(1_000)]
    assert recent.size() <= 10
    assert recent["999"] is logs[-1]


def test_only_the_times_that_decide_are_remembered_when_nothing_is_refused() -> None:
    clock = Clock()
    limiter = MemoryLimiter(clock=clock)
    for second in range(30):
        clock.time = START + second
        decision = limiter.count("key", "account", limits(minute=3), refuse=False)
    assert (decision.remaining, decision.reset) == (0, int(START) + 27 + 60)
    assert limiter.count("key", "account", limits(minute=3)).reset == decision.reset
