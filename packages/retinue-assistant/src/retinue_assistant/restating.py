"""Turns a question and its value into a sentence: "What is 17% of 4,250?" and 722.5 become "17% of 4,250 is 722.5."

The question says what a value is in the user's own words, which no field name does. It is only restated if the value
plainly answers it: its field is named in the question, has no name of its own, or the question is a computation.
"""

import re

_POLITE = r"(?:(?:please|can you|could you|would you|hi|hello|hey|tell me|quick(?:ly)?|so|ok(?:ay)?|and)\W+){0,3}"
_END = r"(?P<rest>[^?!\n]{2,120}?)(?:,? please)?\s*[?.!=]*\s*"
_WHAT = re.compile(
    rf"^\W*{_POLITE}(?:(?:what|how much) (?P<verb>is|are)|what'?s|(?:calculate|compute|convert|evaluate|work out))\s+"
    rf"{_END}$",
    re.IGNORECASE,
)
_HOW_MANY = re.compile(
    rf"^\W*{_POLITE}how many (?P<noun>[a-z]+(?: [a-z]+)?) (?P<verb>are|is) (?P<there>there )?{_END}$", re.IGNORECASE
)
_QUANTITY = re.compile(r"\d|(?:an?|one|half)\s", re.IGNORECASE)
_SUBJECT = re.compile(
    rf"^\W*{_POLITE}how many (?P<noun>[a-z]+) (?P<act>fits?|makes?|equals?|remain|belong|live){_END}$", re.IGNORECASE
)
_IN_PLACE = re.compile(
    r"^\W*(?P<before>[^?!\n]{1,80}? (?:is|are|equals?)) (?:what|how many|how much)(?: (?P<noun>[a-z]+))?"
    r"(?P<after>(?: of [^?!\n]{1,60}?)?)\s*\?*\s*$",
    re.IGNORECASE,
)
"""Matches "15 is what percent of 60?"."""
_SPEAKER = re.compile(
    r"\b(?:i|i'm|my|mine|our|we|you|me|us|your|he|she|his|her|their|they|it|its|that|this|these|those)\b", re.I
)
"""Matches words whose meaning changes when somebody else says the sentence."""
_SECOND = re.compile(r"[.;:!?]\s+\S")
"""Matches the beginning of a second sentence."""
_CONVERTED = re.compile(r"\s(?:to|in|into|as)\s(?:an? |the )?(?:(?!\b(?:to|in|into|as)\s)[^\d]){1,40}$", re.IGNORECASE)
"""Matches the target of a conversion, which the value's unit repeats."""
_COMPUTATION = re.compile(
    r"(?:a |an )?-?[$\u20ac\u00a3]?\d|\(|(?:a |an |the )?(?:sum|product|quotient|difference|square"
    r"|cube|(?:square|cube) root|sqrt|factorial|logarithm|log|sine?|cosine?|tangent)\b",
    re.IGNORECASE,
)


def restate(request: str, noun: str, value: str, *, names_all: bool) -> str:
    """Return the question as a statement with its value; empty if that is not safe.

    `noun` is the name of the value's field, `value` the formatted value. `names_all` says that the field has a name
    that the question contains, or none of its own.
    """
    if _SPEAKER.search(request) or _SECOND.search(request):
        return ""
    for pattern in (_HOW_MANY, _SUBJECT):
        if (many := pattern.match(request)) and _same_noun(many["noun"], noun):
            parts, count = many.groupdict(), f"{value} {many['noun']}"
            if act := parts.get("act"):
                return f"{count} {act}{many['rest']}."
            if not parts["there"] and _QUANTITY.match(many["rest"]):  # "How many grams are 2 cups of flour?"
                return f"{many['rest'][:1].upper()}{many['rest'][1:]} {parts['verb'].lower()} {count}."
            return f"There are {count} {many['rest']}."
    if (place := _IN_PLACE.match(request)) and (names_all or _COMPUTATION.match(request)):
        unit = "" if not place["noun"] or value[-1:] == "%" or value[-1:].isalpha() else f" {place['noun']}"
        return f"{place['before']} {value}{unit}{place['after']}."
    what = _WHAT.match(request)
    if what is None or not (names_all or (_COMPUTATION.match(what["rest"]) and " " in what["rest"])):
        return ""
    subject = what["rest"].strip()
    if value[-1:].isalpha():  # "5 km to miles is 3.1 mi" says the unit twice.
        subject = _CONVERTED.sub("", subject)
    verb = "are" if what.groupdict().get("verb") == "are" else "is"
    return f"{subject[:1].upper()}{subject[1:]} {verb} {value}."


def restate_judgement(request: str, noun: str, value: bool) -> str:
    """Return the answer to "Is 2027 a leap year?" as "No, 2027 is not a leap year."; empty if it asks something else.

    `noun` is the name of the value's field.
    """
    verb = "(?P<verb>is|are|was|were)"
    asked = rf"^\W*{_POLITE}{verb} (?P<subject>[^?!\n]{{1,60}}?) (?P<rest>an? {re.escape(noun)})\W*$"
    found = re.match(asked, request, re.IGNORECASE)
    if found is None or _SPEAKER.search(request):
        return ""
    verb = f"{found['verb'].lower()}{'' if value else ' not'}"
    return f"{'Yes' if value else 'No'}, {found['subject']} {verb} {found['rest']}."


def _same_noun(question_noun: str, noun: str) -> bool:
    return question_noun.lower().split()[-1] == noun.lower().split()[-1]
