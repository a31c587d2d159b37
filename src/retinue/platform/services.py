"""Registers how to build each service for a caller from the parts of the platform."""

from typing import TYPE_CHECKING

from retinue.account_data.service import Deletions, Exports
from retinue.agents.service import Agents
from retinue.agents.work import AgentWork
from retinue.auth.account.service import Account
from retinue.auth.audit.service import AuditLog
from retinue.auth.caller import Caller
from retinue.auth.keys.service import Keys
from retinue.auth.services import Services
from retinue.auth.sessions.service import Sessions
from retinue.auth.sign_in.mail import ResetMail
from retinue.auth.sign_in.service import SignIn
from retinue.chat.service import Chats
from retinue.chat.shared import ConversationSharing
from retinue.connections.service import Connections
from retinue.files.service import Files
from retinue.fleets.deployments import Deployments
from retinue.fleets.membership import FleetMembership
from retinue.fleets.service import Fleets
from retinue.interop.a2a.card import SharedCards
from retinue.interop.a2a.service import A2a
from retinue.interop.agui.service import AgUi, acting_caller
from retinue.interop.attachments import Attachments
from retinue.interop.mcp.agents import OfferedAgents
from retinue.interop.mcp.calls import RunningCalls
from retinue.interop.mcp.files import OfferedFiles
from retinue.interop.mcp.server import McpServer
from retinue.interop.mcp.skills import OfferedSkills
from retinue.interop.mcp.tools import OfferedTools
from retinue.interop.openai.embeddings import Embeddings
from retinue.interop.stateless_chats import StatelessChats
from retinue.knowledge.reindexing import reindex
from retinue.knowledge.service import Collections
from retinue.knowledge.sources.service import CollectionSources
from retinue.marketplace.installing import Installations
from retinue.marketplace.service import Marketplace
from retinue.marketplace.signatures import Signatures
from retinue.memory.service import Memories
from retinue.models.defaults import DefaultModel
from retinue.models.embedding_models import EmbeddingModels
from retinue.models.local_models import LocalModels
from retinue.models.registry import Models
from retinue.oauth.service import Apps, Grants
from retinue.providers.service import Providers
from retinue.request_log.service import Requests
from retinue.runs.approvals.service import Approvals
from retinue.runs.continuation import Continuations
from retinue.runs.service import Runs
from retinue.schedules.recurrence import next_recurrence
from retinue.schedules.service import Schedules
from retinue.sharing.service import PublishableKeys
from retinue.skills.service import Skills
from retinue.tools.execution.connection_tester import ConnectionTester
from retinue.tools.imports.authorization.service import SourceAuthorizations
from retinue.tools.imports.connection_uses import SourceUses
from retinue.tools.imports.service import Sources
from retinue.tools.service import Tools
from retinue.usage.service import UsageReport
from retinue.voice.calls.service import Calls
from retinue.voice.rooms.service import Rooms
from retinue.webhooks.deliveries import Deliveries
from retinue.webhooks.service import Webhooks
from retinue.workspace.knowledge import Knowledge
from retinue.workspace.records import Records
from retinue.workspace.tool_context import RunAncestry
from retinue.workspace.tree import FileTree

if TYPE_CHECKING:
    from retinue.platform.platform import Platform

_FIRST = RunAncestry()
"""The lineage of work that no run started."""


def provide_services(platform: "Platform") -> Services:
    """Register all services of the platform."""
    services = Services()
    _provide_accounts(platform, services)
    _provide_agents(platform, services)
    _provide_tools(platform, services)
    _provide_webhooks(platform, services)
    _provide_voice(platform, services)
    _provide_marketplace(platform, services)
    _provide_mcp(services)
    _provide_agui(platform, services)
    _provide_a2a(platform, services)
    return services


def _provide_accounts(platform: "Platform", services: Services) -> None:
    database, vault, touched = platform.database, platform.vault, platform.meter.touched
    services.share(SignIn, platform.sign_in)
    services.share(ResetMail, platform.reset_mail)
    services.share(Deletions, platform.deletions)
    services.provide(Keys, lambda caller: Keys(caller, database, platform.plans))
    services.provide(Sessions, lambda caller: Sessions(caller, database))
    services.provide(AuditLog, lambda caller: AuditLog(caller, database))
    services.provide(
        Account,
        lambda caller: Account(
            caller, database, vault, platform.passwords, platform.throttle, platform.users_admin.others
        ),
    )
    services.provide(Exports, lambda caller: Exports(caller, database, platform.notifier, platform.store, touched))
    services.provide(Apps, lambda caller: Apps(caller, database))
    services.provide(Grants, lambda caller: Grants(caller, database))
    services.provide(Requests, lambda caller: Requests(caller, database, platform.request_writer))
    services.provide(UsageReport, lambda caller: UsageReport(caller, database, platform.meter))


def _provide_agents(platform: "Platform", services: Services) -> None:
    database, notifier, touched = platform.database, platform.notifier, platform.meter.touched
    directory, dispatch, file_access = platform.directory, platform.dispatch, platform.file_access

    def agents(caller: Caller) -> Agents:
        return Agents(caller, database, directory, touched, FleetMembership(), platform.models)

    def agent_work(caller: Caller) -> AgentWork:
        return AgentWork(
            caller, database, services.of(Agents, caller), dispatch, notifier, file_access, platform.budgets
        )

    def schedules(caller: Caller) -> Schedules:
        return Schedules(caller, database, notifier, platform.on_behalf.starter_of(caller, _FIRST))

    def chats(caller: Caller) -> Chats:
        return Chats(
            caller, database, platform.models, directory, dispatch, file_access, services.of(AgentWork, caller)
        )

    def stateless_chats(caller: Caller) -> StatelessChats:
        needed = services.of(AgentWork, caller), services.of(Runs, caller), services.of(Attachments, caller)
        return StatelessChats(caller, database, platform.models, dispatch, *needed)

    def continuations(caller: Caller) -> Continuations:
        return Continuations(caller, database, dispatch, platform.budgets, services.of(Agents, caller).count_run)

    services.share(Models, platform.models)
    services.share(EmbeddingModels, platform.embedding_models)
    services.provide(
        DefaultModel,
        lambda caller: DefaultModel(caller, database, platform.models, platform.embedding_models, reindex),
    )
    services.provide(LocalModels, lambda caller: LocalModels(caller, database, notifier, platform.local_models))
    services.provide(
        Providers, lambda caller: Providers(caller, database, platform.vault, platform.guard, platform.hosting)
    )
    services.provide(Agents, agents)
    services.provide(AgentWork, agent_work)
    services.provide(Fleets, lambda caller: Fleets(caller, database, platform.conductor, touched))
    services.provide(Deployments, lambda caller: Deployments(services.of(Fleets, caller)))
    services.provide(Schedules, schedules)
    services.provide(Runs, lambda caller: Runs(caller, database, platform.runner, notifier))
    services.provide(Continuations, continuations)
    services.provide(Approvals, lambda caller: Approvals(caller, database, notifier, directory))
    services.provide(Chats, chats)
    services.provide(ConversationSharing, lambda caller: ConversationSharing(caller, database))
    services.provide(PublishableKeys, lambda caller: PublishableKeys(caller, database))
    services.provide(StatelessChats, stateless_chats)


def _provide_tools(platform: "Platform", services: Services) -> None:
    database, touched, store = platform.database, platform.meter.touched, platform.store
    imports = platform.source_credentials, platform.directory, platform.importer
    most = platform.max_file_bytes

    def connections(caller: Caller) -> Connections:
        return Connections(caller, database, platform.vault, ConnectionTester(platform.pool), SourceUses())

    def knowledge(caller: Caller) -> Knowledge:
        return Knowledge(Records(database, platform.on_behalf.storage_of(caller)))

    def collections(caller: Caller) -> Collections:
        storage = platform.on_behalf.storage_of(caller)
        return Collections(caller, database, platform.notifier, platform.guard, platform.retriever, storage)

    def skills(caller: Caller) -> Skills:
        records = Records(database, platform.on_behalf.storage_of(caller))
        return Skills(caller, database, FileTree(records, store, most), platform.file_access, platform.pool)

    def attachments(caller: Caller) -> Attachments:
        return Attachments(caller, services.of(Files, caller), platform.file_access, platform.guard)

    services.provide(Tools, lambda caller: Tools(caller, database, platform.toolbox, platform.quotas, platform.budgets))
    services.provide(Sources, lambda caller: Sources(caller, database, *imports, touched))
    services.provide(
        SourceAuthorizations, lambda caller: SourceAuthorizations(caller, database, platform.vault, platform.outside)
    )
    services.provide(Connections, connections)
    services.provide(Knowledge, knowledge)
    services.provide(Collections, collections)
    services.provide(
        CollectionSources,
        lambda caller: CollectionSources(caller, database, platform.notifier, platform.guard, next_recurrence),
    )
    services.provide(Skills, skills)
    services.provide(Memories, lambda caller: Memories(caller, database, services.of(Agents, caller).record))
    services.provide(Files, lambda caller: Files(caller, database, store, most, touched, platform.arrivals))
    services.provide(Attachments, attachments)
    embedding = platform.budgets, platform.embedding_models
    services.provide(Embeddings, lambda caller: Embeddings(caller, database, *embedding))


def _provide_webhooks(platform: "Platform", services: Services) -> None:
    database, vault, guard = platform.database, platform.vault, platform.guard
    services.provide(Webhooks, lambda caller: Webhooks(caller, database, vault, guard))
    services.provide(Deliveries, lambda caller: Deliveries(services.of(Webhooks, caller), platform.notifier))


def _provide_voice(platform: "Platform", services: Services) -> None:
    database, address = platform.database, platform.settings.public_url or ""

    def calls(caller: Caller) -> Calls:
        return Calls(
            caller, database, services.of(Agents, caller), platform.quotas, platform.switchboard, platform.call_feed
        )

    def rooms(caller: Caller) -> Rooms:
        return Rooms(caller, database, services.of(Agents, caller), platform.hall, platform.room_hosts, address)

    services.provide(Calls, calls)
    services.provide(Rooms, rooms)


def _provide_marketplace(platform: "Platform", services: Services) -> None:
    database, signatures = platform.database, Signatures(platform.database, platform.vault)

    def installations(caller: Caller) -> Installations:
        return Installations(
            caller,
            database,
            services.of(Agents, caller),
            services.of(AgentWork, caller),
            services.of(Fleets, caller),
            services.of(Sources, caller),
            services.of(Schedules, caller),
            services.of(Webhooks, caller),
            signatures,
        )

    services.provide(Marketplace, lambda caller: Marketplace(caller, database, platform.directory, signatures))
    services.provide(Installations, installations)


def _provide_mcp(services: Services) -> None:
    running = RunningCalls()

    def server(caller: Caller) -> McpServer:
        return McpServer(
            caller,
            OfferedTools(services.of(Tools, caller)),
            OfferedAgents(services.of(AgentWork, caller)),
            OfferedFiles(services.of(Files, caller)),
            OfferedSkills(services.of(Skills, caller)),
            running,
        )

    services.provide(McpServer, server)


def _provide_agui(platform: "Platform", services: Services) -> None:
    def door(caller: Caller) -> AgUi:
        acting = acting_caller(caller)
        return AgUi(
            acting,
            platform.database,
            services.of(Chats, acting),
            services.of(Runs, acting),
            services.of(Attachments, acting),
            services.of(Approvals, acting),
            services.of(PublishableKeys, acting),
        )

    services.provide(AgUi, door)


def _provide_a2a(platform: "Platform", services: Services) -> None:
    def door(caller: Caller) -> A2a:
        return A2a(
            caller,
            platform.database,
            services.of(Chats, caller),
            services.of(Runs, caller),
            services.of(Continuations, caller),
            services.of(Attachments, caller),
            services.of(Approvals, caller),
            platform.directory,
            platform.file_access,
            platform.settings.public_url,
        )

    services.provide(A2a, door)
    services.share(SharedCards, SharedCards(platform.database, platform.settings.public_url))
