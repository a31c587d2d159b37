"""The rules of imported tools."""

from collections.abc import Mapping

import sqlalchemy as sa

from retinue.check.statements import children_of
from retinue.connections.tables import connections
from retinue.core.database.statements import Statement
from retinue.tools.imports.tables import imported_tools, sources

RULES: Mapping[str, Statement] = {
    "a source's count of tools is wrong": children_of(
        sources, sources.c.tools, imported_tools, imported_tools.c.source_id
    ),
    "a source uses a connection of another account": Statement(
        sa.select(sources.c.id)
        .join(connections, connections.c.id == sources.c.connection_id)
        .where(sources.c.account_id != connections.c.account_id)
    ),
    "an imported tool belongs to another account than its source": Statement(
        sa.select(imported_tools.c.id)
        .join(sources, sources.c.id == imported_tools.c.source_id)
        .where(sources.c.account_id != imported_tools.c.account_id)
    ),
}
