"""Runs an installed `retinue` on a data folder of its own, and checks that it answers."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from tests.support.server import DEFAULTS

_PATIENCE_S = 120.0


@dataclass(frozen=True)
class InstalledServer:
    """A running server and its first key."""

    url: str
    key: str

    def check(self) -> None:
        """Check the server's health, its catalogue, a first request that writes, and pages."""
        assert self.request("GET", "/healthz") == {"status": "ok"}
        assert self.request("GET", "/api/v1/tools")["meta"]["total"] > 1000
        agent = self.request("POST", "/api/v1/agents", {"agent_name": "Ada", "agent_role": "specialist"})
        assert agent["data"]["status"] == "idle"
        for page in ("/sign-in", "/docs/guides/operating"):
            requests.get(f"{self.url}{page}", timeout=_PATIENCE_S).raise_for_status()

    def request(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send a request. Returns the JSON of a successful response."""
        headers = {"Authorization": f"Bearer {self.key}"}
        response = requests.request(method, f"{self.url}{path}", headers=headers, json=body, timeout=_PATIENCE_S)
        assert response.ok, response.text
        return response.json()


def environment(folder: Path, **settings: str) -> dict[str, str]:
    """The variables of a server whose data is in `folder`, without those of this machine's users."""
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(folder),
        "RETINUE_HOME": str(folder / "data"),
        **DEFAULTS,
        "RETINUE_VOICE_LIBRARIES": "off",
        **settings,
    }


@contextmanager
def running_server(command: Path, folder: Path, **settings: str) -> Iterator[InstalledServer]:
    """Run `command serve` with its data and its log in `folder`."""
    with (
        (folder / "server.log").open("w") as log,
        subprocess.Popen(
            [command, "serve"], env=environment(folder, **settings), stdout=subprocess.PIPE, stderr=log, text=True
        ) as server,
    ):
        assert server.stdout is not None
        printed: dict[str, str] = {}
        for line in server.stdout:
            name, _, value = line.strip().partition("  ")
            printed[name] = value.strip()
            if line.startswith("Stop it"):
                break
        assert "API" in printed, (folder / "server.log").read_text()
        try:
            yield InstalledServer(printed["API"].removesuffix("/api/v1"), printed["API key"])
        finally:
            server.terminate()
            assert server.wait() == 0, (folder / "server.log").read_text()
