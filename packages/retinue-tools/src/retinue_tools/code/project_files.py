"""Ignore lists, environment files and Makefiles."""

import re
import shlex
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.code._sources import Document

_MOST = 500


_IGNORED = {
    "python": "__pycache__/ *.py[cod] *.egg-info/ build/ dist/ .venv/ venv/ .pytest_cache/ "
        ".mypy_cache/ .ruff_cache/ .coverage htmlcov/",
    "node": "node_modules/ dist/ build/ coverage/ *.tsbuildinfo npm-debug.log* yarn-error.log* .eslintcache",
    "go": "bin/ *.test *.out go.work go.work.sum",
    "rust": "target/ **/*.rs.bk",
    "java": "target/ build/ .gradle/ *.class *.jar hs_err_pid*",
    "dotnet": "bin/ obj/ *.user .vs/ TestResults/",
    "ruby": ".bundle/ vendor/bundle/ *.gem log/ tmp/ coverage/",
    "php": "vendor/ .phpunit.result.cache .phpunit.cache/",
    "terraform": ".terraform/ *.tfstate *.tfstate.* crash.log *.tfplan",
    "latex": "*.aux *.bbl *.blg *.fdb_latexmk *.fls *.log *.out *.synctex.gz *.toc",
    "macos": ".DS_Store ._* .Spotlight-V100 .Trashes",
    "windows": "Thumbs.db Desktop.ini $RECYCLE.BIN/",
    "linux": "*~ .directory .Trash-*",
    "vscode": ".vscode/* !.vscode/settings.json !.vscode/extensions.json",
    "jetbrains": ".idea/ *.iml out/",
    "vim": "*.swp *.swo Session.vim",
    "secrets": ".env .env.* !.env.example *.pem *.key",
}  # fmt: skip


class Generated(TypedDict):
    """A generated file."""

    text: Annotated[str, About("Content of the file")]


class EnvComparison(TypedDict):
    """Two .env files compared."""

    missing: Annotated[list[str], About("Variables that only the first file sets")]
    extra: Annotated[list[str], About("Variables that only the second file sets")]
    different: Annotated[list[str], About("Variables with different values; values are not shown")]
    empty: Annotated[list[str], About("Variables that are empty in the second file")]
    duplicates: Annotated[list[str], About("Variables that a file sets twice")]
    invalid: Annotated[list[str], About("Numbers of lines that set nothing")]


class Target(TypedDict):
    """A target of a Makefile."""

    name: Annotated[str, About("Target name")]
    needs: Annotated[list[str], About("Prerequisites")]
    help: Annotated[str, About("Help text after ##, or the comment above")]
    phony: Annotated[bool, About("Whether it is declared phony")]
    line: Annotated[int, About("Line, from 1")]


class Targets(TypedDict):
    """Targets of a Makefile."""

    targets: Annotated[list[Target], About("Targets in file order")]
    default: Annotated[str | None, About("Default target of make")]
    variables: Annotated[dict[str, str], About("Variables with their text")]
    problems: Annotated[list[str], About("Errors such as commands without a tab")]


@tool(
    tags="gitignore generate create ignore python node rust go java template",
    use_when=(
        "Create a .gitignore for a Python and Node project",
        "What should I ignore in a Rust repository on macOS?",
        "Generate a .gitignore with VS Code and secrets",
    ),
    examples=(
        Example(
            {"kinds": ["rust", "macos"], "extra": ["local/"]},
            {
                "text": "# rust\ntarget/\n**/*.rs.bk\n\n# macos\n.DS_Store\n._*\n.Spotlight-V100\n.Trashes\n\n"
                "# project\nlocal/\n"
            },
            source="The Cargo Book: builds go to target/",
        ),
        Example(
            {"kinds": ["go"]},
            {"text": "# go\nbin/\n*.test\n*.out\ngo.work\ngo.work.sum\n"},
            source="documentation of go",
        ),
        Refusal({"kinds": ["cobol"]}, "kinds"),
    ),
    reply="The .gitignore: {text}",
)
def gitignore_generate_rules(
    kinds: Annotated[
        list[
            Literal[
                "python", "node", "go", "rust", "java", "dotnet", "ruby", "php", "terraform", "latex", "macos",
                "windows", "linux", "vscode", "jetbrains", "vim", "secrets",
            ]
        ],
        About("Languages, systems and editors of the project", ["python", "secrets"], min_items=1, max_items=17),
    ],
    extra: Annotated[list[str], About("Further patterns", ["local/"], max_items=100)] | None = None,
) -> Generated:  # fmt: skip
    """Create a .gitignore for the languages, systems and editors of a project.

    Use it for a new repository. Patterns that several kinds share are listed once. Returns the file's text.
    """
    seen: set[str] = set()
    blocks = []
    for title, patterns in [*((kind, _IGNORED[kind].split()) for kind in kinds), ("project", extra or [])]:
        fresh = [pattern for pattern in dict.fromkeys(patterns) if pattern not in seen]
        seen.update(fresh)
        blocks += ["\n".join([f"# {title}", *fresh])] if fresh else []
    return {"text": "\n\n".join(blocks) + "\n"}


@tool(
    tags="env dotenv compare environment variables missing example configuration",
    use_when=(
        "Which variables of .env.example are missing in my .env?",
        "Compare two .env files without showing the values",
        "Is my production environment file complete?",
    ),
    examples=(
        Example(
            {"first": "A=1\nB='x y'\nC=3\n", "second": 'export A=1\nB="x z"\nD=\nD=2\noops\n'},
            {
                "missing": ["C"],
                "extra": ["D"],
                "different": ["B"],
                "empty": [],
                "duplicates": ["D"],
                "invalid": ["second, line 5"],
            },
            source="by hand",
        ),
        Refusal({"first": "", "second": "A=1"}, "sets no variable"),
    ),
    reply={
        "missing, different": "The second file lacks {missing}, and {different} differs.",
        "missing": "The second file lacks {missing}.",
        "different, extra": "{different} differs, and the second file has {extra} in addition.",
        "different": "{different} differs between the files.",
        "extra": "The second file has {extra} in addition.",
        "": "Both files set the same variables to the same values.",
    },
)
def env_compare_files(
    first: Annotated[str, About("The .env file that lists the required variables", "A=1\n", max_length=200_000)],
    second: Annotated[str, About("The .env file to check", "A=2\n", max_length=200_000)],
) -> EnvComparison:
    """Compare two .env files by their variables, without showing values.

    Use it to check a deployment against .env.example. Returns variables that are missing, extra, different, empty or
    set twice, and lines that cannot be parsed.
    """
    before, twice_before, bad_before = _variables(first, "first")
    after, twice_after, bad_after = _variables(second, "second")
    if not before:
        raise ToolError("The first file sets no variable. Its lines must have the form NAME=value.")
    return {
        "missing": [name for name in before if name not in after],
        "extra": [name for name in after if name not in before],
        "different": [name for name in before if name in after and before[name] != after[name]],
        "empty": [name for name, value in after.items() if not value],
        "duplicates": sorted(twice_before | twice_after),
        "invalid": bad_before + bad_after,
    }


@tool(
    tags="makefile targets list make help phony variables check",
    use_when=(
        "Which targets does this Makefile have?",
        "What does make do by default here?",
        "Why does make say missing separator?",
    ),
    examples=(
        Example(
            {
                "text": "CC := gcc\n.PHONY: all\nall: app ## build it\n# links\napp: main.o\n    "
                "$(CC) main.o\nother:\n\ttrue\n"
            },
            {
                "default": "all",
                "variables": {"CC": "gcc"},
                "targets": [
                    {"name": "all", "needs": ["app"], "help": "build it", "phony": True, "line": 3},
                    {"name": "app", "needs": ["main.o"], "help": "links", "phony": False},
                    {"name": "other", "needs": [], "help": ""},
                ],
                "problems": ["line 6: a command begins with spaces and not with a tab"],
            },
            source="GNU Make manual",
        ),
        Refusal({"text": "hello"}, "no target"),
    ),
    reply={
        "default, targets": "The default is {default}. The targets: {targets}",
        "targets": "The targets: {targets}",
        "": "There are no targets in this Makefile.",
    },
)
def makefile_list_targets(text: Document) -> Targets:
    """List the targets of a Makefile with their prerequisites and help.

    Use it to get to know a project or to find why make fails. Returns targets, the default one, variables and problems.
    """
    lines = text.splitlines()
    phony = {name for line in lines if line.startswith(".PHONY") for name in line.partition(":")[2].split()}
    targets: list[Target] = []
    for number, line in enumerate(lines, 1):
        found = re.match(r"([^\s:#=.][^:#=]*?)\s*::?(?!=)\s*([^#=]*?)\s*(?:##\s*(.*))?$", line)
        if not found:
            continue
        above = lines[number - 2] if number > 1 else ""
        note = found[3] or (above.lstrip("# ") if above.startswith("#") else "")
        for name in found[1].split():
            one: Target = {
                "name": name,
                "needs": found[2].split(),
                "help": note,
                "phony": name in phony,
                "line": number,
            }
            targets.append(one)
    if not targets:
        raise ToolError(
            "The text has no target. A rule has the form target: prerequisites, followed by commands that begin with "
            "a tab."
        )
    spaced = [
        number for number, line in enumerate(lines, 1) if re.match(r" {2,}\S", line) and not _continues(lines, number)
    ]
    return {
        "targets": targets[:_MOST],
        "default": next((one["name"] for one in targets if "%" not in one["name"]), None),
        "variables": dict(re.findall(r"^(\w+)\s*[:?+]?=\s*(.*)$", text, re.MULTILINE)),
        "problems": [f"line {number}: a command begins with spaces and not with a tab" for number in spaced[:_MOST]],
    }


def _variables(text: str, which: str) -> tuple[dict[str, str], set[str], list[str]]:
    """Parse a .env file. Returns its variables, duplicate names, and lines that are not assignments."""
    values: dict[str, str] = {}
    twice: set[str] = set()
    invalid = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found = re.fullmatch(r"\s*(?:export\s+)?([A-Za-z_][\w.]*)\s*=\s*(.*?)\s*", line)
        if not found:
            invalid.append(f"{which}, line {number}")
            continue
        twice |= {found[1]} & values.keys()
        values[found[1]] = _unquote(found[2])
    return values, twice, invalid


def _unquote(value: str) -> str:
    if value[:1] in ("'", '"'):
        try:
            return "".join(shlex.split(value, comments=True)[:1])
        except ValueError:
            return value
    return re.sub(r"\s+#.*", "", value)


def _continues(lines: list[str], number: int) -> bool:
    """Return whether a line belongs to the previous one: a continued value, or the inside of a definition."""
    before = lines[number - 2] if number > 1 else ""
    return before.endswith("\\") or not re.match(r"[^\s#][^=]*:|\s", before)
