"""The records of the workspace: notes, tables, folders and the like."""

from typing import TYPE_CHECKING

from retinue.auth.caller import Caller
from retinue.auth.services import Services
from retinue.check.workspace import RULES
from retinue.platform.resource_declaration import Resource
from retinue.tools.execution.record_kinds import installed_kinds
from retinue.workspace.knowledge import Knowledge
from retinue.workspace.records import Records
from retinue.workspace.stored_features import record_features
from retinue.workspace.stored_items import StoredItems
from retinue.workspace.tables import OWNED

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    def records(caller: Caller) -> Records:
        return Records(platform.database, platform.on_behalf.storage_of(caller))

    services.provide(Knowledge, lambda caller: Knowledge(records(caller)))
    services.provide(StoredItems, lambda caller: StoredItems(records(caller), installed_kinds))


resource = Resource(
    name="workspace", provide=_provide, owned=OWNED, rules=RULES, features=lambda: record_features(installed_kinds)
)
