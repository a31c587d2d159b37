"""Builds the prompt for replies in the model's own words, and fixed replies to requests that no tool can serve."""

import re
from collections.abc import Sequence
from dataclasses import replace

from retinue.language.markdown_values import join_names
from retinue.language.page_words import in_page_words
from retinue.language.translation import SOURCE
from retinue.models.base import Message, ModelRequest
from retinue_assistant.conversation_turn import ConversationTurn
from retinue_assistant.fixed_texts import fixed_text, language_of

RESULT_CHARACTERS = 2000
"""Most characters of a tool result in the prompt."""
_TEMPERATURE = 0.2
_TOKENS = 192
"""Most tokens to state a result: a small model that continues after that writes nonsense."""
_SCHEMA_TOKENS = 1024
"""Most tokens of a reply that fits a schema, unless the caller says otherwise: a small model may never end a text."""
PAGE_TOOL = "web_extract_article"
"""The tool that reads a web page."""
_FRESH = re.compile(
    r"\b(?:search|look|browse|google|check)\b.{0,30}\b(?:web|internet|online|google)\b"
    r"|\b(?:latest|newest|current|today'?s|this week'?s)\b.{0,30}\b(?:releases?|versions?|news|prices?|scores?|weather"
    r"|headlines|rates?)\b|\b(?:weather|forecast|rain|snow|sunny)\b.{0,30}\b(?:today|tonight|tomorrow|now)\b"
    r"|\bnews\b.{0,20}\btoday\b"
    r"|\b(?:what|how)(?:'s| is| will)\b.{0,12}\b(?:weather|forecast)\b.{0,30}\b(?:in|at|for|like|be)\b",
    re.IGNORECASE,
)
_CURRENT = re.compile(
    r"^\W*(?:(?:and|so|hi|hello|hey|please|can you tell me|do you know)\W+){0,2}(?:"
    r"(?:what|how much) (?:do|does|did|would|will) [^?]{2,60} cost\b"
    r"|how much (?:is|are) (?:an? |the |some )?(?!\d)[^?]{2,40}\W*$"
    r"|what(?:'s| is) the (?:price|cost) of\b|(?:what|which)(?:'s| is| are) the (?:latest|newest|most recent)\b"
    r"|who(?:'s| is) the (?:current |new )?(?:president|prime minister|chancellor|king|queen|pope|mayor|governor|ceo"
    r"|champion)\b(?! in [a-z ]*\d)|(?:who won|what(?:'s| is| was) the (?:score|result) (?:of|in))\b(?!.*\d{4})"
    r"|what(?:'s| is) my (?:public |own |current )?ip\b|is [\w-]+(?:\.[a-z]{2,24})+ (?:still |currently |already )?"
    r"(?:available|free|taken|registered|down|online|up)\b"
    r"|what(?:'s| has)? happen(?:ed|ing|s)\b[^?]{0,30}\b(?:today|yesterday|this week|in the (?:world|news)))",
    re.IGNORECASE,
)
"""Matches a question for what changes: prices, holders of an office, results, addresses. A small model invents them."""
_SENDING = re.compile(
    r"^\W*(?:(?:please|can you|could you)\s+)*(?:(?:send|forward|mail|phone|ring|call|text|fax|post|pay|buy|book"
    r"|reserve|cancel|refund)\s+"
    r"(?:an?|my|the|some|this|that|it|him|her|them|me)\b|order\s(?:an?|me|us|some)\b|e-?mail\s)",
    re.IGNORECASE,
)
_ALARM = re.compile(
    r"^\W*(?:(?:please|can you|could you)\W+){0,2}(?:wake me\b|(?:set|start|make|create)\s+(?:an?|the|my|another)\s+"
    r"(?:\S+\s+){0,2}(?:alarm|timer|stopwatch)\b|(?:timer|alarm|stopwatch)\b)",
    re.IGNORECASE,
)
"""Matches a request for an alarm or a timer, which no tool is: others only compute with times."""
_SETTING_REMINDER = re.compile(
    r"^\W*(?:(?:please|can you|could you)\W+){0,2}(?:set|make|create)\s+(?:an?|the|my|another)\s+(?:\w+\s+)?reminder\b",
    re.IGNORECASE,
)
_MAKING_FILE = re.compile(
    r"^\W*(?:(?:please|can you|could you)\s+){0,2}(?:make|create|generate|draw|paint|design|produce|render|plot|export"
    r"|give me|show me|send me)\s(?:me\s|us\s)?(?:an?\s|the\s|some\s|this\s|it\s|my\s)?"
    r"(?:(?!(?:of|for|about|to)\s)[\w'-]+\s){0,3}?"
    r"(?:pdfs?|qr[ -]?codes?|bar ?codes?|pictures?|images?|photos?|logos?|drawings?|charts?|graphs?|diagrams?"
    r"|spreadsheets?|excel|docx|word documents?|presentations?|powerpoints?|slides|videos?|songs?|mp3|gifs?|icons?"
    r"|posters?|wallpapers?)\b(?!\s(?:caption|classif|description|idea|lyric|name|outline|process|prompt|recogni|script"
    r"|title)\w*)",
    re.IGNORECASE,
)
"""Matches a request for a file."""
_ABOUT_SELF = re.compile(
    r"^\W*(?:(?:and|so|hi|hello|hey|please|tell me)\W+){0,2}(?:(?:am|do|did|have|was) i\b"
    r"|(?:where|when|what|which|who|why) (?:\w+ ){0,3}?(?:do|did|have|was|am) i\b"
    r"|(?:is|are|was|does|where(?:'s| is| are)|when(?:'s| is| are)|what(?:'s| is| are)|who(?:'s| is| are)) my\b)",
    re.IGNORECASE,
)
"""Matches a question about the person who asks it."""
_PRIVATE = re.compile(
    r"^\W*(?:(?:and|so|hi|hello|hey|please|tell me)\W+){0,2}"
    r"(?:(?:did|have|was) i\b|am i\b(?! (?:right|wrong|correct)\b)"
    r"|do i (?:still |already |really )?(?:have|need|owe|own|know|like|prefer)\b|(?:what|who|how much) do i owe\b"
    r"|(?:where|when|what|which|who) (?:\w+ ){0,2}?(?:did|was|have|am) i\b"
    r"|(?:is|are|was|where(?:'s| is| are)|when(?:'s| is| are)|what(?:'s| is| are)|who(?:'s| is| are)) my\b"
    r"(?! (?:best|chances?|options?|rights?)\b))[^\d:;\"\u201c\u201e]{0,120}$",
    re.IGNORECASE,
)
"""Matches a question about the life of the person who asks it, without data to answer it with."""
_TRANSLATING = re.compile(
    r"^\W*(?:(?:please|can you|could you|bitte|por favor)\W+){0,2}(?:translate|\u00fcbersetze|traduce|traduis)\b"
    r"|^\W*how (?:do|would) (?:you|i) (?:say|write) .{1,80} in (?!one |a |other )[a-z]+\W*$"
    r"|^\W*what(?:'s| is| does) .{1,80} (?:mean )?in (?:arabic|chinese|danish|dutch|french|german|greek|hindi|italian"
    r"|japanese|korean|latin|norwegian|polish|portuguese|russian|spanish|swedish|turkish)\W*$",
    re.IGNORECASE,
)
"""Matches a request for a translation."""
_WRITING = re.compile(
    r"\b(?:write|compose|draft|rewrite|rephrase|translate|summari[sz]e|poem|story|joke|slogan|invent|imagine|schreib|\u00fcbersetze"
    r"|gedicht|escribe|traduce|\u00e9cris|traduis)\w*\b",
    re.IGNORECASE,
)
"""Matches a request for a text of the model's own."""
_OPENING = re.compile(
    r"\b(?:open|check|read|visit|summari[sz]e|look at|fetch|browse|go to|what(?:'s| is) (?:on|at)|what does)\s"
    r"(?:[\w']+\s){0,4}(?:https?://|www\.)",
    re.IGNORECASE,
)
"""Matches a request to open a page."""
_READING = re.compile(
    r"^\W*(?:(?:please|can you|could you|would you)\W+){0,2}(?:open|read|visit|summari[sz]e|look at|fetch|browse|go to"
    r"|what(?:'s| is| does it say) (?:on|at|in)|tell me (?:about|what is on)|what does)\s(?:[\w'-]+\s){0,6}"
    r"(?P<address>https?://[^\s<>\"']+|www\.[^\s<>\"']+)|^\W*https?://\S+\W*$",
    re.IGNORECASE,
)
"""Matches a message that asks for what is on a page, or consists of its address."""
_BUSINESS = re.compile(
    r"^\W*(?:(?:hi|hello|hey|and|so|but|please)\W+)*(?=(?:can|could|may|do|does|is|are|has|have|will|when|where|how|what)\b)"
    r"[^.!%\n]{0,60}?(?:\bmy (?:order|parcel|package|subscription|booking|reservation|refund)\b"
    r"|\b(?:get|have|receive) (?:a|my) (?:refund|money back)\b"
    r"|\b(?:i|we) (?:return|exchange|send back|bring back) (?:the |my |these |this |an? )?"
    r"(?!(?:\w+ ){0,2}(?:null|none|early|true|false|void|(?:value|list|tuple|array|dict|string|function|object)s?)\b)"
    r"\w+(?: \w+){0,2}(?: (?:after|within|without|if)\b|\W*$)"
    r"|\b(?:i|we) pay (?:by|with|in) \w"
    r"|\byou (?:open|close|closed)(?: (?:on|at|today|tomorrow|now)\b|\W*$)"
    r"|\b(?:does|will|is) (?:the |my )?(?:delivery|shipping) (?:take|cost|free)\b"
    r"|\bhave (?:this|these|those|it|them) in (?:stock|size|another|a different)\b"
    r"|\byour (?:opening hours|return policy|shop|store|restaurant|office)\b"
    r"|\bdo you (?:deliver|ship|sell|accept|refund)\b)[^.!%\n]{0,100}$",
    re.IGNORECASE,
)
"""Matches a customer's question for the rules or the orders of a business."""
_FOREIGN_BUSINESS = re.compile(
    r"^\W*(?:"
    r"(?:kann|darf) (?:ich|man) [^.!%\n]{0,60}\b(?:zur\u00fcckgeben|zur\u00fcckschicken|umtauschen)"
    r"|wo (?:ist|bleibt) mein(?:e|er)? (?:bestellung|paket|lieferung|r\u00fcckerstattung)"
    r"|wann (?:habt ihr|haben sie) (?:ge\u00f6ffnet|offen|auf)|liefern sie|liefert ihr"
    r"|(?:puedo|se puede) (?:devolver|cambiar) (?:el|la|los|las|un|una|unos|unas|mi|mis|este|esta|estos|estas) "
    r"|d\u00f3nde est\u00e1 mi (?:pedido|paquete|env\u00edo|reembolso)"
    r"|(?:puis-je|peut-on|est-ce que je peux) (?:retourner|rendre|\u00e9changer) "
    r"(?:le|la|les|un|une|des|mon|ma|mes|ces|cette) "
    r"|o\u00f9 (?:est|en est) (?:ma commande|mon colis|ma livraison|mon remboursement)"
    r")[^.!%\n]{0,100}$",
    re.IGNORECASE,
)
"""Matches the same in German, Spanish and French, which a small model translates badly."""
_TODAY = re.compile(r"^Today is [^\n]{6,30}\.$\n?", re.MULTILINE)
"""Matches the line of the system message with the day of the run."""
_NAME = re.compile(r"^Your name is [^\n]{1,100}\.$\n?", re.MULTILINE)
"""Matches the line with the name of the assistant, which a small model takes for the subject of questions. A fixed
text answers questions for the name."""
_QUESTION = 1000
"""Characters of a message that show what it is about; data may follow."""
_ABOUT_TIME = re.compile(
    r"\b(?:to-?day|tonight|tomorrow|yesterday|now|currently|date|days?|weeks?|weekend|months?|years?|time|clock|when|old"
    r"|age|ago|since|until|till|recent|recently|soon|late|early|birthday|deadline|due|open|closed"
    r"|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|may|june|july|august|september|october"
    r"|november|december|christmas|easter|heute|morgen|gestern|wann|tag|woche|monat|jahr|hoy|ma\u00f1ana|cu\u00e1ndo"
    r"|d\u00eda|a\u00f1o|aujourd|demain|quand|jour|ann\u00e9e)\w{0,3}\b",
    re.IGNORECASE,
)
_ARGUMENTS = re.compile(r"Arguments of \w+: (?P<faults>.+)", re.DOTALL)
# A small model quotes a result correctly if it follows the question; from the system prompt it misquotes numbers.
_STATE = "In one short sentence, answer the question with the values of this result."


def refusal(request: str, message: str) -> str:
    """Return the reply to a request that neither a tool nor the model can serve; empty if the model may try.

    `request` is in English, and the reply in the language of `message`.
    """
    if is_sending(request):
        return fixed_text("sends_nothing", message)
    if asks_alarm(request) or _SETTING_REMINDER.match(request):
        return fixed_text("rings_nothing", message)
    if is_fresh(request) or _CURRENT.match(request):
        return fixed_text("offline", message)
    if _MAKING_FILE.search(request):
        return fixed_text("makes_no_file", message)
    return needs_tool(PAGE_TOOL, message) if is_opening(request) else ""


def asks_alarm(request: str) -> bool:
    """Return whether a request asks for an alarm or a timer."""
    return _ALARM.match(request) is not None


def asks_private_matter(request: str) -> bool:
    """Return whether only the person who asks a question can know the answer: "Did I lock the door?"."""
    return _PRIVATE.match(request) is not None


def asks_about_self(request: str) -> bool:
    """Return whether a question is about the person who asks it."""
    return _ABOUT_SELF.match(request) is not None


def asks_translation(request: str) -> bool:
    """Return whether a request asks for a translation."""
    return _TRANSLATING.search(request) is not None


def asks_business(request: str) -> bool:
    """Return whether a request asks for the rules or the orders of a business, which only its documents or an agent
    know.
    """
    return (_BUSINESS.match(request) or _FOREIGN_BUSINESS.match(request)) is not None


def reads_page(message: str) -> bool:
    """True for a message that begins by asking for what is on a page."""
    return _READING.search(message) is not None


def asks_for_text(request: str) -> bool:
    """True for a request for a text of the model's own, such as a letter or a poem."""
    return _WRITING.search(request) is not None


def is_opening(request: str) -> bool:
    """True for a request to open a page."""
    return _OPENING.search(request) is not None


def is_sending(request: str) -> bool:
    """True for a request to send, order, book or buy something."""
    return _SENDING.search(request) is not None


def is_fresh(request: str) -> bool:
    """True for a request for news, weather or the latest of something."""
    return _FRESH.search(request) is not None


def needs_tool(name: str, message: str) -> str:
    """Return the reply to a request that needs a tool that the user has to allow.

    It ends with the name of the tool, so that a client can offer to send the message again with it.
    """
    text = "needs_page" if name == PAGE_TOOL else "needs_tool"
    return fixed_text(text, message).format(f"`{name}`")


def failure(error: str, message: str) -> str:
    """Return what to tell a person about a call that failed, in the language of their message."""
    if (arguments := _ARGUMENTS.match(error)) is None:
        return fixed_text("failed", message).format(in_page_words(error))
    names = dict.fromkeys(one.split()[0].partition("[")[0] for one in arguments["faults"].split("; ") if one.split())
    return ask_for([*names], message)


def ask_for(names: Sequence[str], message: str) -> str:
    """Return the reply that asks for arguments which a message does not state."""
    labels = [name.replace("_", " ") for name in names]
    is_english = language_of(message) == SOURCE
    listed = join_names([f"the {label}" for label in labels]) if is_english else ", ".join(labels)
    texts = [fixed_text("ask_for", message).format(listed)]
    return " ".join([*texts, *([fixed_text("connections", message)] if "connection" in names else [])])


def missed_note(missed: Sequence[str], message: str) -> str:
    """Return a note about what a reply leaves out of its request; empty if that is nothing."""
    return f"\n\n{fixed_text('missed', message).format(', '.join(missed))}" if missed else ""


def without_needless_day(system: str, question: str, instructions: str = "") -> str:
    """Return the system message without the day of the run, unless the question or the instructions of the agent are
    about time: a small model writes the day into letters and tables.
    """
    is_about_time = _ABOUT_TIME.search(question[:_QUESTION]) or _ABOUT_TIME.search(instructions)
    return system if is_about_time else _TODAY.sub("", system).rstrip("\n")


def moderate_temperature(request: ModelRequest) -> float | None:
    """Return the temperature for a text of a small model, which loses its subject at a high one."""
    return None if request.temperature is None else min(request.temperature, _TEMPERATURE)


def reply_request(
    request: ModelRequest, turn: ConversationTurn, part: str, number: int, facts: Sequence[str]
) -> ModelRequest:
    """Build the request for a reply in the model's own words: the conversation without tool calls, and the question.

    The question is `part`, or the whole message if it is empty. A result that the model has to describe follows it.
    """
    messages = [one for one in turn.before if one.role != "tool" and not one.tool_calls]
    known = ["The user asked you to remember: " + "; ".join(facts) + "."] if facts else []
    attempt, question = turn.attempt_of(number), part or turn.question
    system = "\n".join([*(one.content for one in messages if one.role == "system"), *known])
    system = _NAME.sub("", without_needless_day(system, question)).rstrip("\n")
    prompt = f"{question}\n\nResult: {attempt.result[:RESULT_CHARACTERS]}\n\n{_STATE}" if attempt else question
    others = [one for one in messages if one.role != "system"]
    plain = replace(
        request,
        messages=[Message("system", system), *others, Message("user", prompt)],
        tools=(),
        resources=None,
        temperature=moderate_temperature(request),
    )
    if not (attempt or facts):
        return plain
    most = request.max_tokens
    return replace(plain, temperature=0.0, max_tokens=min(most or _TOKENS, _TOKENS) if attempt else most)


def structured_request(request: ModelRequest, turn: ConversationTurn) -> ModelRequest:
    """Build the request for a reply that fits a schema: the conversation, with passages of documents and results."""
    succeeded = [one for attempts in turn.attempts.values() for one in attempts if one.error is None]
    passages = [f"{one.title}: {one.text}"[:RESULT_CHARACTERS] for one in request.excerpts or ()]
    results = [f"Result of {one.tool}: {one.result[:RESULT_CHARACTERS]}" for one in succeeded]
    messages = [one for one in turn.before if one.role != "tool" and not one.tool_calls]
    return replace(
        request,
        messages=[*messages, Message("user", "\n\n".join([turn.question, *passages, *results]))],
        tools=(),
        resources=None,
        max_tokens=request.max_tokens or _SCHEMA_TOKENS,
        temperature=moderate_temperature(request),
    )
