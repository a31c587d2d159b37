"""Four webhook receivers: a healthy one, one that fails at times, one that hangs, and one that is down."""

import socket
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from tests.support.rows import rows
from tests.support.server import Server
from tests.webhooks.receiver import Answer, Received, Receiver

HEALTHY, FAILING, HANGING = "/healthy", "/failing", "/hanging"


class FailsAThird:
    """Answers 500 to the first delivery of every third event, and accepts its next delivery."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def __call__(self, request: Received) -> Answer:
        event = request.headers["webhook-id"]
        first = event not in self._seen
        self._seen.add(event)
        return Answer(500) if first and zlib.crc32(event.encode()) % 3 == 0 else Answer()


@contextmanager
def four_urls(receiver: Receiver) -> Iterator[list[str]]:
    """Set up the four receivers. Yields their URLs."""
    receiver.judges[FAILING] = FailsAThird()
    receiver.always[HANGING] = Answer(hangs=True)
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # Bound but not listening, so connections are refused.
        dead = f"http://127.0.0.1:{closed.getsockname()[1]}/"
        yield [*map(receiver.url, (HEALTHY, FAILING, HANGING)), dead]


def all_delivered(server: Server, receiver: Receiver) -> bool:
    """Return whether every event was delivered to the two receivers that respond."""
    waiting = rows(server, "SELECT id FROM events WHERE handed_out_at IS NULL")
    found = deliveries(server)
    return not waiting and all(found[receiver.url(path)].keys() == {"delivered"} for path in (HEALTHY, FAILING))


def deliveries(server: Server) -> dict[str, Counter[str]]:
    """Return the number of deliveries to each URL, by status."""
    found: dict[str, Counter[str]] = {
        row["url"]: Counter() for row in rows(server, "SELECT url FROM webhook_endpoints")
    }
    counted = (
        "SELECT url, status, count(*) AS number FROM webhook_deliveries d JOIN webhook_endpoints e"
        " ON e.id = d.endpoint_id GROUP BY url, status"
    )
    for row in rows(server, counted):
        found[row["url"]][row["status"]] = row["number"]
    return found
