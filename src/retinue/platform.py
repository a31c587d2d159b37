"""The parts of the platform and how they hang together: the composition root."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import partial
from typing import Any

import structlog
from starlette.routing import BaseRoute

from retinue.account_data.deletion import Deletion
from retinue.account_data.export import Export
from retinue.account_data.service import Deletions, Exports
from retinue.account_data.worker import JobWorker
from retinue.agents.service import Agents
from retinue.agents.tables import agents
from retinue.agents.work import AgentWork
from retinue.auth.account.service import Account
from retinue.auth.audit.service import AuditLog, remove_entries
from retinue.auth.caller import Caller
from retinue.auth.client_info import ClientInfo
from retinue.auth.credentials import Credentials
from retinue.auth.keys.service import Keys
from retinue.auth.keys.tokens import KeyTokens
from retinue.auth.last_use import LastUse
from retinue.auth.owners import caller_for
from retinue.auth.passwords import Passwords
from retinue.auth.plans import Plans
from retinue.auth.second_factor import check_master_key as check_second_factors_key
from retinue.auth.service import Users
from retinue.auth.sessions.service import Sessions as SignIns
from retinue.auth.sessions.tokens import SessionTokens, remove_sessions
from retinue.auth.sign_in.links import remove_links
from retinue.auth.sign_in.mail import ResetMail, smtp_sender
from retinue.auth.sign_in.service import SignIn
from retinue.auth.tables import api_keys
from retinue.auth.throttle import Throttle
from retinue.bubbles.bubbles import Bubbles
from retinue.chat.service import Chats, note_messages
from retinue.connections.keyring import Keyring
from retinue.connections.keyring import check_master_key as check_connections_key
from retinue.connections.service import Connections
from retinue.core import events
from retinue.core.clock import now
from retinue.core.database import Database, Haste, haste
from retinue.core.expiry import Expiring, Expiry
from retinue.core.home import Home
from retinue.core.http_client import Guard, Names
from retinue.core.idempotency import KEPT, IdempotentRequests, remove_keys
from retinue.core.intake import Intake
from retinue.core.secrets import Vault
from retinue.core.statements import Row
from retinue.core.wakeups import Wakeups
from retinue.core.watchdog import Watchdog
from retinue.files.arriving import Arrivals
from retinue.files.keeper import Keeper
from retinue.files.lending import Lender
from retinue.files.service import Files
from retinue.files.shelf import Shelf
from retinue.files.store import MIB, FileStore
from retinue.files.sweep import Sweep
from retinue.fleets.conductor import Conductor
from retinue.fleets.deployments import Deployments
from retinue.fleets.places import FleetPlaces
from retinue.fleets.service import Fleets
from retinue.fleets.worker import DeploymentWorker
from retinue.gate.addresses import client_address
from retinue.gate.limiter import Limiter
from retinue.marketplace.installing import Installations
from retinue.marketplace.service import Marketplace
from retinue.marketplace.shipped import ship_items
from retinue.marketplace.signatures import Signatures
from retinue.marketplace.signatures import check_master_key as check_marketplace_key
from retinue.models.table import Models
from retinue.oauth.authorization import Authorization
from retinue.oauth.clients import Clients
from retinue.oauth.consent import ConsentPage
from retinue.oauth.endpoints import ProtocolEndpoints
from retinue.oauth.expiry import remove_codes, remove_tokens
from retinue.oauth.grants import TokenGrants
from retinue.oauth.registration import Registration, remove_unused
from retinue.oauth.revocation import revoke_apps
from retinue.oauth.service import Apps
from retinue.oauth.service import Grants as OAuthGrants
from retinue.oauth.token_kind import AccessTokens
from retinue.request_log.service import Requests, remove_requests
from retinue.request_log.writer import RequestWriter
from retinue.runs.approval_expiry import remove_approvals
from retinue.runs.approvals import Approvals
from retinue.runs.descent import Descent
from retinue.runs.dispatch import Dispatch
from retinue.runs.journal import Journal
from retinue.runs.loop import Loop
from retinue.runs.offers import Offers
from retinue.runs.pauses import Pauses
from retinue.runs.relay import Relay
from retinue.runs.runner import Runner
from retinue.runs.service import Runs
from retinue.runs.worker import Worker
from retinue.schedules.expiry import remove_schedule_runs
from retinue.schedules.firing import Firing
from retinue.schedules.service import Schedules
from retinue.schedules.starting import Starter
from retinue.schedules.worker import ScheduleWorker
from retinue.settings import Settings
from retinue.surroundings import Surroundings
from retinue.tools.added.tools import AddedTools
from retinue.tools.catalogue import Catalogue
from retinue.tools.connection_tester import ConnectionTester
from retinue.tools.directory import Directory
from retinue.tools.environment import ToolEnvironment
from retinue.tools.imports.calls import ImportedCalls
from retinue.tools.imports.client import OutsideClient
from retinue.tools.imports.credentials import SourceCredentials
from retinue.tools.imports.importer import Importer
from retinue.tools.imports.mcp.calls import McpCalls
from retinue.tools.imports.mcp.programs import AllowedPrograms
from retinue.tools.imports.mcp.sessions import Sessions
from retinue.tools.imports.mcp.stdio import Programs
from retinue.tools.imports.mcp.transports import Transports
from retinue.tools.imports.mcp.wire import Wire
from retinue.tools.imports.service import Sources
from retinue.tools.imports.service import check_master_key as check_sources_key
from retinue.tools.imports.uses import SourceUses
from retinue.tools.pool import ToolPool
from retinue.tools.service import Toolbox, Tools
from retinue.usage.budgets import Budgets
from retinue.usage.meter import Meter
from retinue.usage.quotas import Quotas
from retinue.usage.service import UsageReport
from retinue.usage.thresholds import Thresholds
from retinue.voice.calls.destinations import AllowedDestinations
from retinue.voice.calls.inbound import Inbound
from retinue.voice.calls.outbound import Outbound
from retinue.voice.calls.recordings import Recordings
from retinue.voice.calls.records import CallRecords
from retinue.voice.calls.replies import Replies
from retinue.voice.calls.service import Calls
from retinue.voice.calls.switchboard import Switchboard
from retinue.voice.environment import PiperEnvironment, VoiceEnvironment
from retinue.voice.livekit.parts import LiveKitParts
from retinue.voice.media.service import MediaService
from retinue.voice.rooms.hall import RoomHall
from retinue.voice.rooms.hosts import LocalHost, RoomHosts
from retinue.voice.rooms.presence import Presence
from retinue.voice.rooms.replies import RoomReplies
from retinue.voice.rooms.service import Rooms
from retinue.voice.rooms.whip import Whip
from retinue.voice.trunks import Trunks
from retinue.webhooks.deliveries import Deliveries
from retinue.webhooks.expiry import remove_deliveries, remove_events
from retinue.webhooks.fan_out import FanOut
from retinue.webhooks.service import Webhooks
from retinue.webhooks.service import check_master_key as check_webhooks_key
from retinue.webhooks.worker import Deliverer
from retinue.workspace.desk import Behalf, Desk, Lineage
from retinue.workspace.records import Records
from retinue.workspace.tree import Tree

_log = structlog.get_logger()
_PATIENCE_S = 5.0
"""How long a shutdown waits for runs whose clients wait."""
_FIRST = Lineage()
"""That of work which no run began."""


@dataclass
class Platform:
    """Every part that lives as long as the process, and the services that are made of them for a caller."""

    settings: Settings
    home: Home
    database: Database
    plans: Plans
    limiter: Limiter
    catalogue: Catalogue
    pool: ToolPool
    models: Models
    store: FileStore
    libraries: ToolEnvironment
    bubbles: Bubbles
    guard: Guard
    wakeups: Wakeups = field(default_factory=Wakeups)
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)
    _watchdog: Watchdog = field(default_factory=Watchdog)

    def __post_init__(self) -> None:
        self.intake = Intake(self.settings.body_timeout)
        given = self.settings.master_key
        self.vault = Vault.load(self.home.folder, given.get_secret_value() if given else None)
        self.idempotency = IdempotentRequests(self.database, self.wakeups, self.home.node, self.vault.digest)
        self._add_accounts()
        self._add_sign_in()
        self._add_files()
        self._add_tools()
        self._add_webhooks()
        self._add_runs()
        self._add_calls()
        self.expiry = Expiry(self.database, self.home.node, self._expiring())

    def _add_accounts(self) -> None:
        self.last_use = LastUse(self.database)
        self.credentials = Credentials(
            KeyTokens(self.database, self.plans, self.last_use),
            [SessionTokens(self.database, self.plans, self.last_use), AccessTokens(self.database, self.plans)],
        )
        self.users_admin = Users(self.database, self.plans, (revoke_apps,))
        self.deletions = Deletions(self.database, (revoke_apps,), self.wakeups)
        self.meter = Meter(self.database, self.home.folder)
        self.quotas = Quotas(self.database, self.meter)
        self.request_writer = RequestWriter(self.database, self.wakeups, self.settings.request_log_rows)
        self.budgets = Budgets(self.database, agents, api_keys)
        self.thresholds = Thresholds(self.database, self.plans, self.meter.touched)

    def _add_files(self) -> None:
        self.lender = Lender(self.database, self.store)
        self.arrivals = Arrivals()
        self.sweep = Sweep(self.database, self.store)
        self.keeper = Keeper(self.database, self.store, self.plans, self._max_file_bytes, self.meter.touched)

    def _add_tools(self) -> None:
        self.outside = OutsideClient(self.guard)
        self.mcp_programs = Programs(AllowedPrograms.load(self.settings.mcp_programs_file))
        self.mcp_sessions = Sessions(Transports(Wire(self.outside), self.mcp_programs))
        self.importer = Importer(self.outside, self.mcp_sessions, self.pool, self.home.cache / "imports")
        self.added_tools = AddedTools(self.home.added_tools, self.catalogue, self.catalogue.index)
        self.directory = Directory(self.catalogue, self.database, added=self.added_tools)
        keyring = Keyring(self.database, self.vault)
        self.source_credentials = SourceCredentials(self.vault, keyring)
        calls = ImportedCalls(self.database, self.source_credentials, self.outside)
        mcp_calls = McpCalls(self.database, self.source_credentials, self.mcp_sessions)
        lending = self.lender, self.keeper, keyring
        self.toolbox = Toolbox(self.directory, self.pool, calls, mcp_calls, *lending, self.desk)

    def _add_webhooks(self) -> None:
        self.fan_out = FanOut(self.database, self.wakeups)
        self.deliverer = Deliverer(
            self.database, self.wakeups, self.vault, self.guard, self.home.node, self.settings.webhook_schedule
        )

    def _add_runs(self) -> None:
        node = self.home.node
        journal = Journal(self.database, self.wakeups, note_messages, self.meter.touched)
        pauses = Pauses(self.database, self.wakeups, journal)
        offers = Offers(self.directory, self.models, self.settings.tool_tokens)
        loop = Loop(journal, pauses, self.models, offers, self.toolbox, self.lender, self.budgets)
        self.runner = Runner(loop, journal, self.wakeups)
        self.relay = Relay(self.database, self.wakeups, self.runner)
        descent = Descent(self.settings.run_depth, self.settings.run_descendants)
        self.dispatch = Dispatch(journal, self.runner, self.wakeups, node, descent)
        self.conductor = Conductor(self.dispatch, self.wakeups)
        self.deployments = DeploymentWorker(self.database, self.wakeups, self.conductor, node)
        self.scheduler = ScheduleWorker(self.database, self.wakeups, Firing(self.database, self._starter_of), node)
        at_once = self.settings.run_concurrency, self.settings.runs_per_user
        deletion = Deletion(self.database, self.store, self.conductor, self.wakeups, self.settings.deletion_grace)
        export = Export(self.database, self.store, self.plans, self.meter.touched)
        self.jobs = JobWorker(self.database, self.wakeups, node, deletion, export)
        self.worker = Worker(self.database, self.wakeups, self.runner, node, *at_once)

    def _add_calls(self) -> None:
        options, cache = self.settings.voice, self.home.cache
        trunks = Trunks.load(options.trunks_file)
        self.media = MediaService(options, trunks, VoiceEnvironment.beside(cache), PiperEnvironment.beside(cache))
        allowed = AllowedDestinations(options.destinations)
        self.switchboard = Switchboard(
            self.database,
            self.wakeups,
            self.home.node,
            self.media,
            Outbound(options, trunks, allowed, self.guard, self.media, Names()),
            CallRecords(self.database, self.meter.touched),
            Recordings(self.database, self.keeper, cache / "recordings"),
            self._replies_of,
        )

        self.hall = RoomHall(
            self.database,
            self.wakeups,
            self.home.node,
            self.media,
            self.meter.touched,
            self._room_replies_of,
            self._check_minutes,
            self.settings.ice_servers,
        )
        livekit = self.settings.livekit
        self.livekit = LiveKitParts(livekit, self.database, self.hall, self._check_minutes) if livekit else None
        self.room_hosts = RoomHosts(LocalHost(self.hall, self.vault), self.livekit.host if self.livekit else None)
        owners = partial(caller_for, self.database, self.plans)
        self.inbound = Inbound(self.database, trunks, self.switchboard, self.quotas, owners, self.hall)
        self.media.on_incoming = self.inbound.receive

    async def _replies_of(self, call: Row) -> Replies:
        """What answers on a call: for its account, with the scopes of the credential that started it."""
        caller = await caller_for(self.database, self.plans, call.account_id, frozenset(call.scopes))
        agent = await self.agents(caller).record(call.agent_id) if call.agent_id else None
        return Replies(self.database, self.chats(caller), self.agent_work(caller), agent, call)

    async def _check_minutes(self, account_id: int) -> None:
        """Refuse where the plan of an account has no voice minutes left."""
        await self.quotas.voice_seconds_left(await caller_for(self.database, self.plans, account_id, frozenset()))

    async def _room_replies_of(self, room: Row) -> RoomReplies | None:
        """What answers in a room that has an agent."""
        if room.agent_id is None:
            return None
        caller = await caller_for(self.database, self.plans, room.account_id, frozenset(room.scopes))
        agent = await self.agents(caller).record(room.agent_id)
        return RoomReplies(self.database, self.hall.feed, self.chats(caller), self.agent_work(caller), agent, room)

    def _expiring(self) -> tuple[Expiring, ...]:
        """What is removed when it is old, and how old that is."""
        kept = timedelta(days=self.settings.history_days)
        return (
            Expiring("deliveries", kept, remove_deliveries),
            Expiring("events", kept, remove_events),
            Expiring("approvals", kept, remove_approvals),
            Expiring("schedule runs", kept, remove_schedule_runs),
            Expiring("audit entries", timedelta(days=self.settings.audit_days), remove_entries),
            Expiring("requests", timedelta(days=self.settings.request_log_days), remove_requests),
            Expiring("idempotency keys", KEPT, remove_keys),
            Expiring("sessions", timedelta(days=90), remove_sessions),
            Expiring("sign-in links", timedelta(days=1), remove_links),
            Expiring("OAuth tokens", timedelta(days=1), remove_tokens),
            Expiring("OAuth codes", timedelta(days=1), remove_codes),
            Expiring("unused OAuth apps", timedelta(days=1), remove_unused),
        )

    def _add_sign_in(self) -> None:
        settings = self.settings
        self.passwords, self.throttle = Passwords(), Throttle()
        self.sign_in = SignIn(
            self.database, self.vault, self.passwords, self.throttle, self.users_admin, settings.sign_up == "open"
        )
        smtp = smtp_sender(settings.smtp_url.get_secret_value()) if settings.smtp_url else None
        self.reset_mail = ResetMail(self.database, self.throttle, smtp, settings.mail_from, settings.public_url)

    def oauth_routes(self) -> list[BaseRoute]:
        """The endpoints of the OAuth protocol, beside the API."""
        address, clients = self.settings.public_url, Clients(self.database)
        registration = Registration(self.database, self.settings.oauth_registration == "open")
        authorization = Authorization(self.database, clients)
        consent = ConsentPage(authorization, self.credentials, self.sign_in, self.client_info, address)
        protocol = ProtocolEndpoints(clients, TokenGrants(self.database), registration, address)
        return [*consent.routes(), *protocol.routes()]

    async def start(self) -> None:
        """Start working: models, tools, limits, and the worker of background runs."""
        self._watchdog.start()
        await check_webhooks_key(self.database, self.vault)
        await check_sources_key(self.database, self.vault)
        await check_second_factors_key(self.database, self.vault)
        await check_connections_key(self.database, self.vault)
        await check_marketplace_key(self.database, self.vault)
        self.vault.save()
        await ship_items(self.database, self.catalogue)
        await self.limiter.start()
        await self.pool.start()
        await self.bubbles.start()
        await self.outside.start()
        await self.importer.start()
        await self.models.start()
        await self.worker.take_over_dead(self.home.predecessor)
        await self.deployments.take_over_dead(self.home.predecessor)
        await self.scheduler.take_over_dead(self.home.predecessor)
        await self.jobs.take_over_dead(self.home.predecessor)
        await self.switchboard.take_over_dead(self.home.predecessor)
        await self.idempotency.take_over_dead(self.home.predecessor)
        await self.deliverer.start(self.home.predecessor)
        await self.meter.start()
        await self.sweep.start()
        self._unwatch = events.watch(lambda: self.wakeups.wake_here("events"))
        keepers = (self.worker, self.deployments, self.deliverer)
        parts = (
            *keepers,
            self.scheduler,
            self.jobs,
            self.meter,
            self.request_writer,
            self.thresholds,
            self.sweep,
            self.fan_out,
            self.relay,
            self.expiry,
            self.mcp_programs,
            self.last_use,
            self.reset_mail,
            self.added_tools,
            self.media,
            self.switchboard,
            self.hall,
            *((self.livekit,) if self.livekit else ()),
        )
        patient = (_with(Haste.PATIENT, part.run()) for part in parts)
        renewals = (
            _with(Haste.URGENT, part.keep_leases())
            for part in (*keepers, self.switchboard, self.hall, self.idempotency)
        )
        for work in (*patient, *renewals, *self._bridges()):
            self._tasks.append(asyncio.create_task(_reported(work)))
        self._tasks.append(asyncio.create_task(_reported(self.bubbles.try_out())))
        if not self.libraries.ready:
            self._tasks.append(asyncio.create_task(_reported(self._equip())))

    async def drain(self) -> None:
        """Hand back what goes on without this process, and let clients' runs end for a while."""
        runs, deployments, *_ = self._tasks
        for claiming in (runs, deployments):
            await _cancelled(claiming)
        await self.runner.shut_down(_PATIENCE_S)

    async def stop(self) -> None:
        """Drain, and stop every part."""
        await self.drain()
        for task in self._tasks:
            await _cancelled(task)
        self._unwatch()
        await self.last_use.write()
        await self.request_writer.flush()
        self.passwords.close()
        await self.deliverer.stop()
        await self.pool.stop()
        await self.mcp_sessions.stop()
        await self.mcp_programs.stop()
        await self.outside.stop()
        await self.models.stop()
        await self.limiter.stop()
        await self.meter.stop()
        await self.database.close()
        self._watchdog.stop()

    async def _equip(self) -> None:
        """Install the tools' libraries, and have tools use them from then on."""
        await self.libraries.keep_trying()
        self.pool.use(str(self.libraries.python))

    def _bridges(self) -> list[Any]:
        if self.database.dialect == "sqlite":
            return []
        from retinue.core.postgres import PostgresDatabase  # noqa: PLC0415 - only where it is used
        from retinue.core.postgres_bridge import PostgresBridge  # noqa: PLC0415

        assert isinstance(self.database, PostgresDatabase)  # noqa: S101 - narrows the type
        return [PostgresBridge(self.wakeups, self.database.connect).run()]

    def client_info(self, scope: Mapping[str, Any]) -> ClientInfo:
        """Where a request comes from: its address through trusted proxies, and its user agent."""
        agent = next((value for name, value in scope["headers"] if name == b"user-agent"), b"").decode("latin-1")
        shown = "".join(letter for letter in agent[:200] if letter.isprintable())
        return ClientInfo(client_address(scope, self.settings.trusted_proxies), shown)

    def keys(self, caller: Caller) -> Keys:
        """The API keys of the caller's user."""
        return Keys(caller, self.database, self.plans)

    def sessions(self, caller: Caller) -> SignIns:
        """The sessions of the caller's user."""
        return SignIns(caller, self.database)

    def audit_log(self, caller: Caller) -> AuditLog:
        """The audit log of the caller's user."""
        return AuditLog(caller, self.database)

    def account(self, caller: Caller) -> Account:
        """The caller's user."""
        return Account(caller, self.database, self.vault, self.passwords, self.throttle)

    def exports(self, caller: Caller) -> Exports:
        """The export of the caller's account."""
        return Exports(caller, self.database, self.wakeups, self.store, self.meter.touched)

    def oauth_apps(self, caller: Caller) -> Apps:
        """The OAuth apps of the caller's user."""
        return Apps(caller, self.database)

    def oauth_grants(self, caller: Caller) -> OAuthGrants:
        """What the caller's user granted to apps."""
        return OAuthGrants(caller, self.database)

    def marketplace(self, caller: Caller) -> Marketplace:
        """The marketplace for the caller."""
        return Marketplace(caller, self.database, self.directory, Signatures(self.database, self.vault))

    def installations(self, caller: Caller) -> Installations:
        """What the caller has installed."""
        agents = self.agents(caller), self.agent_work(caller), self.fleets(caller)
        others = self.sources(caller), self.schedules(caller), self.webhooks(caller)
        return Installations(caller, self.database, *agents, *others, Signatures(self.database, self.vault))

    def agents(self, caller: Caller) -> Agents:
        """The caller's agents."""
        return Agents(caller, self.database, self.directory, self.meter.touched, FleetPlaces())

    def agent_work(self, caller: Caller) -> AgentWork:
        """The caller's agents at work."""
        return AgentWork(
            caller, self.database, self.agents(caller), self.dispatch, self.wakeups, self.lender, self.budgets
        )

    def fleets(self, caller: Caller) -> Fleets:
        """The caller's fleets."""
        return Fleets(caller, self.database, self.conductor, self.meter.touched)

    def deployments_of(self, caller: Caller) -> Deployments:
        """The deployments of the caller's fleets."""
        return Deployments(self.fleets(caller))

    def schedules(self, caller: Caller) -> Schedules:
        """The caller's schedules."""
        return Schedules(caller, self.database, self.wakeups, self._starter(caller))

    def _starter(self, caller: Caller, lineage: Lineage = _FIRST) -> Starter:
        work = replace(self.agent_work(caller), lineage=lineage)
        return Starter(work, Deployments(self.fleets(caller), lineage))

    async def _starter_of(self, schedule: Row) -> Starter:
        """What begins a schedule's work: for its account, with the scopes of the credential that wrote it."""
        scopes = frozenset(schedule.scopes)
        caller = await caller_for(self.database, self.plans, schedule.account_id, scopes)
        return self._starter(caller, Lineage(key_id=schedule.key_id))

    def runs(self, caller: Caller) -> Runs:
        """The caller's runs."""
        return Runs(caller, self.database, self.runner, self.wakeups)

    def approvals(self, caller: Caller) -> Approvals:
        """The approvals that the caller's runs wait for."""
        return Approvals(caller, self.database, self.wakeups, self.directory)

    def calls(self, caller: Caller) -> Calls:
        """The caller's telephone calls."""
        return Calls(caller, self.database, self.agents(caller), self.quotas, self.switchboard)

    def rooms(self, caller: Caller, address: str) -> Rooms:
        """The caller's conference rooms, for a client that reaches the server at `address`."""
        return Rooms(caller, self.database, self.agents(caller), self.hall, self.room_hosts, address)

    def room_routes(self) -> list[BaseRoute]:
        """What browsers use to join rooms, beside the API."""
        presence = Presence(self.database, self.media, self.settings.ice_servers)
        whip = Whip(self.hall, self.vault, presence)
        return [*whip.routes(), *(self.livekit.routes() if self.livekit else ())]

    def chats(self, caller: Caller) -> Chats:
        """The caller's conversations."""
        return Chats(caller, self.database, self.models, self.directory, self.dispatch, self.lender, self.budgets)

    def tools(self, caller: Caller) -> Tools:
        """The tools for the caller."""
        return Tools(caller, self.database, self.toolbox, self.quotas, self.budgets)

    def sources(self, caller: Caller) -> Sources:
        """What the caller imported tools from."""
        imports = self.source_credentials, self.directory, self.importer
        return Sources(caller, self.database, *imports, self.meter.touched)

    def connections(self, caller: Caller) -> Connections:
        """The caller's connections."""
        return Connections(caller, self.database, self.vault, ConnectionTester(self.pool), SourceUses())

    def files(self, caller: Caller) -> Files:
        """The caller's files."""
        return Files(caller, self.database, self.store, self._max_file_bytes, self.meter.touched, self.arrivals)

    @property
    def _max_file_bytes(self) -> int:
        return self.settings.max_file_mb * MIB

    async def desk(self, behalf: Behalf) -> Desk:
        """The desk at which tools work for an account."""
        caller = await caller_for(self.database, self.plans, behalf.account_id, behalf.scopes)
        shelf = Shelf(caller.account_id, caller.plan_name, caller.plan, self.meter.touched)
        records = Records(self.database, shelf)
        around = Surroundings(
            caller,
            behalf.lineage,
            replace(self.agent_work(caller), lineage=behalf.lineage),
            self.fleets(caller),
            self.runs(caller),
            self.directory,
            self.usage(caller),
        )
        tree = Tree(records, self.store, self._max_file_bytes)
        return Desk(behalf, records, tree, self.lender, around, self.bubbles, now)

    def webhooks(self, caller: Caller) -> Webhooks:
        """The caller's webhook endpoints."""
        return Webhooks(caller, self.database, self.vault, self.guard)

    def deliveries(self, caller: Caller) -> Deliveries:
        """The deliveries to the caller's webhook endpoints."""
        return Deliveries(self.webhooks(caller), self.wakeups)

    def requests(self, caller: Caller) -> Requests:
        """The caller's request log."""
        return Requests(caller, self.database, self.request_writer)

    def usage(self, caller: Caller) -> UsageReport:
        """What the caller has used."""
        return UsageReport(caller, self.database, self.meter)


async def _reported(work: Any) -> None:
    """A part's endless task: its failure is a fault that the log must show."""
    try:
        await work
    except Exception:
        _log.exception("task.failed")
        raise


async def _with(its: Haste, work: Any) -> None:
    """Work whose transactions go before or after those of requests."""
    haste.set(its)
    await work


async def _cancelled(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait([task])
