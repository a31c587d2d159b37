"""Documents and servers that take long: nobody else waits for them, and each comes to an end."""

import asyncio
import gzip
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import count, pairwise
from typing import Any

import orjson
import pytest
from requests import Response

from retinue.core.errors import RateLimited
from retinue.tools.imports.import_queue import ImportQueue
from tests.conftest import ONE_DATABASE
from tests.support.client import Client, data, refuse
from tests.support.waiting import eventually
from tests.tools.imports.pets import Json, many, pets
from tests.tools.imports.stand_in_api import Answer, StandInApi
from tests.tools.imports.stand_in_mcp import Said, running_stand_in

_names = (f"source{number}" for number in count())


def a_source(**fields: object) -> Json:
    """What to import, under a name that was not taken yet."""
    return {"kind": "openapi", "name": next(_names), **fields}


@contextmanager
def under_way(*calls: Callable[[], Response]) -> Iterator[list[Future[Response]]]:
    """Send requests on threads, and wait for their answers in the end."""
    with ThreadPoolExecutor(len(calls)) as threads:
        yield [threads.submit(call) for call in calls]


def check_served(client: Client) -> None:
    """Import, search and read."""
    source = data(client.post("/tools/sources", a_source(document=pets())), 201)
    assert data(client.get(f"/tools?search={source['name']}_get_pet"))[0]["name"] == f"{source['name']}_get_pet"
    data(client.get("/agents"))
    data(client.delete(f"/tools/sources/{source['id']}"))


def circles(width: int, operations: int) -> Json:
    """Schemas that hold each other, and many operations that begin with them: seconds of work."""
    refs = [{"$ref": "#/components/schemas/A"}] * width
    schema = {"allOf": refs, "anyOf": refs, "properties": {f"p{number}": ref for number, ref in enumerate(refs)}}
    body = {"requestBody": {"content": {"application/json": {"schema": refs[0]}}}}
    return {
        "openapi": "3.1.0",
        "servers": [{"url": "https://example.com"}],
        "paths": {f"/{number}": {"post": body} for number in range(operations)},
        "components": {"schemas": {"A": schema}},
    }


def laughter() -> Json:
    """An address that doubles with each of its variables."""
    variables = {f"v{number}": {"default": f"{{v{number + 1}}}" * 2} for number in range(60)}
    return {**pets(), "servers": [{"url": "https://{v0}", "variables": variables}]}


HOSTILE = {
    "numbers in base 60": "a: 1" + ":1" * 250_000,
    "many values": f"[{'1,' * 450_000}1]",
    "many keys": "\n".join(f"? {number}" for number in range(100_000)),
    "aliases of aliases": "a: &a [x]\n"
    + "".join(f"{name}: &{name} [{', '.join([f'*{last}'] * 9)}]\n" for last, name in pairwise("abcdefghijkl")),
    "aliases of a long text": f"a: &a {'x' * 900_000}\nb: [{'*a, ' * 30_000}]",
    "merged keys": "a: &a {b: 1}\nc: {<<: [*a, *a]}",
    "deep lists": "[" * 400_000,
    "deep objects": '{"a":' * 150_000,
    "one long key": "a" * 900_000 + ": 1",
    "a long number": "openapi: " + "9" * 900_000,
    "many anchors": "\n".join(f"- &a{number} x" for number in range(60_000)),
    "a variable that grows": orjson.dumps(laughter()).decode(),
}


@ONE_DATABASE
@pytest.mark.parametrize("document", HOSTILE.values(), ids=HOSTILE)
def test_hostile_documents_are_refused(client: Client, document: str) -> None:
    """The old way took seconds to hours for some of these, in the server. A time-out of the parser would be 503."""
    refuse(client.post("/tools/sources", a_source(document=document)), 400)
    assert data(client.get("/tools/sources")) == []
    check_served(client)


@ONE_DATABASE
@pytest.mark.slow
def test_others_are_served_while_a_document_is_parsed(client: Client, stranger: Client, api: StandInApi) -> None:
    api.answers["/slow"] = Answer(orjson.dumps(circles(400, 20)))
    wanted = a_source(url=api.url("/slow"))
    with under_way(lambda: client.post("/tools/sources", wanted)) as (slow,):
        eventually(lambda: api.received)
        check_served(stranger)
        assert not slow.done()
    assert slow.result().status_code in (201, 503)


@pytest.mark.parametrize("at_once", [1, 6])
def test_others_are_served_while_an_address_hangs(
    client: Client, stranger: Client, api: StandInApi, at_once: int
) -> None:
    """Six of one account, which take their turns, or one."""
    api.answers["/hangs"] = Answer(orjson.dumps(pets()), hangs=True)
    bodies = [a_source(url=api.url("/hangs")) for _ in range(at_once)]
    calls = [partial(client.post, "/tools/sources", body) for body in bodies]
    with under_way(*calls) as hanging:
        eventually(lambda: api.received)
        check_served(stranger)
        assert not any(one.done() for one in hanging)
        api.ending.set()
    assert [one.result().status_code for one in hanging] == [201] * at_once


def test_others_are_served_while_a_server_hangs(client: Client, stranger: Client) -> None:
    released = threading.Event()

    def hang(_: Json) -> Said:
        released.wait(60)
        return Said(status=503)

    with running_stand_in() as slow, running_stand_in() as quick:
        slow.answers["tools/list"] = hang
        bodies = [a_source(kind="mcp", url=slow.url) for _ in range(6)]
        calls = [partial(client.post, "/tools/sources", body) for body in bodies]
        with under_way(*calls) as hanging:
            eventually(lambda: "tools/list" in slow.methods())
            data(stranger.post("/tools/sources", a_source(kind="mcp", url=quick.url)), 201)
            check_served(stranger)
            assert not any(one.done() for one in hanging)
            released.set()
        for one in hanging:
            refuse(one.result(), 503)


def test_a_list_of_very_many_parts_is_not_read(client: Client) -> None:
    with running_stand_in() as far:
        far.answers["tools/list"] = lambda message: Said(
            b'{"jsonrpc":"2.0","id":%d,"result":{"tools":[' % message["id"] + b"[]," * 900_000 + b"[]]}}"
        )
        refuse(client.post("/tools/sources", a_source(kind="mcp", url=far.url)), 503)


def test_a_large_list_is_imported(client: Client) -> None:
    with running_stand_in() as far:
        body = many(1)["paths"]["/things/0/{id}"]["post"]["requestBody"]["content"]["application/json"]["schema"]
        far.tools = [{"name": f"do-{number}", "inputSchema": body["allOf"][0]} for number in range(800)]
        assert data(client.post("/tools/sources", a_source(kind="mcp", url=far.url)), 201)["tools"] == 800


def test_a_compressed_document_that_grows(client: Client, api: StandInApi) -> None:
    bomb = gzip.compress(b"[" + b" " * (64 << 20) + b"]")
    api.answers["/bomb"] = Answer(bomb, headers={"Content-Encoding": "gzip"})
    refuse(client.post("/tools/sources", a_source(url=api.url("/bomb"))), 400, "20 MiB")
    api.answers["/good"] = Answer(gzip.compress(orjson.dumps(pets())), headers={"Content-Encoding": "gzip"})
    data(client.post("/tools/sources", a_source(url=api.url("/good"))), 201)
    api.answers["/bad"] = Answer(b"{}", headers={"Content-Encoding": "gzip"})
    refuse(client.post("/tools/sources", a_source(url=api.url("/bad"))), 400, "decompressed")


async def test_turns_are_those_of_each_account() -> None:
    turns, order = ImportQueue(most_waiting=2), []

    async def take(account: int, until: Any) -> None:
        async with turns.of(account):
            await until
            order.append(account)

    loop = asyncio.get_running_loop()
    held, free = loop.create_future(), loop.create_future()
    free.set_result(None)
    first = [asyncio.create_task(take(1, held)) for _ in range(3)]
    await asyncio.sleep(0)
    with pytest.raises(RateLimited, match="of your account are waiting"):
        await take(1, free)
    await take(2, free)
    first[1].cancel()
    await asyncio.wait([first[1]])
    fourth = asyncio.create_task(take(1, free))
    held.set_result(None)
    await asyncio.gather(first[0], first[2], fourth)
    assert order == [2, 1, 1, 1]
    await take(1, free)
