"""The page of bookmarks."""

from retinue.bookmarks.schemas import BookmarkCreate
from retinue.bookmarks.service import Bookmarks
from starlette.responses import Response

from retinue.core.errors import RetinueError
from retinue.portal.forms import Form, parse
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages

pages = Pages(MenuEntry("Build", "bookmarks", "Bookmarks", "book-open", "links addresses"))


@pages.get("/bookmarks")
async def list_bookmarks(page: Page) -> Response:
    """List bookmarks, newest first."""
    return await _show(page)


@pages.post("/bookmarks")
async def add_bookmark(page: Page) -> Response:
    """Add a bookmark from the form."""
    form = await page.form()
    try:
        fields = {"title": form.text("title"), "url": form.text("url")}
        await page.service(Bookmarks).add(parse(BookmarkCreate, fields))
    except RetinueError as error:
        return await _show(page, form, error)
    return page.redirect("/bookmarks", "The bookmark is added.")


@pages.post("/bookmarks/{id}/delete")
async def delete_bookmark(page: Page) -> Response:
    """Delete a bookmark."""
    await page.service(Bookmarks).delete(page.path_id())
    return page.redirect("/bookmarks", "The bookmark is deleted.")


async def _show(page: Page, form: Form | None = None, problem: RetinueError | None = None) -> Response:
    paging = page.paging()
    bookmarks, total = await page.service(Bookmarks).page(paging.part)
    values = {"bookmarks": bookmarks, "paging": paging.of(total), "form": form or Form(), "problem": problem}
    return await page.render("bookmarks/list.html", problem.status if problem else 200, **values)
