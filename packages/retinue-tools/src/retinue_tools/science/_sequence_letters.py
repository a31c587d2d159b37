"""Parsing of nucleotide and amino acid sequences."""

import re
from typing import Annotated

from retinue.sdk import About, ToolError

_DNA, AMINO = frozenset("ACGTRYSWKMBDHVN"), frozenset("ACDEFGHIKLMNPQRSTVWY")

Nucleotides = Annotated[
    str,
    About(
        "DNA or RNA, plain or in FASTA; spaces and numbers are ignored",
        "ATGGCCATTGTAATG",
        min_length=1,
        max_length=200_000,
    ),
]


def read_nucleotides(text: str) -> str:
    """Return upper-case DNA, with T for U."""
    sequence = sequence_letters(text).replace("U", "T")
    if wrong := sorted(set(sequence) - _DNA):
        raise ToolError(
            f"{wrong[0]} is not a nucleotide. Sequences contain A, C, G, T or U, and IUPAC codes such as N."
        )
    return sequence


def sequence_letters(text: str) -> str:
    body = "".join(line for line in text.splitlines() if not line.startswith((">", ";"))) if ">" in text else text
    if text.count(">") > 1:
        raise ToolError("There are several FASTA records. Send one sequence.")
    sequence = re.sub(r"[\s\d*-]", "", body).upper()
    if not sequence:
        raise ToolError("There is no sequence. Send letters such as ATGGCC.")
    return sequence
