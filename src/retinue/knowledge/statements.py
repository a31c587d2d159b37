"""SQL statements for collections, documents and passages. All that a caller can reach filter by account."""

import sqlalchemy as sa

from retinue.auth.tables import accounts
from retinue.core.database.newest_first import newest_first
from retinue.core.database.portable_sql import among, counted_words, unix_now
from retinue.core.database.schema import BigInt, Instant, Json
from retinue.core.database.statements import Statement
from retinue.core.work.fair_leases import FairLeases
from retinue.core.work.leases import LEASE_S
from retinue.knowledge.tables import OPEN, REINDEXED, collections, documents, passages, words
from retinue.providers.tables import EVERYBODY, model_defaults

_ACCOUNT = sa.bindparam("account", type_=BigInt)
_COLLECTION = sa.bindparam("collection", type_=BigInt)
_DOCUMENT = sa.bindparam("document", type_=BigInt)
_MOMENT = sa.bindparam("moment", type_=Instant)
_MOST = sa.bindparam("most", type_=sa.Integer)
_DELETING = sa.literal_column("'deleting'", sa.String)

_OURS = collections.c.account_id == _ACCOUNT
_THIS = (collections.c.id == _COLLECTION, _OURS)
_VISIBLE = documents.c.status != _DELETING
_OF_COLLECTION = (documents.c.collection_id == collections.c.id, _VISIBLE)


def _total(value: sa.ColumnElement[int], *conditions: sa.ColumnElement[bool]) -> sa.ScalarSelect[int]:
    return sa.select(value).where(*_OF_COLLECTION, *conditions).correlate(collections).scalar_subquery()


_LEASE = ("epoch", "attempts", "lease_owner", "lease_until")
_COLLECTION_VIEW = (
    *(column for column in collections.c if column.name not in _LEASE),
    _total(sa.func.count()).label("documents"),
    _total(sa.cast(sa.func.coalesce(sa.func.sum(documents.c.passages), 0), BigInt)).label("passages"),
    sa.case((sa.or_(REINDEXED, _total(sa.func.count(), OPEN) > 0), "indexing"), else_="ready").label("status"),
)

INSERT_COLLECTION = Statement(
    sa.insert(collections).returning(collections.c.id),
    ["account_id", "name", "description", "embedding_model", "reranker", "created_at", "updated_at"],
)
COUNT_COLLECTIONS = Statement(sa.select(sa.func.count().label("held")).select_from(collections).where(_OURS))
IS_OURS = Statement(sa.select(collections.c.id).where(*_THIS))
GET_COLLECTION = Statement(sa.select(*_COLLECTION_VIEW).where(*_THIS))
LIST_COLLECTIONS = newest_first(sa.select(*_COLLECTION_VIEW), collections.c.id, _OURS)
LOCK_COLLECTION = Statement(sa.select(collections).where(*_THIS).with_for_update())
UPDATE_COLLECTION = Statement(
    sa.update(collections)
    .where(*_THIS)
    .values(
        name=sa.bindparam("new_name", type_=sa.String),
        description=sa.bindparam("new_description", type_=sa.String),
        reranker=sa.bindparam("new_reranker", type_=sa.String),
        updated_at=_MOMENT,
    )
)
DELETE_COLLECTION = Statement(sa.delete(collections).where(*_THIS))
NAMED = Statement(sa.select(collections.c.id, collections.c.name).where(among(collections.c.id, "these"), _OURS))

_PREFIX = sa.bindparam("prefix", type_=sa.String)
OF_PROVIDER = Statement(
    sa.select(collections.c.id, collections.c.name)
    .where(
        _OURS,
        sa.or_(*(collections.c[name].like(_PREFIX) for name in ("reranker", "embedding_model", "target_model"))),
    )
    .order_by(collections.c.id)
)
"""The collections that use a model of a provider."""

_HIDDEN = ("text", "epoch", "attempts", "lease_owner", "round", "depth", "seen", "links")
_COLUMNS = [column for column in documents.c if column.name not in _HIDDEN]
_OUR_DOCUMENT = (
    documents.c.id == _DOCUMENT,
    documents.c.collection_id == _COLLECTION,
    documents.c.account_id == _ACCOUNT,
    _VISIBLE,
)

INSERT_DOCUMENT = Statement(
    sa.insert(documents).returning(*_COLUMNS),
    [
        "account_id", "collection_id", "title", "source", "text", "metadata", "status", "passages", "served", "size",
        "created_at", "updated_at", "lease_until",
    ],
)  # fmt: skip
COUNT_DOCUMENTS = Statement(
    sa.select(sa.func.count().label("held"))
    .select_from(documents)
    .where(documents.c.collection_id == _COLLECTION, documents.c.account_id == _ACCOUNT, _VISIBLE)
)
GET_DOCUMENT = Statement(sa.select(*_COLUMNS).where(*_OUR_DOCUMENT))
LIST_DOCUMENTS = newest_first(
    sa.select(*_COLUMNS),
    documents.c.id,
    documents.c.collection_id == _COLLECTION,
    documents.c.account_id == _ACCOUNT,
    _VISIBLE,
)
REQUEUE = Statement(
    sa.update(documents)
    .where(*_OUR_DOCUMENT)
    .values(
        status=sa.bindparam("next", type_=sa.String),
        error=None,
        epoch=documents.c.epoch + 1,
        attempts=0,
        lease_owner=None,
        lease_until=sa.bindparam("place", type_=sa.Double),
        updated_at=_MOMENT,
    )
    .returning(*_COLUMNS)
)
"""Queues a document for reading or deletion. A worker that has claimed it loses its lease."""

DELETE_WITHIN = Statement(
    sa.update(documents)
    .where(documents.c.collection_id == _COLLECTION, documents.c.account_id == _ACCOUNT, _VISIBLE)
    .values(status="deleting", epoch=documents.c.epoch + 1, attempts=0, lease_owner=None, lease_until=0.0)
)

LEASES = FairLeases(
    documents,
    open_work=OPEN,
    claimed={"status": sa.case((documents.c.status == _DELETING, "deleting"), else_="reading")},
)
_CLAIMED = (documents.c.id == _DOCUMENT, documents.c.epoch == sa.bindparam("under", type_=BigInt), OPEN)
HOLD = Statement(sa.update(documents).where(*_CLAIMED).values(lease_until=unix_now() + LEASE_S))
BEGIN = Statement(
    sa.update(documents).where(*_CLAIMED).values(status="indexing", title=sa.bindparam("called", type_=sa.String))
)
SERVE = Statement(
    sa.update(documents)
    .where(*_CLAIMED)
    .values(
        served=documents.c.epoch,
        passages=sa.bindparam("count", type_=sa.Integer),
        size=sa.bindparam("bytes", type_=BigInt),
        seen=sa.func.coalesce(sa.bindparam("now_seen", type_=Json), documents.c.seen),
        updated_at=_MOMENT,
    )
)
END = Statement(
    sa.update(documents)
    .where(*_CLAIMED)
    .values(
        status=sa.bindparam("outcome", type_=sa.String),
        error=sa.bindparam("reason", type_=sa.Text),
        updated_at=_MOMENT,
        attempts=0,
        lease_owner=None,
        lease_until=0.0,
    )
)
REMOVE_DOCUMENT = Statement(sa.delete(documents).where(*_CLAIMED).returning(documents.c.size))

_EXCEPT = passages.c.version.notin_([sa.bindparam("served", type_=BigInt), sa.bindparam("writing", type_=BigInt)])
REMOVE_PASSAGES = Statement(
    sa.delete(passages).where(
        passages.c.id.in_(sa.select(passages.c.id).where(passages.c.document_id == _DOCUMENT, _EXCEPT).limit(_MOST))
    )
)
"""Deletes some passages of a document, except those of two versions."""

INSERT_PASSAGE = Statement(
    sa.insert(passages).returning(passages.c.id),
    [
        "account_id", "collection_id", "document_id", "version", "number", "page", "section", "text", "model", "vector",
    ],
)  # fmt: skip

_SERVED = (documents.c.id == passages.c.document_id) & (documents.c.served == passages.c.version) & _VISIBLE
_FOUND = (
    passages.c.id,
    passages.c.document_id,
    passages.c.collection_id,
    documents.c.title,
    passages.c.number,
    passages.c.page,
    passages.c.section,
    passages.c.text,
)
CHOSEN = Statement(
    sa.select(*_FOUND)
    .select_from(passages.join(documents, _SERVED))
    .where(among(passages.c.id, "ids"), passages.c.account_id + 0 == _ACCOUNT)
)
PASSAGES_OF = Statement(
    sa.select(passages.c.id)
    .select_from(passages.join(documents, _SERVED))
    .where(among(passages.c.document_id, "documents"))
)
PASSAGES = Statement(
    sa.select(*_FOUND)
    .select_from(passages.join(documents, _SERVED))
    .where(passages.c.document_id == _DOCUMENT, passages.c.account_id + 0 == _ACCOUNT)
    .order_by(passages.c.number)
    .limit(sa.bindparam("per_page", type_=sa.Integer))
    .offset(sa.bindparam("offset", type_=BigInt))
)
SATURATION, LENGTH_EFFECT, USUAL_LENGTH = 1.2, 0.75, 100
"""Parameters of BM25 (Robertson and Zaragoza, 2009)."""

_weighted = counted_words("weights")
_SOME = (
    sa.select(sa.literal(1))
    .where(words.c.collection_id == _COLLECTION, words.c.word == _weighted.c.word)
    .correlate(_weighted)
    .limit(_MOST)
    .subquery("postings")
)
FREQUENCIES = Statement(
    sa.select(
        _weighted.c.word,
        sa.select(sa.func.count()).select_from(_SOME).correlate(_weighted).scalar_subquery().label("passages"),
    )
)
"""Counts the passages that have each word, up to a limit."""


def _ranking(*conditions: sa.ColumnElement[bool]) -> Statement:
    """Score passages by BM25. The times of `weights` are the rarities of words, in thousandths.

    The outer join has SQLite look up each word in the index, instead of each posting among the words.
    """
    of_word = (words.c.word == _weighted.c.word, words.c.collection_id == _COLLECTION, *conditions)
    found = (
        sa.select(words.c.passage_id, words.c.times, words.c.length, _weighted.c.times.label("weight"))
        .select_from(_weighted.outerjoin(words, sa.and_(*of_word)))
        .limit(sa.bindparam("most_postings", type_=sa.Integer))
        .subquery("postings")
    )
    norm = SATURATION * (1 - LENGTH_EFFECT) + SATURATION * LENGTH_EFFECT / USUAL_LENGTH * found.c.length
    score = sa.func.sum(found.c.weight * (SATURATION + 1) * found.c.times / (found.c.times + norm))
    return Statement(
        sa.select(
            found.c.passage_id,
            sa.cast(score, sa.Double).label("score"),
            sa.cast(sa.func.sum(found.c.weight), BigInt).label("weight"),
        )
        .where(found.c.passage_id.is_not(None))
        .group_by(found.c.passage_id)
        .order_by(sa.desc("score"), found.c.passage_id)
        .limit(_MOST)
    )


RANKED = _ranking()
RANKED_AMONG = _ranking(among(words.c.passage_id, "ids"))
RANKED_WITHIN = _ranking(
    (words.c.passage_id + 0).in_(sa.select(passages.c.id).where(among(passages.c.document_id, "documents")))
)
"""Ranks the passages of many documents. The addition has the database read the words' postings, not these passages."""
STAMP = Statement(
    sa.select(
        sa.func.count().label("documents"),
        sa.cast(sa.func.coalesce(sa.func.sum(documents.c.passages), 0), BigInt).label("passages"),
        sa.cast(sa.func.coalesce(sa.func.sum(documents.c.served), 0), BigInt).label("versions"),
        sa.func.coalesce(sa.func.max(documents.c.id), 0).label("newest"),
        sa.func.max(documents.c.updated_at).label("changed"),
    ).where(documents.c.collection_id == _COLLECTION, documents.c.served > 0, _VISIBLE)
)
"""What changes when the served passages of a collection change."""

_TARGET = sa.bindparam("model", type_=sa.String)
_READABLE = among(passages.c.model, "models")
_BY_MODEL = sa.case(
    (passages.c.model == _TARGET, passages.c.vector),
    (passages.c.other_model == _TARGET, passages.c.other_vector),
    (_READABLE, passages.c.vector),
    else_=passages.c.other_vector,
)
_HAS_MODEL = sa.or_(_READABLE, among(passages.c.other_model, "models"))
"""Whether a passage has a vector of `models`: the names of a model with the versions of the code that are readable."""

SERVED = Statement(
    sa.select(documents.c.id, documents.c.served, documents.c.passages)
    .where(documents.c.collection_id == _COLLECTION, documents.c.served > 0, _VISIBLE)
    .order_by(documents.c.id)
)
METADATA = Statement(
    sa.select(documents.c.id, documents.c.passages, documents.c.metadata).where(
        documents.c.collection_id == _COLLECTION,
        documents.c.served > 0,
        _VISIBLE,
        sa.type_coerce(documents.c.metadata, sa.Text).like(sa.bindparam("pattern", type_=sa.Text), escape="\\"),
    )
)
"""The documents whose metadata may fit: their JSON text has a pattern."""

VECTORS = Statement(
    sa.select(passages.c.id, passages.c.document_id, _BY_MODEL.label("vector"))
    .select_from(passages.join(documents, _SERVED))
    .where(among(passages.c.document_id, "documents"), _HAS_MODEL)
)
VECTORS_OF = Statement(
    sa.select(passages.c.id, _BY_MODEL.label("vector")).where(among(passages.c.id, "ids"), _HAS_MODEL)
)
MODEL_OF = Statement(
    sa.select(collections.c.id, collections.c.embedding_model, collections.c.reranker, collections.c.updated_at).where(
        among(collections.c.id, "these")
    )
)
LOCK_MODEL = Statement(sa.select(collections).where(collections.c.id == _COLLECTION).with_for_update())

_CHOICE = model_defaults.alias("choice")


def _chosen_by(whose: sa.ColumnElement[int]) -> sa.ScalarSelect[str]:
    chosen = sa.func.nullif(_CHOICE.c.embedding, sa.literal_column("''"))
    return sa.select(chosen).where(_CHOICE.c.account_id == whose).correlate(collections).scalar_subquery()


_EFFECTIVE = sa.func.coalesce(
    _chosen_by(collections.c.account_id), _chosen_by(sa.literal(EVERYBODY)), sa.bindparam("included", type_=sa.String)
)
_AGAIN: dict[str, object] = {"epoch": collections.c.epoch + 1, "attempts": 0, "lease_owner": None, "lease_until": 0.0}
_NOT_BY_IT = sa.or_(collections.c.embedding_model != _EFFECTIVE, collections.c.target_model.is_not(None))
RETARGET = Statement(sa.update(collections).where(_OURS, _NOT_BY_IT).values(target_model=_EFFECTIVE, **_AGAIN))
"""Schedules the collections of an account to be indexed again with the model that the account now uses."""
_LIVE = sa.select(accounts.c.id).where(~accounts.c.sandbox)
RETARGET_ALL = Statement(
    sa.update(collections)
    .where(collections.c.account_id.in_(_LIVE), _NOT_BY_IT)
    .values(target_model=_EFFECTIVE, **_AGAIN)
)
RETARGET_INCLUDED = Statement(
    sa.update(collections)
    .where(collections.c.embedding_model.not_like("%/%"), collections.c.embedding_model != "")
    .values(
        target_model=sa.func.coalesce(collections.c.target_model, sa.bindparam("included", type_=sa.String)), **_AGAIN
    )
)
"""Has the vectors of an included model made again. The names of providers' models have a slash."""
INDEX_MISSING = Statement(
    sa.update(collections)
    .where(collections.c.id == _COLLECTION)
    .values(target_model=sa.func.coalesce(collections.c.target_model, collections.c.embedding_model), **_AGAIN)
)
"""Has vectors made for passages that have none of their collection's model."""

COLLECTION_LEASES = FairLeases(collections, open_work=REINDEXED, claimed={})
_COLLECTION_CLAIM = (
    collections.c.id == _COLLECTION,
    collections.c.epoch == sa.bindparam("under", type_=BigInt),
    REINDEXED,
)
HOLD_COLLECTION = Statement(sa.update(collections).where(*_COLLECTION_CLAIM).values(lease_until=unix_now() + LEASE_S))
USE_TARGET = Statement(
    sa.update(collections)
    .where(*_COLLECTION_CLAIM)
    .values(
        embedding_model=collections.c.target_model, target_model=None, attempts=0, lease_owner=None, updated_at=_MOMENT
    )
)
WAIT_LONGER = Statement(
    sa.update(collections)
    .where(*_COLLECTION_CLAIM)
    .values(attempts=0, lease_owner=None, lease_until=unix_now() + sa.bindparam("seconds", type_=sa.Double))
)
WITHOUT_VECTORS = Statement(
    sa.select(passages.c.id, documents.c.title, passages.c.section, passages.c.text, passages.c.other_model)
    .select_from(passages.join(documents, _SERVED))
    .where(
        passages.c.collection_id == _COLLECTION,
        passages.c.id > sa.bindparam("after", type_=BigInt),
        sa.or_(passages.c.model.is_(None), passages.c.model != _TARGET),
        sa.or_(passages.c.other_model.is_(None), passages.c.other_model != _TARGET),
    )
    .order_by(passages.c.id)
    .limit(_MOST)
)
_PASSAGE = passages.c.id == sa.bindparam("passage", type_=BigInt)
_NEW_VECTOR = sa.bindparam("new_vector", type_=sa.LargeBinary)
SET_VECTOR = Statement(sa.update(passages).where(_PASSAGE).values(model=_TARGET, vector=_NEW_VECTOR))
SET_OTHER_VECTOR = Statement(sa.update(passages).where(_PASSAGE).values(other_model=_TARGET, other_vector=_NEW_VECTOR))

_pairs = counted_words("pairs")
INDEX = Statement(
    sa.insert(words).from_select(
        ["collection_id", "word", "passage_id", "times", "length"],
        sa.select(
            _COLLECTION,
            _pairs.c.word,
            sa.bindparam("passage", type_=BigInt),
            _pairs.c.times,
            sa.bindparam("length", type_=sa.Integer),
        ),
    )
)
UNINDEX = Statement(sa.delete(words).where(words.c.passage_id == sa.bindparam("passage", type_=BigInt)))
PASSAGES_AFTER = Statement(
    sa.select(passages.c.id, passages.c.collection_id, documents.c.title, passages.c.section, passages.c.text)
    .select_from(passages.outerjoin(documents, documents.c.id == passages.c.document_id))
    .where(passages.c.id > sa.bindparam("after", type_=BigInt))
    .order_by(passages.c.id)
    .limit(_MOST)
)
"""The passages of all accounts, for the work that indexes their words again."""
LOCK_PASSAGES = Statement(
    sa.select(passages.c.id).where(among(passages.c.id, "ids")).order_by(passages.c.id).with_for_update()
)
