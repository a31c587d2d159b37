"""What the media worker cannot reach: a program that is confined as it is tries."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import json, os, socket, sys
options = json.loads(sys.argv[1])
sys.path[:0] = options["paths"]
from retinue.tools.execution.sandbox import confine_media

missing = confine_media([sys.prefix, sys.base_prefix, *sys.path, options["readable"]], options["writable"])

def attempt(action):
    try:
        action()
    except OSError as error:
        return type(error).__name__
    return "done"

def send():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        udp.sendto(b"sound", udp.getsockname())
        assert udp.recv(9) == b"sound"

actions = {
    "read own": lambda: open(options["readable"]).close(),
    "read other": lambda: open(options["secret"]).close(),
    "write own": lambda: open(options["writable"] + "/call.wav", "wb").close(),
    "write other": lambda: open(options["secret"], "w").close(),
    "write readable": lambda: open(options["readable"], "w").close(),
    "signal": lambda: os.kill(os.getppid(), 0),
    "send": send,
}
print(json.dumps([missing, {name: attempt(action) for name, action in actions.items()}]))
"""


@pytest.fixture
def folders(tmp_path: Path) -> dict[str, object]:
    """A file to read, a folder to write in, and a file of the server."""
    for name in ("model", "secret"):
        (tmp_path / name).write_text(name)
    (tmp_path / "recordings").mkdir()
    places = {"readable": tmp_path / "model", "secret": tmp_path / "secret", "writable": tmp_path / "recordings"}
    return {"paths": [path for path in sys.path if path], **{name: str(path) for name, path in places.items()}}


def test_only_its_models_and_recordings_are_within_reach(folders: dict[str, object], tmp_path: Path) -> None:
    command = [sys.executable, "-I", "-c", PROGRAM, json.dumps(folders)]
    # A folder that is on the path of modules may be read, so the program starts elsewhere.
    env = {"PATH": os.environ["PATH"]}
    told = subprocess.run(command, cwd="/", env=env, capture_output=True, text=True, check=True)
    missing, outcomes = json.loads(told.stdout)
    assert missing == []
    assert outcomes == {
        "read own": "done",
        "read other": "PermissionError",
        "write own": "done",
        "write other": "PermissionError",
        "write readable": "PermissionError",
        "signal": "PermissionError",
        "send": "done",
    }
    assert (tmp_path / "secret").read_text() == "secret"
