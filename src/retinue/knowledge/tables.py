"""The tables of collections, their sources and documents, the passages of these, and their indexed words."""

from typing import Required, TypedDict

import sqlalchemy as sa

from retinue.core.database.owned import Owned
from retinue.core.database.schema import BigInt, Instant, Json, id_column, table
from retinue.core.work.leases import lease_columns


class DocumentSource(TypedDict, total=False):
    """Where the content of a document is. `type` is `text`, `url`, `file` or `object`; `path` is that in a folder."""

    type: Required[str]
    url: str
    file_id: str
    path: str


collections = table(
    "knowledge_collections",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("name", sa.String(100), nullable=False),
    sa.Column("description", sa.String(1000), nullable=False),
    sa.Column("embedding_model", sa.String(100), nullable=False),
    sa.Column("target_model", sa.String(100)),
    sa.Column("reranker", sa.String(100), nullable=False, server_default=""),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    *lease_columns(),
    sa.Index(None, "account_id", "id"),
)
"""`embedding_model` made the vectors that searches use; it is empty if the server has none: then only words are
searched. `target_model` is the one whose vectors are being made; null if there is nothing to do. `reranker` is the name
of a provider's model, or empty.
"""

REINDEXED = collections.c.target_model.is_not(None)
"""Collections whose vectors a worker has to make."""

sa.Index(
    "ix_knowledge_collections_open_lease", collections.c.lease_until, sqlite_where=REINDEXED, postgresql_where=REINDEXED
)
sa.Index(
    "ix_knowledge_collections_open_due",
    collections.c.account_id,
    collections.c.lease_until,
    collections.c.id,
    sqlite_where=REINDEXED,
    postgresql_where=REINDEXED,
)

documents = table(
    "knowledge_documents",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("collection_id", BigInt, nullable=False),
    sa.Column("title", sa.String(300), nullable=False),
    sa.Column("source", Json, nullable=False),
    sa.Column("text", sa.Text),
    sa.Column("metadata", Json, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("error", sa.Text),
    sa.Column("passages", sa.Integer, nullable=False),
    sa.Column("served", BigInt, nullable=False),
    sa.Column("size", BigInt, nullable=False),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    *lease_columns(),
    sa.Column("source_id", BigInt),
    sa.Column("location", sa.String(2000)),
    sa.Column("round", BigInt, nullable=False, server_default="0"),
    sa.Column("depth", sa.Integer, nullable=False, server_default="0"),
    sa.Column("seen", Json),
    sa.Column("links", Json),
    sa.Index(None, "account_id", "id"),
    sa.Index(None, "collection_id", "id"),
)
"""`served` is the version of the passages that searches find; 0 for none. `text` is that of a document without a file
or a URL. `size` is the bytes that the document counts in storage, and `passages` the number that is served.

A document of a source has its `source_id`, and the page's address or the file's path as its `location`. `round` is the
last synchronization that found it, `depth` the number of links from the first page, `seen` what tells whether the
content has changed, and `links` the pages that it leads to.
"""

OPEN = documents.c.status.in_(
    [sa.literal_column(f"'{status}'") for status in ("queued", "reading", "indexing", "deleting")]
)
"""Documents that a worker has to read, to index or to delete."""

sa.Index("ix_knowledge_documents_open_lease", documents.c.lease_until, sqlite_where=OPEN, postgresql_where=OPEN)
sa.Index(
    "ix_knowledge_documents_open_due",
    documents.c.account_id,
    documents.c.lease_until,
    documents.c.id,
    sqlite_where=OPEN,
    postgresql_where=OPEN,
)

_SYNCED = documents.c.source_id.is_not(None) & (documents.c.status != sa.literal_column("'deleting'"))
sa.Index(
    "ix_knowledge_documents_synced",
    documents.c.source_id,
    documents.c.location,
    unique=True,
    sqlite_where=_SYNCED,
    postgresql_where=_SYNCED,
)

NEVER = 1e12
"""`lease_until` of sources that are not due, in seconds since 1970."""

sources = table(
    "knowledge_sources",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("collection_id", BigInt, nullable=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("location", sa.String(2000), nullable=False),
    sa.Column("include", Json, nullable=False),
    sa.Column("exclude", Json, nullable=False),
    sa.Column("max_pages", sa.Integer, nullable=False),
    sa.Column("max_depth", sa.Integer, nullable=False),
    sa.Column("schedule", Json, nullable=False),
    sa.Column("status", sa.String(16), nullable=False),
    sa.Column("error", sa.Text),
    sa.Column("round", BigInt, nullable=False),
    sa.Column("site", Json),
    sa.Column("connection_id", BigInt),
    sa.Column("last_synced_at", Instant),
    sa.Column("next_sync_at", Instant),
    sa.Column("created_at", Instant, nullable=False),
    sa.Column("updated_at", Instant, nullable=False),
    *lease_columns(),
    sa.Index(None, "account_id", "id"),
    sa.Index(None, "collection_id", "id"),
    sa.Index(None, "connection_id"),
)
"""`location` is an address or a path, and `connection_id` the credential for it, if it needs one. `round` counts the
synchronizations. `site` is the host of a website, the path that its pages begin with, and the rules of its robots.txt.
The lease of a source that no server works on ends when it must be looked at next.
"""

DUE = sources.c.lease_until < sa.literal_column("1e12")
"""Sources that a worker must look at, now or later."""

sa.Index("ix_knowledge_sources_open_lease", sources.c.lease_until, sqlite_where=DUE, postgresql_where=DUE)
sa.Index(
    "ix_knowledge_sources_open_due",
    sources.c.account_id,
    sources.c.lease_until,
    sources.c.id,
    sqlite_where=DUE,
    postgresql_where=DUE,
)

passages = table(
    "knowledge_passages",
    id_column(),
    sa.Column("account_id", BigInt, nullable=False),
    sa.Column("collection_id", BigInt, nullable=False),
    sa.Column("document_id", BigInt, nullable=False),
    sa.Column("version", BigInt, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("page", sa.Integer),
    sa.Column("section", sa.String(300)),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("model", sa.String(100)),
    sa.Column("vector", sa.LargeBinary),
    sa.Column("other_model", sa.String(100)),
    sa.Column("other_vector", sa.LargeBinary),
    sa.Index(None, "account_id", "id"),
    sa.Index("ix_knowledge_passages_place", "document_id", "version", "number"),
    sa.Index(None, "collection_id", "id"),
)
"""`version` is the epoch of the claim that wrote the passage. `model` names the model and the version of the code that
made `vector`; see `vectors`. While a collection is indexed again, `other_model` and `other_vector` are those of the
next model, so that searches use the vectors from before; the next time, the two pairs change their parts.
"""

words = table(
    "knowledge_words",
    sa.Column("collection_id", BigInt, primary_key=True, autoincrement=False),
    sa.Column("word", sa.String(40), primary_key=True),
    sa.Column(
        "passage_id",
        BigInt,
        sa.ForeignKey(passages.c.id, ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    sa.Column("times", sa.Integer, nullable=False),
    sa.Column("length", sa.Integer, nullable=False),
    sa.Index(None, "passage_id"),
)
"""`times` is the number of occurrences of a word in a passage, whose text has `length` words."""

_PASSAGES = Owned(passages.c.account_id, batch=20)
OWNED = (
    Owned(words.c.passage_id, _PASSAGES, cascades=True, exported=False),
    _PASSAGES,
    Owned(documents.c.account_id, hidden=("served", "round", "depth", "seen", "links")),
    Owned(sources.c.account_id, hidden=("round", "site")),
    Owned(collections.c.account_id, hidden=("target_model",)),
)
