"""Flashcards, with spaced repetition."""

from datetime import timedelta
from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, tool
from retinue.sdk.workspace import RecordKind, ToolContext, format_datetime, parse_datetime
from retinue_tools.workspace._vocabulary import Deleted, Id, Kept, Most

_LEAST_EASE, _FIRST_EASE = 1.3, 2.5
_LONGEST_DAYS = 3650


class Card(Kept):
    """A flashcard."""

    deck: Annotated[str, About("Name of the deck")]
    front: Annotated[str, About("The question")]
    back: Annotated[str, About("The answer")]
    due: Annotated[str, About("Time of the next review, in UTC")]
    interval_days: Annotated[int, About("Days between the last two reviews")]
    repetitions: Annotated[int, About("Number of consecutive correct answers")]
    ease: Annotated[float, About("Ease factor; 1.3 is hard, 2.5 is usual")]


class Cards(TypedDict):
    """Some flashcards."""

    cards: list[Card]
    due: Annotated[int, About("Total number of due cards")]


CARDS: RecordKind[Card] = RecordKind("flashcard", "front", ("front", "back", "deck"), at="due")

CardId = Annotated[Id, About("ID as shown in lists, or the exact front")]
Deck = Annotated[str, About("Name of the deck", "French", min_length=1, max_length=100)]


@tool(
    tags="flashcard add create card learn vocabulary study deck",
    use_when=(
        "Make a flashcard: la pomme, the apple",
        "Add this question to my deck Biology",
        "I want to learn these words by heart",
        "Make flashcards to learn French words",
        "Study cards for my exam",
    ),
    read_only=False,
    idempotent=False,
    examples=(
        Example(
            {"deck": "Proof", "front": "la pomme proof", "back": "the apple"},
            {"id": "la-pomme-proof", "deck": "Proof", "repetitions": 0, "ease": 2.5},
            source="by hand; SM-2 begins with an ease of 2.5",
        ),
        Refusal({"deck": "Proof", "front": "", "back": "x"}, "front must have at least 1 character"),
    ),
    reply="I added the card \u201c{front}\u201d to the deck {deck}.",
)
async def flashcard_add(
    context: ToolContext,
    deck: Deck,
    front: Annotated[str, About("The question", "la pomme", min_length=1, max_length=2000)],
    back: Annotated[str, About("The answer", "the apple", min_length=1, max_length=5000)],
) -> Card:
    """Add a flashcard to a deck. It is due at once, and after each review at an interval that depends on how well it
    was known.
    """
    start = {"due": format_datetime(context.now()), "interval_days": 0, "repetitions": 0, "ease": _FIRST_EASE}
    return await context.items(CARDS).add({"deck": deck, "front": front, "back": back, **start})


@tool(
    tags="flashcard review due study learn ask quiz deck today",
    use_when=(
        "Quiz me on my French cards",
        "Which flashcards are due today?",
        "What should I study now?",
        "Quiz me on my flashcards",
        "Quiz me",
    ),
    idempotent=False,
    examples=(
        Example(
            {"deck": "Due proof"},
            {"cards": [{"front": "due proof", "back": "x"}], "due": 1},
            source="by hand: a new card is due at once",
            before=(ExampleCall("flashcard_add", {"deck": "Due proof", "front": "due proof", "back": "x"}),),
        ),
        Example({"deck": "No such deck"}, {"cards": [], "due": 0}, source="there is none"),
        Refusal({"limit": 0}, "limit must be at least 1"),
    ),
    reply={
        "cards": "{due|card} due: {cards}",
        "": "No flashcards are due.",
    },
)
async def flashcard_list_due(context: ToolContext, deck: Deck | None = None, limit: Most = 20) -> Cards:
    """List the flashcards that are due for review, of one deck or all, longest overdue first.

    Ask them one by one, and report with flashcard_grade how well each was known.
    """
    soon = context.now() + timedelta(seconds=1)
    cards = [
        card
        for card in await context.items(CARDS).between(parse_datetime("0001-01-02", "since"), soon)
        if deck in (None, card["deck"])
    ]
    return {"cards": cards[:limit], "due": len(cards)}


@tool(
    tags="flashcard grade review answer known forgotten spaced repetition",
    use_when=("I knew that card well", "I forgot the answer to la pomme", "Grade this card 4"),
    read_only=False,
    idempotent=False,
    examples=(
        Example(
            {"card": "grading proof", "grade": 5},
            {"repetitions": 2, "interval_days": 6, "ease": 2.7},
            source="SM-2 (Wozniak, 1990): 1 day, then 6; each 5 adds 0.1 to the ease",
            before=(
                ExampleCall("flashcard_add", {"deck": "Proof", "front": "grading proof", "back": "x"}),
                ExampleCall("flashcard_grade", {"card": "grading proof", "grade": 5}),
            ),
        ),
        Example(
            {"card": "forgetting proof", "grade": 1},
            {"repetitions": 0, "interval_days": 1, "ease": 1.96},
            source="SM-2: 2.5 + 0.1 - 4 * (0.08 + 4 * 0.02) = 1.96",
            before=(ExampleCall("flashcard_add", {"deck": "Proof", "front": "forgetting proof", "back": "x"}),),
        ),
        Refusal({"card": "no such card", "grade": 3}, "There is no flashcard"),
    ),
    reply="The next review of \u201c{args.card}\u201d is in {interval_days|day}.",
)
async def flashcard_grade(
    context: ToolContext,
    card: CardId,
    grade: Annotated[int, About("0 forgotten, 3 known with effort, 5 known at once", 4, minimum=0, maximum=5)],
) -> Card:
    """Grade how well a flashcard was known, and schedule its next review by the SM-2 rule of spaced repetition."""

    def grade_card(body: dict[str, Any]) -> dict[str, Any]:
        ease = max(body["ease"] + 0.1 - (5 - grade) * (0.08 + (5 - grade) * 0.02), _LEAST_EASE)
        repetitions = body["repetitions"] + 1 if grade >= 3 else 0
        days = _interval(repetitions, body["interval_days"], ease)
        return {
            **body,
            "ease": round(ease, 4),
            "repetitions": repetitions,
            "interval_days": days,
            "due": format_datetime(context.now() + timedelta(days=days)),
        }

    return await context.items(CARDS).revise(card, grade_card)


def _interval(repetitions: int, last: int, ease: float) -> int:
    """Return the days until a card is due again."""
    return {0: 1, 1: 1, 2: 6}.get(repetitions, min(round(last * ease), _LONGEST_DAYS))


@tool(
    tags="flashcard delete remove card",
    use_when=("Delete the card la pomme", "Remove this flashcard", "Take that question out of my deck"),
    read_only=False,
    destructive=True,
    examples=(
        Example(
            {"card": "Doomed card"},
            {"id": "doomed-card", "deleted": True},
            source="by hand",
            before=(ExampleCall("flashcard_add", {"deck": "Proof", "front": "Doomed card", "back": "x"}),),
        ),
        Refusal({"card": "doomed-card"}, "There is no flashcard"),
    ),
    reply="I deleted the card \u201c{args.card}\u201d.",
)
async def flashcard_delete(context: ToolContext, card: CardId) -> Deleted:
    """Permanently delete a flashcard, by its id or its exact front. Returns the id of the deleted card."""
    return {"id": (await context.items(CARDS).remove(card))["id"], "deleted": True}
