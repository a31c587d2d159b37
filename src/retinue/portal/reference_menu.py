"""The portal's menu around the pages of the reference, for users who are signed in."""

from collections.abc import Awaitable, Callable

from starlette.requests import Request

from retinue.auth.account.service import Account
from retinue.auth.sessions.browser import session_token
from retinue.core.errors import RetinueError
from retinue.platform.platform import Platform
from retinue.portal.navigation import Navigation
from retinue.portal.templating import prepare, render


def reference_menu(platform: Platform, navigation: Navigation) -> Callable[[Request], Awaitable[str]]:
    """Return a function that renders the menu. The reference is public, so for others it returns an empty string."""

    async def menu(request: Request) -> str:
        token = session_token(request)
        if not token:
            return ""
        try:
            caller = await platform.credentials.authenticate(token)
            user = await platform.services.of(Account, caller).get()
        except RetinueError:
            return ""
        await prepare(platform.home)
        return render("_reference_menu.html", navigation=navigation.of(user))

    return menu
