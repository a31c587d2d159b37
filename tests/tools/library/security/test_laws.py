"""Laws of shares, hash trees, ciphers, checksums and one-time texts."""

import zlib
from contextlib import suppress
from typing import Literal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from retinue.tools.authoring.declare import ToolError
from retinue_tools.security.checksums import hash_compute_checksum
from retinue_tools.security.ciphers import cipher_apply_classical
from retinue_tools.security.merkle import merkle_build_tree, merkle_verify_proof
from retinue_tools.security.shamir import secret_combine_shares, secret_split_shares
from retinue_tools.security.textbook_cryptography import rsa_solve_textbook
from retinue_tools.security.web_policies import csp_build_policy, headers_audit_security

ENTRIES = st.lists(st.text("abc", max_size=4), min_size=1, max_size=40)
Cipher = Literal["caesar", "rot13", "rot47", "atbash", "vigenere", "beaufort", "affine", "rail_fence"]
CIPHERS: list[tuple[Cipher, str]] = [
    ("caesar", "7"),
    ("rot13", ""),
    ("rot47", ""),
    ("atbash", ""),
    ("vigenere", "LEMON"),
    ("beaufort", "FORT"),
    ("affine", "5,8"),
    ("rail_fence", "3"),
]
LETTERS = st.text("ABCDEFGHIKLMNOPQRSTUVWXYZ", min_size=1, max_size=40)


@given(st.binary(min_size=1, max_size=40), st.integers(1, 6), st.integers(0, 5))
def test_enough_shares_recover_a_secret(secret: bytes, threshold: int, more: int) -> None:
    made = secret_split_shares(secret.hex(), threshold + more, threshold, "hex")["shares"]
    assert secret_combine_shares(made[-threshold:])["hex"] == secret.hex()


@given(ENTRIES, st.data())
def test_every_entry_of_a_tree_is_proved(entries: list[str], data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(entries) - 1))
    tree = merkle_build_tree(entries, prove=place)
    proof = tree["proof"] or []
    assert merkle_verify_proof(entries[place], place, len(entries), proof, tree["root"])["valid"]
    assert not merkle_verify_proof(entries[place] + "x", place, len(entries), proof, tree["root"])["valid"]


@given(ENTRIES)
def test_a_proof_of_the_wrong_length_proves_nothing(entries: list[str]) -> None:
    tree = merkle_build_tree(entries, prove=0)
    longer = [*(tree["proof"] or []), tree["root"]]
    assert not merkle_verify_proof(entries[0], 0, len(entries), longer, tree["root"])["valid"]


@pytest.mark.parametrize(("cipher", "key"), CIPHERS)
@given(text=st.text(st.characters(max_codepoint=0x2FF, exclude_categories=["Cs"]), min_size=1, max_size=60))
def test_ciphers_come_back(cipher: Cipher, key: str, text: str) -> None:
    hidden = cipher_apply_classical(text, cipher, key)["result"]
    assert cipher_apply_classical(hidden, cipher, key, "decrypt")["result"] == text


@given(LETTERS, LETTERS)
def test_columns_come_back(text: str, key: str) -> None:
    hidden = cipher_apply_classical(text, "columnar", key)["result"]
    assert cipher_apply_classical(hidden, "columnar", key, "decrypt")["result"] == text


@given(LETTERS, LETTERS)
def test_playfair_comes_back_but_for_fillers(text: str, key: str) -> None:
    hidden = cipher_apply_classical(text, "playfair", key)["result"]
    shown = cipher_apply_classical(hidden, "playfair", key, "decrypt")["result"]
    assume("X" not in text and "Q" not in text)
    assert shown.replace("X", "") == text


@given(st.binary(max_size=200))
def test_a_crc_appended_leaves_no_remainder(content: bytes) -> None:
    assert hash_compute_checksum(content.hex(), "crc32", "hex")["hex"] == f"{zlib.crc32(content):08x}"
    crc = int(hash_compute_checksum(content.hex(), "crc16_xmodem", "hex")["hex"], 16)
    whole = content + crc.to_bytes(2, "big")
    assert hash_compute_checksum(whole.hex(), "crc16_xmodem", "hex")["hex"] == "0000"


@given(st.text(max_size=200))
def test_any_headers_are_audited_or_refused(text: str) -> None:
    with suppress(ToolError):
        assert headers_audit_security(text)["grade"] in set("ABCDEF")


def test_a_built_policy_keeps_its_sources() -> None:
    header = csp_build_policy(script_sources=["https://a.example"], font_sources=["https://b.example"])["header"]
    assert "script-src 'self' https://a.example" in header
    assert "font-src 'self' https://b.example" in header


@given(st.permutations([11, 17, 23, 47, 59]), st.integers(0, 186))
def test_textbook_rsa_decrypts_whichever_prime_comes_first(primes: list[int], message: int) -> None:
    p, q = primes[:2]
    sealed = rsa_solve_textbook(p, q, 3, message=message)
    assert rsa_solve_textbook(q, p, 3, message=message) == sealed
    assert rsa_solve_textbook(p, q, 3, ciphertext=int(sealed["ciphertext"] or 0))["message"] == str(message)
