"""Gives tool calling to a small model that cannot call tools natively.

`planning` splits a message into requests. `tool_caller` chooses a tool for each request, or none, and fills in its
arguments; a request may use the result of an earlier one. If the tool rejects the arguments, the model fills them in
once more with the error in the prompt; after that, the next likely tool is tried. One reply covers all requests in
order: `results` formats tool results without the model, and the model answers requests without a tool
(`reply_prompts`).
Between calls, the assistant stores only what it can compute again, so a run can resume from its journal.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from retinue.language.language_detection import language_of as text_language
from retinue.language.language_detection import language_of_request
from retinue.language.translation import SOURCE
from retinue.models.assistant import JsonModel
from retinue.models.base import Delta, ModelRequest, Persona, ProviderFailed, TextDelta, ToolCall, Usage
from retinue_assistant import citing, fixed_texts, guides, instructed, passages, reply_prompts
from retinue_assistant.argument_coverage import unanswered_parts
from retinue_assistant.assistant_request import MOST_CALLS, AssistantRequest
from retinue_assistant.conversation_turn import earlier_calls, read_turn
from retinue_assistant.fixed_texts import asks_identity, fixed_text, identity, language_of
from retinue_assistant.followups import asks_change
from retinue_assistant.json_model import CachedJsonModel
from retinue_assistant.planning import Planner
from retinue_assistant.reply_guard import ReplyGuard, without_disclaimer
from retinue_assistant.results import NO_WORDING, render_named_field, render_result
from retinue_assistant.sentence_similarity import score_sentences
from retinue_assistant.text_parsing.foreign_days import write_english_days
from retinue_assistant.text_parsing.iso_dates import has_iso_dates
from retinue_assistant.text_parsing.relative_dates import write_relative_dates
from retinue_assistant.tool_caller import ToolCaller
from retinue_assistant.tool_choice import ADDRESS

_TOO_SMALL = "The model of this agent is too small for the task. Choose a larger one for the agent, or as the default."


class Assistant:
    """Gives a model without native tool calling the behaviour of one that has it. See `Model`.

    `rewrites` says that the model is large enough to complete and split messages (`rewriting`): 1.5 billion parameters.
    """

    def __init__(self, base: JsonModel, *, rewrites: bool = True) -> None:
        self.name = base.name
        self.context_tokens = base.context_tokens
        self.uses_resources = True
        self.max_output_tokens = base.max_output_tokens
        self.input = base.input
        self._base, self._rewrites = base, rewrites
        json_model = CachedJsonModel(base)
        self._planner = Planner(json_model, rewrites=rewrites)
        self._caller = ToolCaller(json_model, self._planner)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Generate the next calls, or the reply. See `Model`."""
        work = AssistantRequest(request, read_turn(request.messages))
        is_free = request.output_schema is None
        reply = await _ready_reply(work, rewrites=self._rewrites) if is_free else ""
        calls: list[ToolCall] = []
        if not reply and (is_free or request.tools):
            await self._planner.plan(work)
            calls = await self._caller.calls(work)
        for call in calls:
            yield call
        if not calls:
            if is_free and (overtaken := await self._overtaken_reply(work)):
                yield TextDelta(f"{overtaken}\n\n")
            async with aclosing(self._reply(work, reply)) as deltas:
                async for delta in deltas:
                    yield delta
        yield work.spent

    async def _overtaken_reply(self, work: AssistantRequest) -> str:
        """Return the reply to the previous message, if the user wrote again after its calls, before its reply."""
        messages, resources = work.turn.before, work.request.resources
        is_first = resources is None or work.turn.question.startswith(resources.first_message)
        if is_first or not messages or messages[-1].role != "tool":
            return ""  # The results of a run that was cancelled before this run began are not reported.
        overtaken = AssistantRequest(replace(work.request, messages=messages), read_turn(messages))
        await self._planner.plan(overtaken)
        replies = [await self._worded_reply(overtaken, number) for number in overtaken.turn.attempts]
        return "\n\n".join(filter(None, replies))

    async def _reply(self, work: AssistantRequest, fixed: str) -> AsyncGenerator[Delta]:
        """Generate one reply to all requests, in order. `fixed` is the reply if it is known."""
        if fixed:
            yield TextDelta(fixed)
            return
        if work.request.output_schema is not None:  # No text of the assistant would fit.
            async for delta in self._stream(work, reply_prompts.structured_request(work.request, work.turn)):
                yield delta
            return
        for number, _ in enumerate(work.parts):
            if len(work.parts) > 1:
                yield TextDelta(("\n\n" if number else "") + f"**{work.part(number)}** ")
            if reply := await self._worded_reply(work, number):
                yield TextDelta(reply)
                continue
            if work.request.excerpts is not None and not reply_prompts.asks_for_text(work.part(number)):
                yield TextDelta(instructed.nothing_found(work.part(number), work.request.persona))
                continue
            async with aclosing(self._model_reply(work, number)) as deltas:
                async for delta in deltas:
                    yield delta

    async def _worded_reply(self, work: AssistantRequest, number: int) -> str:
        """Return the reply to a request without the model; empty if the model has to write it."""
        if number in work.replies:
            return work.replies[number]
        attempts = work.turn.attempts.get(number, ())
        if not attempts and work.turn.calls >= MOST_CALLS:
            return fixed_text("too_many", work.turn.question)
        request = await self._planner.in_english(work, work.part(number))
        if attempt := work.turn.attempt_of(number):
            resources = work.request.resources
            language = _language_of_conversation(work)
            wording = await resources.reply_templates(attempt.tool, language) if resources else NO_WORDING
            reply = render_result(attempt, request, wording)
            return reply + self._missed_note(work, number, request, reply) if reply else ""
        if attempts:
            return reply_prompts.failure(attempts[-1].error or "it has no result.", work.turn.question)
        if persona := work.request.persona if work.instructions else None:
            return await self._quotation(work, persona)
        if not self._rewrites and reply_prompts.asks_translation(work.part(number)):
            return fixed_text("no_translation", work.part(number))
        reply = reply_prompts.refusal(request, work.part(number)) or await self._saved_facts(work, number, request)
        return reply or ("" if self._rewrites else self._foreign_reply(work, work.part(number)))

    @staticmethod
    def _foreign_reply(work: AssistantRequest, part: str) -> str:
        """Return the reply to a message in another language that a model of 0.5 billion parameters would answer badly:
        of ten replies in German, none was sensible. Returns an empty string for English, and for the languages of other
        scripts: the included model knows Chinese.
        """
        if language_of_request(part) in (SOURCE, None) or work.request.excerpts is not None:
            return ""
        return fixed_texts.reply_to_courtesy(part, None) or fixed_text("english_only", part)

    @staticmethod
    async def _saved_facts(work: AssistantRequest, number: int, request: str) -> str:
        """Quote what was saved that shares a word with a question about the person who asks, or say that nothing was.

        Returns an empty string for other questions. A small model turns facts into their opposite, and invents them.
        """
        resources = work.request.resources
        if resources is None or not reply_prompts.asks_about_self(request):
            return ""
        if facts := await resources.recall(work.part(number)):
            return fixed_text("saved", work.part(number)).format("; ".join(facts))
        is_first = all(one.role != "user" for one in work.turn.before)
        is_private = is_first and reply_prompts.asks_private_matter(request)
        return fixed_text("unsaved", work.part(number)) if is_private else ""

    @staticmethod
    def _missed_note(work: AssistantRequest, number: int, request: str, reply: str) -> str:
        """Return the note about what a reply leaves out. A fleet has nobody who could ask again."""
        attempt, persona = work.turn.attempt_of(number), work.request.persona
        if attempt is None or (persona and persona.in_fleet):
            return ""
        missed = (unanswered_parts(text, attempt.arguments, reply) for text in (work.part(number), request))
        return reply_prompts.missed_note(next(filter(None, missed), []), work.turn.question)

    async def _quotation(self, work: AssistantRequest, persona: Persona) -> str:
        """Return the reply that quotes the agent's instructions; empty if the model has to write it."""
        message = work.turn.question
        if not instructed.reads_facts(message, persona):
            return instructed.refusal(message, persona)
        is_english = text_language(persona.instructions) in (SOURCE, None)
        is_foreign = is_english and language_of(message) != SOURCE
        question = ADDRESS.sub("", f"{instructed.earlier_question(message, work.turn)} {message}").strip()
        known = passages.likely_statements(question, persona.instructions)
        scores = await _scores(work, question, [one.about for one in known])
        found = passages.choose_statements(question, known, scores)
        english = message if found or not is_foreign else await self._planner.translate(work, message)
        return instructed.quote(message, english, found, persona, is_foreign=is_foreign)

    async def _model_reply(self, work: AssistantRequest, number: int) -> AsyncGenerator[Delta]:
        """Generate the model's reply to a request."""
        resources, request = work.request.resources, work.part(number)
        if (persona := work.request.persona) and work.instructions and not work.turn.attempt_of(number):
            facts = resources.remembered_facts if resources else ()
            prompt = instructed.reply_request(work.request, work.turn, persona, facts)
            async for delta in self._instructed_reply(work, prompt, persona):
                yield delta
            return
        facts = await resources.recall(request) if resources else []
        prompt = reply_prompts.reply_request(
            work.request, work.turn, request if len(work.parts) > 1 else "", number, facts
        )
        async with aclosing(self._stream(work, prompt)) as deltas:
            async for delta in without_disclaimer(deltas, fixed_text("too_hard", work.turn.question)):
                yield delta

    async def _instructed_reply(
        self, work: AssistantRequest, request: ModelRequest, persona: Persona
    ) -> AsyncGenerator[Delta]:
        """Generate an agent's reply, without what a small model must not say (`reply_guard`).

        Raises `ProviderFailed` in a fleet if nothing is left, so that no other agent builds upon it.
        """
        guard = ReplyGuard(request, work.turn.question, persona.instructions, [one.name for one in work.request.tools])
        async with aclosing(self._stream(work, request)) as deltas:
            async for delta in deltas:
                if not isinstance(delta, TextDelta):
                    yield delta
                elif text := guard.take(delta.content):
                    yield TextDelta(text)
                if guard.has_ended:
                    break
        if text := guard.take_rest():
            yield TextDelta(text)
        if guard.is_empty and persona.in_fleet:
            raise ProviderFailed(_TOO_SMALL, may_retry=False)
        if guard.is_empty:
            yield TextDelta(fixed_text("too_hard", work.turn.question))

    async def _stream(self, work: AssistantRequest, request: ModelRequest) -> AsyncGenerator[Delta]:
        """Stream the model's deltas, and count its tokens."""
        async with aclosing(self._base.stream(request)) as deltas:
            async for delta in deltas:
                if isinstance(delta, Usage):
                    work.spent += delta
                else:
                    yield delta


def _language_of_conversation(work: AssistantRequest) -> str:
    """Return the language of the last message that shows one: "25?" is asked in that of the message before."""
    messages = [work.turn.question, *(one.content for one in reversed(work.turn.before) if one.role == "user")]
    clear = (message for message in messages if language_of_request(message, unclear="") != "")
    return language_of(next(clear, ""))


async def _ready_reply(work: AssistantRequest, *, rewrites: bool) -> str:
    """Return the reply to a message that needs neither model nor tool: a fixed text or a passage.

    Returns an empty string for other messages.
    """
    if reply := _fixed_reply(work, rewrites=rewrites):
        return reply
    resources = work.request.resources
    guide = ""
    if resources and not (work.request.persona or work.turn.attempts):
        guide = await guides.answer(work.turn.question, resources.similarities)
    return guide or await _document_quotation(work)


def _fixed_reply(work: AssistantRequest, *, rewrites: bool) -> str:
    """Return the fixed text that replies to a message without model or tool; else an empty string.

    A model that does not rewrite messages cannot tell what "Undo" or "Make it 7pm" changes, and says that it did.
    """
    earlier = earlier_calls(work.turn)
    if earlier and not (rewrites or work.turn.attempts) and asks_change(work.turn.question, earlier[-1][1]):
        return fixed_text("whole_request", work.turn.question)
    message, persona, excerpts = work.turn.question, work.request.persona, work.request.excerpts
    is_new = earlier and not (work.turn.attempts or work.instructions)
    if is_new and (named := render_named_field(earlier[-1][1], message)):
        return named
    if persona and (persona.instructions or excerpts is not None):
        reply = instructed.fixed_reply(message, persona)
    elif asks_identity(message):
        reply = identity(message, persona)
    elif not work.request.tools and reply_prompts.reads_page(message):
        reply = reply_prompts.needs_tool(reply_prompts.PAGE_TOOL, message)
    else:
        reply = ""
    return reply


async def _document_quotation(work: AssistantRequest) -> str:
    """Return the sentence of the documents that answers the message; empty if none does.

    A short message such as "How much does it cost?" is understood with the one before it, but not its day.
    """
    if not work.request.excerpts or reply_prompts.asks_for_text(work.turn.question):
        return ""
    message = work.turn.question
    question = f"{instructed.earlier_question(message, work.turn)} {message}".strip()
    sentences = citing.read_sentences(work.request.excerpts)
    scores = await _scores(work, question, [one.text for one in sentences])
    dated, whole = (_with_dates(text, work) for text in (message, question))
    return citing.quote(dated if has_iso_dates(dated) else whole, sentences, scores)


def _with_dates(text: str, work: AssistantRequest) -> str:
    """Write the days of a text as dates."""
    is_foreign = language_of_request(work.turn.question) not in (SOURCE, None, "")
    return write_relative_dates(write_english_days(text) if is_foreign else text, work.today)


async def _scores(work: AssistantRequest, question: str, sentences: Sequence[str]) -> list[float]:
    """Return how near sentences are to a question (`sentence_similarity`)."""
    resources = work.request.resources
    return await score_sentences(resources.similarities if resources else _no_similarities, question, sentences)


async def _no_similarities(question: str, texts: Sequence[str]) -> Sequence[float]:
    """Return no cosines: there is no embedding model."""
    return ()
