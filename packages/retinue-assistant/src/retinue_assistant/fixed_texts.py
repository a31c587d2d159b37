"""Replies with a fixed text, in the language of the message: who replies, and what it cannot do.

A small model invents its name, its abilities and whatever it cannot know.
"""

import re
import tomllib
from pathlib import Path

from retinue.language.language_detection import language_of_request
from retinue.language.text_normalization import fold
from retinue.language.translation import LANGUAGES, SOURCE
from retinue.models.base import Persona
from retinue_assistant.passages import rules

_TEXTS = tomllib.loads((Path(__file__).parent / "prompts/fixed_texts.toml").read_text(encoding="utf-8"))
_LONGEST = 120
"""Most characters of a question for identity."""
_GREETING = r"(?:(?:hi|hello|hey|hallo|hola|bonjour|salut|good (?:morning|evening)|ok|so|and|but|sorry)\W+){0,2}"
_QUESTIONS = (
    r"(?:who|what) (?:are|r) (?:you|u)|what(?:'s| is) your name|what (?:should|do|can) i call you",
    r"who am i (?:talking|speaking|chatting) (?:to|with)|who (?:made|built|created|trained|developed) you",
    r"are you (?:an? )?(?:real |actual )?(?:human(?: being)?|person|robot|(?:chat ?)?bot|ai|machine|computer)",
    r"(?:which|what) (?:ai |language )?model (?:are you|is this|do you use)",
    r"what (?:can|could) (?:you|u) (?:do|help(?: me)? with)|what (?:do you do|are you (?:able to do|good at|for))",
    r"how (?:can|could) you help(?: me)?|introduce yourself|tell me (?:something )?about yourself",
    r"wer (?:bist du|sind sie|seid ihr)|was (?:bist du|sind sie)|wie (?:heisst du|heissen sie|ist (?:dein|ihr) name)",
    r"(?:bist du|sind sie) (?:ein |eine )?(?:echter |echte )?(?:mensch|roboter|bot|ki|maschine|person)",
    r"was (?:kannst du|konnen sie)(?: alles)?(?: fur mich)?(?: (?:tun|machen))?",
    r"(?:wobei|wie) (?:kannst du|konnen sie) (?:mir )?helfen",
    r"quien (?:eres|es usted)|como (?:te llamas|se llama usted)|que (?:puedes|sabes|puede usted) hacer",
    r"eres (?:un |una )?(?:humano|persona|robot|bot|ia)",
    r"qui (?:es[- ]tu|etes[- ]vous)|tu es qui|comment (?:t'appelles[- ]tu|tu t'appelles|vous appelez[- ]vous)",
    r"que (?:peux[- ]tu|pouvez[- ]vous|sais[- ]tu) faire|qu'est[- ]ce que (?:tu peux|vous pouvez) faire",
    r"(?:es[- ]tu|etes[- ]vous) (?:un |une )?(?:humain|personne|robot|ia)",
)
"""Questions for identity and abilities, without accents."""
_ATOM = "|".join(_QUESTIONS)
_TAIL = r"(?:\W+(?:for me|actually|exactly|really|then|anyway|please|here|denn|eigentlich|genau|pour moi|por mi)){0,2}"
_IDENTITY = re.compile(
    rf"^\W*{_GREETING}(?:{_ATOM}){_TAIL}(?:(?:\W+(?:and|or|und|oder|y|et|ou))?\W+(?:{_ATOM}){_TAIL}){{0,2}}\W*",
    re.IGNORECASE,
)
_HELLO = re.compile(
    r"^\W*(?:(?:hi|hello|hey|hallo|hola|bonjour|bonsoir|salut|moin|servus|guten (?:tag|morgen|abend)"
    r"|buenos d\u00edas|buenas tardes|good (?:morning|afternoon|evening)|there|everyone)\W*){1,3}",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"^\W*(?:(?:ok|okay|great|perfect|super|wonderful|many|muchas|vielen|merci|danke|gracias|thanks?|thank you"
    r"|thx|cheers|so much|very much|a lot|beaucoup|sch\u00f6n|dank|bye|goodbye|that'?s all"
    r"|that (?:really )?help(?:s|ed)|(?:that'?s |that was )?very helpful|for your help)\W*){1,5}",
    re.IGNORECASE,
)

_BEING = {"you are": "I am", "you're": "I am", "du bist": "Ich bin", "sie sind": "Ich bin"}
_BEING |= {"eres": "Soy", "usted es": "Soy", "tu es": "Je suis", "vous \u00eates": "Je suis"}
"""How instructions begin to say what the agent is, and how the agent says it."""
_ROLE = re.compile(
    rf"(?P<be>{'|'.join(_BEING)})\s|(?:you\s)?(?P<verb>answer|help|support|assist|advise|guide|explain|teach)\s"
    r"(?!in\b|with one|politely|briefly|only|as\b|step)",
    re.IGNORECASE,
)
"""Matches the beginning of a sentence that says what the agent is or does."""


def fixed_text(name: str, message: str) -> str:
    """Return a text of `prompts/fixed_texts.toml` in the language of a message."""
    return str(_TEXTS[name][language_of(message)])


def permission_requests() -> list[str]:
    """Return the beginnings of the texts that ask for a tool, in all languages. The name of the tool ends them."""
    texts = (text for name in ("needs_page", "needs_tool") for text in _TEXTS[name].values())
    return [text.removesuffix("{}") for text in texts]


def asks_to_add(reply: str) -> bool:
    """Return whether a reply asks for what a request does not state."""
    return any(reply.startswith(text.partition("{}")[0]) for text in _TEXTS["ask_for"].values())


def language_of(message: str) -> str:
    """Return the language in which to reply to a message: de, es, fr, or en if no other is plain."""
    language = language_of_request(message)
    return language if language in LANGUAGES else SOURCE


def asks_identity(message: str) -> bool:
    """Return whether a message only asks who or what replies, or what it can do."""
    return len(message) <= _LONGEST and _IDENTITY.fullmatch(_fold(message)) is not None


def identity(message: str, persona: Persona | None) -> str:
    """Return the reply to a question for identity or abilities."""
    if persona is None or not (persona.name or persona.instructions):
        return fixed_text("alfred", message)
    return f"{_introduction(message, persona)} {fixed_text('agent', message)}"


def reply_to_courtesy(message: str, persona: Persona | None) -> str:
    """Return the reply to a message that only greets or thanks; empty for any other."""
    if len(message) > _LONGEST:
        return ""
    if _HELLO.fullmatch(message):
        introduction = _introduction(message, persona) if persona else ""
        return fixed_text("offer", message).format(introduction).replace("  ", " ")
    return fixed_text("welcome", message) if _THANKS.fullmatch(message) else ""


def where_to_ask(message: str, contact: str) -> str:
    """Return the sentence that says where to ask instead."""
    if not contact:
        return fixed_text("ask_around", message)
    return fixed_text("write_to" if "@" in contact else "call", message).format(contact)


def _introduction(message: str, persona: Persona) -> str:
    """Return who an agent is: its name, and its role in its instructions or its task."""
    role = _own_words(persona.instructions)
    if role.startswith((*_BEING.values(),)) or not persona.name:
        return role
    task = fixed_text("task", message).format(persona.task.rstrip(".") + ".") if persona.task else ""
    return " ".join(filter(None, [fixed_text("named", message).format(persona.name), role or task]))


def _own_words(instructions: str) -> str:
    """Return what instructions first say of the agent, in the first person: "You are Nora" becomes "I am Nora"."""
    sentences = []
    for sentence in rules(instructions)[:3]:
        if opening := _ROLE.match(sentence):
            own = _BEING[opening["be"].lower()] if opening["be"] else f"I {opening['verb'].lower()}"
            sentences.append(f"{own} {sentence[opening.end() :]}")
    text = re.sub(r"\byour\b", "my", " ".join(sentences), flags=re.IGNORECASE)
    text = re.sub(r"\byourself\b", "myself", text, flags=re.IGNORECASE)
    return re.sub(r"(?<=[;,.] )you\b", "I", text)


def _fold(text: str) -> str:
    return fold(text.replace("\u2019", "'").replace("\u00df", "ss"))
