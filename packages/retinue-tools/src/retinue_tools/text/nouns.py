"""English nouns in singular and plural."""

import re
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.text._word_lists import word_list
from retinue_tools.text.case import with_capitals_of

_IRREGULAR = {
    "man": "men", "woman": "women", "child": "children", "person": "people", "mouse": "mice", "louse": "lice",
    "goose": "geese", "foot": "feet", "tooth": "teeth", "ox": "oxen", "die": "dice", "criterion": "criteria",
    "phenomenon": "phenomena", "analysis": "analyses", "basis": "bases", "crisis": "crises", "thesis": "theses",
    "hypothesis": "hypotheses", "axis": "axes", "oasis": "oases", "diagnosis": "diagnoses", "datum": "data",
    "bacterium": "bacteria", "medium": "media", "stratum": "strata", "curriculum": "curricula", "cactus": "cacti",
    "fungus": "fungi", "nucleus": "nuclei", "stimulus": "stimuli", "alumnus": "alumni", "larva": "larvae",
    "vertebra": "vertebrae", "alga": "algae", "index": "indices", "matrix": "matrices", "vertex": "vertices",
    "appendix": "appendices", "leaf": "leaves", "loaf": "loaves", "half": "halves", "calf": "calves",
    "elf": "elves", "self": "selves", "shelf": "shelves", "wolf": "wolves", "thief": "thieves", "sheaf": "sheaves",
    "scarf": "scarves", "hoof": "hooves", "knife": "knives", "wife": "wives", "life": "lives", "quiz": "quizzes",
    "hero": "heroes", "potato": "potatoes",
    "tomato": "tomatoes", "echo": "echoes", "veto": "vetoes", "embargo": "embargoes", "torpedo": "torpedoes",
    "mother-in-law": "mothers-in-law", "passer-by": "passers-by", "bus": "buses", "gas": "gases", "lens": "lenses",
    "canvas": "canvases", "alias": "aliases", "atlas": "atlases", "bias": "biases", "cookie": "cookies",
    "movie": "movies", "pie": "pies", "tie": "ties", "lie": "lies", "zombie": "zombies", "shoe": "shoes",
    "toe": "toes", "horse": "horses", "house": "houses", "cause": "causes", "case": "cases", "base": "bases",
    "nurse": "nurses", "purse": "purses", "cache": "caches", "axe": "axes", "headache": "headaches",
    "size": "sizes", "prize": "prizes", "breeze": "breezes", "bottle": "bottles",
}  # fmt: skip


_UNCHANGED = frozenset(
    word_list(
        "sheep fish deer moose series species aircraft spacecraft salmon trout swine offspring news information"
        " equipment rice money furniture luggage advice software hardware feedback staff means headquarters crossroads"
    )
)


_SINGULAR = {plural: single for single, plural in reversed(_IRREGULAR.items())}


Number = Literal["plural", "singular"]


class Inflected(TypedDict):
    """A noun in singular and plural."""

    singular: Annotated[str, About("The singular")]
    plural: Annotated[str, About("The plural")]
    counted: Annotated[str | None, About("The noun with the count given, as '3 boxes'; null without count")]


@tool(
    tags="plural singular noun inflect pluralize english grammar count",
    use_when=(
        "What is the plural of 'criterion'?",
        "Pluralise 'box' for 3 of them",
        "What is the singular of 'wolves'?",
    ),
    examples=(
        Example(
            {"noun": "Box", "given": "singular", "count": 3},
            {"singular": "Box", "plural": "Boxes", "counted": "3 Boxes"},
            source="Merriam-Webster",
        ),
        Example({"noun": "wolves", "given": "plural"}, {"singular": "wolf", "counted": None}, "Merriam-Webster"),
        Example(
            {"noun": "cities", "given": "plural", "count": 1},
            {"singular": "city", "counted": "1 city"},
            "Merriam-Webster",
        ),
        Example({"noun": "criterion"}, {"plural": "criteria"}, "Merriam-Webster"),
        Refusal({"noun": "123"}, "no English noun"),
    ),
)
def text_inflect_noun(
    noun: Annotated[str, About("An English noun", "box", min_length=1, max_length=60)],
    given: Annotated[Number, About("Which form is given")] = "singular",
    count: Annotated[int | None, About("How many there are", 3, minimum=0, maximum=10**12)] = None,
) -> Inflected:
    """Form the plural or the singular of an English noun, with irregular and foreign plurals.

    Returns both forms, and the one that goes with a count.
    """
    word = noun.strip()
    if not re.fullmatch(r"[A-Za-z][A-Za-z' -]*", word):
        raise ToolError(f"{noun!r} is no English noun. Give a word of letters.")
    other = with_capitals_of(word, (_plural if given == "singular" else _singular)(word.lower()))
    singular, plural = (word, other) if given == "singular" else (other, word)
    counted = None if count is None else f"{count:,} {singular if count == 1 else plural}"
    return {"singular": singular, "plural": plural, "counted": counted}


def _plural(noun: str) -> str:
    if noun in _UNCHANGED:
        return noun
    if noun in _IRREGULAR:
        return _IRREGULAR[noun]
    if re.search(r"[a-z]man$", noun) and noun not in {"human", "german", "roman", "talisman", "shaman"}:
        return noun[:-2] + "en"
    if re.search(r"(?:s|x|z|ch|sh)$", noun):
        return noun + "es"
    return noun[:-1] + "ies" if re.search("[^aeiou]y$", noun) else noun + "s"


def _singular(noun: str) -> str:
    if noun in _UNCHANGED:
        return noun
    if noun in _SINGULAR:
        return _SINGULAR[noun]
    rules = (("men$", "man"), ("([^aeiou])ies$", r"\1y"), ("(ss|x|z|ch|sh)es$", r"\1"), ("([^s])s$", r"\1"))
    for pattern, replacement in rules:
        if re.search(pattern, noun):
            return re.sub(pattern, replacement, noun)
    return noun
