"""Runs the official MCP conformance suite against a real server, and writes the results to docs/connect/conformance.md.

The suite speaks to the server through a proxy that adds an API key, because its server scenarios know no credentials.
Usage: python -m tests.conformance.run NODE SUITE, as `make conformance` does.
"""

import asyncio
import html
import os
import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import aiohttp
import requests
from aiohttp import web

from retinue import __version__
from tests.connect.scripted_model import ScriptedModel
from tests.oauth.protocol import Browser
from tests.portal.reader import Reader
from tests.support.model_server import running_model_server
from tests.support.ports import free_port
from tests.support.server import Server

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/connect/conformance.md"
EXPECTED = Path(__file__).with_name("expected_failures.yml")
REVISIONS = ("2025-11-25", "2026-07-28")
_MARK = "<!-- results -->"
_SETTINGS = {
    "RETINUE_ALLOWED_NETWORKS": "127.0.0.0/8,::1/128",  # where the suite's servers are
    "RETINUE_OAUTH_REGISTRATION": "open",
}
_TIMEOUT_MS = "600000"
"""Per scenario, including the time that scenarios of the client wait for their turn."""

_ROW = re.compile(r"^([✓✗]) (\S+): ", re.MULTILINE)
_EXPECTED_ROW = re.compile(r"^  - (\S+) +# (.+)$", re.MULTILINE)
_ADDRESS = re.compile(r"https?://\S+code_challenge=\S+")


@dataclass
class Suite:
    """The suite, and the server under test. `key` and `cookie` are its owner's. `failed` is the result of all runs."""

    command: Sequence[str]
    server: Server
    key: str
    cookie: str
    failed: bool = False

    def run(self, *arguments: str) -> str:
        """Run a command of the suite. Returns its output, which is also printed."""
        environment = {
            **os.environ,
            "RETINUE_URL": self.server.url,
            "RETINUE_API_KEY": self.key,
            "RETINUE_COOKIE": self.cookie,
        }
        done = subprocess.run([*self.command, *arguments], env=environment, capture_output=True, text=True, check=False)
        self.failed |= done.returncode != 0
        print(done.stdout[done.stdout.find("SUMMARY") :], done.stderr)
        return done.stdout

    def authorize(self) -> Mapping[str, str]:
        """Run the scenarios of the authorization server, with a person who allows the access."""
        port = free_port()
        wanted = {"redirect_uris": [f"http://127.0.0.1:{port}/callback"], "token_endpoint_auth_method": "none"}
        app = requests.post(f"{self.server.url}/oauth/register", json=wanted, timeout=60).json()
        command = ["authorization", "--url", self.server.url, "--client-id", app["client_id"], "--port", str(port)]
        resource = f"{self.server.url}/mcp"
        with subprocess.Popen(
            [*self.command, *command, "--resource", resource], stdout=subprocess.PIPE, text=True
        ) as running:
            assert running.stdout is not None
            lines = []
            for line in running.stdout:
                lines.append(line)
                if address := _ADDRESS.search(line):
                    self._allow(address[0])
        self.failed |= running.returncode != 0
        return {name: mark for mark, name in _ROW.findall("".join(lines))}

    def _allow(self, address: str) -> None:
        browser = Browser(self.server)
        browser.session.headers["Cookie"] = self.cookie
        page = browser.session.get(address, timeout=60)
        answer = browser.submit(page, decision="allow")
        requests.get(html.unescape(answer.headers["Location"]), timeout=60)


@contextmanager
def running_proxy(target: str, key: str) -> Iterator[str]:
    """Run a proxy that adds the key to each request. Yields the address of /mcp."""
    loop, port = asyncio.new_event_loop(), free_port()

    async def forward(request: web.Request) -> web.StreamResponse:
        headers = {name: value for name, value in request.headers.items() if name.lower() != "content-length"}
        headers["Authorization"] = f"Bearer {key}"
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=None), auto_decompress=False) as session,
            session.request(request.method, f"{target}/mcp", headers=headers, data=await request.read()) as answer,
        ):
            kept = {
                name: value
                for name, value in answer.headers.items()
                if name.lower() not in ("content-length", "transfer-encoding", "connection")
            }
            response = web.StreamResponse(status=answer.status, headers=kept)
            await response.prepare(request)
            async for chunk in answer.content.iter_any():
                await response.write(chunk)
            await response.write_eof()
            return response

    async def serve() -> None:
        application = web.Application()
        application.router.add_route("*", "/mcp", forward)
        runner = web.AppRunner(application)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", port).start()

    loop.run_until_complete(serve())
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def run_all(suite: Suite) -> dict[str, Mapping[str, str]]:
    """Run every part. Returns the mark of each scenario, by part."""
    # The suite starts all scenarios at once. They take turns, because an account has a limited number of sources.
    turn = suite.server.home.parent / "turn"
    client = f"flock {turn} {sys.executable} {Path(__file__).with_name('client.py')}"
    parts: dict[str, Mapping[str, str]] = {}
    with running_proxy(suite.server.url, suite.key) as address, tempfile.TemporaryDirectory() as results:
        for revision in REVISIONS:
            common = ["--requirements", revision, "--timeout", _TIMEOUT_MS, "-o", results]
            common += ["--expected-failures", str(EXPECTED)]
            for side, options in (("server", ["--url", address]), ("client", ["--command", client])):
                output = suite.run(side, *options, *common)
                parts[f"{side} {revision}"] = {name: mark for mark, name in _ROW.findall(output)}
        parts["authorization"] = suite.authorize()
    return parts


def reasons() -> Mapping[str, str]:
    """Return the scenarios that are expected to fail, each with the reason."""
    return dict(_EXPECTED_ROW.findall(EXPECTED.read_text()))


def outcome(name: str, mark: str) -> str:
    """Return the result of a scenario as a word."""
    if mark == "✓":
        return "passed"
    if reason := reasons().get(name):
        return "failed" if reason.startswith("missing") else "not applicable"
    return "passed in part" if any(one.startswith(f"{name}:") for one in reasons()) else "failed"


def table(parts: Mapping[str, Mapping[str, str]]) -> str:
    """Return the results as Markdown, with the reason of each scenario that is expected to fail."""
    known = {name.partition(":")[0]: reason for name, reason in reasons().items()}
    lines = [f"| Scenario | {' | '.join(parts)} | Why not |", f"|---|{'---|' * len(parts)}---|"]
    for name in dict.fromkeys(name for results in parts.values() for name in results):
        words = [outcome(name, results[name]) if name in results else "" for results in parts.values()]
        lines.append(f"| {name} | {' | '.join(words)} | {known.get(name, '')} |")
    return "\n".join(lines)


def write_page(parts: Mapping[str, Mapping[str, str]], version: str) -> None:
    """Write the results into the page of the documentation."""
    day = datetime.now(UTC).date().isoformat()
    words = [outcome(name, mark) for results in parts.values() for name, mark in results.items()]
    counts = ", ".join(f"{words.count(word)} {word}" for word in sorted(set(words)))
    about = f"Retinue {__version__}, suite {version}, {day}: {counts}."
    page = PAGE.read_text().partition(_MARK)[0]
    PAGE.write_text(f"{page}{_MARK}\n{about}\n\n{table(parts)}\n")


def main() -> int:
    """Run the suite. Returns 1 if a scenario failed that is not expected to."""
    command = sys.argv[1:3]
    version = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    with running_model_server(ScriptedModel) as model, tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), {**_SETTINGS, "RETINUE_MODEL_URL": model.url}).start()
        try:
            email = server.new_user()
            key = server.new_key(email)
            reader = Reader(server).sign_in_by_link(email)
            cookie = "; ".join(f"{one.name}={one.value}" for one in reader.session.cookies)
            suite = Suite(command, server, key, cookie)
            parts = run_all(suite)
        finally:
            server.stop()
    write_page(parts, version)
    return 1 if suite.failed else 0


if __name__ == "__main__":
    sys.exit(main())
