"""Other protocols for the same operations: OpenAI, Anthropic, AG-UI, MCP and A2A."""

from typing import TYPE_CHECKING

from retinue.agents.work import AgentWork
from retinue.auth.caller import Caller
from retinue.auth.services import Services
from retinue.chat.service import Chats
from retinue.files.service import Files
from retinue.gate.gate import Dialect
from retinue.interop.a2a import errors as a2a_errors
from retinue.interop.a2a.card import CARD_PATH, SharedCards
from retinue.interop.a2a.push import PushConfigs
from retinue.interop.a2a.router import api as a2a
from retinue.interop.a2a.router import rpc_api as a2a_rpc
from retinue.interop.a2a.service import BASE as A2A_BASE
from retinue.interop.a2a.service import A2a
from retinue.interop.agui.router import BASE as AGUI_BASE
from retinue.interop.agui.router import api as agui
from retinue.interop.agui.service import AgUi, acting_caller
from retinue.interop.agui.visitor_words import error_body as agui_error_body
from retinue.interop.anthropic import errors as anthropic_errors
from retinue.interop.anthropic.router import BASE as ANTHROPIC_BASE
from retinue.interop.anthropic.router import api as anthropic
from retinue.interop.attachments import Attachments
from retinue.interop.made_files import MadeFiles
from retinue.interop.mcp.agents import OfferedAgents
from retinue.interop.mcp.approvals import ApprovalRequests
from retinue.interop.mcp.calls import RunningCalls
from retinue.interop.mcp.errors import mcp_error_body
from retinue.interop.mcp.files import OfferedFiles
from retinue.interop.mcp.questions import QuestionRequests
from retinue.interop.mcp.request_states import RequestStates
from retinue.interop.mcp.router import BASE as MCP_BASE
from retinue.interop.mcp.router import api as mcp
from retinue.interop.mcp.server import McpServer
from retinue.interop.mcp.skills import OfferedSkills
from retinue.interop.mcp.tools import OfferedTools
from retinue.interop.openai import errors as openai_errors
from retinue.interop.openai.audio import api as openai_audio
from retinue.interop.openai.base import BASE as OPENAI_BASE
from retinue.interop.openai.conversations.expiry import remove_conversations
from retinue.interop.openai.conversations.router import api as openai_conversations
from retinue.interop.openai.conversations.service import ItemConversations
from retinue.interop.openai.conversations.tables import OWNED
from retinue.interop.openai.embeddings import Embeddings
from retinue.interop.openai.embeddings import api as openai_embeddings
from retinue.interop.openai.files import api as openai_files
from retinue.interop.openai.router import api as openai
from retinue.interop.stateless_chats import StatelessChats
from retinue.oauth.metadata import MCP_METADATA, MCP_SCOPES
from retinue.oauth.resources import MCP
from retinue.platform.resource_declaration import Resource, expire_with_runs
from retinue.runs.approvals.service import Approvals
from retinue.runs.continuation import Continuations
from retinue.runs.service import Runs
from retinue.sharing.service import PublishableKeys
from retinue.skills.service import Skills
from retinue.tools.service import Tools

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    database = platform.database

    def attachments(caller: Caller) -> Attachments:
        return Attachments(caller, services.of(Files, caller), platform.file_access, platform.guard)

    def stateless_chats(caller: Caller) -> StatelessChats:
        needed = services.of(AgentWork, caller), services.of(Runs, caller), services.of(Attachments, caller)
        return StatelessChats(caller, database, platform.models, platform.dispatch, *needed)

    services.provide(Attachments, attachments)
    services.provide(StatelessChats, stateless_chats)
    services.provide(
        Embeddings, lambda caller: Embeddings(caller, database, platform.budgets, platform.embedding_models)
    )
    services.provide(
        ItemConversations, lambda caller: ItemConversations(caller, database, services.of(StatelessChats, caller))
    )
    _provide_mcp(platform, services)
    _provide_agui(platform, services)
    _provide_a2a(platform, services)


def _provide_mcp(platform: "Platform", services: Services) -> None:
    running = RunningCalls(platform.notifier)

    def server(caller: Caller) -> McpServer:
        states = RequestStates(platform.vault, f"{caller.credential} of account {caller.account_id}")
        answered = services.of(Approvals, caller), services.of(Runs, caller)
        return McpServer(
            caller,
            OfferedTools(services.of(Tools, caller)),
            OfferedAgents(services.of(AgentWork, caller)),
            OfferedFiles(services.of(Files, caller)),
            OfferedSkills(services.of(Skills, caller)),
            running,
            ApprovalRequests(states, platform.database, *answered),
            QuestionRequests(caller, platform.vault, states, platform.idempotency),
        )

    services.provide(McpServer, server)


def _provide_agui(platform: "Platform", services: Services) -> None:
    made_files = MadeFiles(platform.directory, platform.file_access)

    def agui_of(caller: Caller) -> AgUi:
        acting = acting_caller(caller)
        return AgUi(
            acting,
            platform.database,
            services.of(Chats, acting),
            services.of(Runs, acting),
            services.of(Continuations, acting),
            services.of(Attachments, acting),
            services.of(Approvals, acting),
            services.of(PublishableKeys, acting),
            services.of(Files, acting),
            made_files,
        )

    services.provide(AgUi, agui_of)


def _provide_a2a(platform: "Platform", services: Services) -> None:
    made_files = MadeFiles(platform.directory, platform.file_access)

    def a2a_of(caller: Caller) -> A2a:
        return A2a(
            caller,
            platform.database,
            services.of(Chats, caller),
            services.of(Runs, caller),
            services.of(Continuations, caller),
            services.of(Attachments, caller),
            services.of(Approvals, caller),
            PushConfigs(caller, platform.database, platform.vault, platform.guard),
            made_files,
            platform.settings.public_url,
        )

    services.provide(A2a, a2a_of)
    services.share(SharedCards, SharedCards(platform.database, platform.settings.public_url))


resource = Resource(
    name="interop",
    dialects=(
        Dialect(ANTHROPIC_BASE, anthropic_errors.error_body),
        Dialect(OPENAI_BASE, openai_errors.error_body),
        Dialect(MCP_BASE, mcp_error_body, MCP, MCP_METADATA, MCP_SCOPES),
        Dialect(AGUI_BASE, agui_error_body, cross_origin=True),
        Dialect(A2A_BASE, a2a_errors.error_body, anonymous=CARD_PATH),
    ),
    owned=OWNED,
    protocols=(
        openai,
        openai_conversations,
        openai_embeddings,
        openai_files,
        openai_audio,
        anthropic,
        agui,
        mcp,
        a2a,
        a2a_rpc,
    ),
    retention=expire_with_runs("item conversations", remove_conversations),
    provide=_provide,
)
