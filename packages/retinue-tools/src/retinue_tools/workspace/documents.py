"""Knowledge: documents that are searched by passage."""

from typing import Annotated, Any

from typing_extensions import TypedDict

from retinue.sdk import About, Example, ExampleCall, Refusal, ToolError, tool
from retinue.sdk.workspace import DOCUMENT, Knowledge, Row, ToolContext, format_datetime
from retinue_tools.workspace._vocabulary import Deleted, Id, Most, Path, Query, Skipped, Title


class Document(TypedDict):
    """An indexed document."""

    id: Annotated[str, About("ID for other calls")]
    title: Annotated[str, About("Title of the document")]
    source: Annotated[str, About("Source of the document")]
    passages: Annotated[int, About("Number of passages")]
    characters: Annotated[int, About("Number of characters")]
    state: Annotated[str, About("ready, or indexing or removing if that was interrupted")]
    created_at: Annotated[str, About("Time when it was added, in UTC")]


class Documents(TypedDict):
    """Some documents."""

    documents: list[Document]
    total: Annotated[int, About("Total number of documents")]


class Passage(TypedDict):
    """A passage of a document."""

    document: Annotated[str, About("ID of the document")]
    title: Annotated[str, About("Title of the document")]
    source: Annotated[str, About("Source of the document")]
    number: Annotated[int, About("Number of the passage in the document, from 1")]
    text: Annotated[str, About("Text of the passage")]


class Passages(TypedDict):
    """Some passages."""

    passages: list[Passage]


def _describe(row: Row) -> Document:
    body: dict[str, Any] = row.body
    return {
        "id": row.name,
        "title": body["title"],
        "source": body["source"],
        "passages": body["passages"],
        "characters": body["characters"],
        "state": row.state,
        "created_at": format_datetime(row.created_at),
    }


def _passage(passage: Row, document: Row) -> Passage:
    return {
        "document": document.name,
        "title": document.body["title"],
        "source": document.body["source"],
        "number": int(passage.name),
        "text": passage.body["text"],
    }


@tool(
    tags="knowledge document index add rag search learn text manual",
    use_when=(
        "Index this manual so that I can ask questions about it",
        "Add /docs/handbook.md to my knowledge base",
        "Keep this article for later questions",
    ),
    read_only=False,
    idempotent=False,
    pace="long",
    credits=2,
    examples=(
        Example(
            {"title": "Proof of the moon", "text": "The moon orbits the earth in 27 days.", "source": "an almanac"},
            {"id": "proof-of-the-moon", "passages": 1, "characters": 37, "state": "ready", "source": "an almanac"},
            source="by hand",
        ),
        Example(
            {"title": "Proof by path", "path": "/knowledge-proof/a.md"},
            {"passages": 1, "source": "/knowledge-proof/a.md"},
            source="by hand",
            before=(ExampleCall("file_write", {"path": "/knowledge-proof/a.md", "text": "Tides follow the moon."}),),
        ),
        Refusal({"title": "Nothing"}, "either text or a path"),
        Refusal({"title": "Blank", "text": "   "}, "needs text"),
    ),
    reply={
        "title": "I indexed \u201c{title}\u201d in {passages|passage}.",
        "": "I indexed the document in {passages|passage}.",
    },
)
async def knowledge_add_document(
    context: ToolContext,
    title: Title,
    text: Annotated[str, About("Text of the document", "The moon orbits the earth.", max_length=400_000)] | None = None,
    path: Path | None = None,
    source: Annotated[str, About("Source of the document; default: the path", "Almanac 2026", max_length=500)] = "",
) -> Document:
    """Index a document, given as text or as the path of a workspace file, for questions by knowledge_search.

    It is split into passages of about 1,200 characters. A document may have up to 400,000 characters. Returns the
    document.
    """
    if (text is None) == (path is None):
        raise ToolError("Give either text or a path, not both.")
    whole = (await context.tree.text(path))[1] if path else text or ""
    return _describe(await Knowledge(context.records).add(title, whole, {"source": source or path or ""}))


@tool(
    tags="knowledge search ask question document passage rag find semantic",
    use_when=(
        "What does the manual say about resetting the device?",
        "Search my documents for the notice period",
        "Which passage of the handbook is about holidays?",
    ),
    pace="normal",
    examples=(
        Example(
            {"query": "how long do glaciers take to flow", "limit": 1},
            {"passages": [{"document": "proof-of-glaciers", "number": 1, "text": "A glacier flows a metre a day."}]},
            source="by hand: no other document is about glaciers",
            before=(
                ExampleCall(
                    "knowledge_add_document", {"title": "Proof of glaciers", "text": "A glacier flows a metre a day."}
                ),
            ),
        ),
        Example(
            {"query": "metre", "document": "proof-of-rulers"},
            {"passages": [{"title": "Proof of rulers", "text": "A ruler has a third of a metre."}]},
            source="by hand",
            before=(
                ExampleCall(
                    "knowledge_add_document", {"title": "Proof of rulers", "text": "A ruler has a third of a metre."}
                ),
            ),
        ),
        Refusal({"query": "x", "document": "no-such-document"}, "There is no document"),
    ),
    reply={
        "passages.1": "I found these passages: {passages}",
        "passages": "In \u201c{passages.0.title}\u201d it says: {passages.0.text}",
        "passages, passages": "I found this: {passages}",
        "": "I found nothing about it in your documents.",
    },
)
async def knowledge_search(
    context: ToolContext,
    query: Query,
    document: Id | None = None,
    limit: Annotated[int, About("Number of passages", 5, minimum=1, maximum=50)] = 8,
) -> Passages:
    """Find the passages of indexed documents that fit a question best, in all of them or in one.

    Passages are ranked by words and by similar spelling; synonyms are not recognised, so also use words of the text.
    Returns passages with their documents and sources for quotation.
    """
    knowledge = Knowledge(context.records)
    within = (await knowledge.get(document)).id if document else None
    found = await knowledge.search(query, limit, within)
    return {"passages": [_passage(passage, its_document) for passage, its_document, _ in found]}


@tool(
    tags="knowledge document read passage context around text",
    use_when=(
        "Read on after the passage that you found",
        "Show me the beginning of the handbook",
        "What comes before passage 12 of the manual?",
    ),
    examples=(
        Example(
            {"document": "Proof to read", "first": 1, "count": 1},
            {"passages": [{"number": 1, "text": "One small passage."}]},
            source="by hand",
            before=(ExampleCall("knowledge_add_document", {"title": "Proof to read", "text": "One small passage."}),),
        ),
        Example({"document": "Proof to read", "first": 2}, {"passages": []}, source="by hand: it has one"),
        Refusal({"document": "no-such-document"}, "There is no document"),
    ),
    reply={
        "passages.1": "The passages: {passages}",
        "passages.0.text": "The passage: {passages.0.text}",
        "": "The document has no such passages.",
    },
)
async def knowledge_read_passages(
    context: ToolContext,
    document: Id,
    first: Annotated[int, About("Number of the first passage, from 1", 3, minimum=1, maximum=1000)] = 1,
    count: Annotated[int, About("Number of passages", 5, minimum=1, maximum=50)] = 5,
) -> Passages:
    """Read passages of an indexed document in order, for example around one that a search found."""
    knowledge = Knowledge(context.records)
    found = await knowledge.get(document)
    return {"passages": [_passage(row, found) for row in await knowledge.passages(found, first, count)]}


@tool(
    tags="knowledge document list indexed overview",
    use_when=("Which documents are indexed?", "What is in my knowledge base?", "Is the handbook indexed already?"),
    examples=(
        Example(
            {"limit": 1},
            {"documents": [{"id": "proof-of-the-newest", "state": "ready"}]},
            source="by hand: the newest comes first",
            before=(ExampleCall("knowledge_add_document", {"title": "Proof of the newest", "text": "New."}),),
        ),
        Example({"skip": 1000}, {"documents": []}, source="by hand: there are fewer"),
        Refusal({"limit": 0}, "limit must be at least 1"),
    ),
    reply={
        "documents": "The indexed documents: {documents}",
        "": "There are no indexed documents.",
    },
)
async def knowledge_list(context: ToolContext, limit: Most = 50, skip: Skipped = 0) -> Documents:
    """List the indexed documents, newest first, with their length and source."""
    rows = await context.records.newest(DOCUMENT, most=limit, skipped=skip)
    return {"documents": [_describe(row) for row in rows], "total": await context.records.count(DOCUMENT)}


@tool(
    tags="knowledge document remove delete forget",
    use_when=("Remove the handbook from my knowledge base", "Delete this indexed document", "Forget the old manual"),
    read_only=False,
    destructive=True,
    pace="normal",
    examples=(
        Example(
            {"document": "Proof to forget"},
            {"id": "proof-to-forget", "deleted": True},
            source="by hand",
            before=(
                ExampleCall("knowledge_add_document", {"title": "Proof to forget", "text": "Ephemeral xylophones."}),
            ),
            then=(ExampleCall("knowledge_search", {"query": "xylophones"}, {"passages": []}),),
        ),
        Refusal({"document": "proof-to-forget"}, "There is no document"),
    ),
    reply="I removed \u201c{args.document}\u201d from the knowledge base.",
)
async def knowledge_remove(context: ToolContext, document: Id) -> Deleted:
    """Permanently remove an indexed document with its passages. The file that it was made from is kept."""
    return {"id": (await Knowledge(context.records).remove(document)).name, "deleted": True}
