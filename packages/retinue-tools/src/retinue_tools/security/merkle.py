"""Hash trees as used in certificate logs, RFC 6962."""

import hashlib
import hmac
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.security._bytes import Encoding, bytes_of

_LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
_ROOT = "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"
_HASH = r"^[0-9a-fA-F]{64}$"

Hash = Annotated[str, About("SHA-256 in hexadecimal", _ROOT, pattern=_HASH, max_length=64)]
Position = Annotated[int, About("Index of the leaf, from 0", 0, minimum=0, maximum=2**40)]


class Tree(TypedDict):
    """A hash tree."""

    root: Annotated[str, About("Root hash, SHA-256 in hexadecimal")]
    leaves: Annotated[int, About("Number of leaves")]
    leaf_hash: Annotated[str | None, About("Hash of the requested leaf")]
    proof: Annotated[list[str] | None, About("Audit path of the leaf, from the leaf upwards")]


@tool(
    tags="merkle tree root proof hash audit path certificate transparency inclusion blockchain",
    use_when=(
        "What is the Merkle root of these entries?",
        "Give me the inclusion proof for the third document",
        "Build a hash tree over my log lines",
    ),
    examples=(
        Example(
            {"entries": _LEAVES, "encoding": "hex"},
            {"root": _ROOT, "leaves": 8, "proof": None},
            source="the test data of the reference implementation of Certificate Transparency",
        ),
        Example(
            {"entries": ["", "00"], "encoding": "hex", "prove": 0},
            {
                "root": "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
                "leaf_hash": "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
                "proof": ["96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7"],
            },
            source="the same test data: SHA-256 of 00 is the empty leaf, of 0000 the other",
        ),
        Refusal({"entries": ["a"], "prove": 1}, "no entry 1"),
    ),
    reply={
        "proof": "The root is {root}. The proof: {proof}",
        "": "The root of the {leaves|entry|entries} is {root}.",
    },
)
def merkle_build_tree(
    entries: Annotated[
        list[Annotated[str, About("Content of a leaf", "entry 1", max_length=100_000)]],
        About("Contents of the leaves, in order", ["entry 1", "entry 2"], min_items=1, max_items=20_000),
    ],
    encoding: Encoding = "utf8",
    prove: Annotated[int | None, About("Index, from 0, of the entry to prove", 0, minimum=0, maximum=20_000)] = None,
) -> Tree:
    """Build a Merkle hash tree over entries (RFC 6962, SHA-256), and prove that one of them is in it.

    Use it to commit to a list with one hash. Returns the root, and the audit path of the requested entry.
    """
    hashes = [leaf_hash(bytes_of(entry, encoding, "entry")) for entry in entries]
    if prove is not None and prove >= len(hashes):
        raise ToolError(f"There is no entry {prove}: the last of {len(hashes)} is {len(hashes) - 1}.")
    return {
        "root": root(hashes).hex(),
        "leaves": len(hashes),
        "leaf_hash": None if prove is None else hashes[prove].hex(),
        "proof": None if prove is None else [step.hex() for step in path(prove, hashes)],
    }


class Proved(TypedDict):
    """Result of verifying a proof."""

    valid: Annotated[bool, About("Whether entry and path give the root")]
    computed_root: Annotated[str | None, About("Resulting root; null if the path has a wrong length")]


@tool(
    tags="merkle proof verify inclusion audit path root hash certificate transparency",
    use_when=(
        "Is this entry in the log with that Merkle root?",
        "Verify the inclusion proof of leaf 5 in a tree of 8",
        "Does the audit path lead to the signed tree head?",
    ),
    examples=(
        Example(
            {
                "entry": "",
                "position": 0,
                "tree_size": 2,
                "proof": ["96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7"],
                "root": "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
            },
            {"valid": True},
            source="the test data of the reference implementation of Certificate Transparency",
        ),
        Example(
            {"entry": "00", "encoding": "hex", "position": 0, "tree_size": 2, "proof": [], "root": _ROOT},
            {"valid": False, "computed_root": None},
            source="RFC 6962, section 2.1.1: the path of two leaves has one step",
        ),
        Refusal({"entry": "a", "position": 2, "tree_size": 2, "proof": [], "root": _ROOT}, "has no leaf 2"),
    ),
    reply={
        "valid": "Yes, the entry is in the tree with this root.",
        "": "No, the proof does not lead to this root.",
    },
)
def merkle_verify_proof(
    entry: Annotated[str, About("Content of the leaf", "entry 1", max_length=100_000)],
    position: Position,
    tree_size: Annotated[int, About("Number of leaves of the tree", 8, minimum=1, maximum=2**40)],
    proof: Annotated[list[Hash], About("Audit path from the leaf upwards", [_ROOT], max_items=64)],
    root: Hash,
    encoding: Encoding = "utf8",
) -> Proved:
    """Verify that an entry is in a Merkle tree, by its audit path and the root (RFC 9162, section 2.1.3.2).

    Use it to check an inclusion proof. Returns whether it is valid, and the root that the path gives.
    """
    if position >= tree_size:
        raise ToolError(f"A tree of {tree_size} leaves has no leaf {position}.")
    steps = [bytes.fromhex(step) for step in proof]
    computed = _climb(leaf_hash(bytes_of(entry, encoding, "entry")), position, tree_size, steps)
    return {
        "valid": computed is not None and hmac.compare_digest(computed, bytes.fromhex(root)),
        "computed_root": computed.hex() if computed else None,
    }


def leaf_hash(content: bytes) -> bytes:
    """Return the hash of a leaf, which cannot equal that of an inner node."""
    return hashlib.sha256(b"\0" + content).digest()


def root(hashes: list[bytes]) -> bytes:
    """Return the root of leaf hashes."""
    if len(hashes) == 1:
        return hashes[0]
    half = _half(len(hashes))
    return _node(root(hashes[:half]), root(hashes[half:]))


def path(position: int, hashes: list[bytes]) -> list[bytes]:
    """Return the audit path of a leaf, from the leaf upwards."""
    if len(hashes) == 1:
        return []
    half = _half(len(hashes))
    if position < half:
        return [*path(position, hashes[:half]), root(hashes[half:])]
    return [*path(position - half, hashes[half:]), root(hashes[:half])]


def _half(size: int) -> int:
    """Return the largest power of two below the size."""
    return 1 << (size - 1).bit_length() - 1


def _node(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


def _climb(value: bytes, position: int, size: int, steps: list[bytes]) -> bytes | None:
    last = size - 1
    for step in steps:
        if last == 0:
            return None
        if position & 1 or position == last:
            value = _node(step, value)
            while not position & 1 and position:
                position, last = position >> 1, last >> 1
        else:
            value = _node(value, step)
        position, last = position >> 1, last >> 1
    return value if last == 0 else None
