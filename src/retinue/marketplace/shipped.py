"""Load the items that ship with the server from the TOML files in `items` into the database at startup."""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from retinue.auth.plans import ToolTier
from retinue.core.database.interface import Database, Tx, UniqueConflict
from retinue.core.runtime.clock import now
from retinue.marketplace import statements as sql
from retinue.marketplace.manifests import ItemType, Manifest, read_manifest, skills_of
from retinue.marketplace.service import highest_tier, search_text
from retinue.marketplace.signatures import Signature, checksum, signed_content
from retinue.tools.catalogue.catalogue import Catalogue

FILES: dict[str, ItemType] = {
    "agents.toml": "agent",
    "fleets.toml": "fleet_template",
    "tools.toml": "tool",
    "extensions.toml": "extension",
}
"""The files, and the type of the items in each."""

_META = ("slug", "name", "description", "tags", "version", "examples", "right")

_LARGER_MODEL = "For this work it needs a larger model: add a provider under [Models](/models)."
"""Readme text for items most of whose examples the included model cannot carry out."""


def shipped_items() -> Iterator[tuple[ItemType, dict[str, Any]]]:
    """Yield the items of all files, unprocessed."""
    for name, kind in FILES.items():
        text = files("retinue.marketplace").joinpath(f"items/{name}").read_text()
        for item in tomllib.loads(text)["items"]:
            yield kind, item


@cache
def shipped_checksums() -> Mapping[str, Signature]:
    """Return the checksum of each shipped item by slug."""
    return {item["slug"]: _checksum(kind, item, manifest) for kind, item, manifest in map(_read_item, shipped_items())}


async def ship_items(database: Database, catalogue: Catalogue) -> None:
    """Add missing items and update items that differ from the files."""
    known = {row.slug: row for row in await database.query(sql.SHIPPED)}
    new_items = [(kind, item) for kind, item in shipped_items() if _is_new(item, known)]
    offered = [
        (kind, item, manifest) for kind, item, manifest in map(_read_item, new_items) if _can_run(manifest, catalogue)
    ]
    if not offered:
        return

    async def write(tx: Tx) -> None:
        for kind, item, manifest in offered:
            fields = _fields(kind, item, manifest, catalogue)
            moment = now()
            if row := known.get(item["slug"]):
                await tx.run(sql.CHANGE_SHIPPED, item=row.id, moment=moment, **fields)
            else:
                meta = {"slug": item["slug"], "name": item["name"], "type": kind}
                own = {"user_id": None, "author": sql.AUTHOR, "status": "published"}
                await tx.one(sql.ADD, **meta, **own, **fields, created_at=moment, updated_at=moment)

    try:
        await database.transact(write)
    except UniqueConflict:  # another node has just added them
        return


def _is_new(item: dict[str, Any], known: dict[str, Any]) -> bool:
    row = known.get(item["slug"])
    if row is None:
        return True
    stored_checksum = checksum(signed_content(row.slug, row.type, row.version, row.manifest))
    return not stored_checksum == row.signature == shipped_checksums()[row.slug]


def _read_item(one: tuple[ItemType, dict[str, Any]]) -> tuple[ItemType, dict[str, Any], Manifest]:
    kind, item = one
    content = {name: value for name, value in item.items() if name not in _META}
    if (examples := item.get("examples")) and kind != "extension":
        content["example"] = examples[0]
    return kind, item, read_manifest(kind, content)


def _can_run(manifest: Manifest, catalogue: Catalogue) -> bool:
    """Return True if this server has all tools that the item's agents use."""
    return all(name in catalogue for name in skills_of(manifest))


def _fields(kind: ItemType, item: dict[str, Any], manifest: Manifest, catalogue: Catalogue) -> dict[str, Any]:
    tags, readme = item.get("tags", []), _readme(item)
    return {
        "description": item["description"],
        "version": _version(item),
        "tier": _tier(manifest, catalogue),
        "tags": tags,
        "readme": readme,
        "manifest": manifest.model_dump(),
        "signature": _checksum(kind, item, manifest),
        "search_text": search_text(item["name"], tags, item["description"], readme),
    }


def _version(item: dict[str, object]) -> str:
    return str(item.get("version", "1.0.0"))


def _checksum(kind: ItemType, item: dict[str, Any], manifest: Manifest) -> Signature:
    return checksum(signed_content(item["slug"], kind, _version(item), manifest.model_dump()))


def _tier(manifest: Manifest, catalogue: Catalogue) -> ToolTier:
    return highest_tier([catalogue.get(name).tier for name in skills_of(manifest)])


def _readme(item: dict[str, Any]) -> str:
    parts = [f"# {item['name']}", item["description"]]
    if examples := item.get("examples"):
        tasks = [f"{number}. `{' / '.join(one.splitlines())}`" for number, one in enumerate(examples, 1)]
        parts += ["Try it:", "\n".join(tasks), _small_model_share(item.get("right"), len(examples))]
    return "\n\n".join(parts) + "\n"


def _small_model_share(right: int | None, examples: int) -> str:
    """Word how many examples came out right with the included model. None means that nobody has run them."""
    if right is None:
        return f"Its example tasks have not been run with the included small model. {_LARGER_MODEL}"
    share = f"With the included small model, {right or 'none'} of the {examples} example tasks came out right."
    return share if 2 * right > examples else f"{share} {_LARGER_MODEL}"
