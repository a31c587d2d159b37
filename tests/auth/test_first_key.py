"""The first key is printed, but not into the systemd journal."""

import os
import stat
import subprocess
from pathlib import Path

import requests

from tests.support.server import COMMAND, DEFAULTS
from tests.support.waiting import eventually


def test_the_journal_names_the_file_with_the_first_key(tmp_path: Path) -> None:
    home, output = tmp_path / "home", tmp_path / "output"
    os.mkfifo(output)
    reading, writing = os.open(output, os.O_RDONLY | os.O_NONBLOCK), os.open(output, os.O_WRONLY)
    place = os.fstat(writing)
    journal = {"JOURNAL_STREAM": f"{place.st_dev}:{place.st_ino}"}
    env = {**os.environ, **DEFAULTS, **journal, "RETINUE_HOME": str(home)}
    server = subprocess.Popen([COMMAND, "serve"], env=env, stdout=writing, stderr=subprocess.DEVNULL)
    printed = b""
    try:
        with os.fdopen(reading, "rb", buffering=0) as lines:

            def is_running() -> bool:
                nonlocal printed
                printed += lines.read() or b""
                return b"Stop it" in printed

            eventually(is_running, within=120)
        told = dict(line.strip().partition("  ")[::2] for line in printed.decode().splitlines())
        path = home / "first-key"
        assert told["API key"].strip() == told["Sign in"].strip() == f"see {path}"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        kept = dict(line.strip().partition("  ")[::2] for line in path.read_text().splitlines())
        assert "/sign-in/link?token=link_" in kept["Sign in"]
        bearer = {"Authorization": f"Bearer {kept['API key'].strip()}"}
        assert requests.get(f"{told['API'].strip()}/agents", headers=bearer, timeout=60).status_code == 200
    finally:
        server.terminate()
        assert server.wait(120) == 0
        os.close(writing)
