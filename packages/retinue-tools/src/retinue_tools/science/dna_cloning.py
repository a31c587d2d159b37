"""Restriction sites and primers."""

import re
from typing import Annotated

from Bio.Restriction import AllEnzymes, Analysis, CommOnly, RestrictionBatch
from Bio.Seq import Seq
from Bio.SeqUtils import MeltingTemp
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.science._sequence_letters import Nucleotides, read_nucleotides

_LISTED = 500


class Cutter(TypedDict):
    """A restriction enzyme and its cuts."""

    enzyme: str
    site: Annotated[str, About("Recognition sequence")]
    cuts: Annotated[list[int], About("Position of the base before which the upper strand is cut, from 1")]
    fragments: Annotated[list[int], About("Fragment lengths, longest first")]


class Cutters(TypedDict):
    """Enzymes that cut a sequence."""

    enzymes: list[Cutter]
    found: Annotated[int, About("Number of enzymes that cut")]


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
    reply={
        "enzymes.1": "{found|enzyme cuts|enzymes cut} the sequence: {enzymes}",
        "enzymes.0.cuts": (
            "{enzymes.0.enzyme} cuts at {enzymes.0.cuts}, into fragments of {enzymes.0.fragments} bases."
        ),
        "not found": "None of these enzymes cuts the sequence.",
        "": "The enzymes: {enzymes}",
    },
    pace="normal",
    memory_mb=1024,
)
def dna_find_restriction_sites(
    sequence: Nucleotides,
    enzymes: Annotated[
        list[Annotated[str, About("Name", "EcoRI", max_length=20)]] | None,
        About(
            "Names of enzymes; default: all commercially available ones", ["EcoRI", "BamHI"], min_items=1, max_items=50
        ),
    ] = None,
    circular: Annotated[bool, About("Whether the DNA is circular, such as a plasmid")] = False,
    cuts: Annotated[
        int | None, About("Only enzymes with exactly this number of cuts", 1, minimum=1, maximum=1000)
    ] = None,
) -> Cutters:
    """Find where restriction enzymes (of REBASE) cut a DNA sequence, and the lengths of the fragments.

    Use it to plan cloning or a digest. Returns the enzymes that cut, fewest cuts first (at most 500).
    """
    dna = read_nucleotides(sequence)
    known = {str(enzyme): enzyme for enzyme in AllEnzymes}
    if unknown := [name for name in enzymes or () if name not in known]:
        raise ToolError(f"There is no enzyme {unknown[0]}. Names are written like EcoRI or HindIII.")
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
    self_complement: Annotated[int, About("Longest self-complementary stretch")]
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
    reply={
        "gc_clamp": (
            "The primer melts at {melting_c} \u00b0C and has {gc_percent} % GC, with a "
            "GC clamp; {self_complement|base} in a row are self-complementary."
        ),
        "": (
            "The primer melts at {melting_c} \u00b0C and has {gc_percent} % GC, without a GC "
            "clamp; {self_complement|base} in a row are self-complementary."
        ),
    },
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
    dna = read_nucleotides(sequence)
    if len(dna) < 8 or not set(dna) <= set("ACGT"):
        raise ToolError("A primer has at least eight bases, and only A, C, G and T.")
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
