"""Time tracking."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, ToolError, tool
from retinue.sdk.workspace import (
    NewRecord,
    RecordTransaction,
    Row,
    ToolContext,
    ValidationFailed,
    format_datetime,
    parse_datetime,
    run_on_compute_thread,
)
from retinue_tools.workspace._vocabulary import When

_KIND, _RUNNING, _ENDED = "time", "running", "ended"

Project = Annotated[str, About("Project", "Website", min_length=1, max_length=100)]
Remark = Annotated[str, About("Description of the work", "Drafted the front page", max_length=1000)]


class TimeEntry(TypedDict):
    """A time entry."""

    project: Annotated[str, About("Name of the project")]
    note: Annotated[str, About("Description of the work")]
    start: Annotated[str, About("Start, in UTC")]
    end: Annotated[str | None, About("End, in UTC; null while the clock runs")]
    minutes: Annotated[float, About("Duration; so far while the clock runs")]


class ProjectTime(TypedDict):
    """Time spent on a project or a day."""

    group: Annotated[str, About("Project, or date in UTC")]
    minutes: Annotated[float, About("Total duration")]
    entries: Annotated[int, About("Number of entries")]


class TimeReport(TypedDict):
    """Time spent in a period."""

    groups: list[ProjectTime]
    total_minutes: Annotated[float, About("Total duration")]


def _describe(row: Row, now: datetime) -> TimeEntry:
    end = parse_datetime(row.body["end"], "end") if row.body["end"] else None
    return {
        "project": row.body["project"],
        "note": row.body["note"],
        "start": format_datetime(row.at),
        "end": row.body["end"],
        "minutes": round(((end or now) - row.at).total_seconds() / 60, 2),
    }


@tool(
    tags="time entry start clock timer tracking stopwatch project",
    use_when=(
        "Start the clock for the website project",
        "I begin to work on the tax return now",
        "Track the time of this meeting",
        "Clock in",
        "Start tracking my working time",
    ),
    read_only=False,
    idempotent=False,
    examples=(
        Example(
            {"project": "Clock proof"},
            {"project": "Clock proof", "end": None},
            source="by hand",
            then=(ExampleCall("time_entry_stop", {}, {"project": "Clock proof"}),),
        ),
        Example(
            {"project": "Clock proof", "note": "again"},
            {"note": "again"},
            source="by hand",
            then=(ExampleCall("time_entry_stop", {}, {"note": "again"}),),
        ),
        Refusal({"project": ""}, "project must have at least 1 character"),
    ),
    reply="The clock is running for {args.project}.",
)
async def time_entry_start(context: ToolContext, project: Project, note: Remark = "") -> TimeEntry:
    """Start the clock for a project. Only one clock can run at a time; time_entry_stop stops it."""

    async def work(writing: RecordTransaction) -> Row:
        if running := await writing.oldest(_KIND, _RUNNING):
            raise ToolError(f"The clock is already running for {running[0].body['project']!r}. Stop it first.")
        body = {"project": project, "note": note, "end": None}
        return await writing.add(_KIND, NewRecord(body, state=_RUNNING, at=context.now()))

    return _describe(await context.records.write(work), context.now())


@tool(
    tags="time entry stop clock timer end tracking",
    use_when=(
        "Stop the clock",
        "I have finished working on the website",
        "End the running timer",
        "Clock out",
    ),
    read_only=False,
    destructive=True,
    destroys_when={"note": ()},
    idempotent=False,
    examples=(
        Example(
            {"note": "Finished proof"},
            {"project": "Stop proof", "note": "Finished proof"},
            source="by hand",
            before=(ExampleCall("time_entry_start", {"project": "Stop proof"}),),
        ),
        Example(
            {},
            {"project": "Stop proof", "note": "kept"},
            source="by hand",
            before=(ExampleCall("time_entry_start", {"project": "Stop proof", "note": "kept"}),),
        ),
        Refusal({}, "No clock is running"),
    ),
    reply="The clock for {project} ran for {minutes|minute}.",
)
async def time_entry_stop(context: ToolContext, note: Remark = "") -> TimeEntry:
    """Stop the running clock, and return how long it ran; a note replaces the one from its start."""

    async def work(writing: RecordTransaction) -> Row:
        running = await writing.oldest(_KIND, _RUNNING)
        if not running:
            raise ToolError("No clock is running. Start one, or log the time with time_entry_log.")
        body = {**running[0].body, "note": note or running[0].body["note"], "end": format_datetime(context.now())}
        return await writing.replace(running[0], NewRecord(body, state=_ENDED))

    return _describe(await context.records.write(work), context.now())


@tool(
    tags="time entry log record past hours worked timesheet",
    use_when=(
        "I worked on the website yesterday from 9 to 11",
        "Log two hours for the tax return on Monday",
        "Add 45 minutes of meeting to my time sheet",
    ),
    read_only=False,
    idempotent=False,
    examples=(
        Example(
            {"project": "Log proof", "start": "2088-01-01T09:00", "minutes": 90},
            {"start": "2088-01-01T09:00:00Z", "end": "2088-01-01T10:30:00Z", "minutes": 90.0},
            source="by hand",
        ),
        Example(
            {"project": "Log proof", "start": "2088-01-02T09:00+02:00", "minutes": 30, "note": "x"},
            {"start": "2088-01-02T07:00:00Z", "note": "x"},
            source="by hand: two hours before UTC",
        ),
        Refusal({"project": "x", "start": "yesterday", "minutes": 5}, "is not a date or time"),
    ),
    reply="I logged {minutes|minute} for {project}, from {start}.",
)
async def time_entry_log(
    context: ToolContext,
    project: Project,
    start: When,
    minutes: Annotated[int, About("Duration", 90, minimum=1, maximum=44_640)],
    note: Remark = "",
) -> TimeEntry:
    """Record time that was spent on a project, with a start and a duration in minutes, without the clock."""
    begin = parse_datetime(start, "start")
    if begin.year > 9000:
        raise ValidationFailed("start: that is too far in the future.")
    body = {"project": project, "note": note, "end": format_datetime(begin + timedelta(minutes=minutes))}

    async def work(writing: RecordTransaction) -> Row:
        return await writing.add(_KIND, NewRecord(body, state=_ENDED, at=begin))

    return _describe(await context.records.write(work), context.now())


@tool(
    tags="time entry report timesheet hours project day sum",
    use_when=(
        "How many hours did I work on the website in May?",
        "Show my time sheet of last week by day",
        "What did I spend my time on?",
    ),
    examples=(
        Example(
            {"since": "2087-01-01", "until": "2087-02-01"},
            {"groups": [{"group": "Report proof", "minutes": 75.0, "entries": 2}], "total_minutes": 75.0},
            source="by hand",
            before=(
                ExampleCall("time_entry_log", {"project": "Report proof", "start": "2087-01-01T09:00", "minutes": 60}),
                ExampleCall("time_entry_log", {"project": "Report proof", "start": "2087-01-02T09:00", "minutes": 15}),
            ),
        ),
        Example(
            {"since": "2086-01-01", "until": "2086-02-01", "group_by": "day"},
            {"groups": [{"group": "2086-01-05", "minutes": 20.0, "entries": 1}]},
            source="by hand",
            before=(
                ExampleCall("time_entry_log", {"project": "Day proof", "start": "2086-01-05T09:00", "minutes": 20}),
            ),
        ),
        Refusal({"since": "x", "until": "y"}, "is not a date or time"),
    ),
    reply={
        "groups.1": "The total is {total_minutes|minute}: {groups}",
        "groups": "You spent {groups.0.minutes|minute} on {groups.0.group}.",
        "": "There are no entries in this period.",
    },
)
async def time_entry_report(
    context: ToolContext,
    since: When,
    until: When,
    group_by: Annotated[Literal["project", "day"], About("Grouping")] = "project",
) -> TimeReport:
    """Sum the time that was spent in a period, by project or by day. Entries count on the day they begin."""
    rows = await context.records.between(_KIND, parse_datetime(since, "since"), parse_datetime(until, "until"), _ENDED)
    return await run_on_compute_thread(_report, rows, group_by, context.now())


def _report(rows: Sequence[Row], group_by: str, at_moment: datetime) -> TimeReport:
    key: Callable[[Any], str] = (lambda one: one["project"]) if group_by == "project" else lambda one: one["start"][:10]
    groups: dict[str, ProjectTime] = {}
    for entry in (_describe(row, at_moment) for row in rows):
        group = groups.setdefault(key(entry), {"group": key(entry), "minutes": 0.0, "entries": 0})
        group["minutes"] = round(group["minutes"] + entry["minutes"], 2)
        group["entries"] += 1
    ordered = sorted(groups.values(), key=lambda group: group["group"])
    return {"groups": ordered, "total_minutes": round(sum(group["minutes"] for group in ordered), 2)}
