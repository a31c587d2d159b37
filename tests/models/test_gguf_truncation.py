"""Weights truncated to their first blocks: the rest of the file is complete and unchanged."""

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.models.gguf_truncation import NotReadable, shorten

Tensors = dict[str, bytes]
TENSORS: Tensors = {
    "token_embd.weight": b"words" * 9,
    "blk.0.attn_q.weight": b"first",
    "blk.1.attn_q.weight": b"second" * 20,
    "blk.10.attn_q.weight": b"eleventh",
    "output_norm.weight": b"norm",
    "output.weight": b"answers",
}


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def pad(data: bytes) -> bytes:
    return data + bytes(-len(data) % 32)


def gguf(tensors: Tensors, words: list[str], blocks: int = 11) -> bytes:
    """Return a GGUF file, version 3, with fields of several types."""
    fields = [
        text("general.name") + struct.pack("<I", 8) + text("tiny"),
        text("qwen2.block_count") + struct.pack("<II", 4, blocks),
        text("qwen2.rope.freq_base") + struct.pack("<If", 6, 1e6),
        text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, len(words)) + b"".join(map(text, words)),
        text("tokenizer.ggml.kinds") + struct.pack("<IIQ3i", 9, 5, 3, 1, 2, 3),
    ]
    told, data = b"", b""
    for name, content in tensors.items():
        told += text(name) + struct.pack("<IQIQ", 1, len(content), 24, len(data))
        data += pad(content)
    head = struct.pack("<4sIQQ", b"GGUF", 3, len(tensors), len(fields))
    return pad(head + b"".join(fields) + told) + data


@given(st.lists(st.text(max_size=9), max_size=9), st.integers(1, 12))
def test_the_rest_is_as_if_the_deleted_rows_never_existed(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], blocks: int
) -> None:
    whole = tmp_path_factory.mktemp("weights") / "tiny.gguf"
    whole.write_bytes(gguf(TENSORS, words))
    kept = {
        name: content
        for name, content in TENSORS.items()
        if name != "output.weight" and not (name.startswith("blk.") and int(name.split(".")[1]) >= blocks)
    }
    assert shorten(whole, blocks).read_bytes() == gguf(kept, words, min(blocks, 11))


def test_it_is_made_once(tmp_path: Path) -> None:
    whole = tmp_path / "tiny.gguf"
    whole.write_bytes(gguf(TENSORS, []))
    short = shorten(whole, 2)
    whole.unlink()
    assert shorten(whole, 2) == short
    assert [one.name for one in tmp_path.iterdir()] == ["tiny-first-2.gguf"]


@pytest.mark.parametrize("length", [0, 3, 24, 60, 200])
def test_an_aborted_upload_leaves_nothing_behind(tmp_path: Path, length: int) -> None:
    whole = tmp_path / "tiny.gguf"
    whole.write_bytes(gguf(TENSORS, ["a"])[:length])
    with pytest.raises(NotReadable, match="truncated"):
        shorten(whole, 2)
    assert list(tmp_path.iterdir()) == [whole]


def test_other_files_are_refused(tmp_path: Path) -> None:
    whole = tmp_path / "tiny.gguf"
    whole.write_bytes(b"GGUF" + struct.pack("<I", 2) + bytes(100))
    with pytest.raises(NotReadable, match="version 3"):
        shorten(whole, 2)
    odd = gguf({}, []).replace(struct.pack("<If", 6, 1e6), struct.pack("<If", 13, 1e6))
    whole.write_bytes(odd)
    with pytest.raises(NotReadable, match="type 13"):
        shorten(whole, 2)
