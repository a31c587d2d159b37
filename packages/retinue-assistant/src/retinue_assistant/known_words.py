"""Puts everyday requests into words that the classifier of tools knows."""

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta

from retinue_assistant.text_parsing.iso_dates import write_iso_dates
from retinue_assistant.text_parsing.relative_dates import WEEKDAYS

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
_WHEN = (
    r"(?:today|tonight|tomorrow|on \d{4}-\d\d-\d\d|(?:on |next )?[a-z]{3,6}day|at \d[\w:.]*)"
    r"(?: (?:at|morning|evening)\b(?: \d[\w:.]*)?)?"
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
_REMINDING = re.compile(r"\bremind(?:er)?\b", re.IGNORECASE)
_FROM_NOW = re.compile(
    r"\bin (?P<count>\d{1,3}|an?|half an) (?:(?P<minutes>min(?:ute)?s?)|h(?:ou)?rs?)\b", re.IGNORECASE
)
_REPEATED = r"(?:every|each) (?P<{}>[a-z]{{3,6}}day|day|morning|evening)(?: at (?P<{}>\d[\w:.]*(?: ?[ap]\.?m\b)?))?"
_REPEATED_REMINDER = re.compile(
    r"^\W*(?:(?:please|can you|could you)\W+){0,2}remind me (?:"
    rf"{_REPEATED.format('day', 'time')},? (?:to|about|of|that i have to) (?P<task>[^.!?\n]{{2,150}})"
    rf"|(?:to|about|of) (?P<first_task>[^.!?\n]{{2,150}}?),? {_REPEATED.format('last_day', 'last_time')})\W*$",
    re.IGNORECASE,
)
"""Matches "Remind me every Monday at 9 to water the plants"."""
_REPETITION_FIRST = re.compile(
    rf"^\W*(?P<rhythm>{_REPEATED.format('day', 'time')}),? (?:please )?(?P<reminder>remind me) ", re.IGNORECASE
)
"""Matches the beginning of "Every Monday at 9 remind me to water the plants"."""
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
_MEMORY = re.compile(
    r"\W{1,10}(?:and |so )?(?:please )?(?:remember|don'?t forget|memori[sz]e) (?:that|this|it)(?: please)?\W{0,10}$",
    re.IGNORECASE,
)
"""Matches the request to remember a statement at its end."""
_SPAN = rf"(?:today|tomorrow|day|(?:(?:this|next) )?(?:weekend|week|month)|{'|'.join(WEEKDAYS)})"
_LOOKING = re.compile(
    rf"^\W*(?:so |and )?(?:what does my (?P<span>{_SPAN}) look like|how busy am i (?:on )?(?P<busy_span>{_SPAN})"
    rf"|what do i have (?:planned |on )?(?:for |on )?(?P<planned_span>{_SPAN})"
    rf"|what(?:'s| is) (?:on|up|planned|happening)(?: for| on)? (?P<on_span>{_SPAN}))\W*$",
    re.IGNORECASE,
)
"""Matches "What does my Thursday look like?"."""
_SPENDING = re.compile(r"^\W*did i spend (?:a lot|(?:too )?much|anything)\b(?P<rest>[^.!?\n]{0,80})\W*$", re.IGNORECASE)
_TASKS = re.compile(
    rf"^\W*(?:so |and )?what(?: else)? do i (?:still )?(?:have|need) to do(?: (?P<due_span>{_SPAN}))?\W*$"
    r"|^\W*(?:what are|show(?: me)?|list|give me|tell me)(?: all)?(?: of)? my (?:current |open |remaining )?"
    rf"(?:tasks|to-?dos?|reminders)(?: (?:for |on )?(?P<span>{_SPAN}))?\W*$",
    re.IGNORECASE,
)
_EXPENSES = re.compile(
    r"^\W*(?:(?:please|can you|could you)\W+){0,2}"
    r"(?:what are|show(?: me)?|list|give me|summari[sz]e|sum up|add up|total) my (?:expenses|spending)"
    rf"(?: (?:for |of )?(?P<span>{_SPAN}))?\W*$",
    re.IGNORECASE,
)
_TIME_THERE = re.compile(
    r"^\W*what time is it in (?P<there>[^?\d]{2,40}?),? (?:when|if) it(?:'s| is) "
    r"(?P<time>\d[\w:.]{0,6}(?: ?[ap]\.?m\b\.?)?)"
    r"(?: o'clock)? in (?P<here>[^?\d]{2,40}?)\W*$",
    re.IGNORECASE,
)
"""Matches "What time is it in Sydney when it is 9am in London?", whose places a small model confuses."""
_DATE_AHEAD = re.compile(
    r"^\W*what(?:'s| is| will be) the date in (?P<ahead>(?:\d{1,4}|[a-z]{2,8}) (?:day|week|month|year)s?)\W*$",
    re.IGNORECASE,
)
"""Matches "What is the date in two weeks?", whose number a small model takes for a time zone."""
_MOON = re.compile(r"^\W*when(?:'s| is) the next (?P<phase>full|new) moon\W*$", re.IGNORECASE)
_APPOINTMENT = re.compile(
    r"^\W*when(?:'s| is) (?:my|our) (?:next )?[\w' -]{0,40}\b(?:appointment|check-?up|interview|lesson|meeting)\W*$",
    re.IGNORECASE,
)
"""Matches "When is my dentist appointment?", which names no days to look through."""
_AHEAD = timedelta(days=92)
"""How far ahead an appointment is looked for."""
_KNOWING = re.compile(
    r"^\W*do you (?:know|have) (?P<what>[\w.' -]{1,60}?(?:'s|s') (?:\w+ )?(?:number|e-?mail|address|birthday)\b"
    r"[\w ]{0,30})\W*$",
    re.IGNORECASE,
)
"""Matches "Do you know Ben's number?"."""
_FORGETTING = re.compile(
    r"^\W*(?:(?:please|can you|could you)\W+){0,2}(?:forget|delete|remove|erase)"
    r" (?:about |what you (?:know|remember|saved) about |the (?:fact|memory) (?:about|of) |that )?"
    r"(?P<what>(?:my|our) [^.!?\n]{2,80}?)(?: from (?:your )?memory)?\W*$",
    re.IGNORECASE,
)
"""Matches "Forget my favourite colour", where no other tool was found."""


def _ask_calendar(found: re.Match[str]) -> str:
    span = found["span"] or found["busy_span"] or found["planned_span"] or found["on_span"]
    when = {"day": "today", "week": "this week", "weekend": "this weekend", "month": "this month"}.get(
        span.lower(), span
    )
    return f"What's on my calendar {f'on {when}' if when.lower() in WEEKDAYS else when}?"


def _ask_tasks(found: re.Match[str]) -> str:
    span = found["span"] or found["due_span"]
    return f"List my tasks that are due {span}" if span else "List my open tasks"


_REWRITTEN: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], str]], ...] = (
    (_LOOKING, _ask_calendar),
    (_TASKS, _ask_tasks),
    (_EXPENSES, lambda found: f"What were my expenses {found['span'] or 'this month'}?"),
    (_SPENDING, lambda found: f"How much did I spend{found['rest']}?"),
    (_TIME_THERE, lambda found: f"It is {found['time']} in {found['here']}. What time is it in {found['there']}?"),
    (_DATE_AHEAD, lambda found: f"What is the date {found['ahead']} from today?"),
    (_KNOWING, lambda found: f"What is {found['what']}?"),
)
"""Patterns of everyday questions, and how to write what they match."""


def as_plain_question(request: str, today: date) -> str:
    """Return a question such as "Do you know Ben's number?" as "What is Ben's number?"; empty for others."""
    if _APPOINTMENT.match(request):
        return f"List my appointments from {today} to {today + _AHEAD}"
    if found := _MOON.match(request):
        return f"When is the next {found['phase']} moon after {today}?"
    return next((write(found) for pattern, write in _REWRITTEN if (found := pattern.match(request))), "")


def asks_summary(request: str) -> bool:
    """Return whether a request asks for a summary, whose text may speak of anything."""
    return _SUMMARIZING.match(request) is not None


def asks_memories(request: str) -> bool:
    """Return whether a request asks for everything that was remembered, in English, German, Spanish or French."""
    return _MEMORIES.match(request) is not None


def in_known_words(request: str) -> str:
    """Return a request in words that the classifier knows better; empty if there are none.

    A request for a reminder is one for a task, "My car is red, remember that" is "Remember that my car is red", and
    one for a summary of several sentences asks for the most central ones.
    """
    if asks_summary(request):
        return _SUMMARY if len(_SENTENCE_END.findall(request)) >= _SUMMARIZED else ""
    if found := _REMINDER.match(request):
        return " ".join(filter(None, [f"Add a task: {found['task'].rstrip('.! ')}", found["when"]]))
    if found := _FORGETTING.match(request):
        return f"Remove {found['what']} from your memory"
    found = _MEMORY.search(request)
    fact = request[: found.start()].strip() if found else ""
    return f"Remember that {fact[0].lower()}{fact[1:]}" if fact else ""


def asks_reminder(request: str) -> bool:
    """Return whether a request speaks of a reminder."""
    return _REMINDING.search(request) is not None


def write_reminder_time(request: str, moment: datetime) -> str:
    """Replace "in 20 minutes" in a request for a reminder with the day and the time. `moment` is now, in UTC."""
    if not asks_reminder(request):
        return request
    return _FROM_NOW.sub(lambda one: _write_time_from(moment, one), request, count=1)


def _write_time_from(moment: datetime, found: re.Match[str]) -> str:
    count = found["count"].lower()
    number = {"a": 1.0, "an": 1.0, "half an": 0.5}.get(count) or float(count)
    due = moment + (timedelta(minutes=number) if found["minutes"] else timedelta(hours=number))
    return f"on {due:%Y-%m-%d} at {due:%H:%M}"


def as_calendar_entry(request: str, today: date) -> str:
    """Return a request for a repeated reminder as one for a calendar event, with its first day; empty for others.

    Tasks do not repeat.
    """
    ordered = _REPETITION_FIRST.sub(lambda one: f"{one['reminder']} {one['rhythm']} ", request)
    found = _REPEATED_REMINDER.match(ordered)
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
