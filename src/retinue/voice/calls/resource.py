"""Telephone calls."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from retinue.account_data.expiry import remove_calls
from retinue.agents.service import Agents
from retinue.auth.caller import Caller
from retinue.auth.services import Services
from retinue.check.calls import RULES
from retinue.core.work.fair_leases import count_leases
from retinue.platform.resource_declaration import BackgroundWork, Resource, expire_with_runs
from retinue.voice.calls.analysis import CallAnalyses
from retinue.voice.calls.router import api
from retinue.voice.calls.service import Calls
from retinue.voice.calls.tables import OPEN, OWNED, calls

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    def of(caller: Caller) -> Calls:
        parts = platform.quotas, platform.switchboard, platform.call_feed
        return Calls(caller, platform.database, services.of(Agents, caller), *parts)

    services.provide(Calls, of)


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    analyses = CallAnalyses(
        platform.database, platform.call_feed, platform.dispatch, platform.on_behalf.analysis_options
    )
    switchboard = platform.switchboard
    yield BackgroundWork(run=platform.media.run)
    yield BackgroundWork(
        run=switchboard.run, keep_leases=switchboard.keep_leases, take_over_dead=switchboard.take_over_dead
    )
    yield BackgroundWork(run=analyses.run)


resource = Resource(
    name="calls",
    apis=(api,),
    provide=_provide,
    work=_work,
    owned=OWNED,
    retention=expire_with_runs("calls", remove_calls),
    leases={"Calls": count_leases(calls, OPEN)},
    rules=RULES,
)
