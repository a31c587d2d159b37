"""Claude Code with a model, with an agent and with `/mcp`: it reads and writes files by its own tools."""

import asyncio
import json
import os
from pathlib import Path

from commands import NOTE, new_folder, run
from common import AGENT, KEY, MODEL, URL, call, report

CLAUDE = next(Path(os.environ["NODE_MODULES"]).glob("@anthropic-ai/claude-code-*/claude"))
SERVERS = {"retinue": {"type": "http", "url": f"{URL}/mcp", "headers": {"Authorization": f"Bearer {KEY}"}}}


def ask(model: str, folder: Path, text: str) -> str:
    """Return what Claude Code prints."""
    allowed = "Read Write mcp__retinue__tools_search mcp__retinue__tools_execute"
    servers = json.dumps({"mcpServers": SERVERS})
    options = ["--model", model, "--mcp-config", servers, "--strict-mcp-config", "--allowedTools", allowed]
    settings = {
        "ANTHROPIC_BASE_URL": URL,
        "ANTHROPIC_AUTH_TOKEN": KEY,
        "ANTHROPIC_DEFAULT_HAIKU_MODEL": model,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }
    return run([str(CLAUDE), *options, "-p", text], folder, **settings)


async def text():
    assert "You said:" in ask(MODEL, new_folder(), "Hello")


async def task():
    for model in (MODEL, AGENT):
        folder = new_folder()
        read = call("Read", json.dumps({"file_path": f"{folder}/note.txt"}))
        write = call("Write", json.dumps({"file_path": f"{folder}/copy.txt", "content": NOTE}))
        output = ask(model, folder, read + write)
        assert (folder / "copy.txt").read_text() == NOTE, output


async def mcp():
    find = call("ToolSearch", '{"query": "select:mcp__retinue__tools_search,mcp__retinue__tools_execute"}')
    search = call("mcp__retinue__tools_search", '{"query": "convert text to title case"}')
    given = '{"name": "text_convert_case", "arguments": {"text": "hello world", "style": "title"}}'
    output = ask(MODEL, new_folder(), find + search + call("mcp__retinue__tools_execute", given))
    assert "Hello World" in output, output


asyncio.run(
    report(
        "@anthropic-ai/claude-code",
        text=text,
        reads_and_writes_a_file_with_a_model_and_with_an_agent=task,
        tools_by_MCP_found_by_search=mcp,
    )
)
