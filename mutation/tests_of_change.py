"""Run the tests of the module that differs from the last commit, and exit with the first failure's status.

For a module of the library, these are the examples of its tools and of the tools in modules that import it, then the
recorded results and schemas, the tests of its category and calls of these tools through the API. For a module of the
assistant, these are the tests of the assistant. For any other module, these are the tests of its package and all that
import it, those named after it first, and that of the recorded API.
"""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
RETINUE = ROOT / "src" / "retinue"
LIBRARY = ROOT / "packages" / "retinue-tools" / "src" / "retinue_tools"
ASSISTANT = ROOT / "packages" / "retinue-assistant" / "src" / "retinue_assistant"
TESTS = ROOT / "tests"
BIN = ROOT / ".venv" / "bin"
PYTEST = (str(BIN / "pytest"), "-x", "-q", "-n", "2", "-p", "no:cacheprovider")
_MOST_MODULES = 12
"""Maximum number of modules whose examples run, if many import the changed one."""
_OF_LIBRARY = ("test_goldens.py", "test_hostile.py", "library")
"""Tests of the package `tools` that test the library."""


def main() -> None:
    """Test the changed module. Raises `IndexError` if nothing changed."""
    command = ["git", "diff", "--name-only", "--", "src", "packages"]
    changed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    for tests in _commands(ROOT / changed[0]):
        if status := subprocess.run(tests, cwd=ROOT, check=False).returncode:
            sys.exit(status)


def _commands(module: Path) -> Iterator[list[str]]:
    if module.is_relative_to(ASSISTANT):
        yield [*PYTEST, "-m", "not slow", str(TESTS / "assistant")]
        return
    if not module.is_relative_to(LIBRARY):
        yield [*PYTEST, "-m", "not slow", *map(str, _test_files(module))]
        return
    proved = [*_with_tools(module)][:_MOST_MODULES]
    if proved:
        yield [str(BIN / "retinue"), "tools", "prove", *proved]
    categories = {path.partition("/")[0] for path in proved}
    if categories:
        yield [*PYTEST, str(TESTS / "tools" / "test_recorded_results.py"), "-k", " or ".join(categories)]
    yield [*PYTEST, str(TESTS / "tools" / "test_published_schemas.py")]
    tests = TESTS / "tools" / "library"
    if (category := tests / module.relative_to(LIBRARY).parts[0]).is_dir():
        yield [*PYTEST, str(category)]
    if proved:
        names = [name for path in proved for name in _functions(LIBRARY / f"{path}.py")]
        yield [*PYTEST, str(tests / "drawn"), str(TESTS / "tools" / "test_goldens.py"), "-k", " or ".join(names)]


def _test_files(module: Path) -> list[Path]:
    """Return the test files of a module's package and all that import the module, the most specific ones first.

    These are named after the module or import it, or else mention the words of its name most often. Tables have the
    tests of the schema.
    """
    room, *names = module.relative_to(RETINUE).with_suffix("").parts
    imported = re.compile(rf"^from {'.'.join(('retinue', room, *names))} import", re.M)
    texts = {path: path.read_text() for path in sorted(TESTS.rglob("test_*.py")) if not {*_OF_LIBRARY} & {*path.parts}}

    def closeness(path: Path) -> tuple[int, int]:
        named = sum(name in str(path.relative_to(TESTS)) for name in names)
        mentions = sum(texts[path].count(word) for name in names for word in name.split("_"))
        return named + bool(imported.search(texts[path])), mentions

    chosen = [path for path, text in texts.items() if path.is_relative_to(TESTS / room) or imported.search(text)]
    if module.stem == "tables":
        chosen.append(TESTS / "core" / "test_schema.py")
    chosen.append(TESTS / "reference" / "test_published_api.py")
    return sorted(chosen, key=closeness, reverse=True)


def _with_tools(module: Path) -> Iterator[str]:
    """Yield the changed module and its importers that declare tools, as names for `retinue tools prove`."""
    name = ".".join(module.relative_to(LIBRARY.parent).with_suffix("").parts)
    for path in sorted(LIBRARY.rglob("*.py"), key=lambda path: (path != module, path)):
        text = path.read_text()
        if "\n@tool(" in text and (path == module or f"from {name} import" in text):
            yield str(path.relative_to(LIBRARY).with_suffix(""))


def _functions(module: Path) -> list[str]:
    """Return the names of a module's public functions, its tools among them."""
    return re.findall(r"^(?:async )?def ([a-z]\w+)\(", module.read_text(), re.M)


if __name__ == "__main__":
    main()
