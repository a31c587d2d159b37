"""Vulnerabilities: affected versions, and severity."""

import math
from typing import Annotated, Literal

from packaging.version import InvalidVersion, Version
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.security import _cvss4

Text = Annotated[str, About("Version", "2.14.1", min_length=1, max_length=60)]


class Range(TypedDict, total=False):
    """A range of affected versions."""

    introduced: Annotated[str, About("First affected version; default: from the start", "2.0", max_length=60)]
    fixed: Annotated[str, About("First version that is no longer affected", "2.15.0", max_length=60)]
    last_affected: Annotated[str, About("Last affected version, if fixed is not known", "2.14.1", max_length=60)]


class Match(TypedDict):
    """Result of matching a version."""

    affected: Annotated[bool, About("Whether it is in one of the ranges")]
    range: Annotated[int | None, About("Number of that range, from 1")]
    upgrade_to: Annotated[str | None, About("Lowest fixed version above it")]


@tool(
    tags="cve vulnerability version affected range fixed osv advisory upgrade",
    use_when=(
        "Is log4j 2.14.1 affected if versions from 2.0 before 2.15.0 are?",
        "Does my version fall in the affected range of the advisory?",
        "To which version must I upgrade?",
    ),
    examples=(
        Example(
            {"version": "2.14.1", "ranges": [{"introduced": "2.13.0", "fixed": "2.15.0"}]},
            {"affected": True, "range": 1, "upgrade_to": "2.15.0"},
            source="the advisory of Apache Log4j on CVE-2021-44228",
        ),
        Example(
            {
                "version": "1.1.1w",
                "ranges": [
                    {"introduced": "3.0.0", "fixed": "3.0.7"},
                    {"introduced": "1.1.1", "last_affected": "1.1.1v"},
                ],
            },
            {"affected": False, "range": None},
            source="by hand: OpenSSL's letters follow the number",
        ),
        Example(
            {"version": "1.0.0-rc.1", "ranges": [{"fixed": "1.0.0"}]},
            {"affected": True},
            source="Semantic Versioning, 11",
        ),
        Refusal({"version": "latest", "ranges": [{"fixed": "1.0"}]}, "not a version"),
    ),
    reply={
        "affected, upgrade_to": "Yes, {args.version} is affected; {upgrade_to} fixes it.",
        "affected": "Yes, {args.version} is affected, and no fixed version is named.",
        "": "No, {args.version} is not affected.",
    },
)
def cve_match_version(
    version: Text,
    ranges: Annotated[
        list[Range], About("Affected ranges", [{"introduced": "2.0", "fixed": "2.15.0"}], min_items=1, max_items=200)
    ],
) -> Match:
    """Check whether a version falls in the affected ranges of a vulnerability, and which version fixes it.

    Use it with the ranges of an advisory. Pre-releases come before the release, OpenSSL's letters after the number.
    """
    own = _sort_in_order(version)
    inside = [number for number, one in enumerate(ranges, 1) if _within(own, one)]
    fixes = sorted(
        (one["fixed"] for one in ranges if one.get("fixed") and _sort_in_order(one["fixed"]) > own), key=_sort_in_order
    )
    return {
        "affected": bool(inside),
        "range": inside[0] if inside else None,
        "upgrade_to": fixes[0] if inside and fixes else None,
    }


def _within(own: tuple[Version, str], one: Range) -> bool:
    first, fixed, last = (one.get(name) for name in ("introduced", "fixed", "last_affected"))
    after = not first or str(first) == "0" or own >= _sort_in_order(str(first))
    return after and (not fixed or own < _sort_in_order(str(fixed))) and (not last or own <= _sort_in_order(str(last)))


def _sort_in_order(text: str) -> tuple[Version, str]:
    plain = text.strip().lstrip("vV")
    letter = plain[-1:] if plain[-2:-1].isdigit() and plain[-1:].isalpha() else ""
    try:
        return Version(plain.removesuffix(letter) if letter else plain), letter
    except InvalidVersion as error:
        raise ToolError(f"{text[:60]} is not a version. Write it as 2.14.1.") from error


_WEIGHTS: dict[str, dict[str, float]] = {
    "AV": {"N": 0.85, "A": 0.62, "L": 0.55, "P": 0.2},
    "AC": {"L": 0.77, "H": 0.44},
    "PR": {"N": 0.85, "L": 0.62, "H": 0.27},
    "UI": {"N": 0.85, "R": 0.62},
    "S": {"U": 0, "C": 1},
    "C": {"H": 0.56, "L": 0.22, "N": 0},
    "I": {"H": 0.56, "L": 0.22, "N": 0},
    "A": {"H": 0.56, "L": 0.22, "N": 0},
}
_TEMPORAL: dict[str, dict[str, float]] = {
    "E": {"X": 1, "H": 1, "F": 0.97, "P": 0.94, "U": 0.91},
    "RL": {"X": 1, "U": 1, "W": 0.97, "T": 0.96, "O": 0.95},
    "RC": {"X": 1, "C": 1, "R": 0.96, "U": 0.92},
}
_WORDS = {
    "AV": ("attack vector", {"N": "network", "A": "adjacent", "L": "local", "P": "physical"}),
    "AC": ("attack complexity", {"L": "low", "H": "high"}),
    "PR": ("privileges required", {"N": "none", "L": "low", "H": "high"}),
    "UI": ("user interaction", {"N": "none", "R": "required"}),
    "S": ("scope", {"U": "unchanged", "C": "changed"}),
    "C": ("confidentiality", {"H": "high", "L": "low", "N": "none"}),
    "I": ("integrity", {"H": "high", "L": "low", "N": "none"}),
    "A": ("availability", {"H": "high", "L": "low", "N": "none"}),
}


class Score(TypedDict):
    """Severity of a vulnerability."""

    base_score: Annotated[float, About("Base score, 0.0 to 10.0")]
    severity: Annotated[Literal["none", "low", "medium", "high", "critical"], About("Severity of the base score")]
    temporal_score: Annotated[
        float | None, About("Temporal score, including exploit and fix; null without those metrics")
    ]
    overall_score: Annotated[
        float | None, About("CVSS 4.0: score with the threat and environmental metrics; null for 3.x")
    ]
    nomenclature: Annotated[
        str | None, About("CVSS 4.0: metrics in overall_score, such as CVSS-B or CVSS-BTE; null for 3.x")
    ]
    impact: Annotated[float | None, About("Impact sub-score; null for 4.0")]
    exploitability: Annotated[float | None, About("Exploitability sub-score; null for 4.0")]
    metrics: Annotated[dict[str, str], About("Base metrics in words")]


@tool(
    tags="cvss score vector severity vulnerability base temporal threat environmental 3.1 4.0 calculator",
    use_when=(
        "What is the score of CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H?",
        "Explain this CVSS vector",
        "Is a vulnerability with this vector critical?",
    ),
    examples=(
        Example(
            {"vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:C/C:H/I:H/A:H"},
            {"base_score": 10.0, "severity": "critical", "temporal_score": None},
            source="NVD: CVE-2021-44228",
        ),
        Example(
            {"vector": "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N"},
            {"base_score": 7.5, "severity": "high"},
            source="FIRST, CVSS v3.1 examples: CVE-2014-0160 (Heartbleed)",
        ),
        Example(
            {"vector": "AV:N/AC:L/PR:L/UI:N/S:C/C:L/I:L/A:N"},
            {"base_score": 6.4},
            source="FIRST, examples: CVE-2013-0375",
        ),
        Example(
            {"vector": "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:H/SI:H/SA:H"},
            {"base_score": 10.0, "severity": "critical", "overall_score": 10.0, "nomenclature": "CVSS-B"},
            source="FIRST, CVSS v4.0 calculator: CVE-2021-44228 (Log4Shell)",
        ),
        Example(
            {"vector": "CVSS:4.0/AV:N/AC:L/AT:P/PR:N/UI:P/VC:H/VI:H/VA:H/SC:N/SI:N/SA:N/E:U/MSI:S"},
            {
                "base_score": 7.7,
                "overall_score": 7.2,
                "nomenclature": "CVSS-BTE",
                "temporal_score": None,
                "impact": None,
                "exploitability": None,
            },
            source="PyPI: cvss 3.6",
        ),
        Refusal({"vector": "CVSS:3.1/AV:N/AC:L"}, "lacks PR"),
        Refusal({"vector": "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:H/VA:H/SC:H/SI:H"}, "lacks SA"),
        Refusal({"vector": "CVSS:2.0/AV:N"}, "3.0, 3.1 or 4.0"),
    ),
    reply={
        "overall_score": "The base score is {base_score} ({severity}), and the overall score {overall_score}.",
        "temporal_score": "The base score is {base_score} ({severity}), and the temporal score {temporal_score}.",
        "": "The base score is {base_score}, which is {severity}.",
    },
)
def cvss_score_vector(
    vector: Annotated[
        str,
        About(
            "CVSS 3.0, 3.1 or 4.0 vector", "CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H", min_length=5, max_length=300
        ),
    ],
) -> Score:
    """Compute the CVSS base and temporal score of a vector of CVSS 3.0, 3.1 or 4.0, and describe its metrics in words.

    Use it for advisories. The formulas are those of FIRST's specifications. Environmental metrics only count in 4.0.
    """
    metrics = _metrics(vector)
    if "VC" in metrics:
        return _score4(metrics)
    missing = [name for name in _WEIGHTS if metrics.get(name) not in _WEIGHTS[name]]
    if missing:
        raise ToolError(f"The vector lacks {', '.join(missing)}, or has an invalid value for it.")
    impact, exploitability = _impact(metrics), _exploitability(metrics)
    factor = 1.08 if metrics["S"] == "C" else 1
    base = _rounded_up(min(factor * (impact + exploitability), 10)) if impact > 0 else 0.0
    temporal = None
    if metrics.keys() & _TEMPORAL.keys():
        temporal = _rounded_up(base * math.prod(_TEMPORAL[name].get(metrics.get(name, "X"), 1) for name in _TEMPORAL))
    return {
        "base_score": base,
        "severity": _severity(base),
        "temporal_score": temporal,
        "overall_score": None,
        "nomenclature": None,
        "impact": round(max(impact, 0), 1),
        "exploitability": round(exploitability, 1),
        "metrics": {title: words[metrics[name]] for name, (title, words) in _WORDS.items()},
    }


_PREFIXES = ("CVSS:3.0/", "CVSS:3.1/", "CVSS:4.0/")
_WORDS4 = {
    **{name: _WORDS[name] for name in ("AV", "AC", "PR")},
    "AT": ("attack requirements", {"N": "none", "P": "present"}),
    "UI": ("user interaction", {"N": "none", "P": "passive", "A": "active"}),
    **{
        f"{system}{name}": (f"{_WORDS[name][0]} of the {title} system", _WORDS[name][1])
        for system, title in (("V", "vulnerable"), ("S", "subsequent"))
        for name in ("C", "I", "A")
    },
}


def _score4(metrics: dict[str, str]) -> Score:
    _cvss4.check(metrics)
    base = _cvss4.score({name: metrics[name] for name in _cvss4.BASE})
    return {
        "base_score": base,
        "severity": _severity(base),
        "temporal_score": None,
        "overall_score": _cvss4.score(metrics),
        "nomenclature": _cvss4.nomenclature(metrics),
        "impact": None,
        "exploitability": None,
        "metrics": {title: words[metrics[name]] for name, (title, words) in _WORDS4.items()},
    }


def _metrics(vector: str) -> dict[str, str]:
    """The metrics of a vector. One of CVSS 4.0 has VC."""
    plain = vector.strip().upper().strip("()")
    prefix = next(filter(plain.startswith, _PREFIXES), "")
    if plain.startswith("CVSS:") and not prefix:
        raise ToolError("Only vectors of CVSS 3.0, 3.1 or 4.0 are supported.")
    pairs = [part.partition(":")[::2] for part in plain.removeprefix(prefix).split("/")]
    metrics = dict(pairs)
    if len(metrics) < len(pairs):
        raise ToolError("The vector has a metric twice. Write each once.")
    if prefix == "CVSS:4.0/" and "VC" not in metrics:
        raise ToolError("The vector lacks VC.")
    if prefix.startswith("CVSS:3") and "VC" in metrics:
        raise ToolError("VC is a metric of CVSS 4.0. Begin the vector with CVSS:4.0.")
    return metrics


def _impact(metrics: dict[str, str]) -> float:
    lost = 1 - math.prod(1 - _WEIGHTS[name][metrics[name]] for name in ("C", "I", "A"))
    if metrics["S"] == "U":
        return 6.42 * lost
    return 7.52 * (lost - 0.029) - 3.25 * (lost - 0.02) ** 15


def _exploitability(metrics: dict[str, str]) -> float:
    rights = _WEIGHTS["PR"][metrics["PR"]]
    if metrics["S"] == "C":
        rights = {"N": 0.85, "L": 0.68, "H": 0.5}[metrics["PR"]]
    return 8.22 * math.prod(_WEIGHTS[name][metrics[name]] for name in ("AV", "AC", "UI")) * rights


def _rounded_up(value: float) -> float:
    """Round up to one decimal, without the errors of binary fractions (specification, appendix A)."""
    whole = round(value * 100_000)
    return whole / 100_000 if whole % 10_000 == 0 else (whole // 10_000 + 1) / 10


def _severity(score: float) -> Literal["none", "low", "medium", "high", "critical"]:
    if score >= 9:
        return "critical"
    if score >= 7:
        return "high"
    if score >= 4:
        return "medium"
    return "low" if score > 0 else "none"
