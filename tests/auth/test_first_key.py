"""The first key is printed, but not where the output is stored: in a file or in systemd's journal."""

import os
import stat
import subprocess
from pathlib import Path

import pytest
import requests

from tests.support.server import COMMAND, DEFAULTS
from tests.support.waiting import eventually


@pytest.mark.parametrize("stored", ["file", "journal"])
def test_stored_output_names_the_file_with_the_first_key(tmp_path: Path, stored: str) -> None:
    home, output = tmp_path / "home", tmp_path / "output"
    env = {**os.environ, **DEFAULTS, "RETINUE_HOME": str(home)}
    if stored == "journal":
        os.mkfifo(output)
        reading, writing = os.open(output, os.O_RDONLY | os.O_NONBLOCK), os.open(output, os.O_WRONLY)
        place = os.fstat(writing)
        env["JOURNAL_STREAM"] = f"{place.st_dev}:{place.st_ino}"
    else:
        writing, reading = os.open(output, os.O_WRONLY | os.O_CREAT), os.open(output, os.O_RDONLY)
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
        assert told["API key"].strip() == told["Sign in"].strip() == f"in {path}"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        bearer = {"Authorization": f"Bearer {path.read_text().split()[0]}"}
        assert requests.get(f"{told['API'].strip()}/agents", headers=bearer, timeout=60).status_code == 200
    finally:
        server.terminate()
        assert server.wait(60) == 0
        os.close(writing)
