"""DNA and RNA: composition, translation, reading frames and codons."""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Literal

from Bio.Data import CodonTable
from Bio.Seq import Seq
from Bio.SeqUtils import gc_fraction, molecular_weight
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._sequence_letters import Nucleotides, read_nucleotides

_LISTED = 500

CodeTable = Annotated[
    int, About("NCBI genetic code: 1 standard, 2 vertebrate mitochondrial, 11 bacterial", minimum=1, maximum=33)
]


def _table(number: int) -> CodonTable.CodonTable:
    try:
        return CodonTable.unambiguous_dna_by_id[number]
    except KeyError as error:
        raise ToolError(f"There is no genetic code {number}. Use 1 for the standard code, 11 for bacteria.") from error


class Described(TypedDict):
    """Properties of a nucleotide sequence."""

    length: int
    counts: Annotated[dict[str, int], About("Number of occurrences of each letter")]
    gc_percent: Annotated[float, About("Share of G and C, excluding ambiguous letters")]
    dna_mass_g_mol: Annotated[float | None, About("Mass of the single DNA strand; null with ambiguous letters")]
    reverse_complement: str
    rna: Annotated[str, About("The sequence as RNA")]


@tool(
    tags="dna rna sequence reverse complement gc content length molecular weight transcribe bioinformatics",
    use_when=(
        "What is the reverse complement of AAAACCCGGT?",
        "GC content of this DNA sequence",
        "Transcribe ATGGCC to RNA and count its bases",
    ),
    examples=(
        Example(
            {"sequence": "AAAACCCGGT"},
            {"reverse_complement": "ACCGGGTTTT", "length": 10, "gc_percent": 50.0, "rna": "AAAACCCGGU"},
            source="Rosalind problem REVC; five of ten letters are G or C",
        ),
        Refusal({"sequence": "ATGZ"}, "is not a nucleotide"),
    ),
    reply={
        "length": (
            "The sequence has {length|base}, with {gc_percent} % GC; its reverse complement is {reverse_complement}."
        ),
        "": "The sequence has {length|base}, with {gc_percent} % GC. Its reverse complement: {reverse_complement}",
    },
    memory_mb=1024,
)
def dna_describe_sequence(sequence: Nucleotides) -> Described:
    """Describe a DNA or RNA sequence: length, base counts, GC content, mass, reverse complement and transcript.

    Use it to inspect a sequence, or for its reverse complement.
    """
    dna = read_nucleotides(sequence)
    plain = set(dna) <= set("ACGT")
    return {
        "length": len(dna),
        "counts": dict(sorted(Counter(dna).items())),
        "gc_percent": 100 * gc_fraction(dna),
        "dna_mass_g_mol": float(molecular_weight(dna, "DNA")) if plain else None,
        "reverse_complement": str(Seq(dna).reverse_complement()),
        "rna": dna.replace("T", "U"),
    }


class Frame(TypedDict):
    """A translation."""

    frame: Annotated[int, About("1 to 3 forward, -1 to -3 on the opposite strand")]
    protein: Annotated[str, About("Amino acids; * is a stop, X is unknown")]


class Translations(TypedDict):
    """Translations of a sequence."""

    frames: list[Frame]


@tool(
    tags="translate dna rna protein codon reading frame amino acids genetic code six frames",
    use_when=(
        "Translate ATGGCCATTGTAATGGGCCGC to protein",
        "Which protein does this mRNA code for?",
        "Show all six reading frames of a sequence",
    ),
    examples=(
        Example(
            {"sequence": "AUGGCCAUGGCGCCCAGAACUGAGAUCAAUAGUACCCGUAUUAACGGGUGA"},
            {"frames": [{"frame": 1, "protein": "MAMAPRTEINSTRING*"}]},
            source="Rosalind problem PROT",
        ),
        Example(
            {"sequence": "ATGATATGA", "table": 2},
            {"frames": [{"protein": "MMW"}]},
            "NCBI genetic code 2: ATA is M, TGA is W",
        ),
        Refusal({"sequence": "ATG", "table": 8}, "no genetic code 8"),
    ),
    reply={
        "frames.1": "The protein in each reading frame: {frames}",
        "": "The protein: {frames.0.protein}",
    },
    memory_mb=1024,
)
def dna_translate_protein(
    sequence: Nucleotides,
    table: CodeTable = 1,
    frames: Annotated[
        Literal["first", "forward", "all"], About("Frame 1, the three forward frames, or all six")
    ] = "first",
) -> Translations:
    """Translate DNA or RNA to protein with a genetic code of NCBI, in one, three or six reading frames.

    Use it to get the amino acids of a gene or transcript. Incomplete codons at the end are dropped.
    """
    _table(table)
    dna = read_nucleotides(sequence)
    numbers = {"first": (1,), "forward": (1, 2, 3), "all": (1, 2, 3, -1, -2, -3)}[frames]
    return {"frames": [{"frame": number, "protein": _protein(dna, number, table)} for number in numbers]}


def _protein(dna: str, frame: int, table: int) -> str:
    strand = dna if frame > 0 else str(Seq(dna).reverse_complement())
    start = abs(frame) - 1
    codons = strand[start : start + (len(strand) - start) // 3 * 3]
    return str(Seq(codons).translate(table=table)) if codons else ""


class Orf(TypedDict):
    """An open reading frame."""

    frame: Annotated[int, About("1 to 3 forward, -1 to -3 on the opposite strand")]
    start: Annotated[int, About("First base on the given strand, from 1")]
    end: Annotated[int, About("Last base on the given strand, including the stop codon")]
    protein: Annotated[str, About("Amino acids without the stop")]


class Orfs(TypedDict):
    """Open reading frames."""

    orfs: Annotated[list[Orf], About("Longest first")]
    found: int


@tool(
    tags="orf open reading frame gene find start stop codon protein dna",
    use_when=(
        "Find the open reading frames in this sequence",
        "What is the longest ORF of my plasmid insert?",
        "Which proteins could this DNA code for?",
    ),
    examples=(
        Example(
            {"sequence": "CCATGAAATTTTAGCC", "minimum_codons": 3},
            {"orfs": [{"frame": 3, "start": 3, "end": 14, "protein": "MKF"}], "found": 1},
            source="by hand: ATG AAA TTT TAG",
        ),
        Example(
            {"sequence": "GGCTAAAATTTCATGG", "minimum_codons": 3},
            {"orfs": [{"frame": -3, "start": 3, "end": 14, "protein": "MKF"}]},
            source="by hand: the reverse complement of the other example",
        ),
        Refusal({"sequence": "AT"}, "no open reading frame"),
    ),
    reply={
        "orfs": "I found {found|open reading frame}, the longest first: {orfs}",
        "": "There is no open reading frame of that length.",
    },
    memory_mb=1024,
)
def dna_find_reading_frames(
    sequence: Nucleotides,
    minimum_codons: Annotated[int, About("Minimum number of amino acids", minimum=1, maximum=10_000)] = 30,
    table: CodeTable = 1,
) -> Orfs:
    """Find open reading frames, from ATG to stop, on both strands of a DNA sequence.

    Use it to find genes. Returns position and protein of each, the longest first (at most 500).
    """
    _table(table)
    dna = read_nucleotides(sequence)
    found = [
        orf
        for frame in (1, 2, 3, -1, -2, -3)
        for orf in _orfs(dna, frame, table)
        if len(orf["protein"]) >= minimum_codons
    ]
    if not found:
        raise ToolError("There is no open reading frame of this length. Lower minimum_codons.")
    found.sort(key=lambda orf: -len(orf["protein"]))
    return {"orfs": found[:_LISTED], "found": len(found)}


def _orfs(dna: str, frame: int, table: int) -> Iterator[Orf]:
    strand = dna if frame > 0 else str(Seq(dna).reverse_complement())
    stops = set(_table(table).stop_codons)
    begin: int | None = None
    for place in range(abs(frame) - 1, len(strand) - 2, 3):
        codon = strand[place : place + 3]
        if begin is None and codon == "ATG":
            begin = place
        elif begin is not None and codon in stops:
            ends = (begin + 1, place + 3) if frame > 0 else (len(dna) - place - 2, len(dna) - begin)
            protein = str(Seq(strand[begin:place]).translate(table=table))
            yield {"frame": frame, "start": ends[0], "end": ends[1], "protein": protein}
            begin = None


class CodonUse(TypedDict):
    """Usage of a codon."""

    codon: str
    amino_acid: str
    count: int
    per_thousand: float
    share: Annotated[float, About("Share among the codons of the same amino acid")]


class CodonUses(TypedDict):
    """Codon usage of a sequence."""

    codons: Annotated[list[CodonUse], About("Sorted by amino acid")]
    total: int


@tool(
    tags="codon usage bias frequency count coding sequence optimization",
    use_when=(
        "Codon usage of this gene",
        "How often is CTG used for leucine here?",
        "Count the codons of a coding sequence",
    ),
    examples=(
        Example(
            {"sequence": "CTGCTGTTAATG"},
            {
                "total": 4,
                "codons": [
                    {"codon": "CTG", "amino_acid": "L", "count": 2, "per_thousand": 500.0, "share": 0.6666666667},
                    {"codon": "TTA", "share": 0.3333333333},
                    {"codon": "ATG", "amino_acid": "M"},
                ],
            },
            source="by hand",
            tolerance=1e-9,
        ),
        Example({"sequence": "TGA", "table": 2}, {"codons": [{"amino_acid": "W"}]}, source="NCBI genetic code 2"),
        Refusal({"sequence": "ATGG"}, "multiple of three"),
    ),
    reply="The sequence has {total|codon}: {codons}",
    memory_mb=1024,
)
def dna_count_codons(sequence: Nucleotides, table: CodeTable = 1) -> CodonUses:
    """Count the codons of a coding sequence and the shares of synonymous codons for each amino acid.

    Use it for codon bias. The sequence begins in frame; codons with ambiguous letters are ignored.
    """
    dna, code = read_nucleotides(sequence), _table(table)
    if len(dna) % 3:
        raise ToolError("The length is not a multiple of three. Send a coding sequence that begins in frame.")
    amino = {**code.forward_table, **dict.fromkeys(code.stop_codons, "*")}
    counts = Counter(codon for place in range(0, len(dna), 3) if (codon := dna[place : place + 3]) in amino)
    totals: Counter[str] = Counter()
    for codon, number in counts.items():
        totals[amino[codon]] += number
    total = sum(counts.values())
    uses: list[CodonUse] = [
        {
            "codon": codon,
            "amino_acid": amino[codon],
            "count": number,
            "per_thousand": 1000 * number / total,
            "share": number / totals[amino[codon]],
        }
        for codon, number in sorted(counts.items(), key=lambda item: (amino[item[0]], -item[1], item[0]))
    ]
    return {"codons": uses, "total": total}
