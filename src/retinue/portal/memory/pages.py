"""Pages of the facts that agents remember: list, search, add, change and delete."""

from collections.abc import Sequence

from starlette.responses import Response

from retinue.agents.service import Agents
from retinue.core.errors import RetinueError
from retinue.core.http.envelope import Page as Part
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.memory.schemas import MemoryCreate, MemoryFilter, MemorySearch, MemoryUpdate, MemoryView
from retinue.memory.service import Memories
from retinue.portal.forms import Form, form_number, parse
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages

pages = Pages(MenuEntry("Build", "memory", gettext_noop("Memory"), "history", "facts remember users"))
_AGENTS = 100
_FOUND = 20
_LONGEST_SEARCH = 500


@pages.get("/memory")
async def list_memories(page: Page) -> Response:
    """List facts, newest first, or those that fit a question."""
    if page.by_htmx:
        return page.fragment("memory/_list.html", **await _list_values(page))
    return await _show(page)


@pages.post("/memory")
async def add_memory(page: Page) -> Response:
    """Add a fact from the form."""
    form = await page.form()
    fields = {"agent_id": form_number(form.text("agent_id")), "text": form.text("text"), "user": form.optional("user")}
    try:
        fact = await page.service(Memories).add(parse(MemoryCreate, fields))
    except RetinueError as error:
        return await _show(page, form, error)
    return page.redirect(f"/memory?agent={fact.agent_id}", _("The fact is kept."))


@pages.get("/memory/{id}")
async def show_memory(page: Page) -> Response:
    """Show a fact with its source."""
    return await _show_one(page)


@pages.post("/memory/{id}")
async def change_memory(page: Page) -> Response:
    """Change a fact."""
    form = await page.form()
    try:
        fact = await page.service(Memories).update(page.path_id(), parse(MemoryUpdate, {"text": form.text("text")}))
    except RetinueError as error:
        return await _show_one(page, form, error)
    return page.redirect(f"/memory?agent={fact.agent_id}", _("The fact is changed."))


@pages.post("/memory/{id}/delete")
async def delete_memory(page: Page) -> Response:
    """Delete a fact."""
    await page.service(Memories).delete(page.path_id())
    return page.redirect("/memory", _("The fact is deleted."))


async def _list_values(page: Page) -> dict[str, object]:
    service, paging = page.service(Memories), page.paging()
    search, agent = page.query.text("q").strip()[:_LONGEST_SEARCH], form_number(page.query.text("agent"))
    chosen = agent if isinstance(agent, int) and 0 < agent < 2**63 else None
    facts: Sequence[MemoryView]
    if search:
        facts = await service.search(MemorySearch(query=search, agent_id=chosen, limit=_FOUND))
        total = len(facts)
    else:
        part = MemoryFilter(page=paging.part.page, per_page=paging.part.per_page, agent_id=chosen)
        facts, total = await service.page(part)
    names = await _names(page)
    query = f"agent={chosen}&" if chosen else ""
    return {
        "facts": facts, "agents": names, "chosen": chosen, "search": search, "query": query, "paging": paging.of(total),
    }  # fmt: skip


async def _names(page: Page) -> dict[int, str]:
    agents, _ = await page.service(Agents).page(Part(per_page=_AGENTS))
    return {one.id: one.agent_name for one in agents}


async def _show(page: Page, form: Form | None = None, problem: RetinueError | None = None) -> Response:
    values = {**await _list_values(page), "form": form or Form(), "problem": problem}
    return await page.render("memory/list.html", problem.status if problem else 200, **values)


async def _show_one(page: Page, form: Form | None = None, problem: RetinueError | None = None) -> Response:
    fact = await page.service(Memories).get(page.path_id())
    values = {"fact": fact, "form": form or Form.of({"text": fact.text}), "problem": problem}
    names = await _names(page)
    return await page.render("memory/fact.html", problem.status if problem else 200, agents=names, **values)
