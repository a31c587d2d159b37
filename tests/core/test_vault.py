"""Encrypted values can be read only with the right key and for the right owner."""

import base64
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.core.errors import Unavailable
from retinue.core.runtime.vault import MasterKeyWrong, Vault

KEY = base64.b64encode(bytes(range(32))).decode()
VAULT = Vault.load(Path("/nowhere"), KEY)


@given(st.text(), st.text())
def test_an_encrypted_value_can_only_be_decrypted_for_its_owner(text: str, owner: str) -> None:
    sealed = VAULT.seal(text, owner)
    assert VAULT.open_sealed(sealed, owner) == text
    with pytest.raises(MasterKeyWrong, match="damaged"):
        VAULT.open_sealed(sealed, owner + "x")


def test_the_same_value_never_looks_the_same() -> None:
    assert VAULT.seal("secret", "a") != VAULT.seal("secret", "a")


def test_a_changed_byte_is_told() -> None:
    key_id, _, content = VAULT.seal("secret", "a").partition(".")
    for place in range(len(base64.b64decode(content))):
        changed = bytearray(base64.b64decode(content))
        changed[place] ^= 1
        with pytest.raises(MasterKeyWrong, match="damaged"):
            VAULT.open_sealed(f"{key_id}.{base64.b64encode(changed).decode()}", "a")


def test_a_new_key_is_kept_for_its_user_alone(tmp_path: Path) -> None:
    first = Vault.load(tmp_path, None)
    assert not list(tmp_path.iterdir())
    first.save()
    (path,) = tmp_path.iterdir()
    assert path.stat().st_mode & 0o777 == 0o600
    sealed = first.seal("secret", "a")
    assert Vault.load(tmp_path, None).open_sealed(sealed, "a") == "secret"
    assert Vault.load(tmp_path / "elsewhere", path.read_text()).open_sealed(sealed, "a") == "secret"


def test_another_key_is_told_from_damage(tmp_path: Path) -> None:
    sealed = VAULT.seal("secret", "a")
    with pytest.raises(MasterKeyWrong, match="RETINUE_MASTER_KEY"):
        Vault.load(tmp_path, None).open_sealed(sealed, "a")


@pytest.mark.parametrize("text", ["short", "c2hvcnQ=", KEY + "AAAA", "\u00fc" * 44])
def test_texts_that_are_no_key(tmp_path: Path, text: str) -> None:
    with pytest.raises(Unavailable, match="not a valid master key"):
        Vault.load(tmp_path, text)
    (tmp_path / "master.key").write_text(text)
    with pytest.raises(Unavailable, match="not a valid master key"):
        Vault.load(tmp_path, None)
