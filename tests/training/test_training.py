"""Learning directions: with the real weights, from a few requests."""

import json
import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from retinue.models.directions import NO_TOOL
from retinue.tools.environment import ToolEnvironment

ROOT = Path(__file__).parents[2]
ASKED = {
    "unit_convert_quantity": [
        "How many km are 5 miles?",
        "3 kg in pounds",
        "convert 70 mph to km/h",
        "12 inches in cm",
    ],
    "date_describe_day": [
        "What weekday was 14 July 1979?",
        "which day of the week is 3 May 2026",
        "is 1.1.2030 a Monday",
    ],
    NO_TOOL: ["Hello!", "Tell me a joke", "thanks a lot", "Who are you?"],
}
OTHERS = {
    "How many litres are 3 gallons?": "unit_convert_quantity",
    "On what weekday does 24 December 2027 fall?": "date_describe_day",
    "good morning to you": NO_TOOL,
}
PROGRAM = """
import json, sys
from pathlib import Path
from retinue.models.directions import Directions
from training.__main__ import directions
from training.places import places

weights, found = map(Path, sys.argv[1:3])
asked, others = map(json.loads, sys.argv[3:])
found.write_bytes(directions(weights, asked).written())
read = Directions.read(found)
meanings = [read.meaning(place) for place in places(weights, others)]
found.write_text(json.dumps([max(read, key=meaning.of) for meaning in meanings]))
"""


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_what_is_learned_holds_for_other_requests(weights_folder: Path, tmp_path: Path) -> None:
    tools = ToolEnvironment.beside(ROOT).folder
    numbers = tools / Path(sysconfig.get_path("purelib")).relative_to(sys.prefix)
    found = tmp_path / "found"
    command = [sys.executable, "-c", PROGRAM, str(weights_folder), str(found), json.dumps(ASKED), json.dumps([*OTHERS])]
    environment = os.environ | {"PYTHONPATH": f"{ROOT}{os.pathsep}{numbers}"}
    subprocess.run(command, env=environment, check=True, cwd=tmp_path)
    assert json.loads(found.read_text()) == list(OTHERS.values())
