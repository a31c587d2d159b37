"""Chooses the tool for a request, if it needs one."""

import re
from collections.abc import Sequence
from typing import Any

from retinue.language.text_normalization import stem, stems
from retinue.models.base import Candidate, Message, ToolOffer
from retinue_assistant import known_words, reply_prompts
from retinue_assistant.passages import subject_words
from retinue_assistant.schemas import one_field
from retinue_assistant.similar_examples import likenesses

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
_UNROUTED = ("Hello!", "Who painted the Mona Lisa?", "Write a poem about rain")


def likely_tools(request: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the tools that a request may mean, most likely first; empty if it needs no tool."""
    if _CODING.match(request) or reply_prompts.asks_alarm(request) or known_words.asks_summary(request):
        return []
    usable = [one for one in candidates[:_CONSIDERED] if _has_its_file(one.tool, request)]
    likeness = {one.tool.name: _likeness(request, one) for one in usable}
    equal = [one for one in usable if likeness[one.tool.name] >= _EQUAL]
    close = [one for one in usable if usable[0].lead - one.lead <= _FAR]
    fitting = [one for one in close if not _is_unlikely(request, one, likeness[one.tool.name])]
    if not fitting or fitting[0] is not usable[0] or fitting[0].lead < 0:
        return equal
    near = [one for one in fitting if fitting[0].lead - one.lead <= _TIE]
    named = _named_in_family(request, fitting)
    ranked = [*equal, *named, *sorted(near, key=lambda one: -likeness[one.tool.name]), *fitting]
    return list({one.tool.name: one for one in ranked}.values())


def prefer_tool(name: str, request: str, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """Return only the tool with this name, or the one of its family that the request names, if one is likely."""
    own = [one for one in candidates if one.tool.name == name and one.lead >= 0]
    return (_named_in_family(request, [*own, *candidates]) if own else []) or own or candidates


def _named_in_family(request: str, ranked: Sequence[Candidate]) -> list[Candidate]:
    """Return the tool whose name differs from the most likely one in the last word alone, if the request has its word:
    `chart_draw_pie` instead of `chart_draw_bars` for "a pie chart".
    """
    family, _, first = ranked[0].tool.name.rpartition("_")
    words = stems(request)
    if not family or stem(first) in words:
        return []
    kin = [(one, one.tool.name.rpartition("_")) for one in ranked[1:]]
    return [one for one, (other, _, last) in kin if other == family and stem(last) in words][:1]


def clear_tools(request: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the likely tools that the classifier prefers to using none, or that have the request as an example."""
    return likely_tools(request, [one for one in candidates if one.lead > 0 or _is_example(request, one)])


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


def _is_example(request: str, candidate: Candidate) -> bool:
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
