"""`python -m bench.shipped_agents FILE`: run the example tasks of the shipped agents with the included model.

Each task runs on a server of its own data, as a user would run it: the item is installed from the marketplace, agents
execute the task, and fleets deploy it. Approvals are granted. FILE receives the replies and the tools that were used.
Read them, and write the number of right ones into `right` of the item, from which its readme is made.
"""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, TextIO

import aiohttp

from bench.quality import await_ready
from bench.targets import Retinue
from retinue.marketplace.shipped import shipped_items

_LIMIT_S = 900
_ENDED = ("completed", "failed", "cancelled")


class Tester:
    """Runs example tasks on a server."""

    def __init__(self, session: aiohttp.ClientSession) -> None:
        self._session = session

    async def run(self, item: dict[str, Any]) -> AsyncIterator[tuple[str, str]]:
        """Install an item and yield its examples with the replies."""
        query = {"search": item["name"], "per_page": "100"}
        offered = await self._call("GET", "marketplace", params=query)
        (item_id,) = [one["id"] for one in offered if one["slug"] == item["slug"]]
        made = await self._call("POST", f"marketplace/{item_id}/install", json={})
        first = made["installed"][0]
        answer = self._deploy if first["resource"] == "fleet" else self._execute
        for task in item["examples"]:
            yield task, await answer(first["id"], task)

    async def _execute(self, agent_id: int, task: str) -> str:
        body = {"message": task, "background": True}
        made = await self._call("POST", f"agents/{agent_id}/execute", json=body)
        run = await self._await_end(f"runs/{made['id']}")
        used = " ".join(step["tool"] for step in run["steps"] if step.get("tool"))
        return f"[{run['status']}; {used}] {run.get('reply') or run.get('error')}"

    async def _deploy(self, fleet_id: int, task: str) -> str:
        made = await self._call("POST", f"fleets/{fleet_id}/deploy", json={"task": task})
        done = await self._await_end(f"fleets/{fleet_id}/deployments/{made['deployment_id']}")
        return f"[{done['status']}] {(done['result'] or {}).get('reply') or done['error']}"

    async def _await_end(self, path: str) -> dict[str, Any]:
        """Wait for the end of a run or a deployment. Approve its calls."""
        async with asyncio.timeout(_LIMIT_S):
            while True:
                found: dict[str, Any] = await self._call("GET", path)
                if found["status"] in _ENDED:
                    return found
                for one in await self._call("GET", "approvals", params={"status": "pending"}):
                    await self._call("POST", f"approvals/{one['id']}", json={"decision": "approve"})
                await asyncio.sleep(0.5)

    async def _call(self, method: str, path: str, **options: Any) -> Any:
        async with self._session.request(method, f"/api/v1/{path}", **options) as response:
            told = await response.json()
            if not response.ok:
                raise RuntimeError(f"{method} {path}: {told}")
            return told["data"]


async def run(url: str, headers: dict[str, str], slugs: Sequence[str], file: TextIO) -> None:
    """Run one item after another, and write the replies."""
    items = {item["slug"]: item for _, item in shipped_items() if item.get("examples")}
    async with aiohttp.ClientSession(url, headers=headers) as session:
        await await_ready(session)
        tester = Tester(session)
        for slug in slugs or items:
            print(f"## {slug}", file=file, flush=True)
            async for task, reply in tester.run(items[slug]):
                print(f"Q {task}\nA {reply}\n", file=file, flush=True)


def main() -> None:
    """Start a server with the model, and run the tasks."""
    parser = argparse.ArgumentParser(description="Run the example tasks of the shipped agents.")
    parser.add_argument("file", type=argparse.FileType("w"), default=sys.stdout, help="the file for the replies")
    parser.add_argument("--slugs", nargs="*", default=[], help="only these items, in this order")
    parser.add_argument("--model", default="0.5b", help="the name of the weights")
    parser.add_argument("--weights", default=str(Path.home() / ".cache/retinue"), help="the folder of the weights")
    parser.add_argument("--retinue", default=".venv/bin/retinue", help="the command to run")
    options = parser.parse_args()
    target = Retinue.with_local_model(options.model, options.weights, options.retinue)
    with tempfile.TemporaryDirectory(prefix="shipped-agents-") as folder:
        server = target.start(Path(folder))
        try:
            asyncio.run(run(server.url, target.headers, options.slugs, options.file))
        finally:
            server.stop()


if __name__ == "__main__":
    main()
