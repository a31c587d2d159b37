"""Lists the approvals of one account and records the decisions on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, TypeVar

import orjson

from retinue.auth.caller import Caller
from retinue.core.database.interface import Database, Tx
from retinue.core.errors import NotFound, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.core.work.notifier import Notifier
from retinue.runs import statements as runs_sql
from retinue.runs.approvals import statements as sql
from retinue.runs.approvals.schemas import ApprovalView
from retinue.runs.context_window import parsed_arguments
from retinue.runs.tables import ApprovalRow
from retinue.tools.imports.account_catalogue import AccountCatalogue, AnyCatalogue
from retinue.tools.imports.mcp.questions import answer_faults

Decision = Literal["approve", "deny"]
R = TypeVar("R")
_OUTCOMES: Mapping[Decision, str] = {"approve": "approved", "deny": "denied"}


@dataclass(frozen=True)
class Approvals:
    """Finds approvals and decides on them. Every query is limited to the caller's account."""

    caller: Caller
    database: Database
    notifier: Notifier
    directory: AccountCatalogue

    async def page(self, page: Page, status: str | None) -> tuple[Sequence[ApprovalView], int]:
        """Return one page, newest first, and the total count."""
        filters = {"account": self.caller.account_id, "wanted": status}
        rows = await read_page(self.database, sql.LIST, page, **filters)
        (counted,) = await self.database.query(sql.COUNT, **filters)
        return [_view(row) for row in rows], counted.count

    async def pending(self) -> int:
        """Return the number of calls that wait for a decision."""
        (counted,) = await self.database.fetch(sql.PENDING, account=self.caller.account_id)
        return int(counted.count)

    async def get(self, approval_id: int) -> ApprovalView:
        """Return one approval. Raises `NotFound`."""
        return _view(await self.row(approval_id))

    async def row(self, approval_id: int) -> ApprovalRow:
        """Return the row of one approval, with its place in the run's journal. Raises `NotFound`."""
        return _require(await self.database.lookup(sql.GET, **self._key(approval_id)), approval_id)

    async def decide(
        self,
        approval_id: int,
        decision: Decision,
        arguments: Mapping[str, object] | None,
        reason: str | None,
        answer: Mapping[str, object] | None = None,
    ) -> ApprovalView:
        """Record a decision and resume the run. `arguments` replaces the model's arguments.

        `answer` is that to a question of the tool's server, which is approved with an answer.

        Raises `NotFound`, or `ValidationFailed` if the approval is already decided.
        """
        known = await self.directory.of(self.caller.account_id)

        async def write(tx: Tx) -> None:
            _require(await tx.one(sql.LOCK_RUN, **self._key(approval_id)), approval_id)
            approval = _require(await tx.one(sql.GET, **self._key(approval_id)), approval_id)
            if approval.status != "pending":
                raise ValidationFailed(f"The approval {approval_id} is already {approval.status}.")
            changed = _validate_arguments(known, approval, arguments)
            answered = _validate_answer(approval, answer) if decision == "approve" else None
            decided = {"outcome": _OUTCOMES[decision], "changed": changed, "why": reason, "answered": answered}
            await tx.run(sql.DECIDE, **self._key(approval_id), **decided, moment=now())
            await note_effect(tx, self.caller.claim, {"approval": approval_id})
            await tx.run(runs_sql.WAKE, run=approval.run_id, account=self.caller.account_id)
            tx.after_commit(partial(self.notifier.wake, "runs"))

        await self.database.transact(write)
        return await self.get(approval_id)

    def _key(self, approval_id: int) -> dict[str, int]:
        return {"approval": approval_id, "account": self.caller.account_id}


def _require(found: R | None, approval_id: int) -> R:
    if found is None:
        raise NotFound(f"There is no approval {approval_id} in your account.")
    return found


def _validate_arguments(known: AnyCatalogue, approval: ApprovalRow, arguments: Mapping[str, object] | None) -> str:
    """Return the call's arguments as JSON. Replacements must match the tool's schema.

    The run itself checks those of tools that only its agent has: other agents, and scripts of skills.
    """
    if arguments is None:
        return str(approval.arguments)
    if approval.question:
        raise ValidationFailed(
            "arguments: this call has begun, and its server asks a question. Send an answer instead."
        )
    if approval.tool in known:
        known.check(known.get(approval.tool), arguments)
    return orjson.dumps(arguments).decode()


def _validate_answer(approval: ApprovalRow, answer: Mapping[str, object] | None) -> dict[str, object] | None:
    """Return the answer to a question; None if the call needs approval."""
    if approval.question is None:
        if answer is not None:
            raise ValidationFailed("answer: this call asks no question. Approve or deny it without an answer.")
        return None
    values = dict(answer or {})
    if faults := answer_faults(approval.question["schema"], values):
        raise ValidationFailed(f"answer: {faults}. See answer_schema of the question.")
    return values


def _view(row: ApprovalRow) -> ApprovalView:
    stored = row.question
    question = (
        {
            "message": stored["message"],
            "answer_schema": stored["schema"],
            "urls": list(stored.get("urls", {}).values()),
            "repeats_call": stored.get("earlier") is not None,
        }
        if stored
        else None
    )
    return ApprovalView.of_row(row, arguments=parsed_arguments(row.arguments or "{}"), question=question)
