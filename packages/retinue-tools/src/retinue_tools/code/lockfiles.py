"""Lock files: lists of the pinned versions, and comparison of two files."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal

from semver import Version
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import Document, json_object, toml_object, yaml_object

_MOST = 5000
_YARN = re.compile(r'^"?((?:@[^@/\s"]+/)?[^@\s",]+)@[^\n]*:\n\s+version:?\s+"?([^"\s]+)"?', re.MULTILINE)
_GEM = re.compile(r"^ {4}(\S+) \(([^)]+)\)$", re.MULTILINE)
_GO_SUM = re.compile(r"^(\S+) (v\S+?)(?:/go\.mod)? h1:", re.MULTILINE)
_PINNED = re.compile(r"^([A-Za-z0-9][\w.\-]*)(?:\[[^\]]*\])?\s*==\s*([^\s;\\#]+)", re.MULTILINE)
_NUMBERS = re.compile(r"v?(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?")

Lock = Annotated[
    Literal[
        "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "poetry.lock", "uv.lock", "Cargo.lock", "Pipfile.lock",
        "composer.lock", "Gemfile.lock", "go.sum", "requirements.txt",
    ],
    About("Type of the lock file"),
]  # fmt: skip
Pair = tuple[str, str]


class Package(TypedDict):
    """A package at a version."""

    name: Annotated[str, About("Name of the package")]
    version: Annotated[str, About("Version of the package")]


class Packages(TypedDict):
    """Packages of a lock file."""

    packages: Annotated[list[Package], About("By name and version, the first 5,000")]
    count: Annotated[int, About("Total number of packages")]
    several_versions: Annotated[dict[str, list[str]], About("Packages with more than one version")]


class Update(TypedDict):
    """A package whose version changed."""

    name: Annotated[str, About("Name of the package")]
    old: Annotated[str, About("Old version")]
    new: Annotated[str, About("New version")]
    level: Annotated[str, About("major, minor, patch, downgrade or other")]


class Comparison(TypedDict):
    """Differences between two lock files."""

    added: Annotated[list[Package], About("New packages")]
    removed: Annotated[list[Package], About("Removed packages")]
    updated: Annotated[list[Update], About("Packages with another version, major changes first")]
    unchanged: Annotated[int, About("Number of unchanged packages")]
    markdown: Annotated[str, About("The changes as a Markdown table")]


@tool(
    tags="lockfile lock npm yarn pnpm poetry uv cargo composer bundler go.sum packages versions",
    use_when=(
        "Which packages and versions are in this package-lock.json?",
        "List the locked versions of this poetry.lock",
        "Which packages are there twice in my yarn.lock?",
    ),
    examples=(
        Example(
            {
                "text": '{"lockfileVersion": 3, "packages": {"": {}, "node_modules/x": {"version": "1.0.0"}, '
                '"node_modules/@s/y": {"version": "2.0.0"}, "node_modules/@s/y/node_modules/x": {"version": "0.9.0"}}}',
                "lockfile": "package-lock.json",
            },
            {
                "count": 3,
                "packages": [
                    {"name": "@s/y", "version": "2.0.0"},
                    {"name": "x", "version": "0.9.0"},
                    {"name": "x", "version": "1.0.0"},
                ],
                "several_versions": {"x": ["0.9.0", "1.0.0"]},
            },
            source="documentation of npm, package-lock.json",
        ),
        Example(
            {"text": '[[package]]\nname = "serde"\nversion = "1.0.2"\n', "lockfile": "Cargo.lock"},
            {"packages": [{"name": "serde", "version": "1.0.2"}]},
            source="The Cargo Book, Cargo.lock",
        ),
        Example(
            {
                "text": '"@a/b@^1.0.0", "@a/b@^1.1.0":\n  version "1.2.0"\n\nx@^2:\n  version "2.1.0"\n',
                "lockfile": "yarn.lock",
            },
            {"packages": [{"name": "@a/b", "version": "1.2.0"}, {"name": "x", "version": "2.1.0"}]},
            source="the format of Yarn 1",
        ),
        Example(
            {"text": "GEM\n  specs:\n    rake (13.2.1)\n      dep (>= 1)\n", "lockfile": "Gemfile.lock"},
            {"packages": [{"name": "rake", "version": "13.2.1"}]},
            source="the format of Bundler: four spaces before a package, six before what it needs",
        ),
        Refusal({"text": "hello", "lockfile": "go.sum"}, "contains no package"),
    ),
    reply={
        "packages": "I found {count|package}: {packages}",
        "": "There are no packages in this lock file.",
    },
)
def lockfile_list_packages(text: Document, lockfile: Lock) -> Packages:
    """List the packages and exact versions of a lock file, in eleven formats.

    Use it to see the installed versions. Returns the packages by name, and those with several versions.
    """
    pairs = _packages(text, lockfile)
    versions: dict[str, list[str]] = {}
    for name, version in pairs:
        versions.setdefault(name, []).append(version)
    return {
        "packages": _list(pairs),
        "count": len(pairs),
        "several_versions": {name: found for name, found in versions.items() if len(found) > 1},
    }


@tool(
    tags="lockfile diff compare dependencies update changes upgrade review pull request",
    use_when=(
        "What changed between these two package-lock.json files?",
        "Which dependencies were upgraded by a major version?",
        "Summarise the dependency changes of this pull request",
    ),
    examples=(
        Example(
            {
                "old": "a==1.0.0\nb==1.0.0\nc==2.0.0\n",
                "new": "a==2.0.0\nb==1.0.1\nd==1.0\n",
                "lockfile": "requirements.txt",
            },
            {
                "added": [{"name": "d", "version": "1.0"}],
                "removed": [{"name": "c", "version": "2.0.0"}],
                "updated": [
                    {"name": "a", "old": "1.0.0", "new": "2.0.0", "level": "major"},
                    {"name": "b", "old": "1.0.0", "new": "1.0.1", "level": "patch"},
                ],
                "unchanged": 0,
            },
            source="by hand",
        ),
        Example(
            {
                "old": '[[package]]\nname = "x"\nversion = "0.2.0"\n',
                "new": '[[package]]\nname = "x"\nversion = "0.1.0"\n',
                "lockfile": "uv.lock",
            },
            {"updated": [{"name": "x", "level": "downgrade"}], "added": [], "removed": []},
            source="by hand",
        ),
        Refusal({"old": "{", "new": "{}", "lockfile": "Pipfile.lock"}, "not JSON"),
    ),
    reply={
        "markdown": "The changes: {markdown}",
        "": "Nothing changed between the lock files.",
    },
)
def lockfile_compare_versions(
    old: Annotated[str, About("Old lock file", "a==1.0.0\n", max_length=2_000_000)],
    new: Annotated[str, About("New lock file", "a==1.1.0\n", max_length=2_000_000)],
    lockfile: Lock,
) -> Comparison:
    """Compare two lock files of the same kind.

    Use it to review dependency updates. Returns added, removed and updated packages, the level of each update, and a
    table for a pull request. For a package with several versions, the highest counts.
    """
    before, after = dict(_packages(old, lockfile)), dict(_packages(new, lockfile))
    common = [name for name in before if name in after]
    updated: list[Update] = [
        {"name": name, "old": before[name], "new": after[name], "level": _level(before[name], after[name])}
        for name in common
        if before[name] != after[name]
    ]
    updated.sort(key=lambda update: (_ORDER.index(update["level"]), update["name"]))
    added = [(name, version) for name, version in after.items() if name not in before]
    removed = [(name, version) for name, version in before.items() if name not in after]
    return {
        "added": _list(added),
        "removed": _list(removed),
        "updated": updated[:_MOST],
        "unchanged": len(common) - len(updated),
        "markdown": _markdown(added, removed, updated),
    }


_ORDER = ("major", "minor", "patch", "downgrade", "other")


def _packages(text: str, lockfile: str) -> list[Pair]:
    pairs = sorted({(str(name), str(version)) for name, version in _READERS[lockfile](text)}, key=_by_version)
    if not pairs:
        raise ToolError(f"The text contains no package in the format of a {lockfile}. Check the type of the file.")
    return pairs


def _by_version(pair: Pair) -> tuple[str, list[int], str]:
    return pair[0], [int(number) for number in re.findall(r"\d{1,18}", pair[1])], pair[1]


def _list(pairs: list[Pair]) -> list[Package]:
    return [{"name": name, "version": version} for name, version in pairs[:_MOST]]


def _package_lock(text: str) -> Iterator[tuple[Any, Any]]:
    document = json_object(text)
    packages = document.get("packages")
    if isinstance(packages, dict):
        for path, package in packages.items():
            if path and isinstance(package, dict) and "version" in package:
                yield package.get("name") or path.rpartition("node_modules/")[2], package["version"]
    else:
        yield from _nest(document.get("dependencies"))


def _nest(dependencies: Any) -> Iterator[tuple[Any, Any]]:
    for name, package in (dependencies if isinstance(dependencies, dict) else {}).items():
        if isinstance(package, dict):
            yield name, package.get("version", "")
            yield from _nest(package.get("dependencies"))


def _toml(text: str) -> Iterator[tuple[Any, Any]]:
    packages = toml_object(text).get("package")
    for package in packages if isinstance(packages, list) else []:
        if isinstance(package, dict) and "name" in package:
            yield package["name"], package.get("version", "")


def _pnpm(text: str) -> Iterator[tuple[Any, Any]]:
    packages = yaml_object(text).get("packages")
    for key in packages if isinstance(packages, dict) else {}:
        name, at, version = key.lstrip("/").partition("(")[0].rpartition("@")
        if at and name:
            yield name, version


def _pipfile(text: str) -> Iterator[tuple[Any, Any]]:
    document = json_object(text)
    for group in ("default", "develop"):
        part = document.get(group)
        for name, package in (part if isinstance(part, dict) else {}).items():
            if isinstance(package, dict):
                yield name, str(package.get("version", "")).removeprefix("==")


def _composer(text: str) -> Iterator[tuple[Any, Any]]:
    document = json_object(text)
    for group in ("packages", "packages-dev"):
        part = document.get(group)
        for package in part if isinstance(part, list) else []:
            if isinstance(package, dict) and "name" in package:
                yield package["name"], package.get("version", "")


def _by_pattern(pattern: re.Pattern[str]) -> Callable[[str], Iterator[tuple[Any, Any]]]:
    return lambda text: ((found[1], found[2]) for found in pattern.finditer(text))


_READERS: Mapping[str, Callable[[str], Iterator[tuple[Any, Any]]]] = {
    "package-lock.json": _package_lock,
    "yarn.lock": _by_pattern(_YARN),
    "pnpm-lock.yaml": _pnpm,
    "poetry.lock": _toml,
    "uv.lock": _toml,
    "Cargo.lock": _toml,
    "Pipfile.lock": _pipfile,
    "composer.lock": _composer,
    "Gemfile.lock": _by_pattern(_GEM),
    "go.sum": _by_pattern(_GO_SUM),
    "requirements.txt": _by_pattern(_PINNED),
}


def _level(old: str, new: str) -> str:
    before, after = _NUMBERS.match(old), _NUMBERS.match(new)
    if not before or not after:
        return "other"
    first, second = (Version(*(int(part or 0) for part in found.groups())) for found in (before, after))
    if second < first:
        return "downgrade"
    return next(
        (part for part in ("major", "minor", "patch") if getattr(first, part) != getattr(second, part)), "other"
    )


def _markdown(added: list[Pair], removed: list[Pair], updated: list[Update]) -> str:
    rows = [f"| {one['name']} | {one['old']} | {one['new']} | {one['level']} |" for one in updated]
    rows += [f"| {name} | | {version} | added |" for name, version in added]
    rows += [f"| {name} | {version} | | removed |" for name, version in removed]
    return "\n".join(["| Package | Old | New | Change |", "| --- | --- | --- | --- |", *rows[:1000]]) + "\n"
