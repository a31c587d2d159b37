"""Browse, publish, rate and moderate marketplace items."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import orjson

from retinue.auth.audit.entries import Actor, audit
from retinue.auth.caller import Caller
from retinue.auth.display_names import problem_of_name
from retinue.auth.plans import TIERS, ToolTier
from retinue.core.database import counters
from retinue.core.database.interface import Database, Tx, UniqueConflict
from retinue.core.errors import InsufficientScope, NotFound, ValidationFailed
from retinue.core.http.envelope import Page, read_page
from retinue.core.idempotency.keys import note_effect
from retinue.core.runtime.clock import now
from retinue.marketplace import statements as sql
from retinue.marketplace.manifests import read_manifest, skills_of
from retinue.marketplace.schemas import ItemChange, ItemDetails, ItemPublish, ItemQuery, ItemView, Moderation
from retinue.marketplace.signatures import Signatures, signed_content
from retinue.marketplace.tables import ItemBrief, ItemRow
from retinue.tools.imports.account_catalogue import AccountCatalogue

MOST_ITEMS = 100
"""Maximum number of items of an author."""

_README_CHARACTERS = 2000
"""Number of characters of a readme that searches cover."""
_WORD = re.compile(r"\w+")
V = TypeVar("V", bound=ItemView)


@dataclass(frozen=True)
class Marketplace:
    """Finds, publishes, changes, rates and moderates items for a caller."""

    caller: Caller
    database: Database
    tools: AccountCatalogue
    signatures: Signatures

    async def page(self, query: ItemQuery) -> tuple[Sequence[ItemView], int]:
        """Return one page of the items that the caller may see, and their total number."""
        words = _patterns(query.search)
        chosen = {**words, "kind": query.type or "", **self._viewer}
        lists, total = (sql.SEARCHES, sql.COUNT_FOUND) if words else (sql.LISTS, sql.COUNT)
        # A search scans every item, and a count a whole index, so a reader thread runs them for every page.
        (count,) = await self.database.query(total, **chosen)
        order = query.order if query.order in lists else "popular"  # without words, nothing is more relevant
        rows = await self.database.query(lists[order], **chosen, per_page=query.per_page, offset=query.offset)
        return [_view(row, ItemView) for row in rows], count.held

    async def own(self, page: Page) -> tuple[Sequence[ItemView], int]:
        """Return one page of the caller's own items in any status, newest first, and their total number."""
        rows = await read_page(self.database, sql.LIST_OWN, page, user=self.caller.user_id)
        count = await self.database.lookup(sql.COUNT_OWN, user=self.caller.user_id)
        return [_view(row, ItemView) for row in rows], count.held if count else 0

    async def own_row(self, item_id: int) -> ItemRow:
        """Return the row of one of the caller's own items. Raises `NotFound`."""
        row = await self.database.lookup(sql.OWN, item=item_id, user=self.caller.user_id)
        if row is None:
            raise NotFound(f"There is no marketplace item {item_id} of yours.")
        return row

    async def waiting(self, page: Page) -> tuple[Sequence[ItemView], int]:
        """Return one page of items that await moderation, oldest first; an empty one for other users than operators."""
        rows = await read_page(self.database, sql.WAITING, page, operator=self.caller.operator_id)
        return [_view(row, ItemView) for row in rows], await self.count_waiting()

    async def count_waiting(self) -> int:
        """Return the number of items that await moderation. It is 0 for non-operators."""
        count = await self.database.lookup(sql.COUNT_WAITING, operator=self.caller.operator_id)
        return int(count.held) if count else 0

    async def get(self, item_id: int) -> ItemDetails:
        """Return one item as the caller sees it. Raises `NotFound`."""
        return details_of(await self.row(item_id))

    async def row(self, item_id: int) -> ItemRow:
        """Return the row of one item. Raises `NotFound`."""
        row = await self.database.lookup(sql.GET, item=item_id, **self._viewer)
        if row is None:
            raise NotFound(f"There is no marketplace item {item_id}.")
        return row

    async def publish(self, new: ItemPublish) -> ItemDetails:
        """Publish an item. It awaits moderation unless an operator publishes it."""
        self._check_live("publish")
        tier = self._check(new.type, new.manifest)
        status = "published" if await self._is_operator() else "pending"
        author = await self._author()
        moment, actor = now(), Actor.of_caller(self.caller)
        text = search_text(new.name, new.tags, new.description, new.readme)
        content = signed_content(new.slug, new.type, new.version, new.manifest)
        signature = await self.signatures.sign(self.caller.user_id, content)
        fields = {**new.model_dump(), "tier": tier, "signature": signature, "search_text": text}

        async def insert(tx: Tx) -> int:
            await counters.lock(tx, self.caller.account_id)
            existing = await tx.one(sql.COUNT_OWN, user=self.caller.user_id)
            if existing and existing.held >= MOST_ITEMS:
                raise ValidationFailed(f"You have published {MOST_ITEMS} items, which is the maximum.")
            (row,) = await tx.all(
                sql.ADD,
                **fields,
                user_id=self.caller.user_id,
                author=author,
                status=status,
                created_at=moment,
                updated_at=moment,
            )
            await audit(tx, actor, "item.published", row.id, f"{new.slug} {new.version}, {status}.")
            await note_effect(tx, self.caller.claim, {"item": row.id})
            return int(row.id)

        try:
            return await self.get(await self.database.transact(insert))
        except UniqueConflict as error:
            raise ValidationFailed(f"slug: the item {new.slug} already exists. Choose another slug.") from error

    async def change(self, item_id: int, changes: ItemChange) -> ItemDetails:
        """Publish a new version of the caller's own item."""
        self._check_live("change")
        old = await self.own_row(item_id)
        if _parts(changes.version) <= _parts(old.version):
            raise ValidationFailed(f"version must be higher than {old.version}.")
        sent = {name: value for name, value in changes.model_dump().items() if value is not None}
        fields = {name: getattr(old, name) for name in sql.FIELDS} | sent
        fields["tier"] = self._check(old.type, fields["manifest"])
        fields["search_text"] = search_text(old.name, fields["tags"], fields["description"], fields["readme"])
        content = signed_content(old.slug, old.type, changes.version, fields["manifest"])
        fields["signature"] = await self.signatures.sign(self.caller.user_id, content)
        by_operator, actor = await self._is_operator(), Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            await audit(tx, actor, "item.changed", item_id, f"{old.slug} {changes.version}.")
            if old.status == "published" and not by_operator:
                await tx.run(sql.SET_DRAFT, item=item_id, draft={name: fields[name] for name in sql.FIELDS})
                return
            status = "published" if by_operator else "pending"
            key = {"item": item_id, "user": self.caller.user_id, "status": status, "moment": now()}
            await tx.run(sql.CHANGE, **key, **fields)

        await self.database.transact(write)
        return await self.get(item_id)

    async def rate(self, item_id: int, stars: int) -> ItemDetails:
        """Rate an item, replacing the caller's earlier rating."""
        self._check_live("rate")
        item = await self.row(item_id)
        if item.user_id == self.caller.user_id:
            raise ValidationFailed("Authors cannot rate their own items.")

        async def write(tx: Tx) -> None:
            await tx.one(sql.LOCK, item=item_id)
            await tx.run(sql.REMOVE_RATING, item=item_id, user=self.caller.user_id)
            await tx.run(sql.ADD_RATING, item_id=item_id, user_id=self.caller.user_id, stars=stars)
            await tx.run(sql.SUM_RATINGS, item=item_id)

        await self.database.transact(write)
        return await self.get(item_id)

    async def moderate(self, item_id: int, decision: Moderation) -> ItemDetails:
        """Change an item's status. Requires the operator; authors may withdraw their own items."""
        self._check_live("withdraw or moderate")
        status = decision.status
        withdraws = status == "withdrawn" and await self._is_author(item_id)
        if not withdraws and not await self._is_operator():
            raise InsufficientScope(
                "Only the operator of this server can moderate the marketplace, with a session or a key that has the "
                "scope *. Authors can withdraw their own items."
            )
        actor = Actor.of_caller(self.caller)

        async def write(tx: Tx) -> None:
            item = await tx.one(sql.LOCK, item=item_id)
            if item is None:
                raise NotFound(f"There is no marketplace item {item_id}.")
            if decision.revision not in (None, _revision(item)):
                raise ValidationFailed("The author has changed the item since you opened it. Review it again.")
            await audit(tx, actor, "item.moderated", item_id, f"{item.slug}: {status}.")
            if item.draft and status == "published":
                await tx.run(sql.APPLY, item=item_id, moment=now(), **item.draft)
            if item.draft:
                await tx.run(sql.SET_DRAFT, item=item_id, draft=None)
            if not (item.draft and status == "rejected"):  # rejecting a newer version keeps the published one
                await tx.run(sql.MODERATE, item=item_id, status=status)

        await self.database.transact(write)
        return await self.get(item_id)

    async def _author(self) -> str:
        """Return the name that a new item shows. Raises `ValidationFailed` for one that deceives users."""
        user = await self.database.lookup(sql.NAME, user=self.caller.user_id)
        name = (user.name if user else "") or f"user {self.caller.user_id}"
        if problem := problem_of_name(name):
            raise ValidationFailed(
                f"Your name is shown as the author and {problem}. Change it in the settings, or with PUT /account."
            )
        return name

    async def _is_operator(self) -> bool:
        return await self.database.lookup(sql.IS_OPERATOR, **self._viewer) is not None

    @property
    def _viewer(self) -> dict[str, int | None]:
        return {"user": self.caller.user_id, "operator": self.caller.operator_id}

    def _check_live(self, action: str) -> None:
        """Raise `InsufficientScope` for a test key: all users share the items, so there are none of the sandbox."""
        if self.caller.sandbox:
            raise InsufficientScope(f"Test keys can browse and install items, but not {action} them. Use a live key.")

    async def _is_author(self, item_id: int) -> bool:
        return await self.database.lookup(sql.OWN, item=item_id, user=self.caller.user_id) is not None

    def _check(self, kind: str, content: dict[str, object]) -> ToolTier:
        """Validate a manifest; return the lowest tier that includes its tools."""
        skills = skills_of(read_manifest(kind, content))
        known = self.tools.catalogue  # no other account has the tools that the author imported
        if missing := [name for name in skills if name not in known]:
            raise ValidationFailed(
                f"manifest: the catalogue does not have the tools {', '.join(missing)}. Only use tools that "
                "every account has."
            )
        return highest_tier([known.get(name).tier for name in skills])


def details_of(row: ItemRow) -> ItemDetails:
    """Return an item with its content."""
    return _view(row, ItemDetails, revision=_revision(row))


def _view(row: ItemBrief, shape: type[V], **derived: object) -> V:
    return shape.of_row(row, pending_version=row.draft["version"] if row.draft else None, **derived)


def _revision(row: ItemRow) -> str:
    """Return a digest of the content that an approval would publish."""
    # The version does not identify it: an author can submit the same pending version again with other content.
    content = row.draft or {name: getattr(row, name) for name in sql.FIELDS}
    return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()


def highest_tier(tiers: Sequence[ToolTier]) -> ToolTier:
    """Return the lowest tier that includes all of `tiers`."""
    return max(tiers, key=TIERS.index, default="free")


def search_text(name: str, tags: Sequence[str], description: str, readme: str) -> str:
    """Return an item's searchable text: name, tags, description and the start of the readme, each on its own line.

    Matches in earlier lines rank higher.
    """
    lines = (name, " ".join(tags), description, readme[:_README_CHARACTERS])
    return "\n".join(" ".join(line.split()) for line in lines).lower()


def _patterns(search: str) -> dict[str, str]:
    """Return a LIKE pattern for each word of a search, or nothing without words. Unused patterns match everything."""
    words = _WORD.findall(search.lower())[: sql.WORDS]
    patterns = ["%" + word.replace("_", "\\_") + "%" for word in words]
    rest = ["%"] * (sql.WORDS - len(words))
    return {f"word{number}": pattern for number, pattern in enumerate([*patterns, *rest])} if words else {}


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]
