"""Writes the first blocks of a model to a file of their own, for use as a text encoder.

Reads and writes llama.cpp's GGUF, version 3 (ggml's docs/gguf.md describes the format).
"""

import os
import secrets
import struct
from pathlib import Path
from shutil import copyfileobj
from typing import BinaryIO, NamedTuple

_MAGIC, _VERSION, _ALIGNMENT = b"GGUF", 3, 32
_STRING, _ARRAY = 8, 9
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
"""Size of a value in bytes, by type number."""


class NotReadable(ValueError):
    """The file is not a valid GGUF file of version 3."""


class _Tensor(NamedTuple):
    """A tensor's name, the bytes of its shape and type, and the offset of its data in the data section."""

    name: str
    shape: bytes
    offset: int


def shorten(path: Path, blocks: int) -> Path:
    """Return the file with the first `blocks` of the model at `path`. Create it next to `path` if it does not exist.

    Raises `NotReadable` or `OSError`.
    """
    short = path.with_name(f"{path.stem}-first-{blocks}.gguf")
    if short.exists():
        return short
    part = short.with_name(f"{short.name}.{secrets.token_hex(4)}.part")
    try:
        with path.open("rb") as source, part.open("wb") as file:
            _shorten(source, file, blocks)
        part.replace(short)
    except struct.error as error:
        raise NotReadable("These weights are truncated.") from error
    finally:
        part.unlink(missing_ok=True)
    return short


def _shorten(source: BinaryIO, short: BinaryIO, blocks: int) -> None:
    magic, version, count, fields = struct.unpack("<4sIQQ", source.read(24))
    if (magic, version) != (_MAGIC, _VERSION):
        raise NotReadable("These weights are not in GGUF version 3.")
    metadata = b"".join(_field(source, blocks) for _ in range(fields))
    tensors = [_tensor(source) for _ in range(count)]
    start = _align(source.tell())
    ends = _ends(tensors, os.fstat(source.fileno()).st_size - start)
    kept_tensors = [one for one in tensors if _is_kept(one.name, blocks)]
    short.write(struct.pack("<4sIQQ", magic, version, len(kept_tensors), fields) + metadata)
    place = 0
    for one in kept_tensors:
        short.write(_write(one.name) + one.shape + struct.pack("<Q", place))
        place = _align(place + ends[one.name] - one.offset)
    for one in kept_tensors:
        short.write(bytes(_align(short.tell()) - short.tell()))
        source.seek(start + one.offset)
        copyfileobj(_Piece(source, ends[one.name] - one.offset), short)
    short.write(bytes(_align(short.tell()) - short.tell()))


class _Piece:
    """A reader of the next `length` bytes of a file."""

    def __init__(self, file: BinaryIO, length: int) -> None:
        self._file, self._left = file, length

    def read(self, most: int = -1) -> bytes:
        """Read up to `most` bytes; empty at the end."""
        data = self._file.read(min(most, self._left) if most >= 0 else self._left)
        self._left -= len(data)
        return data


def _field(file: BinaryIO, blocks: int) -> bytes:
    """Copy a metadata field, but reduce the value of `block_count`."""
    key, (kind,) = _text(file), struct.unpack("<I", file.read(4))
    value = _value(file, kind)
    if key.endswith(".block_count"):
        value = struct.pack("<I", min(blocks, *struct.unpack("<I", value)))
    return _write(key) + struct.pack("<I", kind) + value


def _value(file: BinaryIO, kind: int) -> bytes:
    if kind == _STRING:
        return _write(_text(file))
    if kind == _ARRAY:
        inner, length = struct.unpack("<IQ", head := file.read(12))
        if inner in _SIZES:
            return head + file.read(_SIZES[inner] * length)
        return head + b"".join(_value(file, inner) for _ in range(length))
    if kind not in _SIZES:
        raise NotReadable(f"These weights have a field of the unknown type {kind}.")
    return file.read(_SIZES[kind])


def _text(file: BinaryIO) -> str:
    (length,) = struct.unpack("<Q", file.read(8))
    return file.read(length).decode("utf-8", "surrogateescape")


def _write(text: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    return struct.pack("<Q", len(data)) + data


def _tensor(file: BinaryIO) -> _Tensor:
    name, dimensions = _text(file), file.read(4)
    shape = file.read(8 * struct.unpack("<I", dimensions)[0] + 4)
    (offset,) = struct.unpack("<Q", file.read(8))
    return _Tensor(name, dimensions + shape, offset)


def _ends(tensors: list[_Tensor], size: int) -> dict[str, int]:
    """Return the end of each tensor, which is the start of the next one: padding is included."""
    ordered = sorted(tensors, key=lambda one: one.offset)
    ends = [one.offset for one in ordered[1:]] + [size]
    return {one.name: end for one, end in zip(ordered, ends, strict=True)}


def _is_kept(name: str, blocks: int) -> bool:
    kind, _, rest = name.partition(".")
    return kind != "output" if kind != "blk" else int(rest.partition(".")[0]) < blocks


def _align(place: int) -> int:
    return -(-place // _ALIGNMENT) * _ALIGNMENT
