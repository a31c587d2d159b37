"""Batches of calls."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from retinue.agents.service import Agents
from retinue.auth.caller import Caller
from retinue.auth.services import Services
from retinue.check.batches import RULES
from retinue.core.work.retention import EndedRecords
from retinue.platform.resource_declaration import BackgroundWork, Resource, expire_with_runs
from retinue.voice.batches.recipients import RecipientFiles
from retinue.voice.batches.router import api
from retinue.voice.batches.service import Batches
from retinue.voice.batches.tables import OWNED, batches
from retinue.voice.batches.worker import BatchWorker
from retinue.voice.do_not_call.service import DoNotCall

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    def of(caller: Caller) -> Batches:
        files = RecipientFiles(platform.file_access, platform.pool, platform.catalogue)
        parts = services.of(Agents, caller), services.of(DoNotCall, caller), files, platform.switchboard.outbound
        return Batches(caller, platform.database, platform.notifier, *parts)

    services.provide(Batches, of)


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    worker = BatchWorker(platform.database, platform.notifier, platform.switchboard, platform.on_behalf.calls_of_batch)
    yield BackgroundWork(run=worker.run)


_ENDED = EndedRecords(batches)

resource = Resource(
    name="batches",
    apis=(api,),
    provide=_provide,
    work=_work,
    owned=OWNED,
    retention=expire_with_runs("call batches", _ENDED.remove),
    rules=RULES,
)
