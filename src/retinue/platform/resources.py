"""All resources of the server, in the order of the API reference. Importing them completes `metadata`."""

from graphlib import TopologicalSorter

from retinue.account_data.resource import resource as account_data
from retinue.agents.resource import resource as agents
from retinue.auth.account.resource import resource as account
from retinue.auth.audit.resource import resource as audit
from retinue.auth.keys.resource import resource as keys
from retinue.auth.sessions.resource import resource as sessions
from retinue.auth.sign_in.resource import resource as sign_in
from retinue.chat.resource import resource as chat
from retinue.check.faults import Rules
from retinue.connections.resource import resource as connections
from retinue.core.database.interface import Database
from retinue.core.database.owned import Owned
from retinue.core.database.schema import metadata
from retinue.core.resource import resource as core
from retinue.core.work.stored_features import FeatureRebuilder, find_outdated
from retinue.demo.resource import resource as demo
from retinue.files.resource import resource as files
from retinue.fleets.resource import resource as fleets
from retinue.interop.resource import resource as interop
from retinue.knowledge.resource import resource as knowledge
from retinue.marketplace.resource import resource as marketplace
from retinue.memory.resource import resource as memory
from retinue.models.resource import resource as models
from retinue.oauth.resource import resource as oauth
from retinue.platform.resource_declaration import Resource
from retinue.providers.resource import resource as providers
from retinue.request_log.resource import resource as request_log
from retinue.runs.resource import resource as runs
from retinue.schedules.resource import resource as schedules
from retinue.sharing.resource import resource as sharing
from retinue.simulations.resource import resource as simulations
from retinue.skills.resource import resource as skills
from retinue.tools.imports.resource import resource as tool_sources
from retinue.tools.resource import resource as tools
from retinue.usage.resource import resource as usage
from retinue.voice.batches.resource import resource as batches
from retinue.voice.calls.resource import resource as calls
from retinue.voice.do_not_call.resource import resource as do_not_call
from retinue.voice.rooms.resource import resource as rooms
from retinue.webhooks.resource import resource as webhooks
from retinue.workspace.resource import resource as workspace

__all__ = ["FEATURES", "LEASES", "OWNED", "RESOURCES", "REVOKE", "RULES", "metadata", "repair"]

RESOURCES: tuple[Resource, ...] = (
    agents, simulations, fleets, schedules, runs, chat, models, providers, tool_sources, tools, knowledge, skills,
    memory, connections, workspace, files, usage, webhooks, calls, batches, do_not_call, rooms, keys,
    sharing, account, account_data, audit, request_log, sessions, sign_in, oauth, marketplace, demo, interop,
    core,
)  # fmt: skip


def _order_of_deletion() -> tuple[Owned, ...]:
    """Return the rows of users, after the rows of the resources in `deleted_after`. Raises `CycleError`."""
    by_name = {resource.name: resource for resource in RESOURCES}
    order = TopologicalSorter({resource.name: sorted(resource.deleted_after) for resource in RESOURCES}).static_order()
    return tuple(owned for name in order for owned in by_name[name].owned)


OWNED = _order_of_deletion()
REVOKE = tuple(resource.revoke for resource in RESOURCES if resource.revoke)
LEASES = {kind: statement for resource in RESOURCES for kind, statement in resource.leases.items()}
FEATURES = tuple(feature for resource in RESOURCES for feature in resource.features())


async def find_outdated_features(database: Database) -> list[str]:
    """Find stored features that another version of the code has made."""
    return [
        f"the {feature.name} are by another version of the code: a server makes them again in the background, and "
        "`retinue check --repair` does it now"
        for feature in await find_outdated(database, FEATURES)
    ]


async def repair(database: Database) -> None:
    """Make the stored features again that another version of the code has made."""
    await FeatureRebuilder(database, "repair", FEATURES).rebuild()
    for resource in RESOURCES:
        if resource.repair:
            await resource.repair(database)


RULES = Rules(
    {rule: statement for resource in RESOURCES for rule, statement in resource.rules.items()},
    [find_outdated_features, *(resource.find_faults for resource in RESOURCES if resource.find_faults)],
)
