"""Pages of approvals."""

from typing import get_args
from urllib.parse import quote, urlsplit

from starlette.responses import Response

from retinue.core.errors import RetinueError
from retinue.language.translation import gettext as _
from retinue.language.translation import gettext_noop
from retinue.portal.approvals.changes import with_change
from retinue.portal.approvals.consequences import consequences_of
from retinue.portal.forms import Form, parse
from retinue.portal.live import live
from retinue.portal.names import agent_names, file_choices
from retinue.portal.navigation import MenuEntry
from retinue.portal.page import Page
from retinue.portal.pages import Pages
from retinue.portal.runs.origin import origin_of
from retinue.portal.templating import render
from retinue.portal.tools.fields import (
    ANSWER,
    CHANGE,
    ArgumentField,
    changes_of,
    fields_of_call,
    fields_of_question,
    refill,
    values_of,
)
from retinue.runs.approvals.schemas import ApprovalDecision, ApprovalStatus, ApprovalView
from retinue.runs.approvals.service import Approvals
from retinue.runs.service import Runs
from retinue.tools.authoring.tool import Tool
from retinue.tools.service import Tools

pages = Pages(MenuEntry("Automate", "approvals", gettext_noop("Approvals"), "hand"))
_STATUSES: tuple[ApprovalStatus, ...] = get_args(ApprovalStatus)


@pages.get("/approvals")
async def list_approvals(page: Page) -> Response:
    """List pending calls, or those in another state."""
    return await page.render("approvals/list.html", **await _shown_list(page))


@pages.get("/approvals/live")
async def follow_approvals(page: Page) -> Response:
    """Stream the list as calls arrive and are decided."""

    async def show() -> tuple[str, bool]:
        return render("approvals/_list.html", **await _shown_list(page)), False

    return await live(page, ["events", "runs", "runs.stopped"], show)


@pages.get("/approvals/{id}")
async def show_approval(page: Page) -> Response:
    """Show a call with the form to decide on it."""
    approval = await page.service(Approvals).get(page.path_id())
    way_back = {name: page.query.text(name) for name in ("back", "conversation")}
    return await _show(page, approval, Form.of(way_back))


@pages.post("/approvals/{id}/decide")
async def decide(page: Page) -> Response:
    """Approve or refuse a call, which resumes the run."""
    approvals, form = page.service(Approvals), await page.form()
    approval = await approvals.get(page.path_id())
    try:
        decision = _decision_of(form, approval, await _tool_of(page, approval))
        changed, why = decision.arguments, decision.reason
        await approvals.decide(approval.id, decision.decision, changed, why, decision.answer)
    except RetinueError as error:
        return await _show(page, approval, form, error)
    notice = _("The call is approved.") if decision.decision == "approve" else _("The call is refused.")
    return page.redirect(_way_back(form, approval.run_id), notice)


def _way_back(form: Form, run_id: int) -> str:
    """Return the page from which the user decided."""
    if form.text("back") == "chat":
        return f"/playground?conversation={quote(form.text('conversation'), safe='')}"
    return "/approvals" if form.text("back") == "list" else f"/runs/{run_id}"


def _decision_of(form: Form, approval: ApprovalView, tool: Tool | None) -> ApprovalDecision:
    """Parse a decision. Unchanged arguments are left out, so that the run uses the model's own."""
    fields: dict[str, object] = {"decision": form.text("decision"), "reason": form.optional("reason")}
    if fields["decision"] == "approve" and approval.question:
        fields["answer"] = values_of(_answer_fields(approval), form, ANSWER)
    elif fields["decision"] == "approve":
        fields["arguments"] = changes_of(_call_fields(approval, tool), form, approval.arguments or {})
    return parse(ApprovalDecision, fields)


def _answer_fields(approval: ApprovalView) -> list[ArgumentField]:
    """Return the form fields that answer the question of a call; [] if it asks none."""
    if not approval.question:
        return []
    return fields_of_question(approval.question.answer_schema, approval.answer or None)


def _call_fields(approval: ApprovalView, tool: Tool | None) -> list[ArgumentField]:
    """Return the form fields with the values of a call; [] if its tool is not there any more."""
    return fields_of_call(tool, approval.arguments or {}) if tool else []


async def _tool_of(page: Page, approval: ApprovalView) -> Tool | None:
    known = await page.service(Tools).all()
    return known.get(approval.tool) if approval.tool in known else None


async def _shown_list(page: Page) -> dict[str, object]:
    paging, requested = page.paging(15), page.query.text("status") or "pending"
    status = next((one for one in _STATUSES if one == requested), None)
    rows, total = await page.service(Approvals).page(paging.part, status)
    values: dict[str, object] = {"state": status or "all", "paging": paging.of(total)}
    approvals = [await with_change(page, row) for row in rows]
    known = await page.service(Tools).all()
    values["titles"] = {row.tool: known.get(row.tool).title for row in rows if row.tool in known}
    return {**values, "approvals": approvals, "agents": await agent_names(page, (row.agent_id for row in rows))}


async def _show(page: Page, approval: ApprovalView, form: Form, problem: RetinueError | None = None) -> Response:
    run = await page.service(Runs).get(approval.run_id)
    tool, question = await _tool_of(page, approval), approval.question
    call_fields = refill(_call_fields(approval, tool), form, CHANGE)
    values = {
        "approval": await with_change(page, approval),
        "run": run,
        "agents": await agent_names(page, [approval.agent_id]),
        "form": form,
        "tool": tool,
        "answer_fields": refill(_answer_fields(approval), form, ANSWER),
        "call_fields": call_fields,
        "files": await file_choices(page, call_fields),
        "links": [(url, urlsplit(url).netloc) for url in question.urls] if question else [],
        "consequences": consequences_of(tool, approval.arguments),
        **await origin_of(page, run.options),
    }
    return await page.render("approvals/approval.html", problem.status if problem else 200, **values, problem=problem)
