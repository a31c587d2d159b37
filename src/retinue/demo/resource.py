"""The demo."""

from typing import TYPE_CHECKING

from retinue.agents.service import Agents
from retinue.agents.work import AgentWork
from retinue.auth.caller import Caller
from retinue.auth.services import Services
from retinue.chat.service import Chats
from retinue.demo.router import api
from retinue.demo.service import Demo
from retinue.knowledge.service import Collections
from retinue.platform.resource_declaration import Resource
from retinue.schedules.service import Schedules

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    def demo(caller: Caller) -> Demo:
        return Demo(
            services.of(Agents, caller),
            services.of(AgentWork, caller),
            services.of(Collections, caller),
            services.of(Schedules, caller),
            services.of(Chats, caller),
            platform.notifier,
        )

    services.provide(Demo, demo)


resource = Resource(name="demo", apis=(api,), provide=_provide)
