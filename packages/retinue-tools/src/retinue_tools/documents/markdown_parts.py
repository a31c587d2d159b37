"""Code blocks, front matter and task lists in Markdown."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from fractions import Fraction
from typing import Annotated, Any

import tomlkit
import yaml
from tomlkit.exceptions import TOMLKitError
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.datetime.durations import duration_forms, seconds_of
from retinue_tools.documents.markdown_convert import Markdown, inline_text, parser, split_front_matter
from retinue_tools.documents.markdown_sections import line_of


class CodeBlock(TypedDict):
    """A block of code."""

    language: Annotated[str | None, About("Language of the block")]
    code: Annotated[str, About("The code")]
    line: Annotated[int, About("First line of the block")]


class CodeBlocks(TypedDict):
    """Blocks of code."""

    blocks: Annotated[list[CodeBlock], About("Blocks of code in order")]
    languages: Annotated[dict[str, int], About("Number of blocks by language")]


class FrontMatter(TypedDict):
    """Front matter of a document."""

    fields: Annotated[dict[str, Any], About("Fields; dates as ISO 8601")]
    format: Annotated[str, About("yaml, toml or none")]
    body: Annotated[str, About("Markdown after the front matter")]


@tool(
    tags="markdown code blocks extract snippets fences language",
    use_when=(
        "Extract the Python code from this Markdown",
        "Give me all shell commands of the README",
        "Which languages do the code blocks use?",
    ),
    examples=(
        Example(
            {"markdown": "a\n\n```python title=x\nprint(1)\n```\n\n~~~\nplain\n~~~\n"},
            {
                "blocks": [
                    {"language": "python", "code": "print(1)\n", "line": 3},
                    {"language": None, "code": "plain\n", "line": 7},
                ],
                "languages": {"python": 1},
            },
            source="CommonMark 0.31.2, section 4.5: the first word of the info string is the language",
        ),
        Example(
            {"markdown": "```sh\nls\n```\n\n```js\n1\n```\n", "language": "SH"},
            {"blocks": [{"language": "sh", "code": "ls\n"}]},
            source="by hand",
        ),
        Refusal({"markdown": ""}, "at least 1"),
    ),
    reply={
        "blocks.1": "The blocks of code: {blocks}",
        "blocks.0.code": "The code: {blocks.0.code}",
        "": "There is no such code in the document.",
    },
    pace="normal",
)
def markdown_extract_code(
    markdown: Markdown,
    language: Annotated[str | None, About("Only blocks of this language", "python", max_length=40)] = None,
) -> CodeBlocks:
    """Extract the code blocks of a Markdown document with their languages and lines.

    Use it to run, test or collect snippets of documentation or of a model's answer.
    """
    blocks: list[CodeBlock] = [
        {
            "language": token.info.split()[0] if token.info.strip() else None,
            "code": token.content,
            "line": line_of(token),
        }
        for token in parser().parse(markdown)
        if token.type in ("fence", "code_block")
    ]
    if language is not None:
        blocks = [block for block in blocks if (block["language"] or "").lower() == language.lower()]
    return {"blocks": blocks, "languages": dict(Counter(block["language"] for block in blocks if block["language"]))}


@tool(
    tags="markdown front matter yaml toml metadata header jekyll hugo obsidian parse",
    use_when=(
        "Read the front matter of this post",
        "Which tags and date has the Markdown note?",
        "Separate the YAML header from the text",
    ),
    examples=(
        Example(
            {"markdown": "---\ntitle: Tides\ntags: [sea, moon]\ndate: 2026-03-01\ndraft: false\n---\n# Text\n"},
            {
                "fields": {"title": "Tides", "tags": ["sea", "moon"], "date": "2026-03-01", "draft": False},
                "format": "yaml",
                "body": "# Text\n",
            },
            source="YAML 1.1",
        ),
        Example(
            {"markdown": '+++\ntitle = "Tides"\nweight = 3\n+++\nText\n'},
            {"fields": {"title": "Tides", "weight": 3}, "format": "toml", "body": "Text\n"},
            source="TOML 1.0",
        ),
        Example({"markdown": "# Text\n"}, {"fields": {}, "format": "none", "body": "# Text\n"}, source="by hand"),
        Refusal({"markdown": "---\na: [1\n---\n"}, "front matter is not YAML"),
    ),
    reply={
        "fields": "The front matter: {fields}",
        "": "The document has no front matter.",
    },
    pace="normal",
)
def markdown_parse_front_matter(markdown: Markdown) -> FrontMatter:
    """Read the front matter of a Markdown document: YAML between --- lines or TOML between +++ lines at its start.

    Use it for posts of static sites and for notes. Returns the fields, and the text without them.
    """
    front, body = split_front_matter(markdown)
    if not front:
        return {"fields": {}, "format": "none", "body": markdown}
    inner = "".join(front.splitlines(keepends=True)[1:-1])
    if len(inner) > 50_000 or inner.count("[") + inner.count("{") > 500:
        raise ToolError("The front matter has more than 50,000 characters or 500 brackets, which is not supported.")
    if front.startswith("+++"):
        try:
            return {"fields": _plain(tomlkit.parse(inner).unwrap()), "format": "toml", "body": body}
        except (TOMLKitError, ValueError) as error:
            raise ToolError(f"The front matter is not TOML: {str(error)[:200]}") from error
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(inner, Loader=yaml.SafeLoader)):
            raise ToolError(
                "The front matter uses aliases of YAML (*name), which are not supported. Replace them with their "
                "values."
            )
        fields = yaml.safe_load(inner)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        raise ToolError(f"The front matter is not YAML: {' '.join(str(error).split())[:200]}") from error
    if fields is not None and not isinstance(fields, dict):
        raise ToolError("The front matter is not a list of fields such as title: Tides.")
    return {"fields": _plain(fields or {}), "format": "yaml", "body": body}


def _plain(value: Any) -> Any:
    """Convert values of YAML or TOML to JSON values."""
    if isinstance(value, dict):
        return {str(key): _plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(part) for part in value]
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, float) and not abs(value) < float("inf"):
        return str(value)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 2**53:
        return str(value)
    return value if isinstance(value, str | int | float | bool | None) else str(value)


_TASKS = "- [x] Look\n- [ ] Sail\n  - [ ] Hoist\n"
_BOX = re.compile(r"\[([ xX])\]\s+")
_IN_LINE = re.compile(r"\[([ xX])\]\s*([^\[\];\n]{1,500})")
_SAID = re.compile(r"[\s(\[:-]*\b(?:done|finished|completed?|bought|ticked)\b[\s)\]:-]*", re.IGNORECASE)
_UNIT = r"(?:hours?|hrs?|h|minutes?|mins?|seconds?|secs?)"
_TIME = re.compile(rf"(?<![\w.])\d+(?:\.\d+)? ?{_UNIT}\b(?:(?: and)? ?\d+ ?{_UNIT}\b)?", re.IGNORECASE)


class Task(TypedDict):
    """A task of a task list."""

    text: Annotated[str, About("Text of the task")]
    done: Annotated[bool, About("Whether the task is done")]
    depth: Annotated[int, About("1 for the outermost list")]
    line: Annotated[int, About("Line number, from 1")]


class Tasks(TypedDict):
    """The task lists of a document."""

    tasks: Annotated[list[Task], About("Tasks in order")]
    done: Annotated[int, About("Number of completed tasks")]
    open: Annotated[int, About("Number of open tasks")]
    left: Annotated[list[str], About("Texts of the open tasks, in order")]
    done_percent: Annotated[float | None, About("Share of completed tasks; null without tasks")]
    open_time: Annotated[str | None, About("Total duration of the open tasks that state one, such as 1 h 50 min")]
    done_time: Annotated[str | None, About("Total duration of the completed tasks")]
    open_minutes: Annotated[float | None, About("Duration of the open tasks in minutes")]


@tool(
    tags="markdown tasks todo checklist checkbox progress list open time minutes left remaining",
    use_when=(
        "Which tasks in my notes are still open?",
        "How far is this checklist?",
        "List the unticked boxes of the pull request",
        "How long do the open jobs take? [x] iron 20 min; [ ] cook 45 min; [ ] sweep 10 min",
    ),
    examples=(
        Example(
            {"markdown": _TASKS},
            {
                "tasks": [
                    {"text": "Look", "done": True, "depth": 1, "line": 1},
                    {"text": "Sail", "done": False, "depth": 1, "line": 2},
                    {"text": "Hoist", "done": False, "depth": 2, "line": 3},
                ],
                "done": 1,
                "open": 2,
                "done_percent": 33.3,
                "open_time": None,
            },
            source="GitHub Flavored Markdown 0.29, section 5.3",
        ),
        Example(
            {"markdown": "[x] iron 20 min; [ ] cook (1 h 15 min); [ ] sweep 10 min"},
            {"done": 1, "open": 2, "open_minutes": 85.0, "open_time": "1 hour, 25 minutes", "done_time": "20 minutes"},
            source="by hand",
        ),
        Example(
            {"markdown": "milk (done), post the letter, bread - done"},
            {
                "done": 2,
                "open": 1,
                "left": ["post the letter"],
                "tasks": [
                    {"text": "milk", "done": True, "depth": 1, "line": 1},
                    {"text": "post the letter", "done": False, "depth": 1, "line": 1},
                    {"text": "bread", "done": True, "depth": 1, "line": 1},
                ],
            },
            source="by hand",
        ),
        Refusal({"markdown": ""}, "at least 1"),
    ),
    reply={
        "left, open_time": "{open|task} still open, {open_time} in all: {left}",
        "left": "{open|task} still open: {left}",
        "tasks": "All tasks are done.",
        "": "There are no tasks in the document.",
    },
    pace="normal",
)
def markdown_list_tasks(markdown: Markdown) -> Tasks:
    """List the tasks, [ ] and [x], of a Markdown document, including nested ones, and how many are done.

    Use it for notes, issues and release checklists. A list on one line may have semicolons between its tasks, and
    "done" instead of boxes. Durations in the text of tasks are added up.
    """
    tasks = max([*_list(markdown)], [*_in_line(markdown)], key=len) or [*_in_words(markdown)]
    done = sum(task["done"] for task in tasks)
    left, past = (_time([task for task in tasks if task["done"] is ticked]) for ticked in (False, True))
    return {
        "tasks": tasks,
        "done": done,
        "open": len(tasks) - done,
        "left": [task["text"] for task in tasks if not task["done"]],
        "done_percent": round(100 * done / len(tasks), 1) if tasks else None,
        "open_time": None if left is None else duration_forms(left)["words"],
        "done_time": None if past is None else duration_forms(past)["words"],
        "open_minutes": None if left is None else duration_forms(left)["minutes"],
    }


def _list(markdown: str) -> Iterator[Task]:
    """Return the tasks of the lists of a document."""
    depth = 0
    for token in parser().parse(markdown):
        if token.type in ("bullet_list_open", "ordered_list_open"):
            depth += 1
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            depth -= 1
        elif token.type == "inline" and depth and (box := _BOX.match(token.content)):
            text = inline_text(token)[box.end() :]
            line = token.map[0] + 1 if token.map else 1
            yield {"text": text.split("\n")[0], "done": box[1] != " ", "depth": depth, "line": line}


def _in_line(text: str) -> Iterator[Task]:
    """Return tasks that are listed on one line."""
    for box in _IN_LINE.finditer(text):
        line = text.count("\n", 0, box.start()) + 1
        yield {"text": box[2].strip(" ,.-*+"), "done": box[1] != " ", "depth": 1, "line": line}


def _time(tasks: Sequence[Task]) -> Fraction | None:
    """Return the total duration of tasks in seconds, or None if none states it."""
    durations = [seconds_of(found[0]) for task in tasks if (found := _TIME.search(task["text"]))]
    return sum(durations, Fraction()) if durations else None


def _in_words(text: str) -> Iterator[Task]:
    """Return tasks separated by commas of which some are marked as done; none if no task is."""
    if _SAID.search(text):
        for piece in filter(str.strip, re.split(r"[,;\n]", text)):
            yield {
                "text": _SAID.sub(" ", piece).strip(" .-*+"),
                "done": bool(_SAID.search(piece)),
                "depth": 1,
                "line": 1,
            }
