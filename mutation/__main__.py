"""Insert random faults into the server or the tool library, one at a time, and count those that the tests detect.

    make mutation                                    # 20 in each package of the server, 100 in the library
    .mutation-venv/bin/python -m mutation --each 30 --seed 7 gate core/work/leases retinue_tools

cosmic-ray modifies files of this checkout and restores them, so the command refuses to start while they have changes.
The session of each part stays in `mutation/sessions` and has each fault's diff: print it with `cosmic-ray dump`.
"""

import argparse
import ast
import random
import subprocess
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path

from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import TestOutcome, WorkerOutcome, WorkItem, WorkResult

HERE = Path(__file__).parent
ROOT, SESSIONS = HERE.parent, HERE / "sessions"
COSMIC_RAY = Path(sys.executable).with_name("cosmic-ray")
LIBRARY, ASSISTANT = "retinue_tools", "retinue_assistant"
SOURCES = ("src", "packages")
ROOMS = ["gate", "auth", "core", "runs", "chat", "agents", "fleets", "webhooks", "usage", "files", "tools"]
_EACH, _IN_LIBRARY = 20, 100
_TIMEOUT_S = 600
_OF_TYPES = "core/ReplaceBinaryOperator_BitOr_"
"""Operators that mostly change annotations such as `int | None`, which makes the module fail on import."""
_CONFIG = """\
[cosmic-ray]
module-path = {modules}
timeout = {timeout}.0
excluded-modules = []
test-command = "{python} -m mutation.tests_of_change"
[cosmic-ray.distributor]
name = "local"
"""


def main() -> None:
    """Measure each part that the command line names, and print one line for each."""
    parser = argparse.ArgumentParser(prog="mutation", description="Measure how many inserted faults the tests detect.")
    parser.add_argument(
        "parts", nargs="*", default=[*ROOMS, ASSISTANT, LIBRARY], help=f"parts of retinue, {ASSISTANT} or {LIBRARY}"
    )
    parser.add_argument("--each", type=int, help=f"faults in each; by default {_EACH}, in the library {_IN_LIBRARY}")
    parser.add_argument("--seed", type=int, default=1, help="random seed; another one draws other faults")
    wanted = parser.parse_args()
    if _git("status", "--porcelain", "--", *SOURCES):
        sys.exit("Commit or stash the changes below src and packages first: faults are inserted into these files.")
    for part in wanted.parts:
        _measure(part, wanted.each or (_IN_LIBRARY if part == LIBRARY else _EACH), wanted.seed)


def _measure(part: str, each: int, seed: int) -> None:
    SESSIONS.mkdir(exist_ok=True)
    config, session = (SESSIONS / f"{part.replace('/', '-')}{end}" for end in (".toml", ".sqlite"))
    lot = random.Random(seed)
    config.write_text(_config(_modules(part, each, lot)))
    session.unlink(missing_ok=True)
    try:
        for command in ("init", "exec"):
            subprocess.run([COSMIC_RAY, command, config, session], cwd=ROOT, check=True)
            if command == "init":
                _draw(session, each, lot)
    finally:
        _git("checkout", "--", *SOURCES)
    _report(part, session)


def _modules(part: str, each: int, lot: random.Random) -> list[str]:
    """Draw the modules that get faults. This comes first because listing a module's faults takes a second."""
    package = part.partition("/")[0]
    sources = f"packages/{package.replace('_', '-')}/src" if package in (LIBRARY, ASSISTANT) else "src/retinue"
    folder = ROOT / sources / part
    found = sorted(folder.rglob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
    modules = [str(path.relative_to(ROOT)) for path in found if path.name != "__init__.py"]
    return lot.sample(modules, min(each, len(modules)))


def _config(modules: list[str]) -> str:
    return _CONFIG.format(modules=modules, timeout=_TIMEOUT_S, python=sys.executable)


def _draw(session: Path, each: int, lot: random.Random) -> None:
    """Keep `each` faults of a session, from as many modules as possible, and mark the others as skipped."""
    with use_db(session, WorkDB.Mode.open) as database:
        items = sorted(database.work_items, key=_place)
        drawn = {item.job_id for item in islice(filter(_compiles, _lots(filter(_counts, items), lot)), each)}
        skipped = [item.job_id for item in items if item.job_id not in drawn]
        database.set_multiple_results(skipped, WorkResult(WorkerOutcome.SKIPPED))


def _place(item: WorkItem) -> tuple[str, tuple[int, int], str, int]:
    """Return a sort key that is the same in every session, unlike a job's id: the seed then draws the same faults."""
    mutation = item.mutations[0]
    return str(mutation.module_path), mutation.start_pos, mutation.operator_name, mutation.occurrence


def _counts(item: WorkItem) -> bool:
    """Return True if a fault is in code: not in types, nor in a decorator, which holds a tool's examples."""
    mutation = item.mutations[0]
    of_types = mutation.operator_name.startswith(_OF_TYPES)
    return not of_types and mutation.start_pos[0] not in _decorator_lines(ROOT / mutation.module_path)


@cache
def _decorator_lines(module: Path) -> frozenset[int]:
    nodes = ast.walk(ast.parse(module.read_text()))
    functions = (node for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    decorators = (one for function in functions for one in function.decorator_list)
    return frozenset(line for one in decorators for line in range(one.lineno, (one.end_lineno or one.lineno) + 1))


def _compiles(item: WorkItem) -> bool:
    """Return False for a syntax error, such as another operator for the `*` in a signature: any test detects it.

    Also for `except module.Error`, where cosmic-ray fails to insert another exception.
    """
    mutation = item.mutations[0]
    operator = get_operator(mutation.operator_name)(**mutation.operator_args)
    try:
        code = mutate_code((ROOT / mutation.module_path).read_text(), operator, mutation.occurrence)
        return code is not None and bool(compile(code, mutation.module_path, "exec"))
    except (SyntaxError, AttributeError):
        return False


def _lots(items: Iterable[WorkItem], lot: random.Random) -> Iterator[WorkItem]:
    """Yield items from the modules in turn, in random order."""
    by_module: dict[Path, list[WorkItem]] = {}
    shuffled = [*items]
    lot.shuffle(shuffled)
    for item in shuffled:
        by_module.setdefault(item.mutations[0].module_path, []).append(item)
    while by_module:
        module = next(iter(by_module))
        left = by_module.pop(module)
        yield left.pop()
        if left:
            by_module[module] = left


def _report(part: str, session: Path) -> None:
    with use_db(session, WorkDB.Mode.open) as database:
        results = [(job, result) for job, result in database.results if result.worker_outcome != WorkerOutcome.SKIPPED]
    # Cosmic-ray takes a timeout for a detected fault, but here it only means that no test had failed by then.
    unseen = [
        result for _, result in results if result.test_outcome == TestOutcome.SURVIVED or result.output == "timeout"
    ]
    for result in unseen:
        print(result.diff)
    noticed = len(results) - len(unseen)
    print(f"{part}: {noticed} of {len(results)} faults detected ({noticed / max(len(results), 1):.0%})", flush=True)


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
