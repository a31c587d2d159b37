"""Request and response schemas of collections and documents."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from retinue.core.http.envelope import (
    EMPTY_IF_NULL,
    IGNORED,
    Body,
    Changes,
    Id,
    Listing,
    Meta,
    Name,
    Timestamp,
    View,
    absent,
)
from retinue.knowledge.chunking import TITLE
from retinue.knowledge.reading import MOST_CHARACTERS
from retinue.knowledge.retrieval import QUERY_CHARACTERS

MOST_FOUND, USUAL_FOUND = 50, 10
"""Maximum and default number of passages of a search."""

Status = Literal["queued", "reading", "indexing", "ready", "failed"]
CollectionName = Annotated[Name, Field(description="Name of the collection.")]
About = Annotated[str, Field(max_length=1000, description="What the documents are about.")]
_Label = Annotated[str, Field(min_length=1, max_length=64)]
_Value = Annotated[str, Field(max_length=500)] | int | float | bool
Metadata = Annotated[
    dict[_Label, _Value],
    Field(max_length=16, description="Up to 16 values of your own, by name, to filter searches by."),
]
Query = Annotated[
    str, Field(min_length=1, max_length=QUERY_CHARACTERS, pattern=r"\S", description="Question or words to search for.")
]
Limit = Annotated[int, Field(ge=1, le=MOST_FOUND, description="Maximum number of passages.")]
Filter = Annotated[
    dict[_Label, _Value],
    Field(max_length=16, description="Metadata that the documents must have, by name."),
]


def _is_none(value: object) -> bool:
    return value is None


RerankerName = Annotated[
    str,
    Field(
        max_length=100,
        description="Model of a provider that reorders the 50 best passages of a search, such as "
        "`cohere/rerank-v3.5`; empty for none. It needs a `/rerank` endpoint below the provider's `base_url`.",
    ),
]


class CollectionCreate(Body):
    """Request body for creating a collection."""

    name: CollectionName
    description: About | None = ""
    reranker: RerankerName | None = ""


class CollectionUpdate(Changes):
    """Fields of a collection to change."""

    name: CollectionName = Field(default_factory=absent)
    description: Annotated[About | None, EMPTY_IF_NULL] = Field(default_factory=absent)
    reranker: Annotated[RerankerName | None, EMPTY_IF_NULL] = Field(default_factory=absent)
    id: object = IGNORED
    embedding_model: object = IGNORED
    status: object = IGNORED
    documents: object = IGNORED
    passages: object = IGNORED
    created_at: object = IGNORED
    updated_at: object = IGNORED


class CollectionView(View):
    """A collection of documents."""

    id: int = Field(description="ID of the collection.")
    name: str = Field(description="Name.")
    description: str = Field(description="What the documents are about.")
    embedding_model: str = Field(
        description="Model that makes the vectors for the search by meaning; empty if the server has none."
    )
    reranker: str = Field(description="Model that reorders the best passages of a search; empty for none.")
    status: Literal["ready", "indexing"] = Field(description="`indexing` while a document is being read or indexed.")
    documents: int = Field(description="Number of documents.")
    passages: int = Field(description="Number of passages that searches find.")
    created_at: Timestamp = Field(description="Time at which the object was created.")
    updated_at: Timestamp = Field(description="Time at which the object was last updated.")


class CollectionDeleted(View):
    """ID of the deleted object."""

    id: int
    deleted: Literal[True]


class DocumentCreate(Body):
    """Request body for adding a document: a file, a web page or a text."""

    file_id: Annotated[str, Field(min_length=1, max_length=100)] | None = Field(
        None, description="ID of one of your files: PDF, Word, PowerPoint, Excel, EPUB, HTML, e-mail, text or picture."
    )
    url: Annotated[str, Field(max_length=2000, pattern=r"^https?://[^\s]+$")] | None = Field(
        None, description="Address of a public page or file."
    )
    text: Annotated[str, Field(min_length=1, max_length=MOST_CHARACTERS, pattern=r"\S")] | None = Field(
        None, description="Text. Lines that begin with # are headings, as in Markdown."
    )
    title: Annotated[str, Field(min_length=1, max_length=TITLE, pattern=r"\S")] | None = Field(
        None, description="Title. By default, the document's own title, or the name of the file."
    )
    metadata: Metadata | None = Field(default={})

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        if sum(value is not None for value in (self.file_id, self.url, self.text)) != 1:
            raise ValueError("send exactly one of file_id, url and text")
        return self


class DocumentSource(View):
    """Where a document comes from."""

    type: Literal["file", "url", "text", "object"] = Field(description="Kind of the source.")
    file_id: str | None = Field(None, exclude_if=_is_none, description="ID of the file.")
    url: str | None = Field(None, exclude_if=_is_none, description="Address.")
    path: str | None = Field(
        None, exclude_if=_is_none, description="Path in the workspace, the repository or the bucket."
    )


class DocumentView(View):
    """A document of a collection."""

    id: int = Field(description="ID of the document.")
    collection_id: int = Field(description="ID of the collection.")
    title: str = Field(description="Title. Empty until a document without a given title has been read.")
    source: DocumentSource = Field(description="Where the document comes from.")
    source_id: int | None = Field(
        None, exclude_if=_is_none, description="ID of the source from which the document comes."
    )
    status: Status = Field(
        description="`ready` when searches find it. While it is refreshed, they find the text from before."
    )
    error: str | None = Field(description="Why it could not be read or indexed.")
    passages: int = Field(description="Number of passages that searches find.")
    metadata: Metadata
    created_at: Timestamp = Field(description="Time at which the object was created.")
    updated_at: Timestamp = Field(description="Time at which the object was last updated.")


class PassageView(View):
    """A passage of a document."""

    number: int = Field(description="Position in the document, from 1.")
    text: str = Field(description="Text.")
    page: int | None = Field(description="Page or slide, from 1.")
    section: str | None = Field(description="Headings above it, the chapter or the sheet.")


class Search(Body):
    """Request body for searching a collection."""

    query: Query
    limit: Limit | None = USUAL_FOUND
    filter: Filter | None = Field(default={})


class SearchOfSeveral(Search):
    """Request body for searching collections."""

    collections: Annotated[list[Id], Field(min_length=1, max_length=20, description="IDs of your collections.")]


class HitView(View):
    """A passage that a search found."""

    document_id: int = Field(description="ID of the document.")
    collection_id: int = Field(description="ID of the collection.")
    title: str = Field(description="Title of the document.")
    text: str = Field(description="Text of the passage.")
    page: int | None = Field(description="Page or slide, from 1.")
    section: str | None = Field(description="Headings above it, the chapter or the sheet.")
    number: int = Field(description="Position of the passage in the document, from 1.")
    score: float = Field(
        description="How well the passage fits, from 0 to 1: by its meaning, words and language, or by the reranker."
    )
    relevant: bool = Field(
        description="Whether the passage probably answers. The included language model receives no others."
    )


class RerankingView(View):
    """What the reranker did in a search."""

    model: str = Field(description="The reranker of the collections.")
    applied: bool = Field(description="Whether the passages are in its order.")
    reason: str | None = Field(description="Why they are not.")


class SearchMeta(Meta):
    """Where the passages stand in the list, and what the reranker did."""

    reranking: RerankingView | None = Field(
        None, exclude_if=_is_none, description="Only if a collection has a reranker."
    )


class HitList(Listing[HitView]):
    """The passages that a search found."""

    meta: SearchMeta
