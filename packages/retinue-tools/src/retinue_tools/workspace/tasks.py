"""Tasks."""

from datetime import datetime, timedelta
from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, tool
from retinue.sdk.workspace import RecordKind, ToolContext, parse_datetime
from retinue_tools.workspace._vocabulary import Deleted, Id, Kept, Most, Tag, Tags, Title, When, has_tag

Priority = Literal["low", "normal", "high", "urgent"]
Status = Literal["todo", "doing", "done"]
_RANK = {"urgent": 0, "high": 1, "normal": 2, "low": 3}
_OPEN: tuple[Status, ...] = ("todo", "doing")
_DATE_CHARACTERS = 10
_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"


class Task(Kept):
    """A task."""

    title: Annotated[str, About("Title of the task")]
    notes: Annotated[str, About("Details")]
    status: Annotated[Status, About("Status")]
    priority: Annotated[Priority, About("Priority")]
    due: Annotated[str, About("Due date, as given; empty if there is none")]
    tags: Annotated[list[str], About("Tags of the task")]


class Tasks(TypedDict):
    """Some tasks."""

    tasks: list[Task]
    total: Annotated[int, About("Number of matching tasks, including those beyond the limit")]


class Overview(TypedDict):
    """Overview of all tasks."""

    todo: Annotated[int, About("Tasks that are not started")]
    doing: Annotated[int, About("Tasks in progress")]
    done: Annotated[int, About("Tasks completed")]
    overdue: Annotated[list[Task], About("Overdue open tasks, up to 50")]
    due_soon: Annotated[list[Task], About("Open tasks due within the requested days, up to 50")]


TASKS: RecordKind[Task] = RecordKind("task", "title", ("title", "notes", "tags"), state="status", at="due")

Notes = Annotated[str, About("Details", "Bring two photos", max_length=10_000)]
Due = Annotated[str, About("Due date or time in ISO 8601; empty for none", "2026-12-01", max_length=40)]


@tool(
    tags="task todo create add reminder plan due priority make remind ring call",
    use_when=(
        "Add a task to renew my passport by 1 December",
        "Put 'call the bank' on my to-do list with high priority",
        "I need to remember to water the plants",
        "Remind me to call the dentist on Friday",
        "Add something to my to-do list",
        "Make a to-do list",
        "Remind me to call the plumber",
        "Set a reminder for Monday",
        "I need to pay the electricity bill by Friday",
        "I must hand in the report on Monday",
        "Put buying stamps on my list of things to do",
    ),
    read_only=False,
    idempotent=False,
    examples=(
        Example(
            {"title": "Proof: renew passport", "due": "2099-12-01", "priority": "high", "tags": ["travel"]},
            {"id": "proof-renew-passport", "status": "todo", "priority": "high", "due": "2099-12-01"},
            source="by hand: the id is the title's words",
        ),
        Example(
            {"title": "Proof: water plants"}, {"priority": "normal", "due": "", "status": "todo"}, source="by hand"
        ),
        Refusal({"title": "Proof: never", "due": "next week"}, "is not a date or time"),
    ),
    reply={
        "due": "I put \u201c{title}\u201d on your to-do list, due on {due}.",
        "": "I put \u201c{title}\u201d on your to-do list.",
    },
)
async def task_create(
    context: ToolContext,
    title: Title,
    notes: Notes = "",
    priority: Annotated[Priority, About("Priority")] = "normal",
    due: Due = "",
    tags: Tags | None = None,
) -> Task:
    """Put a task on the to-do list, optionally with a due date, a priority and tags.

    Use it for work that is to be done later. Returns the task with its id.
    """
    fields = {"title": title, "notes": notes, "priority": priority, "due": due, "tags": tags or []}
    return await context.items(TASKS).add({**fields, "status": "todo"})


@tool(
    tags="task todo list show open due overdue priority filter",
    use_when=(
        "List my open tasks",
        "Which tasks are due before Friday?",
        "What do I have to do by Friday?",
        "What is due today?",
        "Show my urgent tasks",
        "What is on my to-do list?",
        "What do I still have to do?",
        "What is left on my list?",
        "My to-do list",
        "What do I have to do today?",
        "What is still on my to-do list?",
        "Show me my to-do list",
        "Which tasks are left?",
    ),
    examples=(
        Example(
            {"tag": "list-proof", "due_before": "2098-06-01"},
            {"tasks": [{"title": "First of list"}, {"title": "Second of list"}], "total": 2},
            source="by hand: earlier due first, then by priority",
            before=(
                ExampleCall("task_create", {"title": "Second of list", "due": "2098-05-01", "tags": ["list-proof"]}),
                ExampleCall("task_create", {"title": "First of list", "due": "2098-04-01", "tags": ["list-proof"]}),
                ExampleCall("task_create", {"title": "Too late", "due": "2098-07-01", "tags": ["list-proof"]}),
            ),
        ),
        Example(
            {"tag": "by-proof", "due_by": "2098-05-01"},
            {"tasks": [{"title": "On the day"}], "total": 1},
            source="by hand: the day itself counts, also with a time",
            before=(
                ExampleCall("task_create", {"title": "On the day", "due": "2098-05-01T18:00", "tags": ["by-proof"]}),
                ExampleCall("task_create", {"title": "The day after", "due": "2098-05-02", "tags": ["by-proof"]}),
            ),
        ),
        Example(
            {"status": "done", "tag": "done-proof"},
            {"tasks": [{"title": "Done of list", "status": "done"}]},
            source="by hand",
            before=(
                ExampleCall("task_create", {"title": "Done of list", "tags": ["done-proof"]}),
                ExampleCall("task_update", {"task": "Done of list", "status": "done"}),
            ),
        ),
        Refusal({"due_before": "soon"}, "is not a date or time"),
    ),
    reply={
        "tasks": "You have {total|task}: {tasks}",
        "": "There are no such tasks.",
    },
)
async def task_list(
    context: ToolContext,
    status: Annotated[
        Literal["open", "todo", "doing", "done", "all"], About("Status filter; open means not done")
    ] = "open",
    due_before: When | None = None,
    due_by: Annotated[str, About("Only tasks due on this day or before", "2026-12-04", pattern=_DAY, max_length=10)]
    | None = None,
    priority: Annotated[Priority, About("Only tasks of this priority")] | None = None,
    tag: Tag | None = None,
    limit: Most = 50,
) -> Tasks:
    """List tasks: by default all open ones, earliest due date first, then by urgency.

    Use it to see what is to be done, by priority, by tag, or until a date. Returns the tasks, and the number of
    matches.
    """
    states = _OPEN if status == "open" else (*_OPEN, "done") if status == "all" else (status,)
    ends = [parse_datetime(due_before, "due_before")] if due_before else []
    ends += [parse_datetime(due_by, "due_by") + timedelta(days=1)] if due_by else []
    tasks = [task for state in states for task in await context.items(TASKS).in_state(state)]
    fitting = [
        task
        for task in tasks
        if has_tag(task, tag)
        and priority in (None, task["priority"])
        and (not ends or (task["due"] != "" and parse_datetime(task["due"], "due") < min(ends)))
    ]
    fitting.sort(key=_urgency)
    return {"tasks": fitting[:limit], "total": len(fitting)}


def _urgency(task: Task) -> tuple[bool, str, int, str]:
    due = task["due"]
    return due == "", parse_datetime(due, "due").isoformat() if due else "", _RANK[task["priority"]], task["created_at"]


@tool(
    tags="task todo update change complete done finish status due priority",
    use_when=(
        "Mark the task renew passport as done",
        "Move the deadline of the tax return to 15 January",
        "Set the priority of that task to urgent",
        "Mark a chore as done",
        "Mark the call as done",
        "I finished the tax return, mark it as done",
        "That task is done",
        "I've already called the plumber, tick it off",
    ),
    read_only=False,
    destructive=True,
    examples=(
        Example(
            {"task": "Update proof", "status": "done"},
            {"title": "Update proof", "status": "done", "priority": "normal"},
            source="by hand",
            before=(ExampleCall("task_create", {"title": "Update proof"}),),
        ),
        Example(
            {"task": "Undue proof", "due": "", "priority": "low"},
            {"due": "", "priority": "low", "status": "todo"},
            source="by hand",
            before=(ExampleCall("task_create", {"title": "Undue proof", "due": "2099-01-01"}),),
        ),
        Refusal({"task": "no such task", "status": "done"}, "There is no task"),
    ),
    reply={
        "args.status": "The task \u201c{title}\u201d is now {status}.",
        "args.due, due": "The task \u201c{title}\u201d is now due on {due}.",
        "": "I changed the task \u201c{title}\u201d.",
    },
)
async def task_update(
    context: ToolContext,
    task: Id,
    status: Annotated[Status, About("Status")] | None = None,
    title: Title | None = None,
    notes: Notes | None = None,
    priority: Annotated[Priority, About("Priority")] | None = None,
    due: Due | None = None,
    tags: Tags | None = None,
) -> Task:
    """Change a task: complete it, move its due date, or change its title, details, priority or tags.

    Only the given fields change; an empty due date removes it. Returns the changed task.
    """
    fields = {"status": status, "title": title, "notes": notes, "priority": priority, "due": due, "tags": tags}
    return await context.items(TASKS).change(task, fields)


@tool(
    tags="task todo delete remove erase",
    use_when=(
        "Delete the task water plants",
        "Take 'call the bank' off my to-do list",
        "Remove that task",
        "Remove the plumber from my to-do list",
        "I don't need that task any more, delete it",
    ),
    read_only=False,
    destructive=True,
    examples=(
        Example(
            {"task": "Doomed task"},
            {"id": "doomed-task", "deleted": True},
            source="by hand",
            before=(ExampleCall("task_create", {"title": "Doomed task"}),),
        ),
        Refusal({"task": "doomed-task"}, "There is no task"),
    ),
    reply="I deleted the task \u201c{args.task}\u201d.",
)
async def task_delete(context: ToolContext, task: Id) -> Deleted:
    """Permanently delete a task; to complete one, use task_update. Returns the id of the deleted task."""
    return {"id": (await context.items(TASKS).remove(task))["id"], "deleted": True}


@tool(
    tags="task todo overview summary overdue due soon week count status",
    use_when=("How am I doing with my tasks?", "What is overdue?", "What is due this week?"),
    idempotent=False,
    examples=(
        Example(
            {"days": 1},
            {"overdue": [{"title": "Long overdue proof"}]},
            source="by hand: no other example leaves an open task that is due in the past",
            before=(ExampleCall("task_create", {"title": "Long overdue proof", "due": "2001-01-01"}),),
            then=(ExampleCall("task_delete", {"task": "Long overdue proof"}),),
        ),
        Example({}, {"overdue": []}, source="by hand: no other example leaves an open task that is due in the past"),
        Refusal({"days": 0}, "days must be at least 1"),
    ),
    reply={
        "overdue": "{todo} not started, {doing} in progress and {done} done. Overdue: {overdue}",
        "due_soon": (
            "{todo} not started, {doing} in progress and {done} done; nothing is overdue. Due soon: {due_soon}"
        ),
        "": "{todo} not started, {doing} in progress and {done} done; nothing is overdue or due soon.",
    },
)
async def task_show_overview(
    context: ToolContext,
    days: Annotated[int, About("Number of days ahead that count as soon", 7, minimum=1, maximum=365)] = 7,
) -> Overview:
    """Show how many tasks are not started, in progress (under way) and done, and which open ones are overdue or due
    soon.

    A task with a due date is overdue after the end of that day, in UTC. Use it for a daily or weekly review.
    """
    items = context.items(TASKS)
    todo, doing, done = [await items.in_state(state) for state in (*_OPEN, "done")]
    now = context.now()
    ends = [(task, _end(task)) for task in (*todo, *doing) if task["due"]]
    return {
        "todo": len(todo),
        "doing": len(doing),
        "done": len(done),
        "overdue": [task for task, end in ends if end <= now][:50],
        "due_soon": [task for task, end in ends if now < end <= now + timedelta(days=days)][:50],
    }


def _end(task: Task) -> datetime:
    """Return the time from which a task is overdue: the end of the day if only a date was given."""
    whole_day = len(task["due"]) <= _DATE_CHARACTERS
    return parse_datetime(task["due"], "due") + (timedelta(days=1) if whole_day else timedelta())
