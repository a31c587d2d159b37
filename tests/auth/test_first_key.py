"""The first key is printed, but not to systemd's journal, which stores its input."""

import os
import stat
import subprocess
from pathlib import Path

import requests

from tests.support.server import COMMAND, DEFAULTS


def test_the_journal_gets_the_place_of_the_first_key(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    pipe = os.fstat(writing)
    env = {**os.environ, **DEFAULTS, "RETINUE_HOME": str(tmp_path), "JOURNAL_STREAM": f"{pipe.st_dev}:{pipe.st_ino}"}
    server = subprocess.Popen([COMMAND, "serve"], env=env, stdout=writing, stderr=subprocess.DEVNULL)
    os.close(writing)
    told: dict[str, str] = {}
    try:
        with os.fdopen(reading) as printed:
            for line in printed:
                name, _, value = line.strip().partition("  ")
                told[name] = value.strip()
                if line.startswith("Stop it"):
                    break
            path = tmp_path / "first-key"
            assert told["API key"] == f"in {path}"
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            bearer = {"Authorization": f"Bearer {path.read_text().split()[0]}"}
            assert requests.get(f"{told['API']}/agents", headers=bearer, timeout=60).status_code == 200
    finally:
        server.terminate()
        assert server.wait(60) == 0
