"""A reload of the address that a form was sent to leads back to the page with the form.

A browser stays at that address if the form is refused. Without a page there, a reload would show "Page not found".
"""

from collections.abc import Collection, Iterator, Sequence
from urllib.parse import quote

from starlette.responses import Response

from retinue.portal.page import Visit
from retinue.portal.pages import Handler, PageRoute


def with_reloads(declared: Sequence[PageRoute]) -> Iterator[PageRoute]:
    """Yield all routes, each change followed by the redirect for a reload, unless its path has a page."""
    shown = {one.path for one in declared if one.method == "GET"}
    for one in declared:
        yield one
        if one.method == "POST" and one.path not in shown:
            yield PageRoute("GET", one.path, _redirect_to(one.form or _closest_page(one.path, shown)), public=True)


def _closest_page(path: str, shown: Collection[str]) -> str:
    """Return the longest start of a path that is the path of a page."""
    while path and path not in shown:
        path = path.rpartition("/")[0]
    return path or "/"


def _redirect_to(path: str) -> Handler:
    async def redirect(page: Visit) -> Response:
        values = {name: quote(str(value), safe="") for name, value in page.request.path_params.items()}
        return page.redirect(path.format_map(values))

    return redirect
