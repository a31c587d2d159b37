"""Credentials with which tools act at other services."""

from typing import TYPE_CHECKING

from retinue.auth.caller import Caller
from retinue.auth.services import Services
from retinue.connections.keyring import check_master_key
from retinue.connections.router import api
from retinue.connections.service import Connections
from retinue.connections.tables import OWNED
from retinue.knowledge.sources.connection_uses import CollectionUses
from retinue.platform.resource_declaration import Resource
from retinue.tools.execution.connection_tester import ConnectionTester
from retinue.tools.imports.connection_uses import SourceUses

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    uses = (SourceUses(), CollectionUses())

    def connections(caller: Caller) -> Connections:
        return Connections(caller, platform.database, platform.vault, ConnectionTester(platform.pool), uses)

    services.provide(Connections, connections)


resource = Resource(
    name="connections",
    apis=(api,),
    provide=_provide,
    owned=OWNED,
    deleted_after=frozenset({"tool_sources", "knowledge"}),
    check_master_key=check_master_key,
)
