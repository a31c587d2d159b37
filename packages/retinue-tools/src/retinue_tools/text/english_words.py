"""English word forms: British and American spelling, plurals, contractions."""

import functools
import re
from collections.abc import Mapping
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool
from retinue_tools.text._word_lists import word_list, word_pairs
from retinue_tools.text.letter_case import with_capitals_of

_BRITISH_AMERICAN = word_pairs(
    "aeroplane/airplane aluminium/aluminum analogue/analog anaemia/anemia anaesthetic/anesthetic arbour/arbor"
    " ardour/ardor armour/armor artefact/artifact axe/ax behaviour/behavior calibre/caliber cancelled/canceled"
    " cancelling/canceling catalogue/catalog centre/center chequered/checkered cheque/check clamour/clamor"
    " colour/color colourful/colorful cosy/cozy counsellor/counselor defence/defense demeanour/demeanor"
    " diarrhoea/diarrhea dialogue/dialog draught/draft enamour/enamor encyclopaedia/encyclopedia"
    " endeavour/endeavor enrol/enroll enrolment/enrollment favour/favor favourite/favorite fibre/fiber"
    " flavour/flavor foetus/fetus fulfil/fulfill fulfilment/fulfillment gaol/jail grey/gray gynaecology/gynecology"
    " haemoglobin/hemoglobin harbour/harbor honour/honor honourable/honorable humour/humor instalment/installment"
    " jewellery/jewelry judgement/judgment kerb/curb labour/labor labelled/labeled labelling/labeling"
    " leukaemia/leukemia licence/license litre/liter lustre/luster manoeuvre/maneuver marvellous/marvelous"
    " mediaeval/medieval metre/meter modelled/modeled modelling/modeling mould/mold moult/molt moustache/mustache"
    " neighbour/neighbor neighbourhood/neighborhood odour/odor oestrogen/estrogen offence/offense"
    " orthopaedic/orthopedic paediatric/pediatric parlour/parlor plough/plow pretence/pretense programme/program"
    " pyjamas/pajamas rancour/rancor rigour/rigor rumour/rumor sabre/saber saviour/savior savour/savor"
    " sceptical/skeptical sceptic/skeptic signalled/signaled signalling/signaling skilful/skillful"
    " smoulder/smolder sombre/somber spectre/specter splendour/splendor sulphur/sulfur theatre/theater"
    " traveller/traveler travelled/traveled travelling/traveling tumour/tumor tyre/tire valour/valor vapour/vapor"
    " vigour/vigor wilful/willful woollen/woolen yoghurt/yogurt",
    "/",
)
_ISE = word_list(
    "agon apolog author capital central character civil colon computer critic crystal custom digital dramat"
    " econom emphas energ equal familiar fantas final formal general global harmon hospital hypothes ideal immun"
    " improv industrial initial item jeopard legal liberal local magnet material maxim mechan memor minim mobil"
    " modern monopol national natural neutral normal optim organ oxid parallel patron penal personal polar popular"
    " priorit privat public rational real recogn reorgan revolution sensit serial social special stabil standard"
    " steril styl subsid summar symbol sympath synchron synthes tempor terror traumat util vandal verbal victim"
    " visual vocal"
)
_LYSE = ["ana", "para", "cata", "hydro"]
_CONTRACTIONS = {
    "can't": "cannot", "won't": "will not", "shan't": "shall not", "let's": "let us", "ain't": "is not",
    "y'all": "you all", "it's": "it is", "that's": "that is", "what's": "what is", "here's": "here is",
    "there's": "there is", "who's": "who is", "he's": "he is", "she's": "she is", "where's": "where is",
    "how's": "how is", "i'm": "I am", "o'clock": "o'clock", "ma'am": "madam", "gonna": "going to",
    "wanna": "want to", "gotta": "got to", "gimme": "give me", "kinda": "kind of",
}  # fmt: skip
_ENDINGS = {"n't": " not", "'re": " are", "'ve": " have", "'ll": " will", "'d": " would", "'m": " am"}


_HAD = word_list("been had gone got done seen taken given become known eaten written spoken broken forgotten")
"""Participles after which 's and 'd mean has and had; those of verbs such as finish also occur after is."""


class Expanded(TypedDict):
    """A text with expanded contractions."""

    result: Annotated[str, About("The text")]
    changes: Annotated[dict[str, str], About("Contractions with their expansions")]
    ambiguous: Annotated[list[str], About("Ambiguous contractions: 's is or has, 'd would or had")]


class Respelled(TypedDict):
    """A text with another spelling."""

    result: Annotated[str, About("The text")]
    changes: Annotated[dict[str, str], About("Changed words with their new spelling")]


@tool(
    tags="british american spelling english convert localise colour color organise organize",
    use_when=(
        "Convert this text to American spelling",
        "Write the article in British English spelling",
        "Does this text mix British and American spelling?",
    ),
    examples=(
        Example(
            {"text": "The Colour of grey theatres was analysed and organised.", "target": "american"},
            {
                "result": "The Color of gray theaters was analyzed and organized.",
                "changes": {
                    "Colour": "Color",
                    "grey": "gray",
                    "theatres": "theaters",
                    "analysed": "analyzed",
                    "organised": "organized",
                },
            },
            source="Oxford English Dictionary and Merriam-Webster",
        ),
        Example(
            {"text": "realizing my favorite program", "target": "british"},
            {"result": "realising my favourite program"},
            source="program stays: in computing it is British too",
        ),
        Refusal({"text": "a", "target": "scottish"}, "target"),
    ),
    reply={
        "changes": "The converted text: {result}",
        "": "The text needs no changes: {result}",
    },
)
def text_convert_spelling(
    text: Text, target: Annotated[Literal["american", "british"], About("Target spelling")]
) -> Respelled:
    """Convert an English text between British (-ise) and American spelling by lists of words and endings.

    Words whose spelling depends on their sense (check, practice, tire, program) are unchanged when converting to
    British. Vocabulary such as lift or elevator is not replaced. Returns the text and the words that changed.
    """
    changes: dict[str, str] = {}

    def respell(match: re.Match[str]) -> str:
        new = with_capitals_of(match[0], _respell(match[0].lower(), target))
        if new != match[0]:
            changes[match[0]] = new
        return new

    return {"result": re.sub(r"[A-Za-z]+", respell, text), "changes": changes}


@tool(
    tags="contractions expand don't isn't formal english informal gonna",
    use_when=(
        "Write out all contractions for a formal text",
        "Expand don't, it's and they'll",
        "Make the tone of this letter more formal",
    ),
    examples=(
        Example(
            {"text": "I can't go; They'll say it\u2019s fine, won't they? Ann's cat isn't here."},
            {
                "result": "I cannot go; They will say it is fine, will not they? Ann's cat is not here.",
                "changes": {
                    "can't": "cannot",
                    "They'll": "They will",
                    "it\u2019s": "it is",
                    "won't": "will not",
                    "isn't": "is not",
                },
            },
            source="by hand",
        ),
        Example(
            {"text": "She's gone. They'd've called. I'd been there. It's closed."},
            {
                "result": "She has gone. They would have called. I had been there. It is closed.",
                "ambiguous": ["It's"],
            },
            source="by hand",
        ),
        Refusal({"text": 1}, "text"),
    ),
    reply={
        "result": "{result}",
        "": "The text without contractions: {result}",
    },
)
def text_expand_contractions(text: Text) -> Expanded:
    """Expand (write out) English contractions: don't, it's, we've, can't, gonna.

    Possessives such as Ann's are kept. After a pronoun, 's means 'is', and 'd means 'would', unless the next word
    requires 'has' or 'had'. Returns the text, the changes, and ambiguous contractions.
    """
    changes: dict[str, str] = {}
    ambiguous: dict[str, None] = {}

    def expand(match: re.Match[str]) -> str:
        word = match[0].replace("\u2019", "'")
        following = re.match(r"\W+(?:(?:not|never|already|just|always|also)\s+)?([A-Za-z]+)", text[match.end() :])
        plain, sure = _written_out(word, following[1].lower() if following else "")
        new = plain[:1].upper() + plain[1:] if word[0].isupper() else plain
        if new == word:
            return match[0]
        changes[match[0]] = new
        if not sure:
            ambiguous[match[0]] = None
        return new

    result = re.sub(r"[A-Za-z]+(?:['\u2019][A-Za-z]+)*", expand, text)
    return {"result": result, "changes": changes, "ambiguous": list(ambiguous)}


def _written_out(word: str, following: str) -> tuple[str, bool]:
    """Return the expansion of a contraction before a following word, and whether it is unambiguous."""
    folded = word.lower()
    if folded in _CONTRACTIONS:
        plain = _CONTRACTIONS[folded]
        if not (folded.endswith("'s") and plain.endswith(" is")):
            return plain, True
        return (plain[:-2] + "has", True) if following in _HAD else (plain, not _is_participle(following))
    ending = next((end for end in _ENDINGS if folded.endswith(end)), "")
    if not ending:
        return word, True
    stem, sure = _written_out(word[: -len(ending)], "")
    if ending != "'d":
        return stem + _ENDINGS[ending], sure
    if following in _HAD or following == "better":
        return f"{stem} had", True
    return f"{stem} would", sure and not _is_participle(following)


def _is_participle(word: str) -> bool:
    return word.endswith(("ed", "en"))


@functools.lru_cache(maxsize=10_000)
def _respell(word: str, target: str) -> str:
    if word in _SAME_IN_BOTH:
        return word
    table = _AMERICAN if target == "american" else _BRITISH
    for ending in ("", "s", "d", "ed", "ing", "ly", "ful", "less", "able"):
        stem = word.removesuffix(ending)
        for base in (stem, f"{stem}e") if ending in {"ing", "able"} else (stem,):
            if word.endswith(ending) and base in table:
                return _with_ending(table[base], ending)
    old, new = ("s", "z") if target == "american" else ("z", "s")
    ise = re.fullmatch(rf"(\w+?)i{old}(e|es|ed|er|ers|ing|ation|ations|able)", word)
    if ise and ise[1] in _ISE:
        return f"{ise[1]}i{new}{ise[2]}"
    lyse = re.fullmatch(rf"(\w+?)ly{old}(e|ed|er|ers|ing)", word)
    return f"{lyse[1]}ly{new}{lyse[2]}" if lyse and lyse[1] in _LYSE else word


def _with_ending(base: str, ending: str) -> str:
    """Attach an ending: center and d give centered, centre and ing give centring, fulfil and ed give fulfilled."""
    if ending == "d" and not base.endswith("e"):
        return f"{base}ed"
    if ending not in {"ed", "ing", "able"}:
        return base + ending
    return (f"{base}l" if base in {"enrol", "fulfil"} else base.removesuffix("e")) + ending


_SAME_IN_BOTH = frozenset(word_list("axed axes axing programmable programmed programming"))
_AMERICAN: Mapping[str, str] = _BRITISH_AMERICAN
_BRITISH: Mapping[str, str] = {
    american: british
    for british, american in _BRITISH_AMERICAN.items()
    if american not in {"ax", "check", "curb", "dialog", "draft", "jail", "license", "meter", "program", "tire"}
}

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
    "topaz": "topazes",
}  # fmt: skip


_UNCHANGED = frozenset(
    word_list(
        "sheep fish deer moose series species aircraft spacecraft salmon trout swine offspring news information"
        " equipment rice money furniture luggage advice software hardware feedback staff means headquarters crossroads"
    )
)


_HARD_CH = frozenset(word_list("stomach monarch patriarch matriarch oligarch epoch eunuch loch tech"))
"""Nouns whose ch is pronounced k: their plural has no e."""

_USE = frozenset(word_list("uses abuses excuses fuses hypotenuses misuses muses recluses refuses reuses ruses"))
"""Plurals of nouns that end in -use; others in -uses come from -us."""


_SINGULAR = {plural: single for single, plural in reversed(_IRREGULAR.items())}


Number = Literal["plural", "singular"]


class Inflected(TypedDict):
    """A noun in singular and plural."""

    singular: Annotated[str, About("Singular")]
    plural: Annotated[str, About("Plural")]
    counted: Annotated[str | None, About("The noun with the given count, such as '3 boxes'; null without a count")]


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
        Refusal({"noun": "123"}, "not an English noun"),
    ),
    reply={
        "counted": "{counted}; the plural of {singular} is {plural}.",
        "": "The plural of {singular} is {plural}.",
    },
)
def text_inflect_noun(
    noun: Annotated[str, About("An English noun", "box", min_length=1, max_length=60)],
    given: Annotated[Number, About("Form of the given noun")] = "singular",
    count: Annotated[int | None, About("Count", 3, minimum=0, maximum=10**12)] = None,
) -> Inflected:
    """Form the plural or the singular of an English noun, with irregular and foreign plurals.

    Returns both forms, and the one for a given count.
    """
    word = noun.strip()
    if not re.fullmatch(r"[A-Za-z][A-Za-z' -]*", word):
        raise ToolError(f"{noun!r} is not an English noun. Give a word of letters.")
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
    if re.search(r"(?:s|x|z|ch|sh)$", noun) and noun not in _HARD_CH:
        return noun + "es"
    return noun[:-1] + "ies" if re.search("[^aeiou]y$", noun) else noun + "s"


def _singular(noun: str) -> str:
    if noun in _UNCHANGED:
        return noun
    if noun in _SINGULAR:
        return _SINGULAR[noun]
    if noun not in _USE and re.search("[^ao]uses$", noun):
        return noun[:-2]
    rules = (("men$", "man"), ("([^aeiou])ies$", r"\1y"), ("(ss|x|[tz]z|ch|sh)es$", r"\1"), ("([^s])s$", r"\1"))
    for pattern, replacement in rules:
        if re.search(pattern, noun):
            return re.sub(pattern, replacement, noun)
    return noun
