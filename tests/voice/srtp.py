"""SRTP (RFC 3711) with AES-128 in counter mode and HMAC-SHA1 of 80 bits, to read what the server encrypts."""

import hmac

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

_KEY_BYTES, _SALT_BYTES, _TAG_BYTES, _HEADER_BYTES = 16, 14, 10, 12
_CIPHER, _AUTHENTICATION, _SALT = 0, 1, 2
"""Labels of the keys of a session (section 4.3.2)."""


def decrypt_packet(packet: bytes, master: bytes) -> bytes:
    """The RTP packet in an SRTP packet. `master` is what SDP names (RFC 4568): 16 bytes of key and 14 of salt.

    The packet is one of the first 65,536 of its stream. One that is not authentic fails.
    """
    body, tag = packet[:-_TAG_BYTES], packet[-_TAG_BYTES:]
    mark = hmac.new(_derive(master, _AUTHENTICATION, 20), body + bytes(4), "sha1").digest()
    assert hmac.compare_digest(mark[:_TAG_BYTES], tag), "the packet is not authentic"
    salt = int.from_bytes(_derive(master, _SALT, _SALT_BYTES))
    source, number = int.from_bytes(body[8:12]), int.from_bytes(body[2:4])
    start = salt << 16 ^ source << 64 ^ number << 16
    stream = _keystream(_derive(master, _CIPHER, _KEY_BYTES), start, len(body) - _HEADER_BYTES)
    payload = bytes(left ^ right for left, right in zip(body[_HEADER_BYTES:], stream, strict=True))
    return body[:_HEADER_BYTES] + payload


def _derive(master: bytes, label: int, length: int) -> bytes:
    salt = int.from_bytes(master[_KEY_BYTES:])
    return _keystream(master[:_KEY_BYTES], (salt ^ label << 48) << 16, length)


def _keystream(key: bytes, start: int, length: int) -> bytes:
    encryptor = Cipher(algorithms.AES(key), modes.CTR(start.to_bytes(16))).encryptor()
    return encryptor.update(bytes(length))
