"""Training the matchers of tools, numbers and spans from a few requests, with the real weights."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from retinue.models.request_classification import NO_TOOL
from tests.support.sampling import EXHAUSTIVE

ROOT = Path(__file__).parents[3]
ASKED = {
    "breakeven_compute_units": [
        ["fixed costs of 900 a month, sold at 12, costs me 7", {"fixed_costs": 900, "price": 12, "variable_cost": 7}],
        ["It costs 3 to make, sells for 8; rent is 450.", {"fixed_costs": 450, "price": 8, "variable_cost": 3}],
        ["price 25, unit cost 16, overheads 1,800", {"fixed_costs": 1800, "price": 25, "variable_cost": 16}],
        ["A stall at 240 a week; cups go for 4 and cost 1", {"fixed_costs": 240, "price": 4, "variable_cost": 1}],
    ],
    "date_describe_day": [
        ["What weekday was 14 July 1979?", {"date": "1979-07-14"}],
        ["which day of the week is 3 May 2026", {"date": "2026-05-03"}],
        ["is 1.1.2030 a Monday", {"date": "2030-01-01"}],
    ],
    "text_reverse_order": [
        ['spell "harbour" backwards', {"text": "harbour"}],
        ['"Anna sees" the other way round', {"text": "Anna sees"}],
        ['Write "no lemon" from its end', {"text": "no lemon"}],
        ['what is "stressed" in reverse?', {"text": "stressed"}],
    ],
}
PLAIN = ["Hello!", "Tell me a joke", "thanks a lot", "Who are you?"]
OTHERS = {
    "rent of 700, cups sold at 5, they cost me 2 - how many to break even": "breakeven_compute_units",
    'turn "desserts" round': "text_reverse_order",
    "On what weekday does 24 December 2027 fall?": "date_describe_day",
    "good morning to you": NO_TOOL,
}
PROGRAM = """
import json, sys
from dataclasses import replace
from pathlib import Path
from retinue.models.heads import read_head, write_heads
from retinue.models.tool_classifier import ToolClassifier
from retinue_assistant.heads.number_matcher import NumberMatcher
from retinue_assistant.heads.request_hints import MatchedArguments
from retinue_assistant.heads.span_extractor import SpanExtractor
from training.__main__ import learn
from training.encodings import encodings
from tests.support.catalogue import CATALOGUE
from tests.support.sampling import EXHAUSTIVE

weights, folder = map(Path, sys.argv[1:3])
asked, plain, others = map(json.loads, sys.argv[3:])
tools = [
    replace(CATALOGUE.get(name), precedents=[(request, json.dumps(meant)) for request, meant in known])
    for name, known in asked.items()
]
file = folder / "heads.npz"
write_heads(learn(tools, plain, lambda texts: encodings(weights, folder, texts)), file)
classifier = ToolClassifier(read_head("tool_classifier", file))
roles, texts = NumberMatcher(read_head("number_matcher", file)), SpanExtractor(read_head("span_extractor", file))
found = list(encodings(weights, folder, others))
meanings = [classifier.meaning(one.embedding, MatchedArguments(roles.numbers(one), texts.spans(one))) for one in found]
numbers = meanings[0].hints("breakeven_compute_units", {}).numbers
print(json.dumps({
    "tools": [max(meaning.likelihoods, key=meaning.of) for meaning in meanings],
    "texts": [one.text for one in meanings[1].hints("text_reverse_order", {}).texts],
    "numbers": {one.value: max(one.roles, key=lambda role: role.likelihood).argument for one in numbers},
}))
"""


@EXHAUSTIVE
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_learned_intents_apply_to_other_requests(weights_folder: Path, tmp_path: Path) -> None:
    told = map(json.dumps, (ASKED, PLAIN, [*OTHERS]))
    command = [sys.executable, "-c", PROGRAM, str(weights_folder), str(tmp_path), *told]
    environment = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT}/packages/retinue-assistant"}
    done = subprocess.run(command, env=environment, check=True, cwd=tmp_path, stdout=subprocess.PIPE)
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["tools"] == list(OTHERS.values())
    assert found["texts"][0] == "desserts"
    assert found["numbers"] == {"700": "fixed_costs", "5": "price", "2": "variable_cost"}
