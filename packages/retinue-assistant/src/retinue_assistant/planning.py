"""Completes a message, splits it into requests, and translates them."""

from collections.abc import Sequence
from dataclasses import replace

from retinue.language.language_detection import is_foreign
from retinue.models.assistant import compute
from retinue.models.base import AssistantResources
from retinue_assistant import foreign_requests, references, rewriting, splitting, translating
from retinue_assistant.assistant_request import AssistantRequest
from retinue_assistant.conversation_turn import ConversationTurn, earlier_calls
from retinue_assistant.few_shot import few_shot_prompt
from retinue_assistant.fixed_texts import asks_to_add
from retinue_assistant.followups import Said, acts, complete, is_elliptical, with_operand
from retinue_assistant.json_model import CachedJsonModel
from retinue_assistant.misspellings import correct_spelling
from retinue_assistant.numbers import digits_in, has_digits
from retinue_assistant.results import headline_of
from retinue_assistant.text_parsing.number_formats import write_english_numbers
from retinue_assistant.tool_choice import likely_tools

_EARLIER = 2
"""Most earlier messages and facts from which a message is completed."""
_CLEARER = 2.0
"""If another question follows a request, the lead of its tool is at least this much lower than without it."""
_SHARE = 0.3
"""Two texts are requests if each has this share of the lead of the whole, or if the second one begins like one."""


def repeats_call(turn: ConversationTurn) -> bool:
    """Return whether a message like "And 25?" follows a successful call: that call is repeated with the new value."""
    return turn.last_call is not None and is_elliptical(turn.question)


def _user_messages(turn: ConversationTurn) -> list[str]:
    return [one.content for one in turn.before if one.role == "user"]


def _user_requests(turn: ConversationTurn) -> list[Said]:
    called, said = {text for text, call in earlier_calls(turn) if call.error is None}, list[Said]()
    for one in turn.before:
        if one.role == "user":
            said.append(Said(one.content, one.content in called))
        elif said and one.role == "assistant" and asks_to_add(one.content):
            said[-1] = replace(said[-1], lacks_value=True)
    return said


def _earlier_messages(turn: ConversationTurn) -> list[str]:
    """Return the earlier messages of the user, each with the main value of its result, if it needed one call."""
    results = {text: f" ({headline_of(call, text)})" for text, call in earlier_calls(turn) if call.error is None}
    return [text + results.get(text, "") for text in _user_messages(turn)]


class Planner:
    """Completes, splits and translates messages by rules, and then by the model, if it `rewrites`."""

    def __init__(self, json_model: CachedJsonModel, *, rewrites: bool) -> None:
        self._json_model, self._rewrites = json_model, rewrites

    async def plan(self, work: AssistantRequest) -> None:
        """Complete the message, and set its parts.

        A message to an agent with instructions stays whole, as does one with braces that look like placeholders.
        """
        if work.instructions:
            work.parts = [work.turn.question]
            return
        work.turn = replace(work.turn, question=correct_spelling(work.turn.question))
        if (resources := work.request.resources) is not None:
            work.turn = await self._complete(work, resources)
        work.parts = [work.turn.question]
        if references.has_placeholders(work.turn.question):
            return
        if resources is not None and not repeats_call(work.turn):
            work.parts = self._parts(work)
            for split in (self._split_by_tools, self._split_by_model):
                if len(work.parts) == 1:
                    work.parts = references.number_references(await split(work, work.parts[0], resources))

    async def in_english(self, work: AssistantRequest, request: str) -> str:
        """Return a request in English, for the tool search."""
        if known := foreign_requests.in_known_english(request):
            return known
        return await self.translate(work, request) if is_foreign(request) else request

    async def translate(self, work: AssistantRequest, request: str) -> str:
        """Return a request of another language in English."""
        text, data = translating.split_data(write_english_numbers(request))
        prompt = translating.translation_prompt(text)
        answer = await self._json_model.generate(work, prompt, translating.TRANSLATION, rewriting.TOKENS)
        return " ".join(filter(None, [translating.checked_translation(answer, text), data]))

    async def _complete(self, work: AssistantRequest, resources: AssistantResources) -> ConversationTurn:
        """Complete a message that depends on earlier ones or on saved facts, by the model if it can, else by rules."""
        turn = work.turn
        completed = turn.question
        has_value = turn.last_call is not None and references.refers(completed)
        if self._rewrites and not has_value and rewriting.is_dependent(completed):
            completed = await self._complete_by_model(work, resources)
        if completed == turn.question:
            if turn.last_call and (operation := with_operand(completed)):
                return replace(turn, question=operation)
            completed = complete([*_user_requests(turn), Said(completed)])
        return replace(turn, question=completed, is_rewritten=completed != turn.question)

    async def _complete_by_model(self, work: AssistantRequest, resources: AssistantResources) -> str:
        turn = work.turn
        # Without what this message itself saved, so that every step of a run completes it in the same way.
        facts = [one for one in await resources.recall(turn.question) if not one.endswith(turn.saved_texts)]
        earlier = [*facts, *_earlier_messages(turn)][-_EARLIER:]
        is_talk = not (earlier_calls(turn) or digits_in(" ".join(earlier)))
        if is_talk or await resources.saved_answer(turn.question):
            return turn.question
        messages = [*earlier, turn.question]
        prompt, schema = rewriting.completion_prompt(messages), rewriting.schema(len(messages), len(messages))
        answer = await self._json_model.generate(work, prompt, schema, rewriting.TOKENS)
        return rewriting.checked_completion(answer, messages)

    async def _split_by_tools(
        self, work: AssistantRequest, message: str, resources: AssistantResources
    ) -> Sequence[str]:
        """Split an English message where joined texts need different tools, or where what follows obscures the tool."""
        if is_foreign(message) or len(message) > references.LONGEST:
            return [message]
        joined = rewriting.texts_beside(rewriting.JOINED, message)
        others = rewriting.texts_beside(rewriting.BEFORE_REQUEST, message)
        _, lead = await self._likely_tool(work, message, resources) if joined or others else ("", 0.0)
        for first, rest in (*joined, *(others if lead else ())):
            tool, first_lead = await self._likely_tool(work, first, resources)
            if splitting.states_facts(first) and not acts(tool):
                continue
            other, other_lead = await self._likely_tool(work, rest, resources) if tool else ("", 0.0)
            is_obscured = first_lead >= lead + _CLEARER and (other or not references.refers(rest))
            are_clear = splitting.ASKING.match(rest) or min(first_lead, other_lead) >= lead * _SHARE
            are_joined = other and (first, rest) in joined and are_clear
            if tool not in ("", other) and (is_obscured or are_joined):
                return [part for text in (first, rest) for part in await self._split_by_tools(work, text, resources)]
        return [message]

    async def _split_by_model(
        self, work: AssistantRequest, message: str, resources: AssistantResources
    ) -> Sequence[str]:
        """Let the model split a message. Each part must use an earlier result, have a tool, or ask with a number."""
        may_split = self._rewrites and rewriting.may_split(message)
        if not may_split or not (await self._likely_tool(work, message, resources))[0]:
            return [message]
        prompt = few_shot_prompt("split", message)
        answer = await self._json_model.generate(work, prompt, rewriting.schema(1), rewriting.TOKENS)
        parts = references.number_references(rewriting.checked_split(answer, message))
        for part in parts if len(parts) > 1 else ():
            is_request = references.dependencies(part) or (has_digits(part) and splitting.ASKING.search(part))
            if not is_request and not (await self._likely_tool(work, part, resources))[0]:
                return [message]
        return parts

    async def _likely_tool(
        self, work: AssistantRequest, request: str, resources: AssistantResources
    ) -> tuple[str, float]:
        """Return the name and the lead of the tool that a request needs; an empty name if it needs none."""
        candidates = await resources.find_tools(await self.in_english(work, request))
        found = await compute(likely_tools, request, candidates)
        return (found[0].tool.name, found[0].lead) if found else ("", 0.0)

    def _parts(self, work: AssistantRequest) -> Sequence[str]:
        turn, parts = work.turn, splitting.split(work.turn.question)
        if turn.is_rewritten or not (_user_messages(turn) and references.refers(parts[0])):
            return parts
        if turn.last_call:
            message, call = turn.last_call
            return [references.replace_reference(parts[0], headline_of(call, message)), *parts[1:]]
        work.unresolved = not digits_in(turn.question)
        return parts
