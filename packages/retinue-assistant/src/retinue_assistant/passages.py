"""Finds what an agent's instructions say about a question: statements to quote, rules to follow, and whom to ask.

A small model answers "no" with "yes" too often to word facts, so the statements that are nearest to the question are
quoted as they are. Sentences that are addressed to the agent are rules: the model follows them, and nobody quotes them.
"""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from pathlib import Path

from retinue.language.text_normalization import stems

CURRENCY = r"euros?|pounds?|dollars?|francs?|pence|cents?|EUR|USD|GBP|CHF"
ASKS_PRICE = re.compile(
    r"\b(?:how much|costs?|prices?|pay|total|together|sum|owe|was kosten|wie viel|cu\u00e1nto|combien)\b", re.IGNORECASE
)
_SENTENCE_END = re.compile(
    r"(?<=[.!?])(?<!\b(?:Dr|Mr|Ms|St|No)\.)(?<!\b(?:Mrs|e\.g|i\.e|Str)\.)\s+(?=[A-Z\u00c0-\u00dd\"\u201e\u201c\d])"
)
_MARKER = re.compile(r"^(?:[-*+\u2022]|\d{1,2}[.)])\s+|\*\*|__")
_PRICE = re.compile(rf"[\u20ac\u00a3$]\s?\d|\d\s?(?:\u20ac|\u00a3|{CURRENCY}\b)", re.IGNORECASE)
_VERBS = (
    r"(?:always|never|do not|don't|answer|act|add|ask|assign|avoid|be|begin|build|claim|compare|compute|confirm"
    r"|consider|convert|copy|correct|decide|decline|describe|direct|draft|encourage|end|explain|follow|format"
    r"|give|go through|greet|group|help|inspect|invent|judge|keep|lead|leave|list|look|make|mark|mention|merge"
    r"|multiply|name|only|plan|play|point|politely|praise|prefer|promise|propose|put|quote|rank|read|recommend"
    r"|recompute|refer|refuse|remain|repeat|reply|respond|review|round|save|say|search|show|sort|speak|split"
    r"|start|state|stay|suggest|summari[sz]e|take|talk|tell|test|treat|use|validate|verify|warn|work|write"
    r"|antworte|bleib|frag|gib|hilf|nenne|schreib|sei|sprich|verwende)"
)
"""Verbs that begin a sentence to the agent."""
_OFFER = (
    r"(?:can|may)\s(?:also\s|always\s)?(?:book|bring|buy|cancel|change|choose|collect|come|exchange|get|order|park|pay"
    r"|pick|rent|reserve|return|send|try|visit)\b"
)
"""What customers may do: "You can return shoes within 30 days" is no rule for the agent."""
_DIRECTIVE = re.compile(
    rf"^\W*(?:you(?!\s{_OFFER})|your|you're|du|dein\w*|t\u00fa|tu|vous|eres)\b|^\W*(?:please\s|then\s)?{_VERBS}\b(?![-:])"
    rf"|^\W*(?:after|before|for|if|to|when|whatever|where|wenn)\b[^,]*,\s(?:please\s|you\s)?{_VERBS}\b"
    r"|(?<![\w/.])[a-z]+_[a-z_]+\b"
    r"|\b(?:tell|ask|refer|remind|direct|advise|send|point)\s(?:the|them|him|her|it|people|all|any|every|those)\b",
    re.IGNORECASE,
)
"""Matches a sentence that tells the agent what to do, or which tool to use."""
_OWN = re.compile(
    rf"^(?:(?:you\s)?(?=(?:never|cannot|can't|do not|don't)\b)|you\s(?!{_OFFER})(?=(?:can|may|know)\b))"
    r"(?P<verb>never|cannot|can't|can|may|know|do not|don't)\b",
    re.IGNORECASE,
)
"""Matches the beginning of a rule that says what the agent can or cannot do."""
_BLIND = re.compile(r"\bI (?:cannot|can't|do not|don't) (?:access|check|find|have|know|look|see|track)\b")
"""Matches such a rule in the agent's own words: "I cannot see orders"."""
_PASSED_ON = re.compile(
    r"(?:politely\s)?\b(?:(?:tell|ask|advise|remind|direct)\s(?:the\s|your\s)?\w+\sto\s(?P<act>\w+)\s"
    r"|(?:refer|send|direct)\s(?:\w+\s){1,3}?to\s(?=(?:the\s|our\s)?\w))",
    re.IGNORECASE,
)
"""Matches what a rule wants users to be told: "tell the patient to call 112"."""
_YOU = re.compile(r"\b(?:you|your|yourself)\b", re.IGNORECASE)
_CONTACT = re.compile(
    r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,5}"
    r"|(?<![\d:.,\u20ac$])\+?\d[\d /()-]{4,18}\d(?!\d|[:.,]\d)|\bextension \d+",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"\bhttps?://\S+|\bwww\.\S+|\S{1,64}@\S+")
_REACHING = stems("phone call contact question write mail reach enquiries appointment reservation")
"""Words beside the address or number for questions in general."""
_PROMPTS = Path(__file__).parent / "prompts"
_COMMON = stems((_PROMPTS / "common_words.txt").read_text(encoding="utf-8"))
"""Words that say nothing about the subject of a question."""
_SYNONYMS = {
    word: min(words)
    for line in (_PROMPTS / "synonyms.txt").read_text(encoding="utf-8").splitlines()
    for words in [stems(line)]
    for word in words
}
"""One word for all with the same meaning, by their stems."""
_PRICE_WORDS = {_SYNONYMS.get(word, word) for word in stems("cost price pay total owe")}
"""Words of a question for a price that do not say of what."""
_LINE = 320
"""Most characters of a line that is quoted as a whole: its sentences belong together."""
_LEAST = 0.2
"""Least score of a statement that answers a question."""
_NEIGHBOUR, _OTHER = 0.5, 0.9
"""Least shares of the best score for a statement beside the best one in its line, and for any other one."""
_UNASKED_PRICE = 0.3
"""What a price loses that is not asked for, if another statement has words of the question: "Can I return it?"."""
_MOST_QUOTED = 4
"""Most statements in a reply."""
_COMPARED = 150
"""Most statements that are compared by meaning: each takes two milliseconds."""
_LABEL = re.compile(r"[^:.!?]{2,25}:(?=\s)")
"""Matches the beginning of a line that says what the line is about: "Delivery: ..."."""
_FACTS = 3
"""Fewest sentences with facts of instructions that answer questions by facts."""
_FACT_SHARE = 0.4
"""Least share of sentences with facts: the instructions of an agent with tools speak mostly of its work."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A line or a sentence of instructions, and what may be quoted of it, with the words of the whole."""

    text: str
    quotable: str
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of instructions that may be quoted. `about` has the label of its line before it."""

    text: str
    about: str
    line: int
    words: frozenset[str]


@lru_cache(64)
def passages(instructions: str) -> Sequence[Passage]:
    """Split instructions at lines, and long lines at sentences."""
    found = []
    for line in map(str.strip, instructions.splitlines()):
        text = _MARKER.sub("", line).strip()
        if not text or line.startswith("#"):
            continue
        for one in [text] if len(text) <= _LINE else _SENTENCE_END.split(text):
            quotable = " ".join(filter(None, map(_own_wording, _SENTENCE_END.split(one))))
            found.append(Passage(one, quotable, frozenset(subject_words(one))))
    return found


@lru_cache(64)
def statements(instructions: str) -> Sequence[Statement]:
    """Return the sentences that may be quoted, in their order."""
    found = []
    for number, passage in enumerate(passages(instructions)):
        match = _LABEL.match(passage.quotable)
        label = match[0] if match else ""
        for sentence in filter(None, _SENTENCE_END.split(passage.quotable)):
            about = sentence if sentence.startswith(label) else f"{label} {sentence}"
            found.append(Statement(sentence, about, number, frozenset(subject_words(about))))
    return found


def likely_statements(question: str, instructions: str) -> Sequence[Statement]:
    """Return the statements to compare with a question: of very long instructions, those that share words with it."""
    known, words = statements(instructions), subject_words(question)
    if len(known) <= _COMPARED:
        return known
    by_words = sorted(range(len(known)), key=lambda at: -len(words & known[at].words))
    return [known[at] for at in sorted(by_words[:_COMPARED])]


def choose_statements(question: str, known: Sequence[Statement], nearness: Sequence[float]) -> list[str]:
    """Return the statements that answer a question, one text for each line; empty if none is near enough.

    `nearness` has the scores of the statements (`sentence_similarity`).
    """
    priced = [_PRICE.search(one.text) is not None for one in known]
    about = frozenset[str]().union(*(one.words for one, has_price in zip(known, priced, strict=True) if not has_price))
    others = set[str]() if ASKS_PRICE.search(question) else question_subject(question) & about
    scores = [
        near - _UNASKED_PRICE * (has_price and not others <= one.words)
        for one, near, has_price in zip(known, nearness, priced, strict=True)
    ]
    best = max(range(len(known)), key=lambda at: scores[at], default=0)
    if not known or scores[best] < _LEAST:
        return []
    chosen = [
        at
        for at, one in enumerate(known)
        if at == best
        or scores[at] >= _OTHER * scores[best]
        or (abs(at - best) == 1 and one.line == known[best].line and scores[at] >= _NEIGHBOUR * scores[best])
    ]
    nearest = sorted(sorted(chosen, key=lambda at: -scores[at])[:_MOST_QUOTED])
    return [" ".join(known[at].text for at in group) for _, group in groupby(nearest, lambda at: known[at].line)]


def _own_wording(sentence: str) -> str:
    """Return what the agent may say of a sentence: a statement as it is, and some rules in the agent's own words.

    "You cannot see orders" becomes "I cannot see orders", and "ask the customer to write" becomes "please write".
    """
    wording = _PASSED_ON.sub(lambda one: f"please {one['act'] or 'ask'} ", sentence)
    wording = _OWN.sub(lambda one: f"I {one['verb'].lower()}", wording)
    wording = re.sub(r"(?<=[;,] )you (?=(?:can|cannot|can't|do not|don't|may not|must not)\b)", "I ", wording)
    wording = re.sub(r"\byourself\b", "myself", wording)
    changed = wording != sentence
    wording = wording[:1].upper() + wording[1:]
    return wording if not _DIRECTIVE.search(wording) or (changed and not _YOU.search(wording)) else ""


def subject_words(text: str) -> set[str]:
    """Return the stems of the words that say what a text is about."""
    words = stems(_ADDRESS.sub(" ", text).lower().replace("wi-fi", "wifi")) - _COMMON
    return {_SYNONYMS.get(word, word) for word in words if not word.isdecimal()}


def question_subject(question: str) -> set[str]:
    """Return the stems of the words that say what a question is about, but for those that ask for its price."""
    words = subject_words(question)
    return words - _PRICE_WORDS or words


def limits(instructions: str) -> list[str]:
    """Return the rules that say what the agent cannot see or find out, in its own words."""
    return [one.quotable for one in passages(instructions) if _BLIND.search(one.quotable)]


def has_facts(instructions: str) -> bool:
    """Return whether instructions tell facts to pass on, and not only how to behave."""
    sentences = [part for one in passages(instructions) for part in _SENTENCE_END.split(one.text)]
    facts = sum(not _DIRECTIVE.search(part) for part in sentences)
    return facts >= max(_FACTS, _FACT_SHARE * len(sentences))


def rules(instructions: str) -> list[str]:
    """Return the sentences that tell the agent what to do."""
    parts = (part for one in passages(instructions) for part in _SENTENCE_END.split(one.text))
    return [part for part in parts if _DIRECTIVE.search(part)]


def excerpt(question: str, instructions: str, characters: int) -> str:
    """Shorten instructions: keep their beginning, and the passages that share most words with the question."""
    if len(instructions) <= characters:
        return instructions
    beginning = instructions[: characters // 3].rpartition("\n")[0] or instructions[: characters // 3]
    known = passages(instructions[len(beginning) :])
    weights, question_words = _weights(known), subject_words(question)
    scores = [sum(weights[word] for word in question_words & one.words) for one in known]
    remaining, chosen = characters - len(beginning), []
    for at in sorted(range(len(known)), key=lambda at: -scores[at]):
        remaining -= len(known[at].text) + 1
        if remaining >= 0:
            chosen.append(at)
    return "\n".join([beginning, *(known[at].text for at in sorted(chosen))])


def contact(question: str, instructions: str) -> str:
    """Return the mail address or the telephone number to ask at: the one beside the words of the question."""
    question_words = subject_words(question)
    having = [one for one in passages(instructions) if _CONTACT.search(one.text)]
    best = max(having, key=lambda one: (len(question_words & one.words), len(_REACHING & one.words)), default=None)
    found = _CONTACT.search(best.text) if best else None
    return found[0].strip() if found else ""


def _weights(known: Sequence[Passage]) -> dict[str, float]:
    """Return the inverse document frequency of each word."""
    counts = Counter(word for one in known for word in one.words)
    return {word: math.log((len(known) + 1) / count) for word, count in counts.items()}
