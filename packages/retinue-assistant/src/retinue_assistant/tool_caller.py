"""Creates the tool calls that a message needs: chooses a tool for each part and fills in its arguments."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from retinue.models.assistant import compute
from retinue.models.base import AssistantResources, Candidate, ToolCall, estimate_tokens
from retinue_assistant import arguments, constraints, followups, known_words, reply_prompts, tool_choice
from retinue_assistant.assistant_request import MOST_CALLS, AssistantRequest
from retinue_assistant.conversation_turn import ToolAttempt, earlier_calls, new_call
from retinue_assistant.fixed_texts import fixed_text
from retinue_assistant.invented_values import (
    TIMEZONE,
    invented_arguments,
    invented_texts,
    means_one,
    without_invented_options,
)
from retinue_assistant.json_model import CachedJsonModel
from retinue_assistant.passages import has_facts
from retinue_assistant.planning import Planner, repeats_call
from retinue_assistant.rounding import rounds, split_decimals
from retinue_assistant.text_parsing.durations import convert_durations, without_unstated_durations
from retinue_assistant.text_parsing.recurrence import first_occurrence
from retinue_assistant.text_parsing.relative_dates import (
    add_stated_date,
    add_stated_time,
    move_trailing_date,
    takes_dates,
    write_moments,
    write_named_days,
    write_relative_dates,
)
from retinue_assistant.text_parsing.signed_coordinates import write_signed_coordinates

_PLAIN_LEAD = 8.0
"""Log-odds from which a request plainly means a tool, so that the reply asks for what it does not state."""
_REFUSALS = 2
"""Refused calls of one tool before the next likely tool is tried, once."""


class ToolCaller:
    """Creates calls with the model and the run's resources."""

    def __init__(self, json_model: CachedJsonModel, planner: Planner) -> None:
        self._json_model, self._planner = json_model, planner

    async def calls(self, work: AssistantRequest) -> list[ToolCall]:
        """Return the calls that can run now, at most one for each unanswered part."""
        calls: list[ToolCall] = []
        for number, _ in enumerate(work.parts):
            is_room = work.turn.calls + len(calls) < MOST_CALLS
            if is_room and work.wants_call(number) and (call := await self._call(work, number)):
                calls.append(call)
        return calls

    async def _call(self, work: AssistantRequest, number: int) -> ToolCall | None:
        """Return the next call of a part: the first one, one with corrected arguments, or one of the next tool."""
        if (resources := work.request.resources) is None:
            return None
        part = work.part(number)
        if work.instructions and not self._needs_tool(work, part):
            return None
        if reply := await self._reply_without_tool(work, part, resources):
            work.replies[number] = reply
            return None
        if followups.asks_again(part) and (again := await self._repeated_call(work, number, resources)):
            return again
        return await self._call_of_likely_tool(work, number, await self._in_known_words(work, part), resources)

    @staticmethod
    async def _reply_without_tool(work: AssistantRequest, part: str, resources: AssistantResources) -> str:
        """Return what was saved that answers a request, or that only a business can answer it; empty otherwise."""
        if work.request.tools or work.instructions:
            return ""
        return await resources.saved_answer(part) or (
            fixed_text("no_business", part) if reply_prompts.asks_business(part) else ""
        )

    async def _in_known_words(self, work: AssistantRequest, part: str) -> str:
        """Return a request in English, in words that the classifier knows, with named days and signed coordinates."""
        english = await self._planner.in_english(work, part)
        for write in (known_words.as_calendar_entry, known_words.as_plain_question):
            if known := write(english, work.today):
                english = known
                break
        english = known_words.write_reminder_time(english, work.moment)
        return write_named_days(write_signed_coordinates(english), work.today)

    async def _call_of_likely_tool(
        self, work: AssistantRequest, number: int, text: str, resources: AssistantResources
    ) -> ToolCall | None:
        """Return a call of the most likely tool for which `text` states the arguments. A reply may ask for them."""
        request, _ = split_decimals(text)
        attempts = work.turn.attempts.get(number, ())
        for candidate in await self._next_candidates(work, request, resources, attempts):
            if not candidate.allowed:
                work.replies.setdefault(number, reply_prompts.needs_tool(candidate.tool.name, work.part(number)))
                return None
            call = await self._call_of(work, number, text if rounds(candidate.tool) else request, candidate, attempts)
            if call is not None:
                work.replies.pop(number, None)
            if call is not None or number not in work.replies:  # A reply asks for what the message does not state.
                return call
        return None

    @staticmethod
    async def _repeated_call(work: AssistantRequest, number: int, resources: AssistantResources) -> ToolCall | None:
        """Return the previous call once more, if its tool is still offered."""
        if work.turn.last_call is None or work.turn.attempts:
            return None
        _, last = work.turn.last_call
        offered = await resources.find_tools(last.tool.replace("_", " "))
        is_offered = any(one.tool.name == last.tool and one.allowed for one in offered)
        return new_call(number, last.tool, orjson.loads(last.arguments)) if is_offered else None

    async def _call_of(
        self,
        work: AssistantRequest,
        number: int,
        message: str,
        candidate: Candidate,
        attempts: Sequence[ToolAttempt],
    ) -> ToolCall | None:
        """Fill in the arguments of a tool, and return the call. Returns None if the message does not state what the
        tool needs, or if the tool has just rejected the same arguments.
        """
        refused = attempts[-1] if attempts and attempts[-1].tool == candidate.tool.name else None
        if takes_dates(candidate):
            message = write_moments(write_relative_dates(message, work.today), candidate)
        found = await self._fill_in(work, message, candidate, refused)
        repeated = work.turn.last_call if repeats_call(work.turn) and not refused else None
        if repeated and not followups.states_change(message, repeated[1].arguments, found):
            name = "whole_request" if followups.has_record(repeated[1]) else "whole_question"
            work.replies[number] = fixed_text(name, work.turn.question)
            return None
        call = self._stated_call(work, number, message, candidate, found)
        return None if call and refused and call.arguments == refused.arguments else call

    def _stated_call(
        self, work: AssistantRequest, number: int, message: str, candidate: Candidate, found: Mapping[str, Any]
    ) -> ToolCall | None:
        """Return a call with these arguments, unless some are invented: a plain request is then asked for them."""
        known = " ".join([message, work.turn.question, *(one.content for one in work.turn.before)])
        unsaid = invented_texts(message, known, candidate, found)
        required = candidate.tool.input_schema.get("required", ())
        invented = [
            *invented_arguments(message, candidate, found, work.today),
            *(one for one in unsaid if one in required),
        ]
        said = {name: value for name, value in found.items() if name in required or name not in unsaid}
        stated = self._normalize(work, message, candidate, said)
        if found.keys() - {TIMEZONE} and not stated and not tool_choice.fits(message, candidate.tool):
            return None
        is_plain = candidate.lead >= _PLAIN_LEAD
        if is_plain and len(invented) == 1 and means_one(message):
            return new_call(number, candidate.tool.name, {**stated, invented[0]: 1})
        if invented and is_plain:
            work.replies[number] = reply_prompts.ask_for(invented, work.turn.question)
        return None if invented else new_call(number, candidate.tool.name, stated)

    @staticmethod
    def _normalize(
        work: AssistantRequest, message: str, candidate: Candidate, found: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return arguments without what the message does not state, with its durations, shares, addresses and dates."""
        schema = candidate.tool.input_schema
        stated = without_invented_options(message, candidate, found, work.today)
        stated = without_unstated_durations(convert_durations(stated, message), schema.get("required", ()), message)
        stated = arguments.write_shares(stated, message)
        stated = arguments.move_address(stated, schema)
        if takes_dates(candidate):
            stated = move_trailing_date(stated, schema)
            stated = add_stated_date(stated, schema, message)
            after = work.moment if known_words.asks_reminder(message) else None
            stated = add_stated_time(stated, schema, message, work.today, after)
            stated = first_occurrence(stated, schema, message, work.today)
        return stated

    def _needs_tool(self, work: AssistantRequest, request: str) -> bool:
        """Return whether a message to an agent with instructions may need a tool: the catalogue's, or one of its
        own.
        """
        if constraints.has_own_form(work.instructions) or constraints.withholds(request, work.instructions):
            return False
        works_with_tools = bool(work.request.tools) and not has_facts(work.instructions)
        return works_with_tools or self._speaks_of_tool(work, request)

    def _speaks_of_tool(self, work: AssistantRequest, request: str) -> bool:
        """Return whether a message names a computation, or shares a word with a tool of the agent."""
        return tool_choice.plainly_asks(request) or any(tool_choice.fits(request, tool) for tool in work.request.tools)

    async def _next_candidates(
        self, work: AssistantRequest, request: str, resources: AssistantResources, attempts: Sequence[ToolAttempt]
    ) -> Sequence[Candidate]:
        """Return the tool to call next: the one that the last error refers to, or the next likely one.

        If the second likely tool has no required arguments and the request plainly means it, it follows the first.
        """
        if attempts and attempts[-1].is_final:
            return []
        tool_name = tool_choice.tool_named_in(attempts[-1].error or "") if attempts else ""
        if tool_name and tool_name not in [one.tool for one in attempts]:
            for one in await resources.find_tools(tool_name.replace("_", " ")):
                if one.tool.name == tool_name:
                    return [replace(one, hints=None)]
        candidates = await self._candidates(work, request, resources)
        if attempts:
            found = _next(candidates, attempts)
            return [found] if found else []
        plain = [one for one in candidates[1:2] if one.lead >= _PLAIN_LEAD]
        return [*candidates[:1], *(one for one in plain if not one.tool.input_schema.get("required"))]

    async def _candidates(
        self, work: AssistantRequest, request: str, resources: AssistantResources
    ) -> Sequence[Candidate]:
        """Return the tools that a request may mean, most likely first."""
        if repeats_call(work.turn):
            return await self._called_before(work, resources)
        found = await resources.find_tools(request)
        if work.turn.is_rewritten and (last := work.turn.last_call):
            found = tool_choice.prefer_tool(last[1].tool, request, found)
        opening = [one for one in found if tool_choice.opens_address(one.tool) and tool_choice.fits(request, one.tool)]
        if work.request.tools and opening:
            return sorted(opening, key=lambda one: not tool_choice.shares_words(request, one.tool))
        if work.instructions and reply_prompts.asks_for_text(request):  # "Write an outline": no tool for another job
            found = [one for one in found if tool_choice.fits(request, one.tool)]
        if work.request.tools:
            return await self._choose_named_tool(work, request, found)
        likely = await compute(tool_choice.likely_tools, request, found)
        if likely or not (known := known_words.in_known_words(request)):
            return likely
        return await compute(tool_choice.likely_tools, known, await resources.find_tools(known))

    async def _choose_named_tool(
        self, work: AssistantRequest, request: str, found: Sequence[Candidate]
    ) -> Sequence[Candidate]:
        """Return which of the caller's tools a request may mean. If the classifier is not clear, the model chooses."""
        if clear := await compute(tool_choice.clear_tools, request, found):
            return clear
        if work.instructions and not self._speaks_of_tool(work, request):
            return []
        prompt = tool_choice.choice_prompt(request, work.request.tools)
        schema = tool_choice.choice_schema(work.request.tools)
        answer = await self._json_model.generate(work, prompt, schema, tool_choice.TOKENS)
        return [one for one in found if one.tool.name == answer.get("tool")]

    async def _called_before(self, work: AssistantRequest, resources: AssistantResources) -> Sequence[Candidate]:
        """Return the tool of the previous call, found by searching with an earlier message that used it."""
        last = earlier_calls(work.turn)[-1][1].tool
        for message, _ in reversed(earlier_calls(work.turn)):
            candidates = await resources.find_tools(await self._planner.in_english(work, message))
            if found := [one for one in candidates if one.tool.name == last]:
                return [replace(one, hints=None) for one in found]
        return []

    async def _fill_in(
        self, work: AssistantRequest, request: str, candidate: Candidate, refused: ToolAttempt | None
    ) -> Mapping[str, Any]:
        """Fill in the arguments of a call. `refused` is the previous call, if the tool rejected its arguments."""
        same = [
            (message, call.arguments) for message, call in earlier_calls(work.turn) if call.tool == candidate.tool.name
        ]
        if repeats_call(work.turn) and same and not refused:
            form = arguments.form_again(request, candidate, same[-2:])
        else:
            form = arguments.form_for(request, candidate, work.today, mistaken=refused is not None)
        if not form.missing:
            return form.settled
        mistake = f"{refused.arguments} was refused: {refused.error}" if refused else ""
        tokens = arguments.TOKENS + estimate_tokens(request)
        return form.complete(await self._json_model.generate(work, form.prompt(mistake), form.schema(), tokens))


def _next(candidates: Sequence[Candidate], attempts: Sequence[ToolAttempt]) -> Candidate | None:
    """Return the tool to call after earlier attempts: the same one again, then the next likely one, then None."""
    if len(attempts) > _REFUSALS:
        return None
    tried = [one.tool for one in attempts]
    if 0 < len(attempts) < _REFUSALS:
        return next((one for one in candidates if one.tool.name == tried[-1]), None)
    return next((one for one in candidates if one.tool.name not in tried), None)
