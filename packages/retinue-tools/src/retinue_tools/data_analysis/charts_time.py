"""Gantt charts and timelines."""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Annotated, Any, NotRequired

from matplotlib import dates as mpl_dates
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.data_analysis._charts_axes import moment
from retinue_tools.data_analysis._charts_style import (
    FALL,
    GREY,
    INK,
    LIGHT,
    PALETTE,
    Around,
    FileFormat,
    Frame,
    Picture,
    Title,
    axes_of,
    colours,
    draw,
    legend,
    short,
    wrap,
)

DAY_PATTERN = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


class Task(TypedDict):
    """A task of a plan."""

    name: Annotated[str, About("Name of the task", "Design", min_length=1, max_length=120)]
    start: Annotated[str, About("First day", "2026-03-02", pattern=DAY_PATTERN, max_length=10)]
    end: Annotated[
        str, About("Last day; equal to the start for a milestone", "2026-03-13", pattern=DAY_PATTERN, max_length=10)
    ]
    group: NotRequired[Annotated[str, About("Group, which determines its colour", "Team A", max_length=60)]]
    done_percent: NotRequired[Annotated[float, About("Completed share", 40, minimum=0, maximum=100)]]


class Gantt(Picture):
    """A Gantt chart."""

    start: Annotated[str, About("First day of the plan")]
    end: Annotated[str, About("Last day of the plan")]
    days: Annotated[int, About("Calendar days of the plan, including both ends")]
    done_percent: Annotated[float, About("Completed share, with tasks weighted by their days")]


class Event(TypedDict):
    """An event."""

    date: Annotated[str, About("Date: 2026-03-01, 2026-03 or 2026", "2026-03-01", min_length=4, max_length=19)]
    label: Annotated[str, About("Description of the event", "Launch", min_length=1, max_length=120)]


class Timeline(Picture):
    """A timeline."""

    first: Annotated[str, About("Label of the first event")]
    last: Annotated[str, About("Label of the last event")]
    span_days: Annotated[int, About("Days between them")]


@tool(
    tags="chart gantt plan schedule tasks project milestones dates draw",
    use_when=(
        "Draw a Gantt chart of the project plan",
        "Show these tasks with their dates as bars",
        "Picture the schedule with milestones and progress",
    ),
    examples=(
        Example(
            {
                "tasks": [
                    {"name": "Design", "start": "2026-03-02", "end": "2026-03-11", "done_percent": 50},
                    {"name": "Build", "start": "2026-03-12", "end": "2026-03-21", "group": "B"},
                    {"name": "Launch", "start": "2026-03-22", "end": "2026-03-22"},
                ]
            },
            {"file": "gantt.png", "start": "2026-03-02", "end": "2026-03-22", "days": 21, "done_percent": 25.0},
            source="two tasks of 10 days, half of one done; milestones have no weight",
        ),
        Example(
            {
                "tasks": [{"name": "A", "start": "2026-01-01", "end": "2026-01-02"}],
                "today": "2026-01-02",
                "file_format": "svg",
            },
            {"file": "gantt.svg", "days": 2},
            source="by hand",
        ),
        Refusal({"tasks": [{"name": "A", "start": "2026-01-02", "end": "2026-01-01"}]}, "ends before it starts"),
    ),
    reply="The plan takes {days|day}, from {start} to {end}, and {done_percent} % is done: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_gantt(
    tasks: Annotated[
        list[Task],
        About(
            "Tasks in order",
            [{"name": "Design", "start": "2026-03-02", "end": "2026-03-13"}],
            min_items=1,
            max_items=80,
        ),
    ],
    today: Annotated[
        str | None, About("Day to mark with a line", "2026-03-09", pattern=DAY_PATTERN, max_length=10)
    ] = None,
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> Gantt:
    """Draw a Gantt chart: tasks as bars over days, with progress, groups in colours, and milestones as diamonds.

    Use it for plans. A task of one day without progress is a milestone. Returns picture, length and progress.
    """
    spans = [(day_of(task["start"]), day_of(task["end"])) for task in tasks]
    for task, (start, end) in zip(tasks, spans, strict=True):
        if end < start:
            raise ToolError(f"{short(task['name'])} ends before it starts.")
    groups = list(dict.fromkeys(task.get("group", "") for task in tasks))
    colour = dict(zip(groups, colours(len(groups)), strict=True))

    def plot(figure: Any) -> None:
        axes = axes_of(figure, "x")
        _day_axis(axes)
        for row, (task, (start, end)) in enumerate(zip(tasks, spans, strict=True)):
            _task(axes, row, task, (start, end), colour[task.get("group", "")])
        if today:
            axes.axvline(day_of(today) + timedelta(0.5), color=FALL, linewidth=1.5)
        axes.set_yticks(range(len(tasks)), [short(task["name"], 34) for task in tasks], color=INK)
        axes.set_ylim(len(tasks) - 0.4, -0.6)
        axes.set_xlim(min(start for start, _ in spans) - timedelta(0.5), max(end for _, end in spans) + timedelta(1.5))
        if len(groups) > 1:
            marks = [axes.barh(0, 0, color=colour[group]) for group in groups]
            legend(figure, marks, [group or "Other" for group in groups])

    picture = draw("gantt", Frame(title, layout, file_format), plot, (960, max(260, 120 + 32 * len(tasks))))
    weights = [
        0 if _is_milestone(task) else (end - start).days + 1 for task, (start, end) in zip(tasks, spans, strict=True)
    ]
    done = math.fsum(weight * task.get("done_percent", 0.0) for weight, task in zip(weights, tasks, strict=True))
    first, last = min(start for start, _ in spans), max(end for _, end in spans)
    return {
        **picture,
        "start": first.date().isoformat(),
        "end": last.date().isoformat(),
        "days": (last - first).days + 1,
        "done_percent": round(done / sum(weights), 4) if sum(weights) else 0.0,
    }


@tool(
    tags="chart timeline events history milestones dates labels draw",
    use_when=(
        "Draw a timeline of the company's history",
        "Show these events by date with labels",
        "Picture the milestones of the mission",
        "Timeline for history class",
    ),
    examples=(
        Example(
            {"events": [{"date": "2026-03-01", "label": "Start"}, {"date": "2026-03-31", "label": "End"}]},
            {"file": "timeline.png", "first": "Start", "last": "End", "span_days": 30},
            source="by hand",
        ),
        Example(
            {
                "events": [{"date": "1969", "label": "Moon"}, {"date": "1961-04", "label": "Orbit"}],
                "file_format": "svg",
            },
            {"file": "timeline.svg", "first": "Orbit", "last": "Moon", "span_days": 2832},
            source="from 1961-04-01 to 1969-01-01: eight years with the leap days of 1964 and 1968, less 90 days",
        ),
        Refusal({"events": [{"date": "soon", "label": "x"}]}, "not a date"),
    ),
    reply="The timeline from \u201c{first}\u201d to \u201c{last}\u201d, {span_days|day}: {file}",
    tier="starter",
    credits=2,
    pace="normal",
    memory_mb=1024,
)
def chart_draw_timeline(
    events: Annotated[
        list[Event], About("Events", [{"date": "2026-03-01", "label": "Launch"}], min_items=1, max_items=30)
    ],
    title: Title = "",
    layout: Around = None,
    file_format: FileFormat = "png",
) -> Timeline:
    """Draw a timeline: events as dots on a time line, with labels above and below that do not overlap.

    Use it for histories and milestones. Returns the picture, the first and last event, and the days between.
    """
    dated = sorted(((_moment(event["date"]), event) for event in events), key=lambda pair: pair[0])

    def plot(figure: Any) -> None:
        axes = axes_of(figure, "none")
        axes.spines["bottom"].set_visible(False)
        axes.set_yticks([])
        _day_axis(axes)
        _events(axes, dated)

    picture = draw("timeline", Frame(title, layout, file_format), plot, (1000, 460))
    first, last = dated[0], dated[-1]
    return {**picture, "first": first[1]["label"], "last": last[1]["label"], "span_days": (last[0] - first[0]).days}


def day_of(text: str) -> datetime:
    found = moment(text)
    if found is None:
        raise ToolError(f"{text} is not a valid date between the years 1000 and 2999.")
    return found


def _moment(text: str) -> datetime:
    """Parse a date that may be only a year or a month."""
    found = moment(f"{text}-01" if len(text) == 4 else text)
    if found is None:
        raise ToolError(
            f"{text} is not a date. Write it as 2026-03-01, 2026-03 or 2026, with a year from 1000 to 2999."
        )
    return found


def _day_axis(axes: Any) -> None:
    locator = mpl_dates.AutoDateLocator(minticks=3, maxticks=9)
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(mpl_dates.ConciseDateFormatter(locator, show_offset=True))


def _is_milestone(task: Task) -> bool:
    return task["start"] == task["end"] and "done_percent" not in task


def _task(axes: Any, row: int, task: Task, span: tuple[datetime, datetime], colour: str) -> None:
    start, end = span
    if _is_milestone(task):
        axes.scatter([start + timedelta(0.5)], [row], marker="D", s=70, color=INK, zorder=3)
        return
    length = end - start + timedelta(1)
    share = task.get("done_percent")
    axes.barh(row, length, left=start, height=0.58, color=colour, alpha=1 if share is None else 0.35)
    if share is not None:
        axes.barh(row, length * share / 100, left=start, height=0.58, color=colour)


def _events(axes: Any, dated: Sequence[tuple[datetime, Event]]) -> None:
    """Draw dots on a line, with labels at heights with free space from left to right."""
    first, last = dated[0][0], dated[-1][0]
    span = (last - first) / timedelta(1) or 1.0
    axes.plot([first, last], [0, 0], color=LIGHT, linewidth=3, zorder=1)
    taken: dict[float, float] = {}
    heights = (1.0, -1.0, 2.0, -2.0, 3.0, -3.0, 4.0, -4.0)
    for when, event in dated:
        text = wrap(event["label"], 20, 2)
        place = (when - first) / timedelta(1) / span
        half = max(*map(len, text.split("\n")), 10) * 0.0042 + 0.006
        height = next(
            (level for level in heights if taken.get(level, -1.0) <= place - half),
            min(heights, key=lambda level: taken.get(level, -1.0)),
        )
        taken[height] = place + half
        axes.plot([when, when], [0, height], color=LIGHT, linewidth=1, zorder=0)
        axes.annotate(
            f"{text}\n", (when, height), ha="center", va="center", linespacing=1.25, size=9,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
        )  # fmt: skip
        axes.annotate(
            _show(event["date"]),
            (when, height),
            (0, -13),
            textcoords="offset points",
            ha="center",
            va="center",
            size=8,
            color=GREY,
        )
    axes.scatter([when for when, _ in dated], [0] * len(dated), s=60, color=PALETTE[0], edgecolors="white", zorder=3)
    reach = max(map(abs, taken)) + 0.9
    axes.set_ylim(-reach, reach)
    axes.margins(x=0.1)


def _show(text: str) -> str:
    return text[:10]
