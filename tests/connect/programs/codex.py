"""Codex with a model, with an agent and with `/mcp`: it reads and writes files by its own tools."""

import asyncio
import os
from pathlib import Path

from commands import NOTE, new_folder, run
from common import AGENT, KEY, MODEL, URL, call, report

MODULES = Path(os.environ["NODE_MODULES"])
CODEX = next(MODULES.glob("@openai/codex-*/vendor/*/bin/codex"))
SETTINGS = f"""
model_provider = "retinue"
[model_providers.retinue]
name = "Retinue"
base_url = "{URL}/v1"
env_key = "RETINUE_API_KEY"
wire_api = "responses"
[mcp_servers.retinue]
url = "{URL}/mcp"
bearer_token_env_var = "RETINUE_API_KEY"
"""
COPY = call("exec_command", '{"cmd": "cat note.txt"}') + call("exec_command", '{"cmd": "cp note.txt copy.txt"}')


def ask(model: str, text: str, *options: str) -> tuple[Path, str]:
    folder = new_folder()
    (folder / ".codex").mkdir()
    (folder / ".codex/config.toml").write_text(SETTINGS)
    unguarded = "--dangerously-bypass-approvals-and-sandbox"
    command = [str(CODEX), "exec", "--model", model, "--skip-git-repo-check", unguarded, *options, text]
    return folder, run(command, folder, RETINUE_API_KEY=KEY)


async def text():
    assert "You said: Hello" in ask(MODEL, "Hello")[1]


async def task():
    for model in (MODEL, AGENT):
        folder, _ = ask(model, COPY)
        assert (folder / "copy.txt").read_text() == NOTE


async def mcp():
    search = call("mcp__retinue__tools_search", '{"query": "convert text to title case"}')
    given = '{"name": "text_convert_case", "arguments": {"text": "hello world", "style": "title"}}'
    _, output = ask(MODEL, search + call("mcp__retinue__tools_execute", given))
    assert "Hello World" in output, output


asyncio.run(
    report(
        "@openai/codex",
        text=text,
        reads_and_writes_a_file_with_a_model_and_with_an_agent=task,
        tools_by_MCP=mcp,
    )
)
