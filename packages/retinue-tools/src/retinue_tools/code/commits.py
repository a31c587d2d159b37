"""Commit messages and changelogs (Conventional Commits 1.0.0, Keep a Changelog 1.1.0)."""

import re
from typing import Annotated, Literal, NotRequired

from semver import Version
from typing_extensions import TypedDict

from retinue.sdk import About, Date, Example, Refusal, ToolError, tool

_HEADER = re.compile(r"(?P<type>[A-Za-z]+)(?:\((?P<scope>[^()\r\n]+)\))?(?P<bang>!)?: (?P<subject>\S.*)")
_FOOTER = re.compile(r"(BREAKING[ -]CHANGE|[A-Za-z][A-Za-z-]*)(?:: | #)(.*)")
_TYPES = ("feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert")
_TITLES = {
    "feat": "Features",
    "fix": "Bug fixes",
    "perf": "Performance",
    "revert": "Reverts",
    "refactor": "Refactoring",
    "docs": "Documentation",
    "build": "Build",
    "ci": "Continuous integration",
    "test": "Tests",
    "style": "Style",
    "chore": "Chores",
}
_SHOWN = ("feat", "fix", "perf", "revert")
_RELEASE = re.compile(
    r"^##\s+\[?v?([^\]\s]+)\]?(?:\([^)]*\))?(?:\s*[-\u2013(]\s*(\d{4}-\d{2}-\d{2})\)?)?.*$", re.MULTILINE
)

Messages = Annotated[
    list[str],
    About(
        "Commit messages, whole or first lines only, newest first",
        ["feat: add a cart"],
        min_items=1,
        max_items=2000,
    ),
]


class Parts(TypedDict):
    """Parts of a conventional commit message."""

    type: Annotated[str, About("Kind of change, such as feat or fix")]
    scope: Annotated[str | None, About("Part of the project")]
    subject: Annotated[str, About("Description of the change")]
    body: Annotated[str, About("Text below the first line")]
    footers: Annotated[dict[str, str], About("Footers by token")]
    breaking: Annotated[bool, About("Whether the change is breaking for users")]


class Checked(TypedDict):
    """Result of checking a commit message."""

    valid: Annotated[bool, About("Whether the message follows Conventional Commits and the limits")]
    problems: Annotated[list[str], About("Problems to fix")]
    parts: NotRequired[Parts]
    release: Annotated[str, About("Version part that it increments: major, minor, patch or none")]


class Changelog(TypedDict):
    """Release notes of some commits."""

    markdown: Annotated[str, About("Section for the changelog")]
    counts: Annotated[dict[str, int], About("Commits by type")]
    breaking: Annotated[int, About("Number of commits with breaking changes")]
    ignored: Annotated[list[str], About("First lines that are not conventional commits, the first 100")]
    next_version: Annotated[str | None, About("Next version, if the current one was given")]


class Release(TypedDict):
    """A release in a changelog."""

    version: Annotated[str, About("Version, or Unreleased")]
    date: Annotated[str | None, About("Date as YYYY-MM-DD")]
    sections: Annotated[dict[str, list[str]], About("Entries by heading, such as Added or Fixed")]


class Releases(TypedDict):
    """Parts of a changelog."""

    releases: Annotated[list[Release], About("Releases in file order")]
    latest: Annotated[str | None, About("First version that is not Unreleased")]
    problems: Annotated[list[str], About("Deviations from Keep a Changelog")]


@tool(
    tags="commit message conventional commits check lint commitlint git semantic release",
    use_when=(
        "Is this a valid conventional commit message?",
        "Check my commit message: feat(cart)!: drop the old API",
        "Does this commit need a major release?",
    ),
    examples=(
        Example(
            {"message": "feat(lang)!: add Polish language\n\nBody.\n\nReviewed-by: Z\nRefs: #123\n"},
            {
                "valid": True,
                "release": "major",
                "parts": {
                    "type": "feat",
                    "scope": "lang",
                    "subject": "add Polish language",
                    "body": "Body.",
                    "footers": {"Reviewed-by": "Z", "Refs": "#123"},
                    "breaking": True,
                },
            },
            source="Conventional Commits 1.0.0",
        ),
        Example(
            {"message": "fix: mend it\n\nBREAKING CHANGE: the key is gone", "max_subject_length": 50},
            {"valid": True, "release": "major"},
            source="Conventional Commits 1.0.0, rule 11",
        ),
        Example(
            {"message": "Added stuff."},
            {"valid": False, "release": "none", "problems": ["The first line must read type(scope): subject."]},
            source="Conventional Commits 1.0.0, rule 1",
        ),
        Refusal({"message": ""}, "character"),
    ),
    reply={
        "valid": "The commit message is valid and makes a {release} release.",
        "problems": "The commit message is not right: {problems}",
        "": "The commit message does not follow Conventional Commits.",
    },
)
def commit_check_message(
    message: Annotated[str, About("Commit message", "feat: add a cart", min_length=1, max_length=20_000)],
    max_subject_length: Annotated[
        int, About("Maximum length of the first line in characters", minimum=20, maximum=200)
    ] = 72,
    types: Annotated[list[str], About("Allowed types; default: the usual eleven", ["feat", "fix"], max_items=50)]
    | None = None,
) -> Checked:
    """Check a commit message against Conventional Commits, and parse its parts.

    Use it before committing. Returns what is wrong, the type, scope, subject, body and footers, whether it breaks
    users, and which part of the version it increments.
    """
    lines = message.strip("\n").split("\n")
    parts = _parts(message)
    problems = []
    if parts is None:
        problems.append("The first line must read type(scope): subject.")
    elif parts["type"] not in (types or _TYPES):
        problems.append(f"The type {parts['type']} is none of {', '.join(types or _TYPES)}.")
    if len(lines[0]) > max_subject_length:
        problems.append(f"The first line has {len(lines[0])} characters, more than {max_subject_length}.")
    if lines[0].endswith("."):
        problems += ["The first line needs no full stop."] if parts else []
    if len(lines) > 1 and lines[1].strip():
        problems.append("The second line must be empty.")
    checked: Checked = {"valid": not problems, "problems": problems, "release": _level(parts)}
    return checked | {"parts": parts} if parts else checked


@tool(
    tags="changelog release notes generate conventional commits git log markdown version",
    use_when=(
        "Write the changelog for these commits",
        "Generate release notes from my git log",
        "Which version comes after 1.4.0 given these commits?",
    ),
    examples=(
        Example(
            {
                "messages": ["fix(api): close files", "feat!: drop Python 3.8", "chore: tidy", "wip"],
                "version": "1.4.0",
                "date": "2026-03-01",
            },
            {
                "next_version": "2.0.0",
                "breaking": 1,
                "counts": {"fix": 1, "feat": 1, "chore": 1},
                "ignored": ["wip"],
                "markdown": "## 2.0.0 - 2026-03-01\n\n### Breaking changes\n\n- drop Python 3.8\n\n"
                "### Features\n\n- drop Python 3.8\n\n### Bug fixes\n\n- **api:** close files\n",
            },
            source="Conventional Commits 1.0.0 and Semantic Versioning 2.0.0",
        ),
        Example(
            {"messages": ["docs: explain"], "include": "all"},
            {"markdown": "## Unreleased\n\n### Documentation\n\n- explain\n", "next_version": None},
            source="by hand",
        ),
        Refusal({"messages": ["feat: a"], "version": "one"}, "is not a version"),
    ),
    reply={
        "next_version": "The release notes of {next_version}: {markdown}",
        "": "The release notes: {markdown}",
    },
)
def changelog_generate_notes(
    messages: Messages,
    version: Annotated[str, About("Current version, from which the next one is computed", "1.4.0", max_length=100)]
    | None = None,
    date: Date | None = None,
    include: Annotated[
        Literal["notable", "all"], About("Only features, fixes, performance and reverts, or all types")
    ] = "notable",
) -> Changelog:
    """Write release notes from conventional commit messages and compute the next version.

    Use it when releasing: breaking changes first, then the commits by kind. Returns Markdown, counts, the next semantic
    version, and the messages that do not follow the convention.
    """
    read = [(message, _parts(message)) for message in messages]
    commits = [parts for _, parts in read if parts]
    following = _increment_version(version, commits) if version else None
    heading = f"## {following or 'Unreleased'}" + (f" - {date}" if date else "")
    blocks = [heading, *_section("Breaking changes", [one for one in commits if one["breaking"]])]
    for kind in _SHOWN if include == "notable" else _TITLES:
        blocks += _section(_TITLES[kind], [one for one in commits if one["type"] == kind])
    kinds = [one["type"] for one in commits]
    return {
        "markdown": "\n\n".join(blocks) + "\n",
        "counts": {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)},
        "breaking": sum(one["breaking"] for one in commits),
        "ignored": [message.partition("\n")[0] for message, parts in read if not parts][:100],
        "next_version": following,
    }


@tool(
    tags="changelog parse keep a changelog release notes versions extract",
    use_when=(
        "What changed in version 1.1.0 according to this CHANGELOG.md?",
        "Parse this changelog",
        "Which is the latest release in the changelog?",
    ),
    examples=(
        Example(
            {
                "text": "# Changelog\n\n## [Unreleased]\n\n## [1.1.0] - 2026-02-15\n\n### Added\n\n- "
                "A cart\n  for all\n- B\n"
            },
            {
                "latest": "1.1.0",
                "problems": [],
                "releases": [
                    {"version": "Unreleased", "date": None, "sections": {}},
                    {"version": "1.1.0", "date": "2026-02-15", "sections": {"Added": ["A cart for all", "B"]}},
                ],
            },
            source="Keep a Changelog 1.1.0",
        ),
        Example(
            {"text": "## 1.0.0\n### Stuff\n- x\n## 0.9\n- y\n", "version": "1.0.0"},
            {
                "releases": [{"version": "1.0.0", "sections": {"Stuff": ["x"]}}],
                "problems": ["1.0.0 has no date", "1.0.0: Stuff is not a usual heading", "0.9 has no date"],
            },
            source="Keep a Changelog 1.1.0",
        ),
        Refusal({"text": "nothing"}, "no release"),
    ),
    reply={
        "latest, releases": "The latest version is {latest}. The releases: {releases}",
        "releases": "The releases: {releases}",
        "": "There is no such release in the changelog.",
    },
)
def changelog_parse_releases(
    text: Annotated[
        str, About("The changelog in Markdown", "## [1.0.0] - 2026-01-01\n### Added\n- Cart\n", max_length=500_000)
    ],
    version: Annotated[str, About("Only this release", "1.1.0", max_length=100)] | None = None,
) -> Releases:
    """Parse a Markdown changelog to releases, headings and entries.

    Use it to quote what changed in a version. Returns the releases with dates and entries, the latest version, and the
    deviations from Keep a Changelog.
    """
    heads = list(_RELEASE.finditer(text))
    if not heads:
        raise ToolError("The text contains no release. A release begins with a line such as ## [1.0.0] - 2026-01-01.")
    ends = [head.start() for head in heads[1:]] + [len(text)]
    releases: list[Release] = [
        {"version": head[1], "date": head[2], "sections": _entries(text[head.end() : end])}
        for head, end in zip(heads, ends, strict=True)
    ]
    tagged = [one for one in releases if one["version"].lower() != "unreleased"]
    selected = [one for one in releases if version in (None, one["version"])]
    if not selected:
        raise ToolError(
            f"Release {version} does not exist. Available releases: {', '.join(one['version'] for one in tagged[:30])}."
        )
    problems = [problem for one in tagged for problem in _departures(one)]
    return {"releases": selected, "latest": tagged[0]["version"] if tagged else None, "problems": problems}


def _parts(message: str) -> Parts | None:
    lines = message.strip().replace("\r\n", "\n").split("\n")
    found = _HEADER.fullmatch(lines[0].strip())
    if not found:
        return None
    body, footers = _split("\n".join(lines[1:]).strip())
    return {
        "type": found["type"].lower(),
        "scope": found["scope"],
        "subject": found["subject"],
        "body": body,
        "footers": footers,
        "breaking": bool(found["bang"]) or any(token.startswith("BREAKING") for token in footers),
    }


def _split(text: str) -> tuple[str, dict[str, str]]:
    """Split a message into its body and the footers of the last paragraph."""
    paragraphs = re.split(r"\n\s*\n", text) if text else []
    footers: dict[str, str] = {}
    if paragraphs and _FOOTER.match(paragraphs[-1]):
        token = ""
        for line in paragraphs.pop().split("\n"):
            found = _FOOTER.match(line)
            token = found[1] if found else token
            footers[token] = found[2] if found else f"{footers[token]}\n{line}"
    return "\n\n".join(paragraphs), footers


def _level(parts: Parts | None) -> str:
    if parts is None:
        return "none"
    if parts["breaking"]:
        return "major"
    return {"feat": "minor", "fix": "patch", "perf": "patch"}.get(parts["type"], "none")


def _increment_version(version: str, commits: list[Parts]) -> str:
    """Return the next version. Before 1.0.0, a breaking change increments the minor number."""
    try:
        now = Version.parse(version.removeprefix("v"))
    except ValueError as error:
        raise ToolError(f"{version} is not a version. Write it as 1.4.0.") from error
    levels = {_level(one) for one in commits}
    level = next((one for one in ("major", "minor", "patch") if one in levels), "patch")
    if level == "major" and now.major == 0:
        level = "minor"
    return str(getattr(now, f"bump_{level}")())


def _section(title: str, commits: list[Parts]) -> list[str]:
    if not commits:
        return []
    lines = [f"- **{one['scope']}:** {one['subject']}" if one["scope"] else f"- {one['subject']}" for one in commits]
    return [f"### {title}", "\n".join(lines)]


def _entries(text: str) -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    heading = "Changes"
    for line in text.splitlines():
        if found := re.match(r"###\s+(.+)", line):
            heading = found[1].strip()
            sections.setdefault(heading, [])
        elif found := re.match(r"[-*+]\s+(.+)", line):
            sections.setdefault(heading, []).append(found[1].strip())
        elif re.match(r"\s+\S", line) and sections.get(heading):
            sections[heading][-1] += f" {line.strip()}"
    return sections


def _departures(release: Release) -> list[str]:
    usual = ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security", "Changes")
    problems = [] if release["date"] else [f"{release['version']} has no date"]
    strange = [name for name in release["sections"] if name not in usual]
    return problems + [f"{release['version']}: {name} is not a usual heading" for name in strange]
