"""Protein properties, and sequence alignment."""

from collections import Counter
from typing import Annotated, Literal

from Bio.Align import PairwiseAligner, substitution_matrices
from Bio.SeqUtils.ProtParam import ProteinAnalysis
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._sequence_letters import AMINO, read_nucleotides, sequence_letters


class Alignment(TypedDict):
    """Alignment of two sequences."""

    score: float
    first: Annotated[str, About("First sequence with gaps as -")]
    second: Annotated[str, About("Second sequence with gaps as -")]
    identities: Annotated[int, About("Number of columns with the same letter")]
    identity_percent: Annotated[float, About("Identity in percent of the columns")]
    gaps: Annotated[int, About("Number of gap characters in both")]


@tool(
    tags="align sequences pairwise global local needleman-wunsch smith-waterman blosum identity protein dna",
    use_when=(
        "Align GATTACA with GCATGCU",
        "How similar are these two proteins?",
        "Percent identity of two DNA sequences",
    ),
    examples=(
        Example(
            {"first": "GATTACA", "second": "GATACA", "kind": "dna"},
            {"identities": 6, "gaps": 1, "identity_percent": 85.71428571428571},
            source="by hand: one T is missing, six of seven columns agree",
        ),
        Example(
            {"first": "HEAGAWGHEE", "second": "PAWHEAE", "kind": "protein", "mode": "local"},
            {"first": "AWGHE", "second": "AW-HE", "score": 18.0},
            source="Durbin's pair of sequences; BLOSUM62 by hand: 4 + 11 - 10 + 8 + 5",
        ),
        Refusal({"first": "ELF", "second": "ACGT", "kind": "dna"}, "not a nucleotide"),
    ),
    reply="The sequences agree to {identity_percent} %, a score of {score} and {gaps|gap}.",
    pace="normal",
    memory_mb=1024,
)
def sequence_align_pair(
    first: Annotated[str, About("First sequence", "GATTACA", min_length=1, max_length=5000)],
    second: Annotated[str, About("Second sequence", "GATACA", min_length=1, max_length=5000)],
    kind: Annotated[Literal["dna", "protein"], About("Kind of sequences; proteins use BLOSUM62")],
    mode: Annotated[
        Literal["global", "local"], About("Global alignment, or local alignment of the best part")
    ] = "global",
) -> Alignment:
    """Align two DNA or protein sequences, globally or locally, with affine gaps.

    Use it to compare genes or proteins. DNA uses match 2, mismatch -3, gaps 5 and 2; proteins use BLOSUM62, gaps 10 and
    0.5.
    """
    one, other = (read_nucleotides(text) if kind == "dna" else _amino_acids(text) for text in (first, second))
    aligner = PairwiseAligner(mode=mode, match_score=2, mismatch_score=-3, open_gap_score=-5, extend_gap_score=-2)
    if kind == "protein":
        aligner.substitution_matrix = substitution_matrices.load("BLOSUM62")
        aligner.open_gap_score, aligner.extend_gap_score = -10, -0.5
    found = next(iter(aligner.align(one, other)), None)
    if found is None:
        raise ToolError("These sequences have no similarity. Try mode global.")
    upper, lower = str(found[0]), str(found[1])
    same = sum(a == b for a, b in zip(upper, lower, strict=True))
    return {
        "score": float(found.score),
        "first": upper,
        "second": lower,
        "identities": same,
        "identity_percent": 100 * same / len(upper),
        "gaps": upper.count("-") + lower.count("-"),
    }


def _amino_acids(text: str) -> str:
    sequence = sequence_letters(text)
    if wrong := sorted(set(sequence) - AMINO):
        raise ToolError(f"{wrong[0]} is not one of the twenty amino acids.")
    return sequence


class Protein(TypedDict):
    """Properties of a protein."""

    length: int
    mass_g_mol: Annotated[float, About("Average mass")]
    isoelectric_point: Annotated[float, About("Isoelectric point")]
    charge_at_ph7: float
    gravy: Annotated[float, About("Mean hydropathy (Kyte and Doolittle)")]
    extinction_reduced: Annotated[
        int, About("Extinction coefficient at 280 nm, per mol/l and cm, with reduced cysteines")
    ]
    extinction_bridged: Annotated[int, About("Extinction coefficient with disulfide bridges")]
    composition: Annotated[dict[str, int], About("Number of occurrences of each amino acid")]


@tool(
    tags="protein molecular weight isoelectric point pi extinction coefficient hydropathy gravy amino acid composition",
    use_when=(
        "Molecular weight and pI of this protein sequence",
        "Extinction coefficient at 280 nm of my peptide",
        "How hydrophobic is MKVLAAGIV?",
    ),
    examples=(
        Example(
            {"sequence": "WWYC"},
            {"extinction_reduced": 12490, "extinction_bridged": 12490, "length": 4},
            source="Pace et al. 1995: 5500 for each W, 1490 for each Y",
        ),
        Example(
            {"sequence": "GG"}, {"mass_g_mol": 132.118, "gravy": -0.4}, "glycylglycine: 132.12 g/mol; G is -0.4", 1e-4
        ),
        Refusal({"sequence": "MKXB"}, "not one of the twenty"),
    ),
    reply=(
        "The protein of {length|amino acid} has a mass of {mass_g_mol} g/mol and an "
        "isoelectric point of {isoelectric_point}."
    ),
    memory_mb=1024,
)
def protein_describe_sequence(
    sequence: Annotated[str, About("Amino acids in one-letter code", "MKVLAAGIV", min_length=1, max_length=50_000)],
) -> Protein:
    """Describe a protein: mass, isoelectric point, charge, hydropathy, extinction at 280 nm and composition.

    Use it to plan purification or measure concentration.
    """
    amino = _amino_acids(sequence)
    analysis = ProteinAnalysis(amino)
    reduced, bridged = analysis.molar_extinction_coefficient()
    return {
        "length": len(amino),
        "mass_g_mol": float(analysis.molecular_weight()),
        "isoelectric_point": float(analysis.isoelectric_point()),
        "charge_at_ph7": float(analysis.charge_at_pH(7.0)),
        "gravy": float(analysis.gravy()),
        "extinction_reduced": int(reduced),
        "extinction_bridged": int(bridged),
        "composition": dict(sorted(Counter(amino).items())),
    }
