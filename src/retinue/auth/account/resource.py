"""The account of a user, with all credentials."""

from typing import TYPE_CHECKING

from retinue.auth.account.router import api
from retinue.auth.account.service import Account
from retinue.auth.caller import Caller
from retinue.auth.second_factor import check_master_key
from retinue.auth.services import Services
from retinue.auth.tables import OWNED
from retinue.platform.resource_declaration import Resource

if TYPE_CHECKING:
    from retinue.platform.platform import Platform


def _provide(platform: "Platform", services: Services) -> None:
    def account(caller: Caller) -> Account:
        parts = platform.database, platform.vault, platform.passwords, platform.throttle, platform.users_admin.others
        return Account(caller, *parts)

    services.provide(Account, account)


resource = Resource(name="account", apis=(api,), provide=_provide, owned=OWNED, check_master_key=check_master_key)
