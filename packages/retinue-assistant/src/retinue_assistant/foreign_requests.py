"""Puts German, Spanish and French requests to store something into English ones that keep the words of the user.

A translation by the model would store "milk" for somebody who wrote "Milch", and confuse days and times.
"""

import re
from collections.abc import Callable

from retinue_assistant import known_words

_DAYS = {
    "heute": "today",
    "morgen": "tomorrow",
    "am montag": "on Monday",
    "am dienstag": "on Tuesday",
    "am mittwoch": "on Wednesday",
    "am donnerstag": "on Thursday",
    "am freitag": "on Friday",
    "am samstag": "on Saturday",
    "am sonntag": "on Sunday",
    "hoy": "today",
    "ma\u00f1ana": "tomorrow",
    "el lunes": "on Monday",
    "el martes": "on Tuesday",
    "el mi\u00e9rcoles": "on Wednesday",
    "el jueves": "on Thursday",
    "el viernes": "on Friday",
    "el s\u00e1bado": "on Saturday",
    "el domingo": "on Sunday",
    "aujourd'hui": "today",
    "demain": "tomorrow",
    "lundi": "on Monday",
    "mardi": "on Tuesday",
    "mercredi": "on Wednesday",
    "jeudi": "on Thursday",
    "vendredi": "on Friday",
    "samedi": "on Saturday",
    "dimanche": "on Sunday",
}
_CLOCK = (
    r"(?:um|a las?|\u00e0)\s(?P<{0}hour>\d{{1,2}})(?:\s?(?:[:.h]|uhr|heures?)\s?(?P<{0}minute>[0-5]\d)?)?(?:\suhr)?"
)
_WHEN = rf"(?P<{{0}}day>{'|'.join(_DAYS)})?(?:\s?{_CLOCK})?"
_MOMENT = re.compile(
    rf"(?<!\w)(?:(?P<day>{'|'.join(_DAYS)})(?:,?\s{_CLOCK.format('')})?|{_CLOCK.format('only_')})(?!\w)", re.IGNORECASE
)
"""Matches a day with or without a time, or a time."""
_POLITE = r"^\W*(?:(?:bitte|kannst du|k\u00f6nnen sie|por favor|puedes|s'il te pla\u00eet|peux-tu|tu peux)\W+){0,2}"
_MY = r"(?:meine[rnm]?|die|der|den|unsere[rn]?|mi|la|nuestra|ma|mon|notre)\s"
_LIST = (
    r"(?P<list>[\w\u00df-]{0,30}(?:liste|zettel)|lista(?:\sde\s(?:la\s)?[\w-]{1,30})?"
    r"|liste\s(?:de|des|du)\s[\w-]{1,30})"
)
_ARTICLE = (
    r"(?:(?:du|de la|des|un|une|le|la|les|el|los|las|una|ein|eine|einen|den|die|das)\s|de l['\u2019]|l['\u2019])?"
)
_ADD = (
    r"(?:setze?|schreibe?|packe?|f\u00fcge?|nimm|trage?|a\u00f1ade|agrega|apunta|pon|anota|ajoute|rajoute|mets|note"
    r"|inscris)\s(?:bitte\s)?"
)
_REMINDER = re.compile(
    rf"{_POLITE}(?:erinner(?:e|n sie)? mich|recu[e\u00e9]rd[ae]me|rappelle[zs]?[- ]moi)\s"
    rf"(?:{_WHEN.format('first_')}\s)?(?:daran,?\s|an\s(?:(?:den|die|das|meine?n?)\s)?|de\s|que\s|d['\u2019])?"
    rf"(?P<task>\S[^.!?\n]{{1,150}}?)(?:,?\s{_WHEN.format('last_')})?\W*$",
    re.IGNORECASE,
)
"""Matches "Erinnere mich morgen um 9 an den Zahnarzt", and the same in Spanish and French."""
_ADDING = re.compile(
    rf"{_POLITE}{_ADD}{_ARTICLE}(?P<item>\S[^.!?\n]{{0,100}}?)"
    rf"\s(?:zur\s|(?:auf|in|zu|a|en|\u00e0|sur|dans)\s{_MY}){_LIST}(?:\s(?:auf|ein|hinzu))?\W*$",
    re.IGNORECASE,
)
"""Matches "Setze Milch auf meine Einkaufsliste"."""
_TICKING = re.compile(
    rf"{_POLITE}(?:hake?|marca|coche)\s{_ARTICLE}(?P<item>\S[^.!?\n]{{0,100}}?)"
    rf"\s(?:auf|von|in|de|en|sur|dans)\s{_MY}{_LIST}(?:\sab)?\W*$",
    re.IGNORECASE,
)
"""Matches "Hake Milch auf meiner Einkaufsliste ab"."""
_REMOVING = re.compile(
    rf"{_POLITE}(?:streiche?|entferne?|l\u00f6sche?|nimm|tacha|quita|borra|elimina|raye|enl\u00e8ve|retire|supprime)"
    rf"\s{_ARTICLE}(?P<item>\S[^.!?\n]{{0,100}}?)\s(?:auf|aus|von|in|de|en|sur|dans)\s{_MY}{_LIST}(?:\sraus)?\W*$",
    re.IGNORECASE,
)
"""Matches "Streiche Milch von meiner Einkaufsliste"."""
_SHOWING = re.compile(
    r"^\W*(?:was (?:steht|ist) (?:alles |noch )?auf|zeige?(?: mir)?|qu\u00e9 (?:hay|tengo|falta) en"
    r"|(?:mu\u00e9stra|ens\u00e9\u00f1a)me|muestra|qu'y a-t-il (?:sur|dans)|qu'est-ce qu'il y a (?:sur|dans)"
    rf"|(?:montre|affiche)(?:-moi)?)\s{_MY}{_LIST}(?:\san)?\W*$",
    re.IGNORECASE,
)
"""Matches "Was steht auf meiner Einkaufsliste?"."""
_REMEMBERING = re.compile(
    rf"{_POLITE}(?:merke? dir(?: bitte)?[,:]*(?:\sdass)?|recuerda[,:]?(?:\sque)?"
    r"|(?:retiens|souviens-toi|rappelle-toi) (?:bien )?que)\s(?P<fact>[^?\n]{3,200}?)[\s.!]*$",
    re.IGNORECASE,
)
"""Matches "Merke dir, dass mein Spind die Nummer 7 hat"."""
_NOTING = re.compile(
    rf"{_POLITE}(?:notiere?(?: dir| mir)?|(?:(?:schreibe?|mache?|speichere?)(?: mir)? eine |neue )?notiz|anota|apunta"
    r"|toma nota|(?:nueva )?nota|note|prends note|nouvelle note)\s?:\s(?P<text>[^\n]{2,300})$",
    re.IGNORECASE,
)
"""Matches "Notiere: Reifen wechseln lassen"."""
_TASK = re.compile(
    rf"{_POLITE}(?:(?:(?:neue )?aufgabe|(?:nueva )?tarea|(?:nouvelle )?t\u00e2che)\s?:\s(?P<text>[^.!?\n]{{2,150}}?)"
    rf"|{_ADD}(?P<added>\S[^.!?\n]{{1,150}}?)\s(?:zu|auf|a|en|\u00e0|dans)"
    r"\s(?:meinen? aufgaben(?:liste)?|mis tareas|mes t\u00e2ches)(?:\shinzu)?)\W*$",
    re.IGNORECASE,
)
"""Matches "Neue Aufgabe: Steuererkl\u00e4rung am Freitag"."""
_CALENDAR = re.compile(
    rf"{_POLITE}{_ADD}(?P<text>\S[^.!?\n]{{1,150}}?)\s(?:in|en|a|\u00e0|dans|sur)\s(?:(?:den|meinen|mein|el|mi|mon|le|la)"
    r"\s(?:termin)?(?:kalender|calendario|calendrier|agenda)|l['\u2019]agenda)(?:\sein)?\W*$",
    re.IGNORECASE,
)
"""Matches "Trage morgen um 15 Uhr Zahnarzt in den Kalender ein"."""
_AMOUNT = (
    r"(?P<{0}amount>\d{{1,9}}(?:[.,]\d{{1,2}})?)\s?"
    r"(?P<{0}currency>euros?|\u20ac|eur|francs?|franken|chf|d\u00f3lares|dollars?|\$)"
)
_SPENDING = re.compile(
    rf"^\W*(?:ich habe (?:(?P<day>heute|gestern) )?(?:f\u00fcr (?P<first>[^.!?\n]{{2,60}}?) )?{_AMOUNT.format('')}"
    r"(?:\s(?:f\u00fcr|f\u00fcrs) (?P<thing>[^.!?\n]{2,60}?))? ausgegeben"
    r"|(?:(?P<when>hoy|ayer|aujourd'hui|hier),? )?(?:he gastado|gast\u00e9|j'ai d\u00e9pens\u00e9) "
    rf"{_AMOUNT.format('other_')}\s(?:en|pour|dans) {_ARTICLE}(?P<other>[^.!?\n]{{2,60}}?))\W*$",
    re.IGNORECASE,
)
"""Matches "Ich habe 12,50 Euro f\u00fcr das Mittagessen ausgegeben"."""
_AND = re.compile(r"\s(?:und|y|et)\s", re.IGNORECASE)
_CURRENCIES = {
    "\u20ac": "EUR",
    "$": "USD",
    "euro": "EUR",
    "franc": "CHF",
    "franken": "CHF",
    "dollar": "USD",
    "d\u00f3lare": "USD",
}


def in_known_english(request: str) -> str:
    """Return a request to store or to show something of the user's own in English, with the user's words for it; empty
    for any other request.
    """
    if known_words.asks_memories(request):
        return known_words.ALL_MEMORIES
    return next((write(found) for pattern, write in _REQUESTS if (found := pattern.match(request))), "")


def _when(day: str | None, hour: str | None, minute: str | None) -> str:
    """Return a day and a time in English."""
    return " ".join(filter(None, [_DAYS[day.lower()] if day else "", f"at {hour}:{minute or '00'}" if hour else ""]))


def _take_moment(text: str) -> tuple[str, str]:
    """Return a text without its day and time, and these in English."""
    found = _MOMENT.search(text)
    if found is None:
        return text.strip(), ""
    rest = f"{text[: found.start()].rstrip()} {text[found.end() :].lstrip()}".strip(" ,")
    when = _when(found["day"], found["hour"] or found["only_hour"], found["minute"] or found["only_minute"])
    return (rest, when) if rest else (text.strip(), "")


def _write_reminder(found: re.Match[str]) -> str:
    when = _when(
        found["first_day"] or found["last_day"],
        found["first_hour"] or found["last_hour"],
        found["first_minute"] or found["last_minute"],
    )
    return f"Add a task: {found['task'].strip()} {when}".strip()


def _write_task(found: re.Match[str]) -> str:
    task, when = _take_moment(found["text"] or found["added"])
    return f"Add a task: {task} {when}".strip()


def _write_event(found: re.Match[str]) -> str:
    event, when = _take_moment(found["text"])
    return f"Put '{event}' into my calendar {when}".strip()


def _write_expense(found: re.Match[str]) -> str:
    amount = (found["amount"] or found["other_amount"]).replace(",", ".")
    currency = (found["currency"] or found["other_currency"]).lower().removesuffix("s")
    thing = found["first"] or found["thing"] or found["other"] or ""
    day = (found["day"] or found["when"] or "").lower()
    when = "yesterday" if day in ("gestern", "ayer", "hier") else "today" if day else ""
    spent = f"I spent {amount} {_CURRENCIES.get(currency, currency.upper())}"
    return " ".join(filter(None, [spent, f"on {thing}" if thing else "", when]))


_REQUESTS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (_REMINDER, _write_reminder),
    (_ADDING, lambda found: f"Add {_AND.sub(' and ', found['item'])} to my checklist '{found['list']}'"),
    (_TICKING, lambda found: f"Tick off '{found['item']}' on my checklist '{found['list']}'"),
    (_REMOVING, lambda found: f"Take '{found['item']}' off my checklist '{found['list']}'"),
    (_SHOWING, lambda found: f"Show my checklist '{found['list']}'"),
    (_REMEMBERING, lambda found: f"Remember that {found['fact']}"),
    (_NOTING, lambda found: f"Save a note with the text '{found['text']}'"),
    (_TASK, _write_task),
    (_CALENDAR, _write_event),
    (_SPENDING, _write_expense),
)
"""Patterns of requests, and how to write what they match."""
