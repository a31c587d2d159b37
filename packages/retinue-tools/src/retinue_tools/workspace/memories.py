"""Facts to remember across conversations."""

from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, tool
from retinue.sdk.workspace import RecordKind, ToolContext
from retinue_tools.workspace._vocabulary import Deleted, Kept, Most, Query, Skipped, Tag, Tags, has_tag


class Memory(Kept):
    """A fact."""

    text: Annotated[str, About("Text to remember")]
    tags: Annotated[list[str], About("Tags of the fact")]


class Stored(Memory):
    """A fact that was stored."""

    known: Annotated[bool, About("Whether the same text was stored before")]


class Memories(TypedDict):
    """Some facts."""

    memories: list[Memory]
    total: Annotated[int, About("Total number of facts")]


MEMORIES: RecordKind[Memory] = RecordKind("memory", "text", ("text", "tags"), semantic=True)


@tool(
    tags="memory remember store fact preference long-term learn",
    use_when=(
        "Remember that I am allergic to peanuts",
        "Keep in mind that our fiscal year begins in April",
        "Note for later: I prefer window seats",
        "Remember that I am allergic to nuts",
        "Keep in mind that my wife's birthday is in May",
    ),
    read_only=False,
    examples=(
        Example(
            {"text": "Prefers window seats on trains", "tags": ["travel"]},
            {"text": "Prefers window seats on trains", "tags": ["travel"], "known": False},
            source="by hand",
        ),
        Example(
            {"text": "The very same fact"},
            {"text": "The very same fact", "known": True},
            source="by hand",
            before=(ExampleCall("memory_store", {"text": "The very same fact"}),),
        ),
        Refusal({"text": ""}, "text must have at least 1 character"),
    ),
    reply={
        "known": "I know that already: {text}",
        "": "I will remember: {text}",
    },
)
async def memory_store(
    context: ToolContext,
    text: Annotated[str, About("A fact in one sentence", "I prefer window seats", min_length=1, max_length=2000)],
    tags: Tags | None = None,
) -> Stored:
    """Remember a fact for later conversations and other agents of the same account.

    Use it for preferences, decisions and facts about people and projects. Identical texts are stored once.
    """
    items = context.items(MEMORIES)
    for known in await items.find(text, 5):
        if known["text"] == text:
            return {**known, "known": True}
    return {**await items.add({"text": text, "tags": tags or []}), "known": False}


@tool(
    tags="memory recall search remember fact know preference",
    use_when=(
        "What do you know about my allergies?",
        "What did I tell you about my sister?",
        "Remind me what I said about the holiday",
        "Which seat do I prefer?",
        "What did we decide on the fiscal year?",
        "What is my membership number?",
        "What is my brother allergic to?",
        "What did I tell you about my allergies?",
    ),
    examples=(
        Example(
            {"query": "fiscal years", "limit": 1},
            {"memories": [{"text": "The fiscal year begins in April"}]},
            source="by hand: no other fact has these words",
            before=(ExampleCall("memory_store", {"text": "The fiscal year begins in April"}),),
        ),
        Example(
            {"query": "peanutallergy", "limit": 1},
            {"memories": [{"text": "Is allergic to peanuts"}]},
            source="by hand: no word is the same, but their spelling is alike",
            before=(ExampleCall("memory_store", {"text": "Is allergic to peanuts"}),),
        ),
        Refusal({"query": ""}, "query must have at least 1 character"),
    ),
    reply={
        "memories.1": "What I remember about it: {memories}",
        "memories": "I remember this: {memories.0.text}",
        "": "I remember nothing about it.",
    },
)
async def memory_search(context: ToolContext, query: Query, tag: Tag | None = None, limit: Most = 10) -> Memories:
    """Recall the facts that fit a question best, by their words and by similar spelling.

    Use it before answering questions about earlier statements. Synonyms are not recognised: use the same words.
    """
    items = context.items(MEMORIES)
    found = await items.find(query, limit, keep=lambda memory: has_tag(memory, tag))
    return {"memories": found, "total": await items.count()}


@tool(
    tags="memory list facts all recent remembered",
    use_when=("List all facts of the long-term memory", "List all stored facts", "Which facts have the tag travel?"),
    examples=(
        Example(
            {"tag": "list-of-facts"},
            {"memories": [{"text": "Second listed fact"}, {"text": "First listed fact"}]},
            source="by hand: the newest comes first",
            before=(
                ExampleCall("memory_store", {"text": "First listed fact", "tags": ["list-of-facts"]}),
                ExampleCall("memory_store", {"text": "Second listed fact", "tags": ["list-of-facts"]}),
            ),
        ),
        Example({"tag": "list-of-no-facts", "limit": 5}, {"memories": []}, source="no fact has the tag"),
        Refusal({"limit": 0}, "limit must be at least 1"),
    ),
    reply={
        "memories": "What I remember: {memories}",
        "": "I remember nothing of that kind.",
    },
)
async def memory_list(context: ToolContext, tag: Tag | None = None, limit: Most = 50, skip: Skipped = 0) -> Memories:
    """List the remembered facts, newest first, all or those with a tag, and their number."""
    items = context.items(MEMORIES)
    found = await items.find(None, limit, skip, lambda memory: has_tag(memory, tag))
    return {"memories": found, "total": await items.count()}


@tool(
    tags="memory forget delete remove fact erase",
    use_when=(
        "Forget that I am allergic to peanuts",
        "Delete this memory",
        "That fact is wrong, remove it",
        "Forget what I told you about my job",
        "Forget that",
        "Forget my wife's birthday",
        "Forget my favourite colour",
        "Forget my address",
        "Forget my favourite food",
    ),
    read_only=False,
    destructive=True,
    examples=(
        Example(
            {"memory": "A fact to forget"},
            {"id": "a-fact-to-forget", "deleted": True},
            source="by hand: the id is the text's words",
            before=(ExampleCall("memory_store", {"text": "A fact to forget"}),),
        ),
        Refusal({"memory": "a-fact-to-forget"}, "There is no memory"),
    ),
    reply={
        "args.memory": "I forgot \u201c{args.memory}\u201d.",
        "": "I forgot it.",
    },
)
async def memory_delete(
    context: ToolContext,
    memory: Annotated[
        str, About("ID of the fact, or its exact text", "i-prefer-window-seats", min_length=1, max_length=2000)
    ],
) -> Deleted:
    """Permanently forget (delete) a fact, by its id or its exact text. Returns the id of the deleted fact."""
    return {"id": (await context.items(MEMORIES).remove(memory))["id"], "deleted": True}
