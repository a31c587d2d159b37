"""Conversations."""

from typing import TYPE_CHECKING

from retinue.account_data.expiry import remove_conversations
from retinue.agents.work import AgentWork
from retinue.auth.caller import Caller
from retinue.auth.services import Services
from retinue.chat.router import api
from retinue.chat.service import Chats
from retinue.chat.shared import ConversationSharing, unshare_conversations
from retinue.chat.tables import OWNED
from retinue.platform.resource_declaration import Resource, expire_with_runs

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    def chats(caller: Caller) -> Chats:
        parts = platform.database, platform.models, platform.directory, platform.dispatch, platform.file_access
        return Chats(caller, *parts, services.of(AgentWork, caller))

    services.provide(Chats, chats)
    services.provide(ConversationSharing, lambda caller: ConversationSharing(caller, platform.database))


resource = Resource(
    name="chat",
    apis=(api,),
    provide=_provide,
    owned=OWNED,
    retention=expire_with_runs("conversations", remove_conversations),
    revoke=unshare_conversations,
)
