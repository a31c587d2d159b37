"""Sources of imported tools, and their authorization."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from retinue.auth.services import Services
from retinue.check.imported_tools import RULES
from retinue.platform.resource_declaration import BackgroundWork, Resource
from retinue.tools.imports import tables
from retinue.tools.imports.authorization import tables as authorization
from retinue.tools.imports.authorization.service import SourceAuthorizations
from retinue.tools.imports.router import api
from retinue.tools.imports.service import Sources, check_master_key

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    database, touched = platform.database, platform.meter.touched
    parts = platform.source_credentials, platform.directory, platform.importer
    services.provide(Sources, lambda caller: Sources(caller, database, *parts, touched))
    services.provide(
        SourceAuthorizations, lambda caller: SourceAuthorizations(caller, database, platform.vault, platform.outside)
    )


def _work(platform: "Platform") -> Iterator[BackgroundWork]:
    yield BackgroundWork(run=platform.mcp_programs.run)


resource = Resource(
    name="tool_sources",
    apis=(api,),
    provide=_provide,
    work=_work,
    owned=(*authorization.OWNED, *tables.OWNED),
    check_master_key=check_master_key,
    rules=RULES,
)
