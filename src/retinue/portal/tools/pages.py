"""Pages of tools."""

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from starlette.responses import Response

from retinue.agents.service import Agents
from retinue.core.errors import NotFound, RetinueError
from retinue.core.http.envelope import Page as Part
from retinue.core.runtime.executors import run_on_compute_thread
from retinue.files.file_access import result_files
from retinue.language.reply_templates import fill_template
from retinue.language.text_normalization import stems
from retinue.language.translation import current_language, gettext_noop
from retinue.language.translation import gettext as _
from retinue.portal.names import file_choices
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.tools.fields import arguments_of, fields_of
from retinue.portal.tools.questions import FormAnswers
from retinue.portal.tools.results import parts_of
from retinue.reference.samples import tool_call
from retinue.tools.authoring.tool import CATEGORIES, Tier, Tool
from retinue.tools.catalogue.reply_translations import translate_replies
from retinue.tools.imports.mcp.direct_answers import Answers
from retinue.tools.imports.mcp.questions import InputRequired
from retinue.tools.selection.query_terms import significant_stems
from retinue.tools.service import Tools

pages = Pages(MenuEntry("Build", "tools", gettext_noop("Tools"), "wrench", "functions"))
LONGEST_SEARCH = 500
_PICKS = 12
_CONSIDERED, _AGENTS, _USED = 5, 100, 8
_TIERS: tuple[Tier, ...] = get_args(Tier)


@pages.get("/tools")
async def list_tools(page: Page) -> Response:
    """List the catalogue and imported tools by search and filters."""
    query, paging = page.query, page.paging()
    search, category = query.text("q")[:LONGEST_SEARCH], query.text("category")
    tier = next((one for one in _TIERS if one == query.text("tier")), None)
    known = await page.service(Tools).all()
    category = category if category in CATEGORIES else ""
    part = paging.part
    total, tools = known.find(search or None, category or None, tier, part.offset, part.per_page)
    values: dict[str, object] = {
        "doubtful": bool(search) and is_doubtful(search, tools),
        "used": [] if search or category else await _used_tools(page),
        "tools": tools,
        "paging": paging.of(total),
        "search": search,
        "category": category,
        "tier": tier or "",
        "tiers": () if all(map(page.caller.plan.includes, _TIERS)) else _TIERS,
        "categories": known.categories(),
        "names": _category_names(),
    }
    if page.by_htmx:
        return page.fragment("tools/_results.html", **values)
    return await page.render("tools/list.html", **values)


@pages.get("/tools/pick")
async def pick(page: Page) -> Response:
    """Return the tools that a picker shows for the typed text."""
    search = page.query.text("q")[:LONGEST_SEARCH]
    known = await page.service(Tools).all()
    _, tools = known.find(search or None, None, None, 0, _PICKS)
    return page.fragment("tools/_picks.html", tools=tools, search=search)


@pages.get("/tools/{name}")
async def show_tool(page: Page) -> Response:
    """Show a tool with the form to try it."""
    tool = await _tool(page)
    fields = fields_of(tool)
    return await page.render(
        "tools/tool.html",
        tool=tool,
        more=_rest_of_description(tool),
        fields=fields,
        files=await file_choices(page, fields),
        category=_category_names().get(tool.category, tool.category),
        included=page.caller.plan.includes(tool.tier),
    )


@pages.post("/tools/{name}/try")
async def try_tool(page: Page) -> Response:
    """Execute a tool with the form's arguments, as the API does. A question of its server is shown as a form."""
    tools, form = page.service(Tools), await page.form()
    tool = await _tool(page)
    try:
        args, answers = arguments_of(tool, form), FormAnswers(form)
        await tools.admit(tool.name)
        if answers.is_declined:
            return await _outcome(page, tool, 200, declined=True)
        answer = await tools.execute(tool.name, args, answers=Answers(answers.ask))
    except InputRequired as asked:
        status = answers.problem.status if answers.problem else 200
        return await _outcome(page, tool, status, problem=answers.problem, question=answers.show(tool, asked))
    except RetinueError as error:
        return await _outcome(page, tool, error.status, problem=error)
    result = answer["result"]
    wording = await run_on_compute_thread(translate_replies, tool.reply, current_language.get())
    sentence = fill_template(wording.templates, result, args, language=wording.language)[1]
    call = tool_call(page.address, tool.name, args, answers.answers)
    ids = result_files(result)
    files = await page.platform.file_access.records(page.caller.account_id, ids)
    values = {"sentence": sentence, "shown": parts_of(result), "call": call, "ids": ids, "files": files}
    return await _outcome(page, tool, 200, answer=answer, **values)


def _category_names() -> dict[str, str]:
    """Return the names of the categories in the language of the page."""
    return {slug: _(name) for slug, name in CATEGORIES.items()}


def _rest_of_description(tool: Tool) -> str:
    """Return the description without the sentence that is the title; all of it if the title is shortened."""
    return tool.description.removeprefix(tool.title).lstrip(". \n")


def is_doubtful(search: str, tools: Sequence[Tool]) -> bool:
    """Return whether none of the first tools has at least half of the words of a search, so that they may be noise."""
    search_stems = set(significant_stems(search))
    texts = (" ".join([one.name, one.description, *one.tags, *one.use_when]) for one in tools[:_CONSIDERED])
    return not any(len(search_stems & stems(text)) * 2 >= max(len(search_stems), 1) for text in texts)


async def _used_tools(page: Page) -> list[Tool]:
    """Return the tools that the user's agents have as skills, the most common first."""
    agents, _ = await page.service(Agents).page(Part(per_page=_AGENTS))
    names = Counter(name for agent in agents for name in agent.skills or ())
    known = await page.service(Tools).all()
    return [known.get(name) for name, _ in names.most_common(_USED) if name in known]


async def _outcome(page: Page, tool: Tool, status: int, **values: object) -> Response:
    """Render the outcome below the form, or as a page of its own for browsers without scripts."""
    parts = {"answer": None, "problem": None, "question": None, "declined": False, **values, "tool": tool}
    if page.by_htmx:
        return page.fragment("tools/_outcome.html", status, **parts)
    return await page.render("tools/outcome.html", status, **parts)


async def _tool(page: Page) -> Tool:
    name = page.request.path_params["name"]
    try:
        return await page.service(Tools).get(name)
    except NotFound:
        text = _("There is no tool named {name}. Search for it among the tools.")
        raise NotFound(text.format(name=name[:60])) from None
