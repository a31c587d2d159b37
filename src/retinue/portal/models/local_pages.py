"""The section of local models, for operators."""

from collections.abc import Awaitable, Callable

from starlette.responses import Response

from retinue.core.errors import RetinueError
from retinue.language.translation import gettext as _
from retinue.models.local_choice import TOPIC
from retinue.models.local_models import LocalModels
from retinue.portal.live import live
from retinue.portal.models.local_values import local_values
from retinue.portal.models.pages import show_all
from retinue.portal.operator.access import check_operator
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.templating import render

pages = Pages()
_LOOK_S = 1.0
"""Seconds between two looks at the progress of a download."""


@pages.get("/models/local/live")
async def follow_local_models(page: Page) -> Response:
    """Stream the local models with the progress of a download."""
    await check_operator(page)

    async def show() -> tuple[str, bool]:
        return render("models/_local_list.html", **await local_values(page)), False

    return await live(page, [TOPIC], show, _LOOK_S)


@pages.post("/models/local/{name}/pull")
async def pull_local_model(page: Page) -> Response:
    """Begin a download."""
    return await _act(page, page.service(LocalModels).pull, _("The download has begun."))


@pages.post("/models/local/{name}/cancel")
async def cancel_local_model(page: Page) -> Response:
    """Cancel a download."""
    return await _act(page, page.service(LocalModels).cancel, _("The download is cancelled."))


@pages.post("/models/local/{name}/activate")
async def activate_local_model(page: Page) -> Response:
    """Switch to a model."""
    return await _act(page, page.service(LocalModels).activate, _("The model is being loaded."))


@pages.post("/models/local/{name}/delete")
async def delete_local_model(page: Page) -> Response:
    """Delete the file of a model."""
    return await _act(page, page.service(LocalModels).delete, _("The file is deleted."))


async def _act(page: Page, act: Callable[[str], Awaitable[object]], done: str) -> Response:
    try:
        await act(page.request.path_params["name"])
    except RetinueError as error:
        return await show_all(page, local_problem=error)
    return page.redirect("/models", done)
