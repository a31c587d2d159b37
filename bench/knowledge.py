"""Measure knowledge: pages per second of a website, and searches in a collection of many passages.

Runs in the server's own environment: `python -m bench.knowledge [--postgres URL]` prints JSON with the load of the
machine. The URL names an empty PostgreSQL database; without it, the passages are in SQLite. They are sentences of
random words with random vectors, 5,000 of them and copies of these; questions are encoded by the included model. The
same questions are also compared with all vectors in memory by numpy, so that figures of a busy machine can be compared.
"""

import argparse
import asyncio
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import quantiles
from threading import Thread
from typing import Any
from urllib.request import Request, urlopen

import orjson
import psutil
import sqlalchemy as sa

from bench.servers import Server, free_port
from retinue.core.database.interface import Database, Tx
from retinue.core.database.schema import BigInt
from retinue.core.database.statements import Statement
from retinue.core.runtime.clock import now
from retinue.core.runtime.data_dir import DataDir
from retinue.knowledge import statements as sql
from retinue.knowledge.embedding import VERSION, included_model, pack_vectors, to_unit_vectors
from retinue.knowledge.tables import documents, passages, words
from retinue.migrations.database import open_database
from retinue.workspace.words import count_words
from tests.knowledge.recall import retriever_of

_VOCABULARY = 20_000
_WORDS, _LINKS = 60, 10
_BATCH, _QUESTIONS = 50, 200
_WRITTEN = 5000
"""Passages that are written one by one; more are copies of these."""

_DIMENSIONS = 512
_ACCOUNT = 1

Figures = dict[str, float]


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=300)
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--postgres", help="URL of an empty database")
    options = parser.parse_args()
    figures: Figures = {"load_before": os.getloadavg()[0]}
    if options.pages:
        figures |= measure_website(options.pages)
    if options.passages:
        figures |= asyncio.run(measure_search(options.passages, options.postgres))
    print(json.dumps({**figures, "load_after": os.getloadavg()[0]}, indent=1))


def measure_website(pages: int) -> Figures:
    """Synchronize a website twice: at first everything is new, then nothing has changed."""
    site = ThreadingHTTPServer(("127.0.0.1", 0), _handler(pages))
    Thread(target=site.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        server, key = _start(Path(folder))
        try:
            client = _Client(server.url, key)
            collection = client.call("POST", "/knowledge/collections", {"name": "Site"})["id"]
            base = f"/knowledge/collections/{collection}/sources"
            url = f"http://127.0.0.1:{site.server_port}/0"
            began, cpu = time.perf_counter(), server.cpu_s()
            source = client.call("POST", base, {"kind": "website", "url": url, "max_pages": 5000, "max_depth": 10})
            path = f"{base}/{source['id']}"
            first = _await_synced(client, path, began)
            cpu = server.cpu_s() - cpu
            began = time.perf_counter()
            client.call("POST", f"{path}/sync")
            again = _await_synced(client, path, began)
            found = client.call("GET", path)["documents"]
        finally:
            server.stop()
            site.shutdown()
    return {
        "website.pages": found,
        "website.pages_per_s": found / first,
        "website.cpu_ms_per_page": 1000 * cpu / found,
        "website.unchanged_pages_per_s": found / again,
    }


async def measure_search(passages: int, url: str | None) -> Figures:
    """Search a collection, and compare each question with all vectors by numpy."""
    with tempfile.TemporaryDirectory() as folder:
        database = await open_database(url, DataDir(Path(folder)))
        began = time.perf_counter()
        collection = await _fill(database, passages)
        filled = time.perf_counter() - began
        retriever = retriever_of(database)
        questions = [_text(random.Random(number), 6) for number in range(_QUESTIONS)]
        vectors = [await retriever.embedder.embed_question(_ACCOUNT, included_model(), one) for one in questions]
        before = _memory_mb()
        began = time.perf_counter()
        await retriever.search(_ACCOUNT, [collection], questions[0], 10)
        first = time.perf_counter() - began
        times = []
        for question in questions:
            began = time.perf_counter()
            await retriever.search(_ACCOUNT, [collection], question, 10)
            times.append(1000 * (time.perf_counter() - began))
        added = _memory_mb() - before
        await database.close()
    cuts, brute = quantiles(times, n=20), quantiles(_compare_all(passages, vectors), n=20)
    return {
        "search.passages": passages,
        "search.stored_per_s": passages / filled,
        "search.first_ms": 1000 * first,
        "search.p50_ms": cuts[9],
        "search.p95_ms": cuts[18],
        "search.added_mb": added,
        "all_vectors.p50_ms": brute[9],
        "all_vectors.p95_ms": brute[18],
    }


def _compare_all(passages: int, questions: Sequence[Any]) -> list[float]:
    """Return the milliseconds of comparing each question with all vectors, as 32-bit floats of blocks."""
    import numpy as np  # noqa: PLC0415 - see retinue.knowledge.embedding

    numbers = np.random.default_rng(1).integers(-127, 128, (passages, _DIMENSIONS), dtype=np.int8)
    times = []
    for question in questions:
        began = time.perf_counter()
        cosines = np.concatenate(
            [numbers[start : start + 8192].astype(np.float32) @ question for start in range(0, passages, 8192)]
        )
        np.argpartition(-cosines, 100)
        times.append(1000 * (time.perf_counter() - began))
    return times


def _memory_mb() -> float:
    return psutil.Process().memory_info().rss / 1e6


async def _fill(database: Database, passages: int) -> int:
    import numpy as np  # noqa: PLC0415 - see retinue.knowledge.embedding

    moment = {"created_at": now(), "updated_at": now()}
    about = {
        "account_id": _ACCOUNT,
        "name": "Many",
        "description": "",
        "embedding_model": included_model(),
        "reranker": "",
    }
    collection = await database.transact(lambda tx: tx.one(sql.INSERT_COLLECTION, **about, **moment))
    assert collection is not None
    draw, drawn = random.Random(1), np.random.default_rng(1)
    written = min(passages, _WRITTEN)
    for start in range(0, written, _BATCH):
        vectors = pack_vectors(to_unit_vectors(drawn.standard_normal((_BATCH, _DIMENSIONS)).tolist()))
        texts = [_text(draw, _WORDS) for _ in range(min(_BATCH, written - start))]
        await database.transact(_insertion(collection.id, texts, vectors, moment))
    for copy in range(1, passages // written):
        await database.transact(partial(_copy, copy * _WRITTEN))
    return int(collection.id)


async def _copy(distance: int, tx: Tx) -> None:
    """Copy the passages that were written, with their documents and words; ids grow by `distance`."""
    for one in _COPIES:
        await tx.run(one, distance=distance, written=_WRITTEN)


def _copy_statement(copied: sa.Table, first: sa.ColumnElement[int], *ids: str) -> Statement:
    distance = sa.bindparam("distance", type_=BigInt)
    values = [column + distance if column.name in ids else column for column in copied.c]
    these = first <= sa.bindparam("written", type_=BigInt)
    return Statement(sa.insert(copied).from_select([one.name for one in copied.c], sa.select(*values).where(these)))


_COPIES = (
    _copy_statement(documents, documents.c.id, "id"),
    _copy_statement(passages, passages.c.id, "id", "document_id"),
    _copy_statement(words, words.c.passage_id, "passage_id"),
)


def _insertion(collection: int, texts: Sequence[str], vectors: Sequence[bytes], moment: Mapping[str, Any]) -> Any:
    async def insert(tx: Tx) -> None:
        place = {"account_id": _ACCOUNT, "collection_id": collection}
        fields = {"title": "Text", "source": {"type": "text"}, "text": None, "metadata": {}, "status": "ready"}
        rest = {"passages": len(texts), "served": 1, "size": 0, "lease_until": 0.0}
        document = await tx.one(sql.INSERT_DOCUMENT, **place, **fields, **rest, **moment)
        assert document is not None
        for number, (text, vector) in enumerate(zip(texts, vectors, strict=False), 1):
            where = {"document_id": document.id, "version": 1, "number": number, "page": None, "section": None}
            row = await tx.one(sql.INSERT_PASSAGE, **place, **where, text=text, model=VERSION, vector=vector)
            assert row is not None
            counts = count_words(text)
            pairs, length = list(counts.items()), counts.total()
            await tx.run(sql.INDEX, collection=collection, passage=row.id, pairs=pairs, length=length)

    return insert


def _text(draw: random.Random, words: int) -> str:
    """Return words whose frequencies fall like those of a language (Zipf)."""
    return " ".join(f"word{int(_VOCABULARY ** draw.random())}x" for _ in range(words)) + "."


def _handler(pages: int) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            number = int(self.path[1:]) if self.path[1:].isdecimal() else pages
            tag = f'"{number}"'
            status = 404 if number >= pages else 304 if self.headers.get("If-None-Match") == tag else 200
            body = _page(number, pages).encode() if status == 200 else b""
            self.send_response(status)
            self.send_header("ETag", tag)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    return Handler


def _page(number: int, pages: int) -> str:
    """Return a page of about 3,000 characters that links to ten others."""
    draw = random.Random(number)
    paragraphs = "".join(f"<p>{_text(draw, _WORDS)}</p>" for _ in range(6))
    links = "".join(f'<a href="/{(number * _LINKS + step) % pages}">more</a>' for step in range(1, _LINKS + 1))
    return f"<!doctype html><title>Page {number}</title><article><h1>Page {number}</h1>{paragraphs}</article>{links}"


class _Client:
    """Calls the API."""

    def __init__(self, url: str, key: str) -> None:
        self._url, self._headers = url, {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Return the data of an answer."""
        content = None if body is None else orjson.dumps(body)
        request = Request(f"{self._url}/api/v1{path}", content, self._headers, method=method)  # noqa: S310 - this machine
        with urlopen(request, timeout=120) as answer:  # noqa: S310 - this machine
            return orjson.loads(answer.read())["data"]


def _await_synced(client: _Client, path: str, began: float) -> float:
    while client.call("GET", path)["status"] not in ("ready", "failed"):
        time.sleep(0.1)
    return time.perf_counter() - began


def _start(folder: Path) -> tuple[Server, str]:
    """Start a server with a local model off, and return it with a key."""
    port = free_port()
    env = {
        "RETINUE_HOME": str(folder / "home"),
        "PORT": str(port),
        "HOST": "127.0.0.1",
        "RETINUE_LOCAL_MODEL": "off",
        "RETINUE_RATE_LIMITS": "off",
        "RETINUE_ALLOWED_NETWORKS": "127.0.0.0/8",
    }
    command = str(Path(sys.executable).parent / "retinue")
    server = Server([command, "serve"], port, folder, env, "/readyz")
    printed = server.log.read_text()
    return server, next(word for word in printed.split() if word.startswith("ak_live_"))


if __name__ == "__main__":
    main()
