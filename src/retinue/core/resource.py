"""Events, counters and idempotency keys, which all resources use."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from retinue.core.database import counters
from retinue.core.idempotency import table as idempotency
from retinue.core.idempotency.keys import KEPT, remove_keys
from retinue.core.work import events
from retinue.core.work.retention import RetentionRule
from retinue.platform.resource_declaration import BackgroundWork, Resource

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    keys = platform.idempotency
    yield BackgroundWork(keep_leases=keys.keep_leases, take_over_dead=keys.take_over_dead)


resource = Resource(
    name="core",
    work=_work,
    owned=(*counters.OWNED, *events.OWNED, *idempotency.OWNED),
    retention=lambda settings: [RetentionRule("idempotency keys", KEPT, remove_keys)],
)
