"""Conversations."""

from collections.abc import Iterator
from datetime import timedelta
from typing import TYPE_CHECKING

from retinue.account_data.expiry import remove_conversations
from retinue.agents.work import AgentWork
from retinue.auth.caller import Caller
from retinue.auth.services import Services
from retinue.chat.router import api
from retinue.chat.service import Chats
from retinue.chat.shared import ConversationSharing, unshare_conversations
from retinue.chat.tables import OWNED
from retinue.core.work.retention import RetentionRule
from retinue.platform.resource_declaration import Resource
from retinue.settings import Settings

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    def chats(caller: Caller) -> Chats:
        parts = platform.database, platform.models, platform.directory, platform.dispatch, platform.file_access
        return Chats(caller, *parts, services.of(AgentWork, caller))

    services.provide(Chats, chats)
    services.provide(ConversationSharing, lambda caller: ConversationSharing(caller, platform.database))


def _retention(settings: Settings) -> Iterator[RetentionRule]:
    if settings.runs_days:
        yield RetentionRule("conversations", timedelta(days=settings.runs_days), remove_conversations)


resource = Resource(
    name="chat",
    apis=(api,),
    provide=_provide,
    owned=OWNED,
    retention=_retention,
    revoke=unshare_conversations,
)
