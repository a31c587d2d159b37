"""Install items as agents, fleets, sources and schedules, and uninstall them."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from retinue.agents.schemas import AgentCreate
from retinue.agents.service import Agents
from retinue.agents.work import AgentWork
from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.core.database.interface import Database, Tx, UniqueConflict
from retinue.core.database.statements import Row
from retinue.core.errors import InsufficientScope, NotFound, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.core.work.events import emit
from retinue.fleets.schemas import FleetCreate
from retinue.fleets.service import Fleets
from retinue.marketplace import statements as sql
from retinue.marketplace.events import MarketplaceInstalled
from retinue.marketplace.manifests import (
    AgentManifest,
    ExtensionManifest,
    FleetManifest,
    Manifest,
    McpManifest,
    Subscription,
    ToolManifest,
    read_manifest,
)
from retinue.marketplace.schemas import InstallationView, InstallRequest
from retinue.marketplace.shipped import shipped_checksums
from retinue.marketplace.signatures import Signatures
from retinue.marketplace.tables import InstallationRow, ItemRow, MadeResource
from retinue.schedules.schemas import ScheduleCreate
from retinue.schedules.service import Schedules
from retinue.tools.imports.account_catalogue import AnyCatalogue
from retinue.tools.imports.schemas import SourceCreate
from retinue.tools.imports.service import Sources
from retinue.webhooks.schemas import WebhookCreate
from retinue.webhooks.service import Webhooks

Parts = list[MadeResource]
"""The resources that an installation created."""


@dataclass(frozen=True)
class Installations:
    """The installations of the caller's account. An item is installed completely or not at all."""

    caller: Caller
    database: Database
    agents: Agents
    work: AgentWork
    fleets: Fleets
    sources: Sources
    schedules: Schedules
    webhooks: Webhooks
    signatures: Signatures

    async def install(self, item: ItemRow, how: InstallRequest) -> InstallationView:
        """Install an item. Returns the existing installation if a tool or extension is already installed.

        Raises `ValidationFailed` for a manifest that does not match its signature.
        """
        self._check_tier(item)
        await self.signatures.check(item, shipped_checksums())
        if how.connection or how.webhook_url:
            self.caller.require("*")  # as at /tools/sources and /webhooks: the installation uses a secret
        once = item.id if item.type in ("tool", "extension") else None
        if once and (known := await self._installed_once(once)):
            return known
        make = await self._prepare(read_manifest(item.type, item.manifest), item, how)
        actor = Actor.of_caller(self.caller)
        try:
            return view_of(await self.database.transact(lambda tx: self._write(tx, actor, item, once, make)))
        except UniqueConflict as error:
            if once and (known := await self._installed_once(once)):
                return known  # another request installed it in the meantime
            name = item.manifest.get("source_name", item.name)
            raise ValidationFailed(f"You already have a source named {name}. Delete it first, or keep it.") from error

    async def page(self, page: Page) -> tuple[Sequence[InstallationView], int]:
        """Return one page, newest first, and the total number of installations."""
        rows = await read_page(self.database, sql.INSTALLATIONS, page, account=self.caller.account_id)
        count = await self.database.lookup(sql.COUNT_INSTALLATIONS, account=self.caller.account_id)
        return [view_of(row) for row in rows], count.held if count else 0

    async def get(self, installation_id: int) -> InstallationView:
        """Return one installation. Raises `NotFound`."""
        return view_of(await self.row(installation_id))

    async def row(self, installation_id: int) -> InstallationRow:
        """Return the row of one installation, with its manifest. Raises `NotFound`."""
        key = {"installation": installation_id, "account": self.caller.account_id}
        row = await self.database.lookup(sql.INSTALLATION, **key)
        if row is None:
            raise NotFound(f"There is no installation {installation_id} in your account.")
        return row

    async def uninstall(self, installation_id: int) -> None:
        """Delete the resources of an installation that still exist, then the installation itself."""
        found = await self.row(installation_id)
        delete: dict[str, Callable[[int], Awaitable[object]]] = {
            "extension": self.schedules.delete,
            "agent": self.work.delete,
            "fleet": self.fleets.delete,
            "tool": self.sources.delete,
            "webhook": self.webhooks.delete,
        }
        for kind, remove in delete.items():
            for resource in found.installed:
                if resource["resource"] == kind:
                    with suppress(NotFound):
                        await remove(resource["id"])
        key = {"installation": installation_id, "account": self.caller.account_id}
        actor = Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            if await tx.run(sql.REMOVE_INSTALLATION, **key):
                await audit(tx, actor, "item.uninstalled", installation_id, f"{found.name} {found.version}.")

        await self.database.transact(write)

    async def _installed_once(self, item_id: int) -> InstallationView | None:
        row = await self.database.lookup(sql.INSTALLED_ONCE, account=self.caller.account_id, item=item_id)
        return view_of(row) if row else None

    async def _write(
        self, tx: Tx, actor: Actor, item: ItemRow, once: int | None, make: Callable[[Tx], Awaitable[Parts]]
    ) -> InstallationRow:
        installed = await make(tx)
        item_fields = {name: getattr(item, name) for name in ("type", "name", "version", "manifest")}
        (row,) = await tx.all(
            sql.ADD_INSTALLATION,
            account_id=self.caller.account_id,
            item_id=item.id,
            once=once,
            **item_fields,
            installed=installed,
            created_at=now(),
        )
        await self._count(tx, item.id)
        event_fields = {name: item_fields[name] for name in ("type", "name", "version")}
        event = MarketplaceInstalled(installation_id=row.id, item_id=item.id, installed=installed, **event_fields)
        await emit(tx, self.caller.account_id, event)
        await audit(tx, actor, "item.installed", row.id, f"{item.slug} {item.version}.")
        await note_effect(tx, self.caller.claim, {"installation": row.id})
        return row

    async def _count(self, tx: Tx, item_id: int) -> None:
        """Count the installation, once for each user. Installations of a test key do not count."""
        counts = {"item": item_id, "user": self.caller.user_id}
        if not self.caller.sandbox and await tx.run(sql.ADD_INSTALL, **counts):
            await tx.run(sql.COUNT_INSTALL, item=item_id)

    async def _prepare(
        self, manifest: Manifest, item: ItemRow, how: InstallRequest
    ) -> Callable[[Tx], Awaitable[Parts]]:
        """Validate the manifest; return a function that creates the resources in a transaction."""
        match manifest:
            case AgentManifest():
                known = await self.agents.check_skills(manifest.skills)
                return lambda tx: self._agents(tx, [manifest], None, how.name, known)
            case FleetManifest():
                known = await self.agents.check_skills([skill for agent in manifest.agents for skill in agent.skills])
                return lambda tx: self._fleet(tx, manifest, how.name, known)
            case ExtensionManifest():
                known = await self.agents.check_skills([skill for agent in manifest.agents for skill in agent.skills])
                clock = await self.schedules.clock()
                subscribe = self._subscriptions(manifest.webhooks, how.webhook_url)
                return lambda tx: self._extension(tx, manifest, clock, subscribe, known)
            case ToolManifest():
                return await self._tools(manifest, item.name, how.connection)
            case McpManifest():
                return await self._server(manifest, how.connection)

    async def _agents(
        self,
        tx: Tx,
        manifests: Sequence[AgentManifest],
        fleet_id: int | None,
        name: str | None,
        known: AnyCatalogue,
    ) -> Parts:
        """Create agents. The author of an item cannot turn off approvals that the owner's default asks for."""
        created: Parts = []
        for manifest in manifests:
            fields = manifest.model_dump(exclude={"example"})
            fields["approval"] = None if manifest.approval == "none" else manifest.approval
            new = AgentCreate(**{**fields, "agent_name": name or manifest.agent_name, "fleet_id": fleet_id})
            agent = await self.agents.add(tx, new, known)
            created.append({"resource": "agent", "id": agent.id, "name": agent.agent_name})
        return created

    async def _fleet(self, tx: Tx, manifest: FleetManifest, name: str | None, known: AnyCatalogue) -> Parts:
        new = FleetCreate(
            name=name or manifest.fleet_name, description=manifest.description, max_agents=manifest.max_agents
        )
        fleet = await self.fleets.add(tx, new)
        agents = await self._agents(tx, manifest.agents, fleet.id, None, known)
        return [{"resource": "fleet", "id": fleet.id, "name": fleet.name}, *agents]

    async def _extension(
        self,
        tx: Tx,
        manifest: ExtensionManifest,
        clock: datetime,
        subscribe: Callable[[Tx], Awaitable[Parts]],
        known: AnyCatalogue,
    ) -> Parts:
        agents = await self._agents(tx, manifest.agents, None, None, known)
        created = list(agents)
        for one in manifest.schedules:
            new = ScheduleCreate(
                name=one.name, cron=one.cron, agent_id=agents[one.agent]["id"], message=one.message, enabled=False
            )
            schedule = await self.schedules.add(tx, new, clock)
            created.append({"resource": "extension", "id": schedule, "name": one.name})
        return created + await subscribe(tx)

    def _subscriptions(self, entries: Sequence[Subscription], address: str | None) -> Callable[[Tx], Awaitable[Parts]]:
        """Prepare disabled endpoints at the owner's address. The owner must rotate their secrets to get them."""
        if address and not entries:
            raise ValidationFailed("webhook_url: this item sends no events. Leave it out.")
        new = [WebhookCreate(url=address, events=one.events, description=one.description) for one in entries if address]
        add = [self.webhooks.prepare(endpoint, enabled=False) for endpoint in new]

        async def make(tx: Tx) -> Parts:
            rows = [await one(tx) for one in add]
            return [{"resource": "webhook", "id": row.id, "name": row.description[:100]} for row in rows]

        return make

    async def _server(self, manifest: McpManifest, connection: str | None) -> Callable[[Tx], Awaitable[Parts]]:
        new = SourceCreate(
            kind="mcp",
            name=manifest.source_name,
            url=manifest.server_url,
            category=manifest.category,
            connection=connection,
        )
        return _source_maker(await self.sources.reserve(new))

    async def _tools(
        self, manifest: ToolManifest, title: str, connection: str | None
    ) -> Callable[[Tx], Awaitable[Parts]]:
        new = SourceCreate(
            kind="openapi",
            name=manifest.source_name,
            document=manifest.document(title),
            category=manifest.category,
            connection=connection,
        )
        return _source_maker(await self.sources.prepare(new))

    def _check_tier(self, item: ItemRow) -> None:
        if not self.caller.plan.includes(item.tier):
            plan = "professional" if item.tier == "pro" else item.tier
            raise InsufficientScope(
                f"{item.name} requires the plan {plan} or higher. Your plan is {self.caller.plan_name}."
            )


def _source_maker(add: Callable[[Tx], Awaitable[Row]]) -> Callable[[Tx], Awaitable[Parts]]:
    """Return a function that creates a source as part of an installation."""

    async def make(tx: Tx) -> Parts:
        source = await add(tx)
        return [{"resource": "tool", "id": source.id, "name": source.name}]

    return make


def view_of(row: InstallationRow) -> InstallationView:
    """Return an installation as the API shows it."""
    return InstallationView.of_row(row, needs=row.manifest.get("needs", "none"), installed_at=row.created_at)
