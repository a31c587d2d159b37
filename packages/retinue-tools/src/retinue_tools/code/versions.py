"""Version numbers: order, increments, ranges (Semantic Versioning 2.0.0, PEP 440, the ranges of npm and Cargo)."""

import re
from collections.abc import Callable
from typing import Annotated, Any, Literal

from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.version import InvalidVersion
from packaging.version import Version as PythonVersion
from semver import Version
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_SEMVER = re.compile(
    r"v?(0|[1-9]\d{0,15})(?:\.(0|[1-9]\d{0,15}))?(?:\.(0|[1-9]\d{0,15}))?(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?"
)
_PARTIAL = re.compile(
    r"v?(\d{1,16}|[xX*])?(?:\.(\d{1,16}|[xX*]))?(?:\.(\d{1,16}|[xX*]))?(?:-([0-9A-Za-z.-]+))?(?:\+\S*)?"
)
_COMPARATOR = re.compile(r"(\^|~>?|>=|<=|>|<|=)?\s*(\S+)")

Versions = Annotated[list[str], About("Version numbers", ["1.2.0", "1.10.0"], min_items=1, max_items=2000)]
Scheme = Annotated[Literal["semver", "pep440"], About("semver for most, pep440 for Python packages")]
Bound = tuple[str, Any]
"""An operator and its version."""


class Sorted(TypedDict):
    """Sorted versions."""

    ascending: Annotated[list[str], About("Oldest version first")]
    latest: Annotated[str, About("Newest version")]
    latest_stable: Annotated[str | None, About("Newest version that is not a pre-release")]
    prereleases: Annotated[list[str], About("Pre-releases")]


class Bumped(TypedDict):
    """The next version."""

    version: Annotated[str, About("Next version")]
    tag: Annotated[str, About("Usual tag, prefixed with v")]
    prerelease: Annotated[bool, About("Whether it is a pre-release")]


class Matched(TypedDict):
    """Versions in a range."""

    count: Annotated[int, About("Number of versions in the range")]
    matching: Annotated[list[str], About("Versions in the range, oldest first")]
    rejected: Annotated[list[str], About("Versions outside the range")]
    best: Annotated[str | None, About("Newest version in the range")]
    bounds: Annotated[list[str], About("The range as plain comparisons; alternatives are separated by `or`")]


class Change(TypedDict):
    """Difference between two versions."""

    direction: Annotated[str, About("upgrade, downgrade or same")]
    level: Annotated[str, About("major, minor, patch, prerelease, build or none")]
    breaking: Annotated[bool, About("Whether the change may break users according to the scheme")]


@tool(
    tags="version sort latest newest semver pep440 order compare release list",
    use_when=(
        "Which of 1.9.0, 1.10.0 and 1.10.0-rc.1 is the newest?",
        "Sort these release tags by version",
        "What is the latest stable version in this list?",
    ),
    examples=(
        Example(
            {"versions": ["1.0.0", "1.0.0-alpha.1", "1.0.0-rc.1", "1.0.0-alpha", "1.0.0-beta.11", "1.0.0-beta.2"]},
            {
                "ascending": ["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0"],
                "latest": "1.0.0",
                "latest_stable": "1.0.0",
            },
            source="Semantic Versioning 2.0.0, section 11",
        ),
        Example(
            {"versions": ["1.0", "1.0.post1", "1.0rc1", "1.0.dev1", "1!0.1"], "scheme": "pep440"},
            {"ascending": ["1.0.dev1", "1.0rc1", "1.0", "1.0.post1", "1!0.1"], "prereleases": ["1.0.dev1", "1.0rc1"]},
            source="PEP 440, section Summary of permitted suffixes and relative ordering",
        ),
        Refusal({"versions": ["1.0.0", "latest"]}, "latest is not a version"),
    ),
    reply={
        "latest_stable": "The newest is {latest}, and the newest stable one {latest_stable}. In order: {ascending}",
        "": "The newest is {latest}. In order: {ascending}",
    },
)
def version_sort_list(versions: Versions, scheme: Scheme = "semver") -> Sorted:
    """Sort version numbers and find the latest one.

    Use it to choose a release; text order is wrong for versions, since 1.10 comes after 1.9. Tags with a leading v and
    numbers with missing parts are accepted. Returns the order, the latest and the latest stable version.
    """
    read = _python if scheme == "pep440" else _semantic
    ordered = sorted(versions, key=read)
    early = [text for text in ordered if _early(read(text))]
    stable = [text for text in ordered if text not in early]
    return {
        "ascending": ordered,
        "latest": ordered[-1],
        "latest_stable": stable[-1] if stable else None,
        "prereleases": early,
    }


@tool(
    tags="version compare difference upgrade breaking major minor patch semver pep440",
    use_when=(
        "Is going from 1.4.2 to 2.0.0 a breaking upgrade?",
        "What kind of change is 0.3.1 to 0.4.0?",
        "Is 2.0rc1 newer than 2.0?",
        "Which of two version numbers is newer?",
    ),
    examples=(
        Example(
            {"old": "1.4.2", "new": "1.5.0"},
            {"direction": "upgrade", "level": "minor", "breaking": False},
            source="Semantic Versioning 2.0.0, section 7",
        ),
        Example(
            {"old": "0.3.1", "new": "0.4.0"},
            {"level": "minor", "breaking": True},
            source="Semantic Versioning 2.0.0, section 4: before 1.0.0 anything may change",
        ),
        Example(
            {"old": "2.0", "new": "2.0rc1", "scheme": "pep440"},
            {"direction": "downgrade", "level": "prerelease"},
            source="PEP 440: a release candidate comes before its release",
        ),
        Refusal({"old": "1.0.0", "new": "x"}, "is not a version"),
    ),
    reply={
        "breaking": "Yes, from {args.old} to {args.new} is a breaking {direction} ({level}).",
        "": "From {args.old} to {args.new} is a {level} {direction}, and not a breaking one.",
    },
)
def version_compare_pair(
    old: Annotated[str, About("Old version", "1.4.2", max_length=100)],
    new: Annotated[str, About("New version", "2.0.0", max_length=100)],
    scheme: Scheme = "semver",
) -> Change:
    """Compare two versions and find which part changed.

    Use it to judge an upgrade. Returns whether it is an upgrade or downgrade, the highest part that differs, and
    whether the change may break users: a new major version, or a new minor version before 1.0.
    """
    read = _python if scheme == "pep440" else _semantic
    before, after = read(old), read(new)
    level = next((name for name in ("major", "minor") if getattr(before, name) != getattr(after, name)), None)
    if level is None:
        level = _low_level(before, after)
    broken = level == "major" or (level == "minor" and before.major == 0 and after.major == 0)
    direction = "same" if before == after else "upgrade" if before < after else "downgrade"
    return {"direction": direction, "level": level, "breaking": broken}


@tool(
    tags="version bump increment next release semver major minor patch prerelease",
    use_when=(
        "What is the next minor version after 1.4.9?",
        "Bump 2.0.0-rc.1 to the next release candidate",
        "Which version comes after 1.2.3-beta when it is released?",
    ),
    examples=(
        Example(
            {"version": "1.4.9", "part": "minor"},
            {"version": "1.5.0", "tag": "v1.5.0"},
            source="SemVer 2.0.0, section 7",
        ),
        Example(
            {"version": "2.0.0-rc.1", "part": "prerelease"},
            {"version": "2.0.0-rc.2", "prerelease": True},
            source="SemVer 2.0.0, section 11: rc.1 comes before rc.2",
        ),
        Example(
            {"version": "1.2.3", "part": "premajor", "label": "beta"},
            {"version": "2.0.0-beta.1"},
            source="SemVer 2.0.0, section 9",
        ),
        Example({"version": "2.0.0-rc.1", "part": "release"}, {"version": "2.0.0"}, source="SemVer 2.0.0, section 9"),
        Refusal({"version": "1.x", "part": "minor"}, "is not a version"),
    ),
    reply="The next version is {version}.",
)
def version_bump_number(
    version: Annotated[str, About("Current version", "1.4.2", max_length=100)],
    part: Annotated[
        Literal["major", "minor", "patch", "prerelease", "premajor", "preminor", "prepatch", "release"],
        About("Part to increment; the pre ones start a pre-release, release ends one"),
    ],
    label: Annotated[str, About("Name of a new pre-release series", pattern="^[0-9A-Za-z-]+$", max_length=30)] = "rc",
) -> Bumped:
    """Raise (bump) a semantic version by one step.

    Use it when a release is prepared. Lower parts become zero, build metadata is removed. Returns the next version and
    its tag.
    """
    now = _semantic(version)
    if part == "release":
        after = now.finalize_version()
    elif part == "prerelease":
        after = now.bump_prerelease(label) if now.prerelease else now.bump_patch().bump_prerelease(label)
    else:
        after = getattr(now.replace(prerelease=None, build=None), f"bump_{part.removeprefix('pre')}")()
        after = after.bump_prerelease(label) if part.startswith("pre") else after
    return {"version": str(after), "tag": f"v{after}", "prerelease": bool(after.prerelease)}


@tool(
    tags="version range satisfies npm caret tilde cargo pep440 specifier constraint match",
    use_when=(
        "Does 1.8.3 satisfy ^1.2.0?",
        "Which of these versions match >=2.0,<3 and not 2.1.*?",
        "What does ~1.2.3 mean?",
        "What is the newest version that fits the range in my package.json?",
    ),
    examples=(
        Example(
            {"versions": ["1.2.2", "1.2.3", "1.9.0", "2.0.0"], "range": "^1.2.3"},
            {
                "count": 2,
                "matching": ["1.2.3", "1.9.0"],
                "best": "1.9.0",
                "bounds": [">=1.2.3 <2.0.0-0"],
                "rejected": ["1.2.2", "2.0.0"],
            },
            source="documentation of npm's semver: ^1.2.3 := >=1.2.3 <2.0.0-0",
        ),
        Example(
            {"versions": ["1.2.9", "1.3.0", "0.2.5"], "range": "~1.2 || 0.2.x"},
            {"matching": ["0.2.5", "1.2.9"], "bounds": [">=1.2.0 <1.3.0-0", ">=0.2.0 <0.3.0-0"]},
            source="documentation of npm's semver: ~1.2 := >=1.2.0 <1.3.0-0",
        ),
        Example(
            {"versions": ["0.0.3", "0.0.4", "0.1.0"], "range": "0.0.3", "scheme": "cargo"},
            {"matching": ["0.0.3"], "bounds": [">=0.0.3 <0.0.4-0"]},
            source="The Cargo Book, Specifying Dependencies: 0.0.3 := >=0.0.3, <0.0.4",
        ),
        Example(
            {"versions": ["2.0", "2.1.4", "2.9", "3.0"], "range": ">=2.0,<3,!=2.1.*", "scheme": "pep440"},
            {"matching": ["2.0", "2.9"], "best": "2.9"},
            source="PEP 440, version specifiers",
        ),
        Refusal({"versions": ["1.0.0"], "range": ">>1"}, "is not a range"),
    ),
    reply={
        "matching": "In the range are {matching}; the newest is {best}.",
        "": "None of the versions is in the range.",
    },
)
def version_match_range(
    versions: Versions,
    range: Annotated[str, About("Range of versions", "^1.2.0", max_length=500)],
    scheme: Annotated[Literal["npm", "cargo", "pep440"], About("Notation of the range")] = "npm",
) -> Matched:
    """Test which versions fall in a range, in the notation of npm, Cargo or Python.

    Use it to see what ^, ~, x-ranges, hyphen ranges, || or ~= allow. Pre-releases match only where the range names one
    of the same version. Returns the matching versions, the newest of them, and the range as plain comparisons.
    """
    if scheme == "pep440":
        return _match_python(versions, range)
    alternatives = [_alternative(text.strip(), scheme, range) for text in re.split(r"\|\||(?<=\S),(?=\s*\|)", range)]
    return _match(versions, _semantic, lambda version: any(_within(version, bounds) for bounds in alternatives)) | {
        "bounds": [" ".join(f"{operator}{bound}" for operator, bound in bounds) for bounds in alternatives]
    }


def _semantic(text: str) -> Any:
    found = _SEMVER.fullmatch(text.strip())
    if not found:
        raise ToolError(f"{text} is not a version. Write it as 1.4.2 or 2.0.0-rc.1.")
    major, minor, patch, early, build = found.groups()
    return Version(int(major), int(minor or 0), int(patch or 0), early, build)


def _python(text: str) -> Any:
    try:
        return PythonVersion(text)
    except InvalidVersion as error:
        raise ToolError(f"{text} is not a PEP 440 version. Write it as 1.4.2 or 2.0rc1.") from error


def _early(version: Any) -> bool:
    return bool(version.is_prerelease if isinstance(version, PythonVersion) else version.prerelease)


def _low_level(before: Any, after: Any) -> str:
    """Return the highest part below the minor number that differs."""
    parts: tuple[tuple[str, str], ...]
    if isinstance(before, PythonVersion):
        parts = (
            ("patch", "micro"),
            ("prerelease", "pre"),
            ("prerelease", "dev"),
            ("build", "post"),
            ("build", "local"),
        )
    else:
        parts = (("patch", "patch"), ("prerelease", "prerelease"), ("build", "build"))
    return next((level for level, name in parts if getattr(before, name) != getattr(after, name)), "none")


def _match(versions: list[str], read: Callable[[str], Any], fits: Callable[[Any], bool]) -> Matched:
    ordered = sorted(versions, key=read)
    matching = [text for text in ordered if fits(read(text))]
    rejected = [text for text in ordered if text not in matching]
    return {
        "count": len(matching),
        "matching": matching,
        "rejected": rejected,
        "best": matching[-1] if matching else None,
        "bounds": [],
    }


def _match_python(versions: list[str], text: str) -> Matched:
    try:
        allowed = SpecifierSet(text)
    except InvalidSpecifier as error:
        raise ToolError(f"{text} is not a PEP 440 version range. Write it as >=2.0,<3 or ~=1.4.") from error
    return _match(versions, _python, allowed.contains) | {"bounds": [str(allowed)]}


def _alternative(text: str, scheme: str, whole: str) -> list[Bound]:
    """Return the comparisons that one alternative of a range between || stands for."""
    if " - " in text:
        low, _, high = text.partition(" - ")
        return [*_comparator(">=", low.strip(), whole), *_comparator("<=", high.strip(), whole)]
    parts = [part for part in re.split(r"[,\s]+", re.sub(r"(\^|~>?|>=|<=|>|<|=)\s+", r"\1", text)) if part]
    bounds = []
    for part in parts or ["*"]:
        found = _COMPARATOR.fullmatch(part)
        if not found:
            raise ToolError(f"{whole} is not a range. Write it as ^1.2.0, ~1.2 or >=1.0.0 <2.0.0.")
        bounds += _comparator(found[1] or ("^" if scheme == "cargo" else "="), found[2], whole)
    return bounds


def _comparator(operator: str, text: str, whole: str) -> list[Bound]:
    """Return the plain comparisons equivalent to one operator with a whole or partial version, as documented by npm."""
    found = _PARTIAL.fullmatch(text)
    if not found:
        raise ToolError(f"{whole} is not a range: {text} is not a version. Write it as ^1.2.0, ~1.2 or >=1.0.0 <2.0.0.")
    numbers = [int(part) for part in found.groups()[:3] if part and part.isdigit()]
    low = Version(*[*numbers, 0, 0, 0][:3], prerelease=found[4])
    after = _next(numbers, operator)
    if operator in (">=", "<") or (operator in (">", "<=") and len(numbers) == 3):
        return [(operator, low)]
    if operator == ">":
        return [(">=", _next(numbers, "="))] if numbers else [("<", Version(0, 0, 0, "0"))]
    if operator == "<=":
        return [("<", after)] if numbers else [(">=", Version(0))]
    if operator == "=" and len(numbers) == 3:
        return [("=", low)]
    return [(">=", low), ("<", after)] if numbers else [(">=", Version(0))]


def _next(numbers: list[int], operator: str) -> Any:
    """Return the first version, pre-releases included, that the operator excludes."""
    if not numbers:
        return Version(0)
    if operator == "^":
        place = next((index for index, number in enumerate(numbers) if number), len(numbers) - 1)
    elif operator.startswith("~"):
        place = min(1, len(numbers) - 1)
    else:
        place = len(numbers) - 1
    raised = [*numbers[:place], numbers[place] + 1]
    return Version(*[*raised, 0, 0, 0][:3], prerelease="0")


def _within(version: Any, bounds: list[Bound]) -> bool:
    compared = {">=": 1, "<=": -1, ">": 1, "<": -1, "=": 0}
    for operator, bound in bounds:
        order = version.compare(bound)
        if order != compared[operator] and not (order == 0 and operator in (">=", "<=", "=")):
            return False
    prereleases = [bound for _, bound in bounds if bound.prerelease and bound.prerelease != "0"]
    return not version.prerelease or any(bound.to_tuple()[:3] == version.to_tuple()[:3] for bound in prereleases)
