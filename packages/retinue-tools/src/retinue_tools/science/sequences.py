"""Sequences of DNA, RNA and proteins."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Literal

from Bio.Align import PairwiseAligner, substitution_matrices
from Bio.Data import CodonTable
from Bio.Restriction import AllEnzymes, Analysis, CommOnly, RestrictionBatch
from Bio.Seq import Seq
from Bio.SeqUtils import MeltingTemp, gc_fraction, molecular_weight
from Bio.SeqUtils.ProtParam import ProteinAnalysis
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool

_DNA, _AMINO = frozenset("ACGTRYSWKMBDHVN"), frozenset("ACDEFGHIKLMNPQRSTVWY")
_LISTED = 500

Nucleotides = Annotated[
    str,
    About(
        "DNA or RNA, plain or in FASTA; spaces and numbers are ignored",
        "ATGGCCATTGTAATG",
        min_length=1,
        max_length=200_000,
    ),
]
CodeTable = Annotated[
    int, About("NCBI genetic code: 1 standard, 2 vertebrate mitochondrial, 11 bacterial", minimum=1, maximum=33)
]


def _nucleotides(text: str) -> str:
    """Upper-case DNA, with T for U."""
    sequence = _letters(text).replace("U", "T")
    if wrong := sorted(set(sequence) - _DNA):
        raise ToolError(f"{wrong[0]} is no nucleotide. Sequences have A, C, G, T or U, and IUPAC codes such as N.")
    return sequence


def _letters(text: str) -> str:
    body = "".join(line for line in text.splitlines() if not line.startswith((">", ";"))) if ">" in text else text
    if text.count(">") > 1:
        raise ToolError("There are several FASTA records. Send one sequence.")
    sequence = re.sub(r"[\s\d*-]", "", body).upper()
    if not sequence:
        raise ToolError("There is no sequence. Send letters such as ATGGCC.")
    return sequence


def _table(number: int) -> CodonTable.CodonTable:
    try:
        return CodonTable.unambiguous_dna_by_id[number]
    except KeyError as error:
        raise ToolError(f"There is no genetic code {number}. Use 1 for the standard code, 11 for bacteria.") from error


class Described(TypedDict):
    """Facts of a nucleotide sequence."""

    length: int
    counts: Annotated[dict[str, int], About("How often each letter occurs")]
    gc_percent: Annotated[float, About("Share of G and C, ambiguous letters left out")]
    dna_mass_g_mol: Annotated[float | None, About("Mass of the single strand of DNA; null with ambiguous letters")]
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
        Refusal({"sequence": "ATGZ"}, "Z is no nucleotide"),
    ),
    memory_mb=1024,
)
def dna_describe_sequence(sequence: Nucleotides) -> Described:
    """Describe a DNA or RNA sequence: length, base counts, GC content, mass, reverse complement and transcript.

    Use it for a first look at a sequence, or for its reverse complement.
    """
    dna = _nucleotides(sequence)
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
    protein: Annotated[str, About("Amino acids; * is a stop, X unknown")]


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
    memory_mb=1024,
)
def dna_translate_protein(
    sequence: Nucleotides,
    table: CodeTable = 1,
    frames: Annotated[
        Literal["first", "forward", "all"], About("Frame 1, the three forward frames, or all six")
    ] = "first",
) -> Translations:
    """Translate DNA or RNA to protein by a genetic code of NCBI, in one, three or six reading frames.

    Use it to get the amino acids of a gene or transcript. Incomplete codons at the end are dropped.
    """
    _table(table)
    dna = _nucleotides(sequence)
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
    end: Annotated[int, About("Last base on the given strand; the stop codon belongs to it")]
    protein: Annotated[str, About("Amino acids without the stop")]


class Orfs(TypedDict):
    """Open reading frames."""

    orfs: Annotated[list[Orf], About("The longest first")]
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
        Refusal({"sequence": "AT"}, "No open reading frame"),
    ),
    memory_mb=1024,
)
def dna_find_reading_frames(
    sequence: Nucleotides,
    minimum_codons: Annotated[int, About("Least number of amino acids", minimum=1, maximum=10_000)] = 30,
    table: CodeTable = 1,
) -> Orfs:
    """Find open reading frames, from ATG to stop, on both strands of a DNA sequence.

    Use it to find genes. Returns position and protein of each, the longest first (at most 500).
    """
    _table(table)
    dna = _nucleotides(sequence)
    found = [
        orf
        for frame in (1, 2, 3, -1, -2, -3)
        for orf in _orfs(dna, frame, table)
        if len(orf["protein"]) >= minimum_codons
    ]
    if not found:
        raise ToolError("No open reading frame is that long. Lower minimum_codons.")
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
    """A codon."""

    codon: str
    amino_acid: str
    count: int
    per_thousand: float
    share: Annotated[float, About("Share among the codons of the same amino acid")]


class CodonUses(TypedDict):
    """Codons of a sequence."""

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
    memory_mb=1024,
)
def dna_count_codons(sequence: Nucleotides, table: CodeTable = 1) -> CodonUses:
    """Count the codons of a coding sequence and how synonymous codons share each amino acid.

    Use it for codon bias. The sequence begins in frame; codons with ambiguous letters are left out.
    """
    dna, code = _nucleotides(sequence), _table(table)
    if len(dna) % 3:
        raise ToolError("The length is no multiple of three. Send a coding sequence that begins in frame.")
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


class Cutter(TypedDict):
    """An enzyme and where it cuts."""

    enzyme: str
    site: Annotated[str, About("What it recognises")]
    cuts: Annotated[list[int], About("The base before which the upper strand is cut, from 1")]
    fragments: Annotated[list[int], About("Lengths of the fragments, the longest first")]


class Cutters(TypedDict):
    """Enzymes that cut a sequence."""

    enzymes: list[Cutter]
    found: Annotated[int, About("How many of the enzymes cut")]


@tool(
    tags="restriction enzyme digest cut site ecori cloning fragments plasmid map gel",
    use_when=(
        "Where does EcoRI cut this sequence?",
        "Which enzymes cut my plasmid exactly once?",
        "Fragment sizes after a digest with BamHI and HindIII",
    ),
    examples=(
        Example(
            {"sequence": "AAAAGAATTCAAAA", "enzymes": ["EcoRI"]},
            {"enzymes": [{"enzyme": "EcoRI", "site": "GAATTC", "cuts": [6], "fragments": [9, 5]}], "found": 1},
            source="by hand: EcoRI cuts G^AATTC",
        ),
        Example(
            {"sequence": "AAAAGAATTCAAAAAA", "enzymes": ["EcoRI"], "circular": True},
            {"enzymes": [{"fragments": [16]}]},
            source="by hand: one cut opens a ring",
        ),
        Refusal({"sequence": "AAAA", "enzymes": ["FooI"]}, "no enzyme FooI"),
    ),
    pace="normal",
    memory_mb=1024,
)
def dna_find_restriction_sites(
    sequence: Nucleotides,
    enzymes: Annotated[
        list[Annotated[str, About("Name", "EcoRI", max_length=20)]] | None,
        About("Names of enzymes; without them all that are sold", ["EcoRI", "BamHI"], min_items=1, max_items=50),
    ] = None,
    circular: Annotated[bool, About("Whether the DNA is a ring, as a plasmid")] = False,
    cuts: Annotated[int | None, About("Only enzymes that cut exactly so often", 1, minimum=1, maximum=1000)] = None,
) -> Cutters:
    """Find where restriction enzymes (of REBASE) cut a DNA sequence, and the lengths of the fragments.

    Use it to plan cloning or a digest. Returns the enzymes that cut, those with the fewest cuts first (at most 500).
    """
    dna = _nucleotides(sequence)
    known = {str(enzyme): enzyme for enzyme in AllEnzymes}
    if unknown := [name for name in enzymes or () if name not in known]:
        raise ToolError(f"There is no enzyme {unknown[0]}. Names are written as in EcoRI or HindIII.")
    batch = CommOnly if enzymes is None else RestrictionBatch([known[name] for name in enzymes])
    analysis = Analysis(batch, Seq(dna), linear=not circular).full()
    cutting = sorted(
        ((enzyme, sorted(places)) for enzyme, places in analysis.items() if places and cuts in (None, len(places))),
        key=lambda item: (len(item[1]), str(item[0])),
    )
    listed: list[Cutter] = [
        {
            "enzyme": str(enzyme),
            "site": str(enzyme.site),
            "cuts": places,
            "fragments": _fragments(places, len(dna), circular),
        }
        for enzyme, places in cutting[:_LISTED]
    ]
    return {"enzymes": listed, "found": len(cutting)}


def _fragments(places: list[int], length: int, circular: bool) -> list[int]:
    starts = places if circular else [1, *places]
    ends = [*starts[1:], starts[0] + length]
    return sorted((end - start for start, end in zip(starts, ends, strict=True) if end > start), reverse=True)


class Primer(TypedDict):
    """A primer."""

    length: int
    gc_percent: float
    melting_c: Annotated[float, About("Nearest-neighbour melting temperature (SantaLucia 1998), °C")]
    wallace_c: Annotated[float, About("Rule of thumb: 2 (A+T) + 4 (G+C), °C")]
    self_complement: Annotated[int, About("Longest stretch that pairs with another copy of the primer")]
    longest_run: Annotated[int, About("Longest run of one base")]
    gc_clamp: Annotated[bool, About("Whether it ends with G or C")]
    reverse_complement: str


@tool(
    tags="primer melting temperature tm pcr oligo nearest neighbour gc clamp hairpin dimer",
    use_when=(
        "Melting temperature of the primer ATGCGTACGTTAGC",
        "Is this a good PCR primer?",
        "Tm of my oligo at 50 mM sodium and 250 nM",
    ),
    examples=(
        Example(
            {"sequence": "ACGTGCTAGCATCGATCGAT"},
            {"length": 20, "gc_percent": 50.0, "wallace_c": 60.0, "gc_clamp": False, "longest_run": 1},
            source="by hand: ten of twenty are G or C, 2 * 10 + 4 * 10",
        ),
        Example(
            {"sequence": "GGGGAATTCCCC", "sodium_mm": 1000, "primer_nm": 250},
            {"self_complement": 12, "longest_run": 4},
            source="by hand: the primer is its own reverse complement",
        ),
        Refusal({"sequence": "ATGCNNNNNN"}, "A, C, G and T"),
    ),
    memory_mb=1024,
)
def dna_evaluate_primer(
    sequence: Annotated[str, About("Primer from 5' to 3'", "ACGTGCTAGCATCGATCGAT", min_length=8, max_length=100)],
    sodium_mm: Annotated[float, About("Monovalent salt, mmol/l", minimum=1, maximum=2000)] = 50,
    magnesium_mm: Annotated[float, About("Magnesium, mmol/l", minimum=0, maximum=50)] = 0,
    primer_nm: Annotated[float, About("Concentration of the primer, nmol/l", minimum=0.1, maximum=100_000)] = 250,
) -> Primer:
    """Evaluate a PCR primer: melting temperature, GC content, self-complementarity, runs and GC clamp.

    Use it to choose primers and annealing temperatures.
    """
    dna = _nucleotides(sequence)
    if len(dna) < 8 or not set(dna) <= set("ACGT"):
        raise ToolError("A primer has at least eight bases, only A, C, G and T.")
    melting = MeltingTemp.Tm_NN(
        dna, nn_table=MeltingTemp.DNA_NN3, Na=sodium_mm, Mg=magnesium_mm, dnac1=primer_nm, dnac2=0
    )
    opposite = str(Seq(dna).reverse_complement())
    strong = dna.count("G") + dna.count("C")
    return {
        "length": len(dna),
        "gc_percent": 100 * strong / len(dna),
        "melting_c": float(melting),
        "wallace_c": float(2 * (len(dna) - strong) + 4 * strong),
        "self_complement": _longest_common(dna, opposite),
        "longest_run": max(len(match[0]) for match in re.finditer(r"(.)\1*", dna)),
        "gc_clamp": dna[-1] in "GC",
        "reverse_complement": opposite,
    }


def _longest_common(one: str, other: str) -> int:
    lengths = (
        length
        for length in range(len(one), 0, -1)
        if any(one[place : place + length] in other for place in range(len(one) - length + 1))
    )
    return next(lengths, 0)


class Alignment(TypedDict):
    """Two sequences beneath each other."""

    score: float
    first: Annotated[str, About("First sequence with gaps as -")]
    second: Annotated[str, About("Second sequence with gaps as -")]
    identities: Annotated[int, About("Columns with the same letter")]
    identity_percent: Annotated[float, About("Identities in percent of the columns")]
    gaps: Annotated[int, About("Gap characters in both")]


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
        Refusal({"first": "ELF", "second": "ACGT", "kind": "dna"}, "no nucleotide"),
    ),
    pace="normal",
    memory_mb=1024,
)
def sequence_align_pair(
    first: Annotated[str, About("First sequence", "GATTACA", min_length=1, max_length=5000)],
    second: Annotated[str, About("Second sequence", "GATACA", min_length=1, max_length=5000)],
    kind: Annotated[Literal["dna", "protein"], About("What the sequences are; proteins use BLOSUM62")],
    mode: Annotated[Literal["global", "local"], About("Whole sequences, or the best part of them")] = "global",
) -> Alignment:
    """Align two DNA or protein sequences, globally or locally, with affine gaps.

    Use it to compare genes or proteins. DNA: match 2, mismatch -3, gaps 5 and 2. Proteins: BLOSUM62, gaps 10 and 0.5.
    """
    one, other = (_nucleotides(text) if kind == "dna" else _amino_acids(text) for text in (first, second))
    aligner = PairwiseAligner(mode=mode, match_score=2, mismatch_score=-3, open_gap_score=-5, extend_gap_score=-2)
    if kind == "protein":
        aligner.substitution_matrix = substitution_matrices.load("BLOSUM62")
        aligner.open_gap_score, aligner.extend_gap_score = -10, -0.5
    found = next(iter(aligner.align(one, other)), None)
    if found is None:
        raise ToolError("These sequences have nothing in common. Try mode global.")
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
    sequence = _letters(text)
    if wrong := sorted(set(sequence) - _AMINO):
        raise ToolError(f"{wrong[0]} is none of the twenty amino acids.")
    return sequence


class Protein(TypedDict):
    """Facts of a protein."""

    length: int
    mass_g_mol: Annotated[float, About("Average mass")]
    isoelectric_point: Annotated[float, About("pH without net charge")]
    charge_at_ph7: float
    gravy: Annotated[float, About("Mean hydropathy (Kyte and Doolittle)")]
    extinction_reduced: Annotated[int, About("At 280 nm, per mol/l and cm, cysteines reduced")]
    extinction_bridged: Annotated[int, About("The same with disulfide bridges")]
    composition: Annotated[dict[str, int], About("How often each amino acid occurs")]


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
        Refusal({"sequence": "MKXB"}, "none of the twenty"),
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
