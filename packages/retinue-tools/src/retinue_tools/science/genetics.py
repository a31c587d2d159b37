"""Genotype crosses, Hardy-Weinberg equilibrium and FASTA files."""

import re
from collections import Counter
from itertools import product
from math import erfc, sqrt
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Text, ToolError, tool

Genotype = Annotated[
    str, About("Genotype with two letters per gene, capitals dominant", "AaBb", min_length=2, max_length=10)
]


class Cross(TypedDict):
    """Result of a cross."""

    gametes_first: list[str]
    gametes_second: list[str]
    genotypes: Annotated[dict[str, float], About("Share of each genotype, most frequent first")]
    phenotypes: Annotated[dict[str, float], About("Share of each phenotype: a capital for the dominant trait")]
    ratio: Annotated[str, About("Phenotypes as a ratio of whole numbers")]


@tool(
    tags="punnett square cross genotype phenotype ratio mendel genetics dominant recessive inheritance",
    use_when=(
        "Punnett square of Aa x Aa",
        "What ratio comes of AaBb crossed with AaBb?",
        "How likely is a recessive child of Bb and bb parents?",
    ),
    examples=(
        Example(
            {"first": "AaBb", "second": "AaBb"},
            {"ratio": "9:3:3:1", "phenotypes": {"AB": 0.5625, "ab": 0.0625}},
            source="Mendel's dihybrid cross",
        ),
        Example(
            {"first": "Aa", "second": "aa"},
            {"genotypes": {"Aa": 0.5, "aa": 0.5}, "ratio": "1:1"},
            source="Mendel's test cross",
        ),
        Refusal({"first": "AaB", "second": "Aa"}, "two letters"),
        Refusal({"first": "Aa", "second": "Bb"}, "same genes"),
    ),
    reply="The phenotypes come in the ratio {ratio}. The genotypes: {genotypes}",
)
def genetics_cross_genotypes(first: Genotype, second: Genotype) -> Cross:
    """Cross two genotypes of up to five independent genes: gametes, genotypes and phenotypes with their shares.

    Use it for Punnett squares and inheritance probabilities with complete dominance.
    """
    genes = [_genes(text) for text in (first, second)]
    if [gene[0].lower() for gene in genes[0]] != [gene[0].lower() for gene in genes[1]]:
        raise ToolError("Both parents must have the same genes in the same order, such as AaBb and aaBb.")
    gametes = [["".join(parts) for parts in product(*parent)] for parent in genes]
    children = Counter(_join(one, other) for one, other in product(*gametes))
    total = sum(children.values())
    phenotypes: Counter[str] = Counter()
    for child, number in children.items():
        phenotypes[child[::2]] += number
    least = min(phenotypes.values())
    return {
        "gametes_first": sorted(set(gametes[0])),
        "gametes_second": sorted(set(gametes[1])),
        "genotypes": {child: number / total for child, number in children.most_common()},
        "phenotypes": {child: number / total for child, number in phenotypes.most_common()},
        "ratio": ":".join(str(number // least) for _, number in phenotypes.most_common()),
    }


def _genes(text: str) -> list[str]:
    pairs = [text[place : place + 2] for place in range(0, len(text), 2)]
    if not all(
        len(pair) == 2 and pair.isascii() and pair.isalpha() and pair[0].lower() == pair[1].lower() for pair in pairs
    ):
        raise ToolError("A genotype has two letters per gene, such as AaBb: a capital for the dominant allele.")
    return pairs


def _join(one: str, other: str) -> str:
    return "".join("".join(sorted(pair)) for pair in zip(one, other, strict=True))


class HardyWeinberg(TypedDict):
    """Result of a Hardy-Weinberg test."""

    frequency_a: Annotated[float, About("Frequency of the first allele")]
    expected: Annotated[list[float], About("Expected numbers of AA, Aa and aa")]
    chi_square: float
    p_value: Annotated[float, About("P-value of chi-square with one degree of freedom")]
    inbreeding: Annotated[float, About("F: 1 - observed / expected heterozygotes")]
    in_equilibrium: Annotated[bool, About("Whether p is at least 0.05")]


@tool(
    tags="hardy-weinberg equilibrium population genetics allele frequency chi-square heterozygotes",
    use_when=(
        "Are 1469 AA, 138 Aa and 5 aa in Hardy-Weinberg equilibrium?",
        "Allele frequencies from genotype counts",
        "Test my genotypes for equilibrium",
    ),
    examples=(
        Example(
            {"count_aa_dominant": 1469, "count_heterozygous": 138, "count_aa_recessive": 5},
            {"frequency_a": 0.954094, "chi_square": 0.8309, "in_equilibrium": True},
            source="Ford's scarlet tiger moths, the textbook example: p = 0.954, chi-square 0.83",
            tolerance=1e-3,
        ),
        Refusal({"count_aa_dominant": 5, "count_heterozygous": 0, "count_aa_recessive": 0}, "both alleles"),
    ),
    reply={
        "in_equilibrium": (
            "Yes, the counts fit Hardy-Weinberg equilibrium (p = {p_value}); "
            "the frequency of the first allele is {frequency_a}."
        ),
        "": (
            "No, the counts do not fit Hardy-Weinberg equilibrium (p = {p_value}); the "
            "frequency of the first allele is {frequency_a}."
        ),
    },
)
def genetics_test_equilibrium(
    count_aa_dominant: Annotated[int, About("Number of individuals with AA", 1469, minimum=0, maximum=10**9)],
    count_heterozygous: Annotated[int, About("Number of individuals with Aa", 138, minimum=0, maximum=10**9)],
    count_aa_recessive: Annotated[int, About("Number of individuals with aa", 5, minimum=0, maximum=10**9)],
) -> HardyWeinberg:
    """Test genotype counts for Hardy-Weinberg equilibrium by chi-square, with allele frequencies.

    Use it to check genotyping or populations. Returns expected counts, p-value and inbreeding coefficient.
    """
    observed = (count_aa_dominant, count_heterozygous, count_aa_recessive)
    total = sum(observed)
    share = (2 * observed[0] + observed[1]) / (2 * total) if total else 0.0
    if not 0 < share < 1:
        raise ToolError("The counts must contain both alleles. Give individuals of more than one genotype.")
    expected = [total * share**2, 2 * total * share * (1 - share), total * (1 - share) ** 2]
    chi_square = sum((seen - count) ** 2 / count for seen, count in zip(observed, expected, strict=True))
    p_value = erfc(sqrt(chi_square / 2))
    return {
        "frequency_a": share,
        "expected": expected,
        "chi_square": chi_square,
        "p_value": p_value,
        "inbreeding": 1 - observed[1] / expected[1],
        "in_equilibrium": p_value >= 0.05,
    }


class Record(TypedDict):
    """A record of a FASTA text."""

    name: str
    description: str
    length: int
    gc_percent: Annotated[float | None, About("GC content; null for proteins")]
    kind: Annotated[str, About("dna, rna or protein, detected by its letters")]


class Fasta(TypedDict):
    """Records of a FASTA text."""

    records: list[Record]
    count: int
    total_length: int
    longest: str
    n50: Annotated[int, About("N50: half of all letters are in records of at least this length")]
    duplicates: Annotated[list[str], About("Names of records whose sequence occurred before")]


@tool(
    tags="fasta parse records sequences n50 statistics length gc duplicates bioinformatics",
    use_when=(
        "How many sequences has this FASTA, and how long are they?",
        "N50 of these contigs",
        "Are there duplicate sequences in my FASTA?",
    ),
    examples=(
        Example(
            {"text": ">a first\nACGT\nACGT\n>b\nGGGG\n>c\nGGGG\n"},
            {
                "count": 3,
                "total_length": 16,
                "longest": "a",
                "n50": 8,
                "duplicates": ["c"],
                "records": [{"name": "a", "description": "first", "gc_percent": 50.0}, {"length": 4}, {}],
            },
            source="by hand",
        ),
        Refusal({"text": "ACGT"}, "begins with >"),
    ),
    reply="I found {count|sequence} with {total_length|letter} in all: {records}",
)
def fasta_summarize_records(text: Annotated[Text, About("Records in FASTA")]) -> Fasta:
    """Summarise a FASTA text: name, length, kind and GC content of each record, N50 and duplicates.

    Use it to inspect sequences or an assembly.
    """
    if not text.lstrip().startswith(">"):
        raise ToolError("FASTA begins with > and a name. Add a line such as >sequence1 before the letters.")
    parts = [record.partition("\n") for record in re.split(r"^>", text.lstrip().replace("\r", "\n"), flags=re.M)[1:]]
    pairs = [(head.strip(), re.sub(r"\s", "", body).upper()) for head, _, body in parts[:5000]]
    records = [_record(head, body) for head, body in pairs]
    seen: set[str] = set()
    duplicates = []
    for record, (_, body) in zip(records, pairs, strict=True):
        if body in seen:
            duplicates.append(record["name"])
        seen.add(body)
    lengths = sorted((record["length"] for record in records), reverse=True)
    total = sum(lengths)
    return {
        "records": records,
        "count": len(records),
        "total_length": total,
        "longest": max(records, key=lambda record: record["length"])["name"],
        "n50": next(length for place, length in enumerate(lengths) if 2 * sum(lengths[: place + 1]) >= total),
        "duplicates": duplicates,
    }


def _record(head: str, body: str) -> Record:
    name, _, description = head.partition(" ")
    letters = set(body)
    kind = "dna" if letters <= set("ACGTN-") else "rna" if letters <= set("ACGUN-") else "protein"
    strong = body.count("G") + body.count("C")
    return {
        "name": name,
        "description": description,
        "length": len(body),
        "gc_percent": 100 * strong / len(body) if body and kind != "protein" else None,
        "kind": kind,
    }
