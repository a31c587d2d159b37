"""The page of the records that a person keeps by chat."""

from collections.abc import Mapping

from starlette.responses import Response

from retinue.core.errors import NotFound
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.records.lists import KINDS, KindOfRecord
from retinue.workspace.stored_items import StoredItems

pages = Pages(
    MenuEntry(
        "Build",
        "records",
        gettext_noop("My records"),
        "circle-check",
        "to-do list tasks checklists shopping list notes calendar appointments contacts address book expenses",
    )
)
_ROWS = 100


@pages.get("/records")
async def list_records(page: Page) -> Response:
    """List the records of a kind: the one in the query, or the first that the account has."""
    stored = page.service(StoredItems)
    counts = await stored.counts()
    kind = _find_kind(page.query.text("kind"), counts)
    paging = page.paging(_ROWS).of(counts.get(kind.name, 0))
    listing = await kind.load(stored.records, paging.part)
    kinds = [one for one in KINDS.values() if one is kind or counts.get(one.name)]
    return await page.render(
        "records/list.html",
        kind=kind,
        kinds=kinds if counts.get(kind.name) or len(kinds) > 1 else [],
        every_kind=KINDS.values(),
        counts=counts,
        listing=listing,
        paging=paging,
    )


@pages.post("/records/{kind}/{name}/delete", form="/records?kind={kind}")
async def delete_record(page: Page) -> Response:
    """Delete a record, as the tool of its kind does."""
    kind = _kind(page)
    items = await page.service(StoredItems).of(kind.name)
    deleted = await items.remove(page.request.path_params["name"])
    return _to_list(page, kind, _("{name} is deleted.").format(name=deleted[kind.title]))


@pages.post("/records/task/{name}/tick", form="/records?kind=task")
async def tick_task(page: Page) -> Response:
    """Tick a task off, or reopen it, as the tool does."""
    items = await page.service(StoredItems).of("task")
    done = (await page.form()).text("done") == "yes"
    task = await items.change(page.request.path_params["name"], {"status": "done" if done else "todo"})
    said = _("{name} is done.") if done else _("{name} is open again.")
    return _to_list(page, KINDS["task"], said.format(name=task["title"]))


def _find_kind(name: str, counts: Mapping[str, int]) -> KindOfRecord:
    if name in KINDS:
        return KINDS[name]
    return next((kind for kind in KINDS.values() if counts.get(kind.name)), KINDS["task"])


def _kind(page: Page) -> KindOfRecord:
    name = page.request.path_params["kind"]
    if name not in KINDS:
        raise NotFound(_("There is no list of records with this name."))
    return KINDS[name]


def _to_list(page: Page, kind: KindOfRecord, flash: str) -> Response:
    return page.redirect(f"/records?kind={kind.name}", flash)
