"""A made-up MCP server that is a program: it does what its tools are told, and misbehaves as its argument says."""

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

from tests.tools.spying import spy

Json = dict[str, Any]
STATELESS = "2026-07-28"

tools = ["echo", "forget", "keep", "learn", "misbehave", "nap", "pid", "question", "spy", "start", "variable"]
hints = {"readOnlyHint": True, "destructiveHint": False, "openWorldHint": False}
_writing = threading.Lock()
_replies: list[Json] = []


def say(line: str) -> None:
    """Write a line at once."""
    with _writing:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


def misbehave(how: str) -> None:
    """Do what no server should."""
    match how:
        case "exits":
            sys.stderr.write(f"Nobody knows the token {os.environ.get('STAND_IN_TOKEN')}.\n")
            sys.stderr.flush()
            os._exit(3)
        case "floods":
            while True:
                sys.stdout.write('{"jsonrpc": "2.0", "method": "notifications/message"}\n' * 10_000)
        case "writes without end":
            while True:
                sys.stdout.write("x" * 10_000)
        case "leaves":
            os.close(0)
            os.close(1)
        case "grows":
            try:
                held = [bytearray(8 << 20) for _ in range(1000)]
            except MemoryError:
                held = []
            os._exit(1 if held else 4)
    time.sleep(600)


def keep(text: str) -> str:
    """Keep a text in the program's own folder, and read it again."""
    kept = Path.home() / "kept"
    kept.write_text(text)
    return kept.read_text()


def call(name: str, arguments: Json) -> str:  # noqa: C901 - one case for each tool
    """What a tool says."""
    match name:
        case "learn":
            tools.append(arguments["name"])
        case "forget":
            tools.remove(arguments["name"])
        case "misbehave":
            misbehave(arguments["how"])
        case "nap":
            time.sleep(arguments["seconds"])
        case "start":
            child = subprocess.Popen([sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"])
            return str(child.pid)
        case "spy":
            return json.dumps(spy(**arguments))
        case "keep":
            return keep(arguments["text"])
        case "variable":
            return os.environ.get(arguments["name"], "")
        case "question":
            say('{"jsonrpc": "2.0", "id": "q", "method": "ping"}')
            while not _replies:
                time.sleep(0.01)
            return json.dumps(_replies.pop())
    return str(os.getpid()) if name == "pid" else json.dumps(arguments)


def result_of(message: Json) -> Json:
    """What is said to a request."""
    match message["method"]:
        case "initialize":
            return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "stand-in"}}
        case "server/discover":
            return {"supportedVersions": [STATELESS]}
        case "tools/list":
            schema = {"type": "object", "additionalProperties": True}
            return {"tools": [{"name": name, "inputSchema": schema, "annotations": hints} for name in tools]}
    params = message["params"]
    said = call(params["name"], params["arguments"])
    return {"content": [{"type": "text", "text": said}]}


def answer(message: Json) -> None:
    """Answer a request."""
    say(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result_of(message)}))


def main(how: str) -> None:
    """Serve until the input ends."""
    if how in {"exits", "floods", "writes without end", "leaves", "says nothing"}:
        misbehave(how)
    for line in sys.stdin:
        message = json.loads(line)
        if "method" not in message:
            _replies.append(message)
        elif how == "stateless" and message["method"] == "initialize":
            refusal = {"code": -32601, "message": "Method not found"}
            say(json.dumps({"jsonrpc": "2.0", "id": message["id"], "error": refusal}))
        elif "id" in message:
            if how == "rubbish":
                for noise in ("Starting …", "[1, 2]", '{"id": {}}', '{"id": 0, "result": {}}', "null", ""):
                    say(noise)
            threading.Thread(target=answer, args=(message,), daemon=True).start()
    if how == "stays":
        time.sleep(600)


if __name__ == "__main__":
    main(sys.argv[1])
