"""Lists the tables of all packages with rows of a user, in order of deletion."""

from retinue.account_data import tables as jobs
from retinue.agents import tables as agents
from retinue.auth import tables as auth
from retinue.auth.audit import tables as audit
from retinue.chat import tables as chat
from retinue.connections import tables as connections
from retinue.core.database import counters
from retinue.core.database.owned import Owned
from retinue.core.idempotency import table as idempotency_table
from retinue.core.work import events
from retinue.files import tables as files
from retinue.fleets import tables as fleets
from retinue.knowledge import tables as knowledge
from retinue.marketplace import tables as marketplace
from retinue.memory import tables as memory
from retinue.oauth import tables as oauth
from retinue.providers import tables as providers
from retinue.request_log import tables as request_log
from retinue.runs import tables as runs
from retinue.schedules import tables as schedules
from retinue.sharing import tables as sharing
from retinue.skills import tables as skills
from retinue.tools.imports import tables as imports
from retinue.tools.imports.authorization import tables as authorization
from retinue.usage import tables as usage
from retinue.voice.calls import tables as calls
from retinue.voice.rooms import tables as rooms
from retinue.webhooks import tables as webhooks
from retinue.workspace import tables as workspace

RATINGS, ITEMS, ENTRIES = marketplace.RATINGS, marketplace.ITEMS, audit.ENTRIES
SIGNING_KEYS = marketplace.KEYS
"""These need special treatment: see `deletion`."""

FILES = files.OWNED[0]

OWNED: tuple[Owned, ...] = (
    *schedules.OWNED,
    *calls.OWNED,
    *rooms.OWNED,
    RATINGS,
    ITEMS,
    SIGNING_KEYS,
    marketplace.INSTALLATIONS,
    marketplace.INSTALLS,
    *sharing.OWNED,
    *agents.OWNED,
    *chat.OWNED,
    *fleets.OWNED,
    *webhooks.OWNED,
    *authorization.OWNED,
    *imports.OWNED,
    *connections.OWNED,
    *providers.OWNED,
    *workspace.OWNED,
    *knowledge.OWNED,
    *skills.OWNED,
    *memory.OWNED,
    FILES,
    *runs.OWNED,
    *events.OWNED,
    *usage.OWNED,
    *request_log.OWNED,
    *oauth.OWNED,
    *auth.OWNED,
    *idempotency_table.OWNED,
    ENTRIES,
)
"""Parents come before children that they only count, so that no count is wrong in between."""

FIRST: tuple[Owned, ...] = counters.OWNED
"""Deleted immediately on request, so that nothing that needs a counter can be added any more."""

LAST: tuple[Owned, ...] = (*jobs.LAST, *auth.LAST)
"""Deleted together with the user whose id they contain."""
