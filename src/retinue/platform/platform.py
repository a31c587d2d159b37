"""Creates the parts of the platform and connects them."""

from dataclasses import dataclass, field

from retinue.account_data.service import Deletions
from retinue.agents.agent_tools import AgentTools
from retinue.agents.tables import agents
from retinue.auth.credentials import Credentials
from retinue.auth.keys.tokens import KeyTokens
from retinue.auth.last_use import LastUse
from retinue.auth.passwords import Passwords
from retinue.auth.plans import Plans
from retinue.auth.service import Users
from retinue.auth.services import Services
from retinue.auth.sessions.tokens import SessionTokens
from retinue.auth.sign_in.mail import ResetMail, smtp_sender
from retinue.auth.sign_in.service import SignIn
from retinue.auth.tables import api_keys
from retinue.auth.throttle import Throttle
from retinue.chat.service import note_messages
from retinue.connections.keyring import ConnectionKeyring
from retinue.core.database.interface import Database
from retinue.core.http.body_limiter import BodyLimiter
from retinue.core.idempotency.keys import IdempotentRequests
from retinue.core.network.http_client import AddressGuard, NameResolver
from retinue.core.runtime.clock import now
from retinue.core.runtime.data_dir import DataDir
from retinue.core.runtime.vault import Vault
from retinue.core.work.notifier import Notifier
from retinue.core.work.retention import RetentionWorker
from retinue.core.work.stored_features import FeatureRebuilder
from retinue.files.active_uploads import ActiveUploads
from retinue.files.file_access import FileAccess
from retinue.files.store import MIB, FileStore
from retinue.files.sweep import Sweep
from retinue.files.tool_outputs import ToolOutputs
from retinue.fleets.orchestrator import Orchestrator
from retinue.gate.limiter import Limiter
from retinue.knowledge.embedders import Embedder
from retinue.knowledge.reranking import Reranker
from retinue.knowledge.retrieval import Retriever
from retinue.knowledge.vectors import VectorIndex
from retinue.models.embedding_models import EmbeddingModels
from retinue.models.hosting import ProviderHosting
from retinue.models.known_weights import HUB
from retinue.models.local_choice import LocalChoice
from retinue.models.local_models import LocalParts
from retinue.models.pulls import Pulls
from retinue.models.registry import Models
from retinue.models.rerank_models import RerankModels
from retinue.oauth.token_kind import AccessTokens
from retinue.platform.on_behalf import OnBehalf
from retinue.platform.resources import FEATURES, OWNED, RESOURCES, REVOKE
from retinue.providers.keyring import ProviderKeyring
from retinue.request_log.writer import RequestWriter
from retinue.runs.approvals.suspension import Suspension
from retinue.runs.execution.create_run import RunCreator
from retinue.runs.execution.loop import AgentLoop
from retinue.runs.execution.nesting_limits import NestingLimits
from retinue.runs.execution.runner import Runner
from retinue.runs.execution.session_tools import ToolSessions
from retinue.runs.execution.tool_calls import ToolCalls
from retinue.runs.journal import Journal
from retinue.runs.tool_selection.run_tools import ToolSelector
from retinue.sandbox.sandboxes import Sandboxes
from retinue.settings import Settings
from retinue.sharing.tokens import PublishableTokens
from retinue.skills.tools import SkillTools
from retinue.tools.catalogue.catalogue import Catalogue
from retinue.tools.execution.environment import ToolEnvironment
from retinue.tools.execution.pool import ToolPool
from retinue.tools.imports.a2a.calls import A2aCalls
from retinue.tools.imports.account_catalogue import AccountCatalogue
from retinue.tools.imports.authorization.tokens import SourceTokens
from retinue.tools.imports.calls import ImportedCalls
from retinue.tools.imports.client import OutsideClient
from retinue.tools.imports.credentials import SourceCredentials
from retinue.tools.imports.mcp.calls import McpCalls
from retinue.tools.imports.mcp.http_transport import HttpTransport
from retinue.tools.imports.mcp.programs import AllowedPrograms
from retinue.tools.imports.mcp.sessions import McpSessions
from retinue.tools.imports.mcp.stdio import StdioTransport
from retinue.tools.imports.mcp.transports import Transports
from retinue.tools.imports.reader import SourceReader
from retinue.tools.plugins.tools import PluginTools
from retinue.tools.service import ToolRunner
from retinue.usage.budgets import Budgets
from retinue.usage.meter import Meter
from retinue.usage.quotas import Quotas
from retinue.voice.calls.destinations import AllowedDestinations
from retinue.voice.calls.feed import CallFeed
from retinue.voice.calls.inbound import Inbound
from retinue.voice.calls.outbound import Outbound
from retinue.voice.calls.recordings import Recordings
from retinue.voice.calls.records import CallRecords
from retinue.voice.calls.rehearsals import Rehearsals
from retinue.voice.calls.switchboard import Switchboard
from retinue.voice.environment import PiperEnvironment, VoiceEnvironment
from retinue.voice.livekit.parts import LiveKitParts
from retinue.voice.media.service import MediaService
from retinue.voice.rooms.hosts import LocalHost, RoomHosts
from retinue.voice.rooms.local_rooms import LocalRooms
from retinue.voice.trunks import Trunks


@dataclass
class Platform:
    """The parts that live as long as the process, and the services built from them."""

    settings: Settings
    home: DataDir
    database: Database
    plans: Plans
    limiter: Limiter
    catalogue: Catalogue
    pool: ToolPool
    models: Models
    store: FileStore
    libraries: ToolEnvironment
    sandboxes: Sandboxes
    guard: AddressGuard
    notifier: Notifier = field(default_factory=Notifier)

    def __post_init__(self) -> None:
        self.started_at = now()
        self.intake = BodyLimiter(self.settings.body_timeout)
        master_key = self.settings.master_key
        self.vault = Vault.load(self.home.folder, master_key.get_secret_value() if master_key else None)
        self.idempotency = IdempotentRequests(self.database, self.notifier, self.home.node, self.vault.digest)
        self.on_behalf = OnBehalf(self)
        self._add_accounts()
        self._add_sign_in()
        self._add_files()
        self._add_models()
        self._add_tools()
        self._add_knowledge()
        self._add_runs()
        self._add_calls()
        self._add_resources()

    def _add_resources(self) -> None:
        rules = [rule for resource in RESOURCES for rule in resource.retention(self.settings)]
        self.expiry = RetentionWorker(self.database, self.home.node, rules)
        self.rebuilder = FeatureRebuilder(self.database, self.home.node, FEATURES)
        self.services = Services()
        for resource in RESOURCES:
            resource.provide(self, self.services)

    def _add_accounts(self) -> None:
        self.last_use = LastUse(self.database)
        self.credentials = Credentials(
            KeyTokens(self.database, self.plans, self.last_use),
            [
                SessionTokens(self.database, self.plans, self.last_use),
                AccessTokens(self.database, self.plans),
                PublishableTokens(self.database, self.plans),
            ],
        )
        self.owned = OWNED
        self.users_admin = Users(self.database, self.plans, REVOKE)
        self.deletions = Deletions(self.database, REVOKE, OWNED, self.notifier)
        self.meter = Meter(self.database, self.home.folder)
        self.quotas = Quotas(self.database, self.meter)
        self.request_writer = RequestWriter(self.database, self.notifier, self.settings.request_log_rows)
        self.budgets = Budgets(self.database, agents, api_keys)

    def _add_files(self) -> None:
        self.file_access = FileAccess(self.database, self.store)
        self.arrivals = ActiveUploads()
        self.sweep = Sweep(self.database, self.store)
        self.tool_outputs = ToolOutputs(self.database, self.store, self.plans, self.max_file_bytes, self.meter.touched)

    def _add_models(self) -> None:
        keyring = ProviderKeyring(self.database, self.vault)
        self.hosting = ProviderHosting(self.guard, keyring, self.settings.model_concurrency)
        self.models.attach(self.hosting)
        choice = LocalChoice(self.database, self.notifier, self.models.local)
        pulls = Pulls(self.models.weights_folder, self.settings.weights_hub or HUB)
        self.local_models = LocalParts(self.models.weights_folder, self.models.local, choice, pulls)

    def _add_tools(self) -> None:
        self.outside = OutsideClient(self.guard)
        programs = AllowedPrograms.load(self.settings.mcp_programs_file)
        self.mcp_programs = StdioTransport(programs, self.home.cache / "programs", self.pool.confinement)
        self.mcp_sessions = McpSessions(Transports(HttpTransport(self.outside), self.mcp_programs))
        self.importer = SourceReader(self.outside, self.mcp_sessions, programs, self.pool, self.home.cache / "imports")
        self.added_tools = PluginTools(
            self.home.added_tools, self.catalogue, self.catalogue.index, self.pool.confinement
        )
        self.directory = AccountCatalogue(self.catalogue, self.database, added=self.added_tools)
        keyring = ConnectionKeyring(self.database, self.vault)
        self.source_tokens = SourceTokens(self.database, self.vault, self.outside)
        portal = (self.settings.public_url or "").rstrip("/")
        self.source_credentials = SourceCredentials(self.vault, keyring, self.source_tokens, portal)
        calls = ImportedCalls(self.database, self.source_credentials, self.outside)
        mcp_calls = McpCalls(self.database, self.source_credentials, self.mcp_sessions)
        a2a_calls = A2aCalls(self.database, self.source_credentials, self.outside)
        access = self.file_access, self.tool_outputs, keyring
        self.toolbox = ToolRunner(
            self.directory, self.pool, calls, mcp_calls, a2a_calls, *access, self.on_behalf.context
        )

    def _add_knowledge(self) -> None:
        self.embedding_models = EmbeddingModels(self.models)
        self.embedder = Embedder(self.database, self.embedding_models)
        self.retriever = Retriever(
            self.database,
            VectorIndex(self.database),
            self.embedder,
            Reranker(self.database, RerankModels(self.models)),
        )

    def _add_runs(self) -> None:
        self.journal = Journal(self.database, self.notifier, note_messages, self.meter.touched)
        agent_tools = AgentTools(self.database)
        skill_tools = SkillTools(self.database)
        offers = ToolSelector(self.directory, self.models, self.settings.tool_tokens, agent_tools, skill_tools)
        self.tool_sessions = ToolSessions()
        calls = ToolCalls(
            Suspension(self.database),
            offers,
            self.toolbox,
            self.file_access,
            self.budgets,
            self.on_behalf.check_tools,
            self.retriever,
            self.tool_sessions,
        )
        loop = AgentLoop(
            self.journal, self.models, offers, self.toolbox, calls, self.file_access, self.budgets, self.retriever
        )
        self.runner = Runner(loop, self.journal, self.notifier)
        descent = NestingLimits(self.settings.run_depth, self.settings.run_descendants)
        self.dispatch = RunCreator(self.journal, self.runner, self.notifier, self.home.node, descent)
        self.orchestrator = Orchestrator(self.dispatch, self.notifier)

    def _add_calls(self) -> None:
        options, cache = self.settings.voice, self.home.cache
        trunks = Trunks.load(options.trunks_file)
        recordings = cache / "recordings"
        self.media = MediaService(
            options, trunks, VoiceEnvironment.beside(cache), PiperEnvironment.beside(cache), recordings
        )
        self.rehearsals = Rehearsals(self.media)
        allowed = AllowedDestinations(options.destinations)
        self.call_feed = CallFeed(self.database, self.notifier)
        self.switchboard = Switchboard(
            self.database,
            self.notifier,
            self.home.node,
            self.media,
            Outbound(self.database, options, trunks, allowed, self.guard, self.media, NameResolver()),
            CallRecords(self.database, self.meter.touched, self.call_feed),
            Recordings(self.database, self.tool_outputs, recordings),
            self.on_behalf.replies,
        )
        self.local_rooms = LocalRooms(
            self.database,
            self.notifier,
            self.home.node,
            self.media,
            self.meter.touched,
            self.on_behalf.room_replies,
            self.on_behalf.check_minutes,
            self.settings.ice_servers,
        )
        livekit = self.settings.livekit
        self.livekit = (
            LiveKitParts(livekit, self.database, self.local_rooms, self.on_behalf.check_minutes) if livekit else None
        )
        self.room_hosts = RoomHosts(
            LocalHost(self.local_rooms, self.vault), self.livekit.host if self.livekit else None
        )
        self.inbound = Inbound(
            self.database, trunks, self.switchboard, self.quotas, self.on_behalf.caller, self.local_rooms
        )
        self.media.on_incoming = self.inbound.receive

    def _add_sign_in(self) -> None:
        settings = self.settings
        self.passwords, self.throttle = Passwords(), Throttle()
        smtp = smtp_sender(settings.smtp_url.get_secret_value()) if settings.smtp_url else None
        self.reset_mail = ResetMail(self.users_admin, self.throttle, smtp, settings.mail_from, settings.public_url)
        self.sign_in = SignIn(
            self.database,
            self.vault,
            self.passwords,
            self.throttle,
            self.users_admin,
            settings.sign_up == "open",
            self.reset_mail if smtp else None,
        )

    @property
    def max_file_bytes(self) -> int:
        """Maximum size of an uploaded file in bytes."""
        return self.settings.max_file_mb * MIB
