"""Run the tests of the module that differs from the last commit, and exit with the first failure's status.

For a module of the library, these are the examples of its tools and of the tools in modules that import it, then the
tests of its category. For any other module, these are the tests of its package.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
RETINUE = ROOT / "src" / "retinue"
LIBRARY = ROOT / "packages" / "retinue-tools" / "src" / "retinue_tools"
BIN = ROOT / ".venv" / "bin"
_MOST_MODULES = 12
"""Maximum number of modules whose examples run, if many import the changed one."""


def main() -> None:
    """Test the changed module. Raises `IndexError` if nothing changed."""
    command = ["git", "diff", "--name-only", "--", "src", "packages"]
    changed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()
    for tests in _commands(ROOT / changed[0]):
        if status := subprocess.run(tests, cwd=ROOT, check=False).returncode:
            sys.exit(status)


def _commands(module: Path) -> Iterator[list[str]]:
    pytest = [str(BIN / "pytest"), "-x", "-q", "-n", "2", "-p", "no:cacheprovider"]
    if not module.is_relative_to(LIBRARY):
        yield [*pytest, "-m", "not slow", *_tests_of_room(module)]
        return
    if proved := [*_with_tools(module)][:_MOST_MODULES]:
        yield [str(BIN / "retinue"), "tools", "prove", *proved]
    tests = ROOT / "tests" / "tools" / "library" / module.relative_to(LIBRARY).parts[0]
    if tests.is_dir():
        yield [*pytest, str(tests)]


def _tests_of_room(module: Path) -> list[str]:
    room = ROOT / "tests" / module.relative_to(RETINUE).parts[0]
    deselected = ("test_goldens.py", "test_hostile.py", "library") if room.name == "tools" else ()
    return [str(room), *(f"--ignore={room / name}" for name in deselected)]


def _with_tools(module: Path) -> Iterator[str]:
    """Yield the changed module and its importers that declare tools, as names for `retinue tools prove`."""
    name = ".".join(module.relative_to(LIBRARY.parent).with_suffix("").parts)
    for path in [module, *sorted(LIBRARY.rglob("*.py"))]:
        text = path.read_text()
        if "\n@tool(" in text and (path == module or f"from {name} import" in text):
            yield str(path.relative_to(LIBRARY).with_suffix(""))


if __name__ == "__main__":
    main()
