"""A certificate for a telephone that takes calls by TLS, of an authority of its own."""

import subprocess
from pathlib import Path

_AUTHORITY = "-subj /CN=Authority -addext basicConstraints=critical,CA:TRUE -keyout ca.key -out ca.pem"
_SUBJECT = (
    "-subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 -CA ca.pem -CAkey ca.key -keyout own.key -out own.pem"
)


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """The authority's certificate, and a file with the telephone's certificate and key."""
    folder.mkdir()
    for purpose in (_AUTHORITY, _SUBJECT):
        command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *purpose.split()]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_text((folder / "own.pem").read_text() + (folder / "own.key").read_text())
    return folder / "ca.pem", both
