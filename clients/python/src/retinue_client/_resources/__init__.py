"""The resources of a client.

Made from the server's OpenAPI document by `make client`.
"""

from retinue_client._resources.account import Account, AsyncAccount
from retinue_client._resources.agents import Agents, AsyncAgents
from retinue_client._resources.approvals import Approvals, AsyncApprovals
from retinue_client._resources.audit import AsyncAudit, Audit
from retinue_client._resources.chat import AsyncChat, Chat
from retinue_client._resources.connections import AsyncConnections, Connections
from retinue_client._resources.conversations import AsyncConversations, Conversations
from retinue_client._resources.files import AsyncFiles, Files
from retinue_client._resources.fleets import AsyncFleets, Fleets
from retinue_client._resources.keys import AsyncKeys, Keys
from retinue_client._resources.marketplace import AsyncMarketplace, Marketplace
from retinue_client._resources.models import AsyncModels, Models
from retinue_client._resources.oauth import AsyncOauth, Oauth
from retinue_client._resources.runs import AsyncRuns, Runs
from retinue_client._resources.schedules import AsyncSchedules, Schedules
from retinue_client._resources.sessions import AsyncSessions, Sessions
from retinue_client._resources.tools import AsyncTools, Tools
from retinue_client._resources.usage import AsyncUsage, Usage
from retinue_client._resources.voice import AsyncVoice, Voice
from retinue_client._resources.webhooks import AsyncWebhooks, Webhooks
from retinue_client._transport import AsyncTransport, Transport


class Resources:
    """Every resource as an attribute."""

    def __init__(self, transport: Transport) -> None:
        self.account = Account(transport)
        self.agents = Agents(transport)
        self.approvals = Approvals(transport)
        self.audit = Audit(transport)
        self.chat = Chat(transport)
        self.connections = Connections(transport)
        self.conversations = Conversations(transport)
        self.files = Files(transport)
        self.fleets = Fleets(transport)
        self.keys = Keys(transport)
        self.marketplace = Marketplace(transport)
        self.models = Models(transport)
        self.oauth = Oauth(transport)
        self.runs = Runs(transport)
        self.schedules = Schedules(transport)
        self.sessions = Sessions(transport)
        self.tools = Tools(transport)
        self.usage = Usage(transport)
        self.voice = Voice(transport)
        self.webhooks = Webhooks(transport)


class AsyncResources:
    """Every resource as an attribute."""

    def __init__(self, transport: AsyncTransport) -> None:
        self.account = AsyncAccount(transport)
        self.agents = AsyncAgents(transport)
        self.approvals = AsyncApprovals(transport)
        self.audit = AsyncAudit(transport)
        self.chat = AsyncChat(transport)
        self.connections = AsyncConnections(transport)
        self.conversations = AsyncConversations(transport)
        self.files = AsyncFiles(transport)
        self.fleets = AsyncFleets(transport)
        self.keys = AsyncKeys(transport)
        self.marketplace = AsyncMarketplace(transport)
        self.models = AsyncModels(transport)
        self.oauth = AsyncOauth(transport)
        self.runs = AsyncRuns(transport)
        self.schedules = AsyncSchedules(transport)
        self.sessions = AsyncSessions(transport)
        self.tools = AsyncTools(transport)
        self.usage = AsyncUsage(transport)
        self.voice = AsyncVoice(transport)
        self.webhooks = AsyncWebhooks(transport)
