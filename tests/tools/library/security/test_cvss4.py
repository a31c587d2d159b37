"""Scores of CVSS 4.0, as another implementation of FIRST's calculator computes them (PyPI: cvss 3.6)."""

import pytest

from retinue.tools.authoring.declare import ToolError
from retinue_tools.security.vulnerabilities import cvss_score_vector

SCORES = """
 5.7 AV:A/AC:L/AT:P/PR:H/UI:P/VC:N/VI:N/VA:H/SC:N/SI:H/SA:L
 4.2 AV:L/AC:L/AT:N/PR:H/UI:P/VC:N/VI:N/VA:L/SC:L/SI:N/SA:H/E:A/MAC:L/MPR:L
 4.6 AV:P/AC:L/AT:P/PR:N/UI:N/VC:H/VI:L/VA:H/SC:L/SI:N/SA:L/MPR:L/MSI:L
 7.2 AV:N/AC:L/AT:P/PR:L/UI:N/VC:H/VI:L/VA:N/SC:L/SI:H/SA:L
 9.2 AV:N/AC:H/AT:N/PR:N/UI:P/VC:L/VI:L/VA:H/SC:H/SI:N/SA:N/MAC:L/MUI:A/MSC:L/MSI:S
 2.0 AV:L/AC:H/AT:P/PR:N/UI:P/VC:L/VI:L/VA:N/SC:L/SI:N/SA:N/CR:L/IR:L/MAV:L/MAT:P/MUI:P/MSI:L
 5.7 AV:L/AC:H/AT:P/PR:N/UI:A/VC:H/VI:N/VA:H/SC:L/SI:L/SA:N
 1.0 AV:P/AC:H/AT:P/PR:N/UI:P/VC:H/VI:L/VA:L/SC:N/SI:L/SA:L/CR:H/MAV:A/MAT:P/MPR:L/MVC:N
 2.0 AV:A/AC:L/AT:P/PR:H/UI:A/VC:H/VI:N/VA:L/SC:L/SI:H/SA:H/E:A/MPR:H/MVC:L/MSA:N
 6.3 AV:N/AC:H/AT:N/PR:N/UI:N/VC:L/VI:N/VA:N/SC:L/SI:N/SA:N
 2.3 AV:A/AC:L/AT:P/PR:H/UI:A/VC:N/VI:L/VA:N/SC:L/SI:H/SA:H/IR:H/AR:L/MAC:H/MPR:H/MUI:A/MVC:N/MVI:N
 7.0 AV:L/AC:H/AT:N/PR:L/UI:N/VC:H/VI:H/VA:N/SC:H/SI:H/SA:H/MAV:P/MAC:H/MAT:P/MPR:L/MVC:H/MVA:H/MSC:H/MSA:N
 2.0 AV:L/AC:L/AT:P/PR:N/UI:P/VC:L/VI:N/VA:L/SC:N/SI:L/SA:L
 5.8 AV:L/AC:L/AT:P/PR:L/UI:N/VC:H/VI:N/VA:H/SC:N/SI:N/SA:L/IR:M
 7.3 AV:A/AC:L/AT:P/PR:H/UI:A/VC:H/VI:L/VA:H/SC:L/SI:H/SA:H/MAV:P/MVA:L/MSI:S
 7.0 AV:A/AC:H/AT:N/PR:H/UI:N/VC:N/VI:H/VA:N/SC:L/SI:H/SA:H
 4.4 AV:L/AC:L/AT:N/PR:N/UI:A/VC:L/VI:N/VA:L/SC:N/SI:L/SA:H/E:U/AR:L/MAV:N/MPR:N/MUI:N/MSI:N
 6.9 AV:P/AC:L/AT:P/PR:H/UI:N/VC:L/VI:N/VA:H/SC:L/SI:N/SA:N/MAT:N/MSI:H/MSA:L
 5.8 AV:A/AC:H/AT:P/PR:H/UI:A/VC:N/VI:L/VA:H/SC:L/SI:H/SA:L
 6.0 AV:P/AC:H/AT:N/PR:N/UI:A/VC:L/VI:H/VA:L/SC:L/SI:H/SA:L/MSA:H
 7.0 AV:N/AC:L/AT:P/PR:N/UI:N/VC:L/VI:H/VA:H/SC:N/SI:N/SA:N/IR:H/MAT:N/MPR:L/MUI:P/MVA:L/MSA:N
 5.7 AV:P/AC:L/AT:P/PR:N/UI:P/VC:H/VI:N/VA:L/SC:H/SI:L/SA:N
 1.0 AV:L/AC:L/AT:P/PR:H/UI:P/VC:L/VI:L/VA:N/SC:N/SI:N/SA:N/IR:M/MAC:H/MPR:L/MVI:N/MSC:L
 5.2 AV:N/AC:L/AT:N/PR:L/UI:A/VC:N/VI:N/VA:N/SC:L/SI:N/SA:L/AR:H/MAV:A/MVC:L/MVI:H/MVA:N/MSC:N
 6.9 AV:L/AC:H/AT:P/PR:H/UI:N/VC:L/VI:L/VA:H/SC:H/SI:L/SA:N
 4.8 AV:N/AC:L/AT:N/PR:N/UI:A/VC:H/VI:N/VA:L/SC:N/SI:N/SA:L/AR:M/MAT:N/MPR:L/MVC:L
 5.8 AV:P/AC:H/AT:P/PR:N/UI:A/VC:H/VI:N/VA:N/SC:H/SI:H/SA:N/E:A/AR:L/MAV:P/MAC:H/MUI:N/MVI:L/MSA:L
 6.9 AV:L/AC:H/AT:P/PR:H/UI:A/VC:H/VI:H/VA:N/SC:H/SI:N/SA:H
 7.1 AV:L/AC:L/AT:N/PR:N/UI:P/VC:N/VI:H/VA:L/SC:L/SI:H/SA:H/MAC:H/MAT:P/MVA:H
 5.3 AV:L/AC:H/AT:N/PR:N/UI:N/VC:L/VI:L/VA:H/SC:L/SI:N/SA:H/E:A/CR:M/MAV:A/MAT:N/MVC:N/MVI:L/MVA:L/MSC:H/MSI:N
 5.9 AV:A/AC:H/AT:N/PR:L/UI:N/VC:N/VI:H/VA:N/SC:L/SI:L/SA:L
 1.9 AV:L/AC:H/AT:N/PR:H/UI:P/VC:H/VI:L/VA:N/SC:L/SI:L/SA:H/E:P/AR:H/MAC:L/MPR:H/MVC:L
 3.9 AV:P/AC:L/AT:P/PR:N/UI:P/VC:H/VI:N/VA:L/SC:N/SI:L/SA:N/IR:L/MPR:L
 5.6 AV:P/AC:H/AT:N/PR:N/UI:N/VC:N/VI:H/VA:L/SC:H/SI:N/SA:N
 5.7 AV:N/AC:H/AT:N/PR:H/UI:A/VC:H/VI:N/VA:H/SC:L/SI:L/SA:N/IR:H/MAC:H/MAT:N/MUI:A/MVC:H/MVA:H/MSC:L/MSA:N
 8.2 AV:L/AC:L/AT:P/PR:N/UI:A/VC:H/VI:H/VA:H/SC:N/SI:H/SA:H/E:P/CR:M/MAC:H/MVA:N/MSA:S
"""


@pytest.mark.parametrize("line", SCORES.strip().splitlines())
def test_the_score_of_a_vector(line: str) -> None:
    score, vector = line.split()
    result = cvss_score_vector(f"CVSS:4.0/{vector}")
    assert result["overall_score"] == float(score)
    if "/E:" not in vector and "/M" not in vector and "R:" not in vector.partition("/SA")[2]:
        assert (result["base_score"], result["nomenclature"]) == (float(score), "CVSS-B")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("/SA:N", ""), "lacks SA"),
        (("/VC:H", ""), "lacks VC"),
        (("/VC:H", "/VC:X"), "no metric VC:X"),
        (("/VC:H", "/VC:H/VC:H"), "a metric twice"),
        (("/SA:N", "/SA:S"), "no metric SA:S"),
        (("/SA:N", "/SA:N/E:H"), "no metric E:H"),
        (("CVSS:4.0", "CVSS:3.1"), "Begin the vector with CVSS:4.0"),
        (("CVSS:4.0", "CVSS:5.0"), "3.0, 3.1 or 4.0"),
    ],
)
def test_a_vector_that_is_wrong_is_refused(change: tuple[str, str], message: str) -> None:
    vector = "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:L/VA:N/SC:N/SI:N/SA:N"
    with pytest.raises(ToolError, match=message):
        cvss_score_vector(vector.replace(*change))


def test_supplemental_metrics_do_not_count() -> None:
    vector = "CVSS:4.0/AV:N/AC:L/AT:N/PR:N/UI:N/VC:H/VI:L/VA:N/SC:N/SI:N/SA:N"
    assert cvss_score_vector(f"{vector}/S:P/AU:Y/R:I/V:C/RE:H/U:Amber") == cvss_score_vector(vector)
