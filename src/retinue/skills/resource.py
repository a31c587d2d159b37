"""Agent Skills."""

from typing import TYPE_CHECKING

from retinue.auth.caller import Caller
from retinue.auth.services import Services
from retinue.platform.resource_declaration import Resource
from retinue.skills.router import api
from retinue.skills.service import Skills
from retinue.skills.tables import OWNED
from retinue.workspace.records import Records
from retinue.workspace.tree import FileTree

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    def skills(caller: Caller) -> Skills:
        records = Records(platform.database, platform.on_behalf.storage_of(caller))
        tree = FileTree(records, platform.store, platform.max_file_bytes)
        return Skills(caller, platform.database, tree, platform.file_access, platform.pool)

    services.provide(Skills, skills)


resource = Resource(name="skills", apis=(api,), provide=_provide, owned=OWNED)
