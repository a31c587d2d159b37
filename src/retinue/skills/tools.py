"""The tools of an agent with skills: reading their files, and running their scripts in a sandbox.

A skill is text that the owner of the account imported and chose for the agent, as its instructions are. Reading one is
therefore not reading untrusted content. What a script prints is, because it may come from the files it works on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from retinue.core.database.interface import Database
from retinue.core.database.statements import Row
from retinue.core.errors import NotFound, Unavailable, ValidationFailed
from retinue.core.runtime.executors import run_on_disk_thread
from retinue.sandbox.bwrap_args import TEMPORARY
from retinue.sandbox.limits import ResourceLimits
from retinue.sandbox.sandbox import ProgramResult, Sandbox
from retinue.skills import statements as sql
from retinue.skills.paths import INSTRUCTIONS
from retinue.skills.service import read_file
from retinue.tools.authoring.tool import Tool
from retinue.tools.catalogue.trust import SKILL_READ
from retinue.workspace.tool_context import ToolContext
from retinue.workspace.working_copy import FolderChanges, WorkingCopy

RUN_SCRIPT = "skill_run_script"
NAMES = (SKILL_READ, RUN_SCRIPT)

_TEXT_BYTES = 1 << 20
_CREDITS = 5
_NAMED = 200
_PLACE = "skill"
_FOLDER = f"{TEMPORARY}/{_PLACE}"
"""Where a script finds the files of its skill."""

_INTRODUCTION = (
    "You have skills: instructions for certain kinds of work. When a request fits the description of a skill, first "
    f"read it with {SKILL_READ}, then do as it says. Your skills:"
)
_ENDINGS = {"": "itself", "time": "time limit", "memory": "memory limit", "disk": "disk limit"}

_PATHS = {"type": "array", "items": {"type": "string"}}
_RUN_RESULT = {
    "type": "object",
    "properties": {
        "ended_by": {"enum": list(_ENDINGS.values())},
        "exit_code": {"type": ["integer", "null"]},
        "stdout": {"type": "string"},
        "stderr": {"type": "string"},
        "created": _PATHS,
        "changed": _PATHS,
        "deleted": _PATHS,
        "left_out": _PATHS,
    },
    "required": ["ended_by", "exit_code", "stdout", "stderr", "created", "changed", "deleted", "left_out"],
}
_READ_RESULT = {
    "type": "object",
    "properties": {
        "skill": {"type": "string"},
        "path": {"type": "string"},
        "text": {"type": "string"},
        "files": _PATHS,
    },
    "required": ["skill", "path", "text"],
}


@dataclass(frozen=True)
class SkillTools:
    """Finds the skills that a run's agent has, and the tools for them."""

    database: Database

    async def find_skills(self, account_id: int, ids: Sequence[int]) -> list[Row]:
        """Return the names and descriptions of the skills with these ids that exist."""
        return await self.database.fetch(sql.CHOSEN, these=list(ids), account=account_id) if ids else []

    async def tools(self, account_id: int, ids: Sequence[int], *, may_run: bool) -> list[Tool]:
        """Return the tool that reads these skills, and the one that runs their scripts if the run `may_run` it."""
        skills = await self.find_skills(account_id, ids)
        if not skills:
            return []
        runnable = [skill for skill in skills if skill.has_scripts] if may_run else []
        return [_for_skills(READ_TOOL, skills), *([_for_skills(RUN_TOOL, runnable)] if runnable else [])]


def describe_skills(skills: Sequence[Row]) -> str:
    """Return what the system prompt says of an agent's skills: names and descriptions only."""
    return "\n".join([_INTRODUCTION, *(f"- {skill.name}: {skill.description}" for skill in skills)])


async def skill_read(
    context: ToolContext, chosen: Mapping[str, int], skill: str, path: str = INSTRUCTIONS
) -> dict[str, Any]:
    """Return the text of a file of a skill; with the instructions, the names of its files."""
    row = await _find(context, chosen, skill)
    _, content = await read_file(context.tree.store, row, path.removeprefix("./"))
    if len(content) > _TEXT_BYTES:
        raise ValidationFailed(f"{path[:100]} has more than {_TEXT_BYTES >> 20} MiB. Read it with a script.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValidationFailed(f"{path[:100]} is not text. Scripts of the skill can use it.") from error
    result = {"skill": skill, "path": path, "text": text}
    return {**result, "files": [one["path"] for one in row.files]} if path == INSTRUCTIONS else result


async def skill_run_script(
    context: ToolContext,
    chosen: Mapping[str, int],
    skill: str,
    script: str,
    arguments: Sequence[str] = (),
    stdin: str = "",
    folder: str | None = None,
    time_limit_s: int = 20,
) -> dict[str, object]:
    """Run a script of a skill in a sandbox, in a copy of a workspace folder if one is named."""
    row = await _find(context, chosen, skill)
    files = {one["path"]: (await read_file(context.tree.store, row, one["path"]))[1] for one in row.files}
    script = script.removeprefix("./")
    if script not in files:
        raise ValidationFailed(f"The skill {skill} has no file {script[:100]!r}. It has {', '.join(files)[:1000]}.")
    async with context.sandboxes.sandbox() as sandbox:
        copy = await WorkingCopy.of(context.tree, folder, sandbox.folder) if folder else None
        await run_on_disk_thread(_unpack, sandbox.place.root / "tmp" / _PLACE, files)
        ended = await sandbox.run(
            [*_interpreter(sandbox, script, files[script]), f"{_FOLDER}/{script}", *arguments],
            stdin=stdin,
            environment={"SKILL_DIR": _FOLDER},
            limits=ResourceLimits(seconds=float(time_limit_s)),
        )
        return _describe_end(ended, await copy.store_changes() if copy and not ended.stopped else FolderChanges())


async def _find(context: ToolContext, chosen: Mapping[str, int], name: str) -> Row:
    row = await context.database.lookup(sql.GET, skill=chosen[name], account=context.account_id)
    if row is None:
        raise NotFound(f"The skill {name} was deleted.")
    return row


def _unpack(folder: Path, files: Mapping[str, bytes]) -> None:
    for path, content in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o755)


def _interpreter(sandbox: Sandbox, script: str, content: bytes) -> list[str]:
    """Return the program that runs a script: by its ending, or else none if it names one in its first line."""
    if script.endswith(".py"):
        if sandbox.bwrap_args.libraries is None:
            raise Unavailable(
                "Python's libraries are still being installed on this server. Try again in a minute; GET /readyz "
                "shows the progress."
            )
        return [str(sandbox.bwrap_args.libraries / "bin" / "python")]
    return [] if content.startswith(b"#!") else ["/bin/sh"]


def _describe_end(ended: ProgramResult, changes: FolderChanges) -> dict[str, object]:
    return {
        "ended_by": _ENDINGS[ended.stopped],
        "exit_code": None if ended.stopped else ended.exit_code,
        "stdout": ended.stdout.text,
        "stderr": ended.stderr.text,
        "created": changes.created[:_NAMED],
        "changed": changes.changed[:_NAMED],
        "deleted": changes.deleted[:_NAMED],
        "left_out": changes.left_out[:_NAMED],
    }


def _for_skills(tool: Tool, skills: Sequence[Row]) -> Tool:
    """Return a tool for certain skills."""
    chosen = {skill.name: skill.id for skill in skills}
    name = {"type": "string", "enum": list(chosen), "description": "Name of the skill."}
    properties = {"skill": name, **tool.input_schema["properties"]}
    return replace(tool, input_schema={**tool.input_schema, "properties": properties}, constants={"chosen": chosen})


READ_TOOL = Tool(
    name=SKILL_READ,
    description="Read a skill: its instructions, or another of its files that they mention.",
    category="workspace",
    tier="free",
    credits=0,
    input_schema={
        "type": "object",
        "properties": {
            "path": {
                "type": "string",
                "maxLength": 200,
                "default": INSTRUCTIONS,
                "description": "File of the skill, such as references/forms.md. By default, its instructions.",
            }
        },
        "required": ["skill"],
        "additionalProperties": False,
    },
    result_schema=_READ_RESULT,
    tags=(),
    use_when=(),
    examples=(),
    module=__name__,
    read_only=True,
    destructive=False,
    idempotent=True,
    open_world=False,
    timeout_s=20.0,
    memory_mb=0,
    inside=True,
)
RUN_TOOL = Tool(
    name=RUN_SCRIPT,
    description="Run a script of a skill, isolated from network and server. It starts in a copy of a workspace folder, "
    f"if one is named, and its changes there are kept. The skill's files are in {_FOLDER}.",
    category="workspace",
    tier="pro",
    credits=_CREDITS,
    input_schema={
        "type": "object",
        "properties": {
            "script": {"type": "string", "maxLength": 200, "description": "Its path, such as scripts/fill.py."},
            "arguments": {
                "type": "array",
                "items": {"type": "string", "maxLength": 2000},
                "maxItems": 50,
                "description": "Command line of the script.",
            },
            "stdin": {"type": "string", "maxLength": 500_000, "description": "Standard input of the script."},
            "folder": {
                "type": "string",
                "minLength": 1,
                "maxLength": 512,
                "description": "Folder of the workspace to work in; / is the whole workspace.",
            },
            "time_limit_s": {"type": "integer", "minimum": 1, "maximum": 35, "description": "By default, 20 seconds."},
        },
        "required": ["skill", "script"],
        "additionalProperties": False,
    },
    result_schema=_RUN_RESULT,
    tags=(),
    use_when=(),
    examples=(),
    module=__name__,
    read_only=False,
    destructive=True,
    idempotent=False,
    open_world=False,
    timeout_s=60.0,
    memory_mb=0,
    needs=("bwrap",),
    inside=True,
)
