"""The loss that training minimises is that of the probabilities that the extractor returns."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retinue.models.encoder import Encoded
from retinue.models.heads import Head
from retinue_assistant.heads.span_candidates import boundaries
from retinue_assistant.heads.span_extractor import SpanExtractor
from training.passages import Passage
from training.pointing import argument_vectors, first_weights, mean_loss
from training.texts import example

TOKENS = ["Reverse", ' "', "Hello", ",", " you", '"', " now", ":", " x"]
WIDTH = 7
MEANS, DEVIATIONS = np.zeros(WIDTH, np.float32), np.ones(WIDTH, np.float32)


def encode(tokens: Sequence[str]) -> Encoded:
    ends = [len("".join(tokens[: at + 1])) for at in range(len(tokens))]
    states = np.random.default_rng(len(tokens)).standard_normal((len(tokens), WIDTH)).astype(np.float16)
    return Encoded("".join(tokens), ends, states.tolist())


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(3, len(TOKENS)), min_size=1, max_size=4), st.integers(0, 99))
def test_the_loss_is_that_of_the_extractor(sizes: list[int], seed: int) -> None:
    random = np.random.default_rng(seed)
    described = random.standard_normal((2, WIDTH)).astype(np.float32)
    weights = {
        name: one + random.normal(0, 0.1, one.shape).astype(np.float32)
        for name, one in first_weights(WIDTH, *described.shape).items()
    }
    arrays = {name: weights[name] for name in ("down", "beside", "kinds", "absent")}
    arrays |= {"means": MEANS, "deviations": DEVIATIONS, "vectors": argument_vectors(weights, described, np.arange(2))}
    texts = SpanExtractor(Head(arrays, {"tool": ["other", "text"]}))
    losses, examples = [], []
    for request in (encode(TOKENS[:size]) for size in sizes):
        best = next(one for one in texts.spans(request).of("tool") if one.argument == "text")
        begins, ends = boundaries(request)
        begin = next(at for at, one in enumerate(begins) if one.offset == best.begin)
        end = next(at for at, one in enumerate(ends) if one.offset == best.begin + len(best.text))
        passage = Passage("tool", "text", np.array(request.states), begins, ends, [(begin, end)], True)
        examples.append(example(passage, 1, MEANS, DEVIATIONS))
        losses.append(-math.log(best.likelihood))
    states = np.concatenate([one.states for one in examples]).astype(np.float32)
    assert mean_loss(weights, described, examples, states) == pytest.approx(np.mean(losses), rel=1e-3)
