"""Chooses the tool for a request, if it needs one."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from retinue.models.base import Candidate, Message, ToolOffer
from retinue_assistant.passages import subject_words
from retinue_assistant.schemas import one_field
from retinue_assistant.similar_examples import likenesses
from retinue_assistant.text_parsing.iso_dates import write_iso_dates
from retinue_assistant.text_parsing.relative_dates import WEEKDAYS

TOKENS = 64
"""Most tokens of the answer that names a tool."""
REPLY = "reply"
"""The answer of a model if no tool fits."""
_FILE = "file_"
"""Prefix of file ids."""
_ROUTER = 'You route requests to tools. Answer with one JSON object. If no tool fits, answer {"tool":"reply"}.'
ADDRESS = re.compile(r"\bhttps?://\S+|\bwww\.\S+", re.IGNORECASE)
_ADDRESSES = frozenset(("url", "urls", "address"))
"""Arguments that take the address of a page."""
_EXPLAINING = re.compile(r"^\W*(?:how (?:do|to|can|would|should)|why|explain|what does)\b", re.IGNORECASE)
_PLAIN = re.compile(
    r"^\W*(?:(?:please|can you|could you|would you|kannst du|bitte)\W+){0,2}(?:(?:calculate|compute|convert|count"
    r"|decode|encode|evaluate|factori[sz]e|hash|reverse|roll|round|simplify|sort|rechne|berechne|wandle)\b.*[\d\"':]"
    r"|(?:remember|note down|save)\b)"
    r"|\d\s?(?:[+*x\u00d7\u00f7^]|\s[-/]\s|times\b|plus\b|minus\b|divided by|percent of|% of|to the power of)\s?\d"
    r"|\b(?:how many|how much|wie viele?) [\w\u00b0 ]{1,20} (?:is|are|sind|ist) (?:in )?-?\d[\d.,]{0,20}"
    r" ?[\w\u00b0]+\W*$"
    r"|-?\d[\d.,]{0,20} ?[a-z\u00b0]{1,12} (?:in|to|into) [a-z\u00b0]{1,12}\W*$",
    re.IGNORECASE | re.DOTALL,
)
"""Matches a computation or a conversion with its operands, and a request to remember something."""
_CODING = re.compile(
    r"^\W*(?:(?:please|can you|could you)\W+){0,2}(?:write|create|make|give me|show me|code|implement|generate)\b"
    r"[^.?!:\n]{0,40}\b(?:function|program|script|class|method|(?<!qr )(?<!bar )code|snippet|macro)\b"
    r"|^\W*(?:(?:write|give me|show me|make|an?)\W+){0,2}(?:regex|regexp|regular expression) (?:to|for|that|which)\b",
    re.IGNORECASE,
)
"""Matches a request for a program: tools compute, they do not write one."""
_SUMMARIZING = re.compile(
    r"^\W*(?:(?:please|can you|could you)\W+){0,2}(?:summari[sz]e|sum up|give (?:me )?a (?:short |brief )?summary)\b",
    re.IGNORECASE,
)
"""Matches a request for a summary, whose text may speak of anything."""
_SUMMARY = "Pick the most central sentences of this text"
"""The same request in words that the classifier knows. A small model adds people and events to what it summarizes."""
_SENTENCE_END = re.compile(r"[.!?](?=\s)")
_SUMMARIZED = 4
"""Fewest ends of sentences within a text that is long enough for a summary by its central sentences."""
_TIMER = re.compile(
    r"^\W*(?:(?:please|can you|could you)\W+){0,2}(?:wake me\b|(?:set|start|make|create)\s+(?:an?|the|my|another)\s+"
    r"(?:\S+\s+){0,2}(?:alarm|timer|stopwatch)\b|(?:timer|alarm|stopwatch)\b)",
    re.IGNORECASE,
)
"""Matches a request for an alarm or a timer, which no tool is: others only compute with times."""
_WHEN = (
    r"(?:today|tonight|tomorrow|(?:on |next )?[a-z]{3,6}day|at \d[\w:.]*)(?: (?:at|morning|evening)\b(?: \d[\w:.]*)?)?"
)
"""When to remind, where it stands before the task."""
_REMINDER = re.compile(
    r"^\W*(?:(?:please|can you|could you)\W+){0,2}"
    rf"(?:remind me (?:(?P<when>{_WHEN}) )?(?:to|about|of|that i have to)|don'?t let me forget(?: to)?"
    r"|i (?:must|need to) remember to)"
    r"\s+(?P<task>.+)",
    re.IGNORECASE | re.DOTALL,
)
"""Matches a request for a reminder."""
_REPEATED = r"(?:every|each) (?P<{}>[a-z]{{3,6}}day|day|morning|evening)(?: at (?P<{}>\d[\w:.]*(?: ?[ap]\.?m\b)?))?"
_REPEATED_REMINDER = re.compile(
    r"^\W*(?:(?:please|can you|could you)\W+){0,2}remind me (?:"
    rf"{_REPEATED.format('day', 'time')},? (?:to|about|of|that i have to) (?P<task>[^.!?\n]{{2,150}})"
    rf"|(?:to|about|of) (?P<first_task>[^.!?\n]{{2,150}}?),? {_REPEATED.format('last_day', 'last_time')})\W*$",
    re.IGNORECASE,
)
"""Matches "Remind me every Monday at 9 to water the plants"."""
_HOURS = {"evening": 18}
_MORNING = 9
"""Hours of a repeated reminder without a time, in the evening and else."""
_MEMORIES = re.compile(
    r"^\W*(?:what (?:do|have|did|can) you (?:know|remember|learn(?:ed|t)?|store[d]?|save[d]?|memori[sz]ed?) about me"
    r"|what (?:have|did) i (?:told|tell) you(?: so far)?|do you (?:know|remember) anything about me"
    r"|was (?:wei\u00dft|weisst) du (?:alles )?\u00fcber mich|was hast du dir (?:alles )?(?:\u00fcber mich )?gemerkt"
    r"|qu\u00e9 (?:sabes|recuerdas) (?:de|sobre) m\u00ed|(?:que sais-tu|qu'est-ce que tu sais) (?:de|sur) moi)\W*$",
    re.IGNORECASE,
)
"""Matches a question for everything that was remembered, which a small model answers with a life that it invents."""
ALL_MEMORIES = "List everything you remember about me"
"""The same question in words that the classifier knows."""
_TIE = 0.5
"""Log-odds between tools that the classifier cannot tell apart: the more similar example decides."""
_CONSIDERED = 20
"""Most tools whose examples are compared with a request: each comparison takes a few milliseconds."""
_FAR = 4.0
"""Log-odds from which a tool is no alternative to a more likely one."""
_CERTAIN = 4.0
"""Log-odds from which the classifier alone decides."""
_SIMILAR = 0.3
"""Likeness from which a request resembles an example."""
_EQUAL = 0.9
"""Likeness from which a request is an example: it means that tool, whatever the classifier says."""
_COMPARED = 300
"""Longest request that must resemble an example, in characters. A longer one has data of its own."""
_KNOWN = 4
"""Fewest examples of a tool that the classifier was trained with."""
_TOOL_NAME = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b")
_MEMORY = re.compile(
    r"\W{1,10}(?:and |so )?(?:please )?(?:remember|don'?t forget|memori[sz]e) (?:that|this|it)(?: please)?\W{0,10}$",
    re.IGNORECASE,
)
"""Matches the request to remember a statement at its end."""
_UNROUTED = ("Hello!", "Who painted the Mona Lisa?", "Write a poem about rain")


def likely_tools(request: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the tools that a request may mean, most likely first; empty if it needs no tool."""
    if _CODING.match(request) or _TIMER.match(request) or _SUMMARIZING.match(request):
        return []
    usable = [one for one in candidates[:_CONSIDERED] if _has_its_file(one.tool, request)]
    likeness = {one.tool.name: _likeness(request, one) for one in usable}
    equal = [one for one in usable if likeness[one.tool.name] >= _EQUAL]
    close = [one for one in usable if usable[0].lead - one.lead <= _FAR]
    fitting = [one for one in close if not _is_unlikely(request, one, likeness[one.tool.name])]
    if not fitting or fitting[0] is not usable[0] or fitting[0].lead < 0:
        return equal
    near = [one for one in fitting if fitting[0].lead - one.lead <= _TIE]
    ranked = [*equal, *sorted(near, key=lambda one: -likeness[one.tool.name]), *fitting]
    return list({one.tool.name: one for one in ranked}.values())


def asks_memories(request: str) -> bool:
    """Return whether a request asks for everything that was remembered, in English, German, Spanish or French."""
    return _MEMORIES.match(request) is not None


def in_known_words(request: str) -> str:
    """Return a request for a reminder as one for a task, and "My car is red, remember that" as "Remember that my car
    is red", which the classifier knows better, and one for a summary of several sentences likewise; empty for others.
    """
    if _SUMMARIZING.match(request):
        return _SUMMARY if len(_SENTENCE_END.findall(request)) >= _SUMMARIZED else ""
    if found := _REMINDER.match(request):
        return " ".join(filter(None, [f"Add a task: {found['task'].rstrip('.! ')}", found["when"]]))
    found = _MEMORY.search(request)
    fact = request[: found.start()].strip() if found else ""
    return f"Remember that {fact[0].lower()}{fact[1:]}" if fact else ""


def as_calendar_entry(request: str, today: date) -> str:
    """Return a request for a repeated reminder as one for a calendar event, with its first day; empty for others.

    Tasks do not repeat.
    """
    found = _REPEATED_REMINDER.match(request)
    day = (found["day"] or found["last_day"]).lower() if found else ""
    if found is None or day not in ("day", "morning", "evening", *WEEKDAYS):
        return ""
    clock = write_iso_dates(found["time"] or found["last_time"] or str(_HOURS.get(day, _MORNING)))
    hour, _, minute = clock.partition(":")
    if not hour.isdecimal() or int(hour) > 23:
        return ""
    first = today + timedelta(days=(WEEKDAYS.index(day) - today.weekday()) % 7 or 7 if day in WEEKDAYS else 1)
    when = f"{first}T{int(hour):02}:{minute or '00'}"
    rhythm = day if day in WEEKDAYS else "day"
    return f"Put '{found['task'] or found['first_task']}' into my calendar every {rhythm.capitalize()} from {when}"


def tool_named_in(error: str) -> str:
    """Return the name of the tool that an error message refers to; empty if it has none."""
    found = _TOOL_NAME.search(error)
    return found[0] if found else ""


def _is_unlikely(request: str, candidate: Candidate, likeness: float) -> bool:
    """True for a tool that the classifier chose by the form of a request alone, such as "How many …".

    The request then shares no word with the purpose of the tool, and resembles none of its examples.
    """
    if candidate.lead >= _CERTAIN or len(candidate.examples) < _KNOWN or len(request) > _COMPARED:
        return False
    return likeness < _SIMILAR and not fits(request, candidate.tool)


def is_example(request: str, candidate: Candidate) -> bool:
    """Return whether a request is one of a tool's examples, but for small words."""
    return _likeness(request, candidate) >= _EQUAL


def _likeness(request: str, candidate: Candidate) -> float:
    """Return the similarity of a request to the most similar example or question of a tool, 0 without them."""
    questions = [(question, "") for question in candidate.questions]
    known = [*likenesses(request, candidate.examples), *likenesses(request, questions)]
    return max((likeness for _, likeness in known), default=0.0)


def plainly_asks(request: str) -> bool:
    """Return whether a request names a computation with its operands, or asks to keep something."""
    return _EXPLAINING.match(request) is None and _PLAIN.search(request) is not None


def fits(request: str, tool: ToolOffer) -> bool:
    """Return whether a request shares a word with the name or the purpose of a tool, or has the address that it
    takes.
    """
    if opens_address(tool):
        return ADDRESS.search(request) is not None
    return shares_words(request, tool)


def shares_words(request: str, tool: ToolOffer) -> bool:
    """Return whether a request shares a word with the name or the purpose of a tool."""
    purpose = f"{tool.name.replace('_', ' ')} {tool.description.partition('. ')[0]}"
    return not subject_words(request).isdisjoint(subject_words(purpose))


def opens_address(tool: ToolOffer) -> bool:
    """Return whether a tool requires the address of a page, or takes one and requires nothing."""
    required = tool.input_schema.get("required", ())
    return not _ADDRESSES.isdisjoint(required or tool.input_schema.get("properties", ()))


def choice_prompt(request: str, tools: Sequence[ToolOffer]) -> list[Message]:
    """Build the prompt to choose among the caller's tools: one line per tool, and example requests without a tool."""
    lines = [f"- {tool.name}: {tool.description.partition('. ')[0].rstrip('.')}." for tool in tools]
    examples = [f'User: {message}\n{{"tool":"{REPLY}"}}' for message in _UNROUTED]
    instructions = "\n".join([_ROUTER, "Tools:", *lines, "Examples:", *examples])
    return [Message("system", instructions), Message("user", request)]


def choice_schema(tools: Sequence[ToolOffer]) -> dict[str, Any]:
    """Return the JSON Schema of an answer that names one of the tools, or `reply`."""
    return one_field("tool", {"enum": [*(tool.name for tool in tools), REPLY]})


def _has_its_file(tool: ToolOffer, request: str) -> bool:
    """False if the tool requires a file and the request names none: a small model would invent a file id."""
    properties = tool.input_schema.get("properties", {})
    needed = (properties.get(name, {}) for name in tool.input_schema.get("required", ()))
    return _FILE in request or not any(one.get("format") == "file-id" for one in needed)
