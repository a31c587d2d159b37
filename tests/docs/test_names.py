"""Names that a stranger understands: of modules, of functions, and of what a package is for."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.blocks import ROOT

FOLDERS = ["src", "packages/retinue-tools/src", "packages/retinue-assistant", "clients/python", "scripts", "bench"]
SOURCES = [ROOT / folder for folder in FOLDERS]
PACKAGES = sorted(file for folder in SOURCES[:3] for file in folder.rglob("__init__.py"))

MOST_LINES = 500
"""Maximum length of a module of the catalogue; longer ones are split by subject."""

UNCLEAR = {
    "core": "addresses binding bodies crash expiry garbage home joint_text kinds once packages path_tree phrases ports "
    "problems sealing secrets stems tied travelling wakeups wishes zone_names",
    "runs": "cancelled descent dispatch following listener live offers options pauses relay streams thread",
    "models": "assigned boundaries chosen columns composed copied directions grounded interpreted known leading "
    "measured part places plausible precedents pull queued refusals roles routing script scripted shortened shown "
    "sources stated table texts understood windows worded bounds data line_marks listed numerals series talk written",
    "tools": "absent broker checking compile compiled directory entries frames inside keeping kindred lifeline lines "
    "made network outcomes postings precedents proof verification sources tidy words shapes changes importer listing "
    "last_words wire",
    "sandbox": "bubble bubbles machine walls first watch calls",
    "files": "shelf keeper lending labels receiving",
    "fleets": "conductor happenings places parts",
    "gate": "recent windows window_keeper window_store",
    "webhooks": "parcels",
    "workspace": "desk sheets items values finding moments",
    "schedules": "firing starting timing",
    "voice": "talk length hall happenings lists cores",
}
"""Modules that had these names were renamed, because nobody could tell from them what they hold."""

UNCLEAR_CLASSES = re.compile(
    "Absent|Around|Behalf|Binding|Bubble|Bubbles|Conductor|Descent|Desk|Directory|Dispatch|Expiry|"
    "Following|Given|Happening|Haste|Home|Intake|Keeper|Keeping|LastWords|Lender|Lineage|Listings|Live|"
    "Made|Offers|Parcel|PathTree|Pauses|Place|Prover|Relay|Said|Seen|Served|Shaper|Sheets|Shelf|Shown|"
    "Standing|Surroundings|Taking|UnderWay|Used|Walls|Wanted|Wire|Workshop|Writing"
)
"""Classes that had these names were renamed for the same reason."""

UNCLEAR_WORDS = {
    "conductor",
    "door",
    "doors",
    "hall",
    "happening",
    "happenings",
    "lent",
    "prover",
    "troubles",
    "workshop",
}
"""Variables and functions that had these words were renamed, too: orchestrator, entry point, local rooms, event, ..."""

IRREGULAR = re.compile(
    "begun|bound|brought|chosen|done|drawn|found|given|gone|grown|heard|held|hidden|kept|known|made|meant|said|seen|sent|shown|"
    "spoken|taken|thrown|told|understood|written"
)
"""Participles without -ed that are no noun, and no verb in the present either."""

NOT_PARTICIPLES = {"feed", "speed", "need", "seed", "embed", "exceed", "proceed", "succeed"}


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Every function and method but properties, which are named like the values that they are."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_property(node):
            yield node


def is_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function is read like a value."""
    return any("property" in ast.unparse(decorator) for decorator in function.decorator_list)


def identifiers(tree: ast.Module) -> Iterator[str]:
    """The names of functions, arguments, variables and attributes, in lower case."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name.lower()
            case ast.arg(arg=name) | ast.Name(id=name) | ast.Attribute(attr=name):
                yield name.lower()


def is_bare_participle(name: str) -> bool:
    """Whether a name is one participle, such as `_told` or `merged`."""
    word = name.strip("_")
    return bool(IRREGULAR.fullmatch(word)) or (word.isalpha() and word.endswith("ed") and word not in NOT_PARTICIPLES)


@pytest.mark.parametrize("package", UNCLEAR)
def test_no_module_has_an_unclear_name(package: str) -> None:
    names = set(UNCLEAR[package].split())
    assert [file for file in (ROOT / "src/retinue" / package).rglob("*.py") if file.stem in names] == []


def test_no_class_has_an_unclear_name() -> None:
    classes = [
        (file, node.name)
        for file in SOURCES[0].rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ClassDef)
    ]
    assert len(classes) >= 500
    assert [f"{file.relative_to(ROOT)} {name}" for file, name in classes if UNCLEAR_CLASSES.fullmatch(name)] == []


def test_no_identifier_has_an_unclear_word() -> None:
    names = {
        (file, name)
        for folder in (SOURCES[0], ROOT / "tests")
        for file in folder.rglob("*.py")
        for name in identifiers(ast.parse(file.read_text()))
    }
    assert len(names) >= 10_000
    assert [f"{file.relative_to(ROOT)} {name}" for file, name in names if UNCLEAR_WORDS & {*name.split("_")}] == []


def test_test_names_are_statements() -> None:
    tests = [
        (file, name)
        for file in (ROOT / "tests").rglob("*.py")
        for name in re.findall(r"def (test_\w+)", file.read_text())
    ]
    assert len(tests) >= 1000
    assert [f"{file.relative_to(ROOT)} {name}" for file, name in tests if "what_" in name] == []


@pytest.mark.parametrize("folder", SOURCES, ids=lambda folder: str(folder.relative_to(ROOT)))
def test_no_function_is_a_bare_participle(folder: Path) -> None:
    bare = [
        f"{file.relative_to(ROOT)}:{function.lineno} {function.name}"
        for file in folder.rglob("*.py")
        for function in functions(ast.parse(file.read_text()))
        if is_bare_participle(function.name)
    ]
    assert bare == []


@pytest.mark.parametrize("file", PACKAGES, ids=lambda file: str(file.parent.relative_to(ROOT)))
def test_each_package_states_its_scope(file: Path) -> None:
    docstring = ast.get_docstring(ast.parse(file.read_text())) or ""
    assert len(re.findall(r"[.:](?:\s|$)", docstring)) >= 2
    assert re.search(r"\b(?:not|no|nothing|nobody|only|alone|never|belongs? to)\b", docstring, re.IGNORECASE), docstring


def test_no_module_of_the_catalogue_is_long() -> None:
    lengths = {file: len(file.read_text().splitlines()) for file in SOURCES[1].rglob("*.py")}
    assert len(lengths) >= 100
    assert [str(file.relative_to(ROOT)) for file, lines in lengths.items() if lines > MOST_LINES] == []


def test_every_file_of_the_architecture_page_exists() -> None:
    named = set(re.findall(r"`([\w./]+\.py)`", (ROOT / "docs/architecture.md").read_text()))
    assert len(named) >= 10
    assert [name for name in named if not any((ROOT / base / name).is_file() for base in ("", "src/retinue"))] == []
