"""Checklists."""

from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, ToolError, tool
from retinue.sdk.workspace import NotFound, RecordKind, ToolContext
from retinue_tools.workspace._vocabulary import Deleted, Id, Kept, Most, Query, Skipped, Title


class Step(TypedDict):
    """A step of a checklist."""

    text: Annotated[str, About("Text of the step")]
    done: Annotated[bool, About("Whether the step is done")]


class Checklist(Kept):
    """A checklist."""

    title: Annotated[str, About("Title of the checklist")]
    steps: list[Step]
    done: Annotated[int, About("Number of completed steps")]
    complete: Annotated[bool, About("Whether all steps are done")]


class Checklists(TypedDict):
    """Some checklists."""

    checklists: list[Checklist]


CHECKLISTS: RecordKind[Checklist] = RecordKind("checklist", "title", ("title",))

_MOST_STEPS = 200

StepText = Annotated[str, About("Text of the step", "Pack the charger", min_length=1, max_length=500)]
Steps = Annotated[
    list[StepText],
    About("Steps in order", ["Pack the charger", "Close the windows"], min_items=1, max_items=_MOST_STEPS),
]
StepNumbers = Annotated[
    list[Annotated[int, About("Number of a step, from 1", 2, minimum=1, maximum=_MOST_STEPS)]],
    About("Numbers of the steps", [2], max_items=_MOST_STEPS),
]
StepTexts = Annotated[
    list[StepText], About("Texts of the steps, in place of their numbers", ["milk"], max_items=_MOST_STEPS)
]


def _body(title: str, steps: list[Step]) -> dict[str, Any]:
    done = sum(step["done"] for step in steps)
    return {"title": title, "steps": steps, "done": done, "complete": done == len(steps) > 0}


@tool(
    tags="checklist steps create procedure packing list start",
    use_when=(
        "Make a checklist for packing: charger, passport, tickets",
        "Start a checklist with the steps of the release",
        "Turn this procedure into steps that I can tick off",
        "Make a shopping list",
        "Packing list for the holiday",
        "To-do list for the party",
        "Shopping list",
        "Start a shopping list for Saturday",
    ),
    read_only=False,
    idempotent=False,
    examples=(
        Example(
            {"title": "Packing proof", "steps": ["Charger", "Passport"]},
            {
                "id": "packing-proof",
                "title": "Packing proof",
                "steps": [{"text": "Charger", "done": False}, {"text": "Passport", "done": False}],
                "done": 0,
                "complete": False,
            },
            source="by hand",
        ),
        Refusal({"title": "Nothing", "steps": []}, "steps must have at least 1 item"),
    ),
    reply={
        "steps": "I saved the checklist \u201c{title}\u201d: {steps}",
        "": "I saved the checklist \u201c{title}\u201d.",
    },
)
async def checklist_create(context: ToolContext, title: Title, steps: Steps) -> Checklist:
    """Create a checklist with steps to tick off one by one. Returns it with its id."""
    return await context.items(CHECKLISTS).add(_body(title, [{"text": text, "done": False} for text in steps]))


@tool(
    tags="checklist tick check off step done untick progress",
    use_when=(
        "Tick off the second step of the packing list",
        "I have packed the charger, check it off",
        "Untick step 3 of the release checklist",
        "I bought the milk, tick it off my list",
        "I got the milk from my shopping list",
    ),
    read_only=False,
    examples=(
        Example(
            {"checklist": "Ticking proof", "steps": [2, 1]},
            {
                "id": "ticking-proof",
                "title": "Ticking proof",
                "steps": [{"text": "a", "done": True}, {"text": "b", "done": True}],
                "done": 2,
                "complete": True,
            },
            source="by hand",
            before=(ExampleCall("checklist_create", {"title": "Ticking proof", "steps": ["a", "b"]}),),
        ),
        Example(
            {"checklist": "Unticking proof", "steps": [1], "done": False},
            {"done": 0},
            source="by hand",
            before=(
                ExampleCall("checklist_create", {"title": "Unticking proof", "steps": ["a"]}),
                ExampleCall("checklist_tick", {"checklist": "Unticking proof", "steps": [1]}),
            ),
        ),
        Example(
            {"checklist": "Crossing proof", "texts": ["MILK"]},
            {"steps": [{"text": "2 l milk", "done": True}, {"text": "eggs", "done": False}]},
            source="by hand",
            before=(ExampleCall("checklist_create", {"title": "Crossing proof", "steps": ["2 l milk", "eggs"]}),),
        ),
        Refusal({"checklist": "Ticking proof", "steps": [3]}, "has 2 steps"),
        Refusal({"checklist": "Ticking proof", "texts": ["c"]}, "no step 'c'"),
        Refusal({"checklist": "Ticking proof"}, "Send the numbers"),
    ),
    reply={
        "complete": "All steps of \u201c{title}\u201d are done.",
        "steps": "{done|step} of \u201c{title}\u201d done: {steps}",
        "": "{done|step} of \u201c{title}\u201d done.",
    },
)
async def checklist_tick(
    context: ToolContext,
    checklist: Id,
    steps: StepNumbers | None = None,
    texts: StepTexts | None = None,
    done: Annotated[bool, About("Whether to tick or untick the steps", True)] = True,
) -> Checklist:
    """Tick or untick steps of a checklist by their numbers or texts. Concurrent changes by others are preserved."""

    def tick(body: dict[str, Any]) -> dict[str, Any]:
        ticked: list[Step] = [{"text": step["text"], "done": step["done"]} for step in body["steps"]]
        for place in _places(body, steps, texts):
            ticked[place]["done"] = done
        return _body(body["title"], ticked)

    return await context.items(CHECKLISTS).revise(checklist, tick)


def _places(body: dict[str, Any], numbers: list[int] | None, texts: list[str] | None) -> set[int]:
    """Return the places of the steps that have some numbers or texts, from 0."""
    if not (numbers or texts):
        raise ToolError("Send the numbers of the steps, or their texts.")
    if max(numbers or [0]) > len(body["steps"]):
        raise ToolError(f"The checklist has {len(body['steps'])} steps.")
    return {number - 1 for number in [*(numbers or ()), *(_number_of(text, body["steps"]) for text in texts or ())]}


def _number_of(text: str, steps: list[Step]) -> int:
    """Return the number of the step with a text, from 1: the same text without case, or the only one that has it."""
    wanted = text.strip().casefold()
    texts = [step["text"].casefold() for step in steps]
    found = [place for place, one in enumerate(texts, 1) if one == wanted] or [
        place for place, one in enumerate(texts, 1) if wanted in one
    ]
    if len(found) != 1:
        amount = "several steps" if found else "no step"
        raise ToolError(f"The checklist has {amount} {text[:60]!r}. Send the number of the step.")
    return found[0]


@tool(
    tags="checklist add extend append item steps shopping packing list put",
    use_when=(
        "Add butter to my shopping list",
        "Put milk and eggs on the shopping list",
        "Add a step to the release checklist",
        "The packing list needs a towel, too",
        "Add sunscreen to my packing list",
    ),
    read_only=False,
    idempotent=False,
    examples=(
        Example(
            {"checklist": "Growing proof", "steps": ["b", "c"]},
            {
                "id": "growing-proof",
                "title": "Growing proof",
                "steps": [{"text": "a", "done": False}, {"text": "b", "done": False}, {"text": "c", "done": False}],
                "done": 0,
                "complete": False,
            },
            source="by hand",
            before=(ExampleCall("checklist_create", {"title": "Growing proof", "steps": ["a"]}),),
        ),
        Example(
            {"checklist": "Started proof", "steps": ["a"]},
            {
                "id": "started-proof",
                "title": "Started proof",
                "steps": [{"text": "a", "done": False}],
                "done": 0,
                "complete": False,
            },
            source="by hand",
        ),
        Refusal({"checklist": "Empty proof", "steps": []}, "steps must have at least 1 item"),
    ),
    reply="I added {args.steps} to \u201c{title}\u201d.",
)
async def checklist_add_steps(context: ToolContext, checklist: Id, steps: Steps) -> Checklist:
    """Add steps or items to the end of a checklist, such as a shopping list, and create it if there is none.
    Concurrent changes by others are preserved.
    """
    items = context.items(CHECKLISTS)

    def extend(body: dict[str, Any]) -> dict[str, Any]:
        extended = [*body["steps"], *({"text": text, "done": False} for text in steps)]
        if len(extended) > _MOST_STEPS:
            raise ToolError(f"A checklist can have {_MOST_STEPS} steps. This one has {len(body['steps'])}.")
        return _body(body["title"], extended)

    try:
        return await items.revise(checklist, extend)
    except NotFound:
        return await items.add(extend({"title": checklist.strip(), "steps": []}))


@tool(
    tags="checklist take off remove steps items shopping packing list cross off",
    use_when=(
        "Take the eggs off the shopping list",
        "Take milk off my list",
        "Cross milk off my shopping list",
        "Remove butter from my shopping list",
        "Delete the second step of the packing list",
        "We no longer need bread, take it off the list",
    ),
    read_only=False,
    idempotent=False,
    destructive=True,
    examples=(
        Example(
            {"checklist": "Shrinking proof", "texts": ["MILK"]},
            {
                "id": "shrinking-proof",
                "title": "Shrinking proof",
                "steps": [{"text": "eggs", "done": False}],
                "done": 0,
                "complete": False,
            },
            source="by hand",
            before=(ExampleCall("checklist_create", {"title": "Shrinking proof", "steps": ["2 l milk", "eggs"]}),),
        ),
        Example(
            {"checklist": "Emptied proof", "steps": [2, 1]},
            {"steps": [], "done": 0, "complete": False},
            source="by hand",
            before=(ExampleCall("checklist_create", {"title": "Emptied proof", "steps": ["a", "b"]}),),
        ),
        Refusal({"checklist": "Shrinking proof", "texts": ["tea"]}, "no step 'tea'"),
        Refusal({"checklist": "Shrinking proof", "steps": [2]}, "has 1 steps"),
        Refusal({"checklist": "Shrinking proof"}, "Send the numbers"),
    ),
    reply={
        "args.texts": "I took {args.texts} off \u201c{title}\u201d.",
        "": "I took the steps off \u201c{title}\u201d.",
    },
)
async def checklist_remove_steps(
    context: ToolContext, checklist: Id, steps: StepNumbers | None = None, texts: StepTexts | None = None
) -> Checklist:
    """Remove steps or items from a checklist, such as a shopping list, by their numbers or texts. Concurrent changes
    by others are preserved.
    """
    return await context.items(CHECKLISTS).revise(checklist, lambda body: _without(body, _places(body, steps, texts)))


def _without(body: dict[str, Any], places: set[int]) -> dict[str, Any]:
    left: list[Step] = [step for place, step in enumerate(body["steps"]) if place not in places]
    return _body(body["title"], left)


@tool(
    tags="checklist show list progress open steps find",
    use_when=(
        "What is still open on the packing list?",
        "Show my checklists",
        "How far is the release checklist?",
        "Show my shopping list",
        "Show me my shopping list",
        "What's on my shopping list?",
        "What do I have to buy?",
        "What is left on my packing list?",
        "What do I need to buy?",
        "Show my packing list",
        "What's still on the grocery list?",
    ),
    examples=(
        Example(
            {"query": "zeugma", "limit": 5},
            {"checklists": [{"title": "Zeugma proof", "done": 0}]},
            source="by hand: no other checklist has the word",
            before=(ExampleCall("checklist_create", {"title": "Zeugma proof", "steps": ["a"]}),),
        ),
        Example({"skip": 10_000}, {"checklists": []}, source="by hand: there are fewer"),
        Refusal({"limit": 0}, "limit must be at least 1"),
    ),
    reply={
        "checklists.1": "There are several; the first is \u201c{checklists.0.title}\u201d: {checklists.0.steps}",
        "checklists": "\u201c{checklists.0.title}\u201d: {checklists.0.steps}",
        "": "There is no such checklist.",
    },
)
async def checklist_show(
    context: ToolContext, query: Query | None = None, limit: Most = 20, skip: Skipped = 0
) -> Checklists:
    """Show checklists with all steps: those whose titles contain some words, or the newest."""
    return {"checklists": await context.items(CHECKLISTS).find(query, limit, skip)}


@tool(
    tags="checklist delete remove",
    use_when=(
        "Delete the packing checklist",
        "Remove that finished checklist",
        "Throw away the list of steps",
        "Delete the shopping list",
        "Get rid of my packing list",
    ),
    read_only=False,
    destructive=True,
    examples=(
        Example(
            {"checklist": "Doomed checklist"},
            {"id": "doomed-checklist", "deleted": True},
            source="by hand",
            before=(ExampleCall("checklist_create", {"title": "Doomed checklist", "steps": ["a"]}),),
        ),
        Refusal({"checklist": "doomed-checklist"}, "There is no checklist"),
    ),
    reply="I deleted the checklist \u201c{args.checklist}\u201d.",
)
async def checklist_delete(context: ToolContext, checklist: Id) -> Deleted:
    """Permanently delete a checklist with its steps. Returns the id of the deleted checklist."""
    return {"id": (await context.items(CHECKLISTS).remove(checklist))["id"], "deleted": True}
