"""The documentation's example receivers accept genuine deliveries and refuse forged ones."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import requests

from tests.docs.blocks import GUIDES, blocks
from tests.support.client import Client, data
from tests.support.ports import free_port
from tests.support.waiting import eventually
from tests.webhooks.conftest import new_agent

COMMANDS = {"python": sys.executable, "javascript": "node"}
LANGUAGES = ["python", pytest.param("javascript", marks=pytest.mark.needs_program("node"))]


def accepts(port: int) -> bool:
    """Return whether something listens on the port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def running(language: str, folder: Path, secret: str, port: int) -> Iterator[Path]:
    """Run the example in that language. Yields the file with its output."""
    (text,) = (block.text for block in blocks(GUIDES / "webhooks.md") if block.language == language)
    script, output = folder / "receiver.cjs", folder / "output.txt"
    script.write_text(text)
    environment = {**os.environ, "WEBHOOK_SECRET": secret, "PORT": str(port)}
    with output.open("w") as printed:
        receiver = subprocess.Popen(
            [COMMANDS[language], str(script)], env=environment, stdout=printed, stderr=subprocess.STDOUT
        )
        try:
            eventually(lambda: accepts(port))
            yield output
        finally:
            receiver.kill()
            receiver.wait(10)


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_example_receives(client: Client, language: str, tmp_path: Path) -> None:
    port = free_port()
    hook = data(client.post("/webhooks", {"url": f"http://127.0.0.1:{port}/", "events": ["agent.created"]}), 201)
    with running(language, tmp_path, hook["secret"], port) as output:
        new_agent(client, "Told in an example")
        eventually(lambda: "Told in an example" in output.read_text())
        forged = requests.post(f"http://127.0.0.1:{port}/", data=b'{"event": "forged"}', timeout=120)
        unsigned = {"X-Webhook-Signature": "sha256=00"}
        assert forged.status_code == 400
        assert requests.post(f"http://127.0.0.1:{port}/", data=b"{}", headers=unsigned, timeout=120).status_code == 400
        assert "forged" not in output.read_text()
    path = f"/webhooks/{hook['id']}/deliveries"
    assert eventually(lambda: [delivery["status"] for delivery in data(client.get(path))] == ["delivered"])
