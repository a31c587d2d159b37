"""Files under a passphrase: what goes in comes out again, and nothing that was changed does."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retinue.tools.authoring.declare import ToolError
from retinue.tools.authoring.output_file_api import OUTPUT_FOLDER
from retinue_tools.security import file_encryption
from retinue_tools.security.file_encryption import file_decrypt_with_passphrase, file_encrypt_with_passphrase

CHUNK = 64 << 10
WORDS = "correct horse battery"
SIZES = st.sampled_from([0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 2 * CHUNK + 1])
in_its_folder = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(autouse=True)
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working folder, and fewer rounds of scrypt."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(file_encryption, "_WORK", 4)


def encrypt(content: bytes, *, as_text: bool = False) -> Path:
    Path("plain").write_bytes(content)
    return Path(OUTPUT_FOLDER, file_encrypt_with_passphrase("plain", WORDS, as_text=as_text)["file"])


@in_its_folder
@given(size=SIZES, seed=st.binary(min_size=1, max_size=9), as_text=st.booleans())
def test_a_round_trip_preserves_values(size: int, seed: bytes, *, as_text: bool) -> None:
    content = (seed * (size // len(seed) + 1))[:size]
    opened = file_decrypt_with_passphrase(str(encrypt(content, as_text=as_text)), WORDS)
    assert Path(OUTPUT_FOLDER, opened["file"]).read_bytes() == content
    assert opened["bytes"] == size


@in_its_folder
@given(data=st.data(), size=SIZES)
def test_changed_content_is_refused(data: st.DataObject, size: int) -> None:
    file = encrypt(bytes(size))
    content = bytearray(file.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    file.write_bytes(content)
    with pytest.raises(ToolError):
        file_decrypt_with_passphrase(str(file), WORDS)


@in_its_folder
@given(data=st.data(), size=SIZES)
def test_truncated_content_is_refused(data: st.DataObject, size: int) -> None:
    file = encrypt(bytes(size))
    content = file.read_bytes()
    file.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    with pytest.raises(ToolError):
        file_decrypt_with_passphrase(str(file), WORDS)
