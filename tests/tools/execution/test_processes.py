"""The processes of a busy server: those that run the code of others have given up what they do not need."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psutil
import pytest

from tests.conftest import StartServer
from tests.faults.processes import children
from tests.support.client import Client, data
from tests.support.waiting import eventually
from tests.tools.imports.pets import execute
from tests.tools.imports.programs import import_source, write_programs

_DAC_READ_SEARCH = 1 << 2


def status(process: psutil.Process) -> dict[str, str]:
    """What the kernel says of a process; empty if it has ended."""
    try:
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return {}
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def faults(process: psutil.Process) -> list[str]:
    """What a process could still do that it must not."""
    found = status(process)
    if not found or found["State"].startswith("Z"):
        return []
    kept = (int(found["CapEff"], 16) | int(found["CapPrm"], 16)) & ~_DAC_READ_SEARCH
    return [
        *(["new privileges"] if found["NoNewPrivs"] != "1" else []),
        *([f"capabilities {kept:x}"] if kept else []),
        *(["no seccomp"] if found["Seccomp"] != "2" else []),
        *(["root"] if os.geteuid() == 0 and "0" in found["Uid"].split() else []),
    ]


@pytest.mark.needs_program("bwrap")
def test_the_children_of_a_busy_server_have_no_rights(start_server: StartServer, tmp_path: Path) -> None:
    server = start_server(RETINUE_MCP_PROGRAMS_FILE=str(write_programs(tmp_path)))
    client = Client(server, server.new_key(server.new_user("enterprise")))
    import_source(client)
    execute(client, "near_pid")
    data(client.post("/tools/math_evaluate_expression/execute", {"args": {"expression": "1+1"}}))
    with ThreadPoolExecutor(1) as threads:
        script = {"args": {"command": "sleep 5"}}
        program = threads.submit(client.post, "/tools/shell_run_command/execute", script)
        sleeping = eventually(lambda: [one for one in children(server) if name(one) == "sleep"], within=10)
        seen = {one: " ".join(command(one)) for one in children(server)}
        found = {
            line: faults(one) for one, line in seen.items() if not line.startswith("bwrap") and "/bwrap" not in line
        }
        assert sleeping
        assert any("retinue.tools.execution.worker" in line for line in found)
        assert any("stand_in_program" in line for line in found)
        assert {line: fault for line, fault in found.items() if fault and not trusted(line)} == {}
        assert data(program.result())["result"]["exit_code"] == 0
    client.close()


def name(process: psutil.Process) -> str:
    """The name of its program; empty if it has ended."""
    try:
        return process.name()
    except psutil.NoSuchProcess:
        return ""


def command(process: psutil.Process) -> list[str]:
    """Its command line; empty if it has ended."""
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []


def trusted(line: str) -> bool:
    """Whether a process runs only code of the server, by docs/threat-model.md."""
    return any(module in line for module in ("retinue.models.local_server", "retinue.voice.worker"))
