"""The programs that the servers of these tests may start, and what becomes of their processes."""

import json
import sys
from pathlib import Path

from tests.support.client import Client, data
from tests.tools.imports.pets import Json

ROOT = Path(__file__).parents[3]
SDK_PROGRAM = [sys.executable, "-m", "tests.tools.imports.sdk_program"]
WAYS = ("well", "rubbish", "stateless")


def command(how: str) -> list[str]:
    """How the stand-in is started."""
    return [sys.executable, "-m", "tests.tools.imports.stand_in_program", how]


def write_programs(folder: Path) -> Path:
    """The operator's file."""
    sections = [section(how, command(how)) for how in WAYS]
    sections += [
        section("exits", command("exits"), credential="STAND_IN_TOKEN"),
        section("token", command("well"), credential="STAND_IN_TOKEN"),
        section("sdk", SDK_PROGRAM, credential="STAND_IN_TOKEN"),
        section("online", command("well"), network=True),
        section("for-pro", command("well"), plans=["professional"]),
        section("missing", ["/nowhere/at/all"]),
    ]
    path = folder / "programs.toml"
    path.write_text("\n".join(sections))
    return path


def section(name: str, command: list[str], **fields: object) -> str:
    """A program in the operator's file."""
    told = "".join(f"{field} = {json.dumps(value)}\n" for field, value in fields.items())
    environment = f"environment = {{ PYTHONPATH = {json.dumps(str(ROOT))} }}\n"
    files = f"files = {json.dumps([str(ROOT)])}\n"
    return f"[{name}]\ncommand = {json.dumps(command)}\n{environment}{files}{told}"


def import_source(client: Client, program: str = "well", **fields: object) -> Json:
    """The source that a program makes."""
    wanted = {"kind": "mcp", "name": "near", "program": program, **fields}
    source: Json = data(client.post("/tools/sources", wanted), 201)
    return source


def is_running(pid: int) -> bool:
    """Whether a process runs: neither gone nor a zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
