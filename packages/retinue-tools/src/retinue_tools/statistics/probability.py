"""Exact probabilities: Bayes' rule, test accuracy, dice and random draws."""

import random
import re
from collections import Counter
from fractions import Fraction
from math import sqrt
from typing import Annotated, NotRequired

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._draws import DrawSeed, generator_for
from retinue_tools.tidy import tidy

_MOST_OUTCOMES = 2000
_TERM = re.compile(r"([+-]?)(?:(\d{0,3})d(\d{1,4})(?:k([hl])(\d{1,2}))?|(\d{1,6}))", re.ASCII)


class Hypothesis(TypedDict):
    """A hypothesis before and after the evidence."""

    name: Annotated[str, About("The hypothesis")]
    prior: Annotated[float, About("Prior probability")]
    posterior: Annotated[float, About("Posterior probability")]


class Posterior(TypedDict):
    """Probabilities after evidence."""

    hypotheses: Annotated[list[Hypothesis], About("Hypotheses in the given order")]
    evidence_probability: Annotated[float, About("Total probability of the evidence over all hypotheses")]


@tool(
    tags="bayes theorem posterior prior likelihood conditional probability diagnostic test base rate",
    use_when=(
        "1 % have the disease, the test finds 80 % of them and 9.6 % of the others: what does a positive test mean?",
        "Update my beliefs 0.5, 0.3, 0.2 with likelihoods 0.1, 0.4, 0.7",
        "From which of three factories does the defective part come?",
    ),
    examples=(
        Example(
            {"names": ["cancer", "healthy"], "priors": [0.01, 0.99], "likelihoods": [0.8, 0.096]},
            {"hypotheses": [{"posterior": 0.008 / 0.10304}, {"name": "healthy"}], "evidence_probability": 0.10304},
            source="Eddy (1982): the mammography problem, 7.8 %",
        ),
        Example(
            {"names": ["fair", "biased"], "priors": [1, 1], "likelihoods": [0.5, 0.75], "repeats": 2},
            {"hypotheses": [{"prior": 0.5, "posterior": 4 / 13}, {"posterior": 9 / 13}]},
            source="by hand: 1/4 against 9/16",
        ),
        Refusal({"names": ["a", "b"], "priors": [1, 0], "likelihoods": [0, 0.5]}, "impossible"),
    ),
    reply="The updated probabilities: {hypotheses}",
)
def stats_update_beliefs(
    names: Annotated[
        list[Annotated[str, About("Name of a hypothesis", "ill", min_length=1, max_length=200)]],
        About("Mutually exclusive hypotheses that cover all cases", ["ill", "healthy"], min_items=2, max_items=100),
    ],
    priors: Annotated[
        list[Annotated[float, About("Prior weight", 0.01, minimum=0, maximum=1e9)]],
        About("Prior probability of each; weights are scaled to a sum of 1", [0.01, 0.99], min_items=2, max_items=100),
    ],
    likelihoods: Annotated[
        list[Annotated[float, About("Likelihood", 0.8, minimum=0, maximum=1)]],
        About("Probability of the evidence under each hypothesis", [0.8, 0.096], min_items=2, max_items=100),
    ],
    repeats: Annotated[
        int, About("Number of independent observations of the same evidence", minimum=1, maximum=100)
    ] = 1,
) -> Posterior:
    """Update the probabilities of hypotheses with evidence by Bayes' rule.

    Use it for medical tests, base rates and competing explanations. Returns prior and posterior of each.
    """
    if not len(names) == len(priors) == len(likelihoods):
        raise ToolError("There must be the same number of priors, likelihoods and names.")
    weights = [Fraction(prior) for prior in priors]
    joint = [weight * Fraction(chance) ** repeats for weight, chance in zip(weights, likelihoods, strict=True)]
    if not sum(joint):
        raise ToolError("The evidence is impossible under every hypothesis with a prior above 0.")
    return {
        "hypotheses": [
            {"name": name, "prior": float(weight / sum(weights)), "posterior": float(part / sum(joint))}
            for name, weight, part in zip(names, weights, joint, strict=True)
        ],
        "evidence_probability": float(sum(joint) / sum(weights)),
    }


class Outcome(TypedDict):
    """A total with its probability."""

    total: Annotated[int, About("Sum of the dice")]
    probability: Annotated[float, About("Probability of exactly that sum")]


class Dice(TypedDict):
    """Distribution of a throw."""

    mean: Annotated[float, About("Expected sum")]
    deviation: Annotated[float, About("Standard deviation")]
    minimum: Annotated[int, About("Smallest sum")]
    maximum: Annotated[int, About("Largest sum")]
    outcomes: Annotated[list[Outcome], About("Every sum with its probability, at most the first 2000")]
    at_least: NotRequired[Annotated[float, About("Probability of at least the target")]]
    at_least_fraction: NotRequired[Annotated[str, About("Probability of at least the target as an exact fraction")]]
    exactly: NotRequired[Annotated[float, About("Probability of exactly the target")]]


@tool(
    tags="dice roll probability distribution 3d6 2d20 keep highest advantage tabletop rpg odds",
    use_when=(
        "What is the chance of at least 15 with 3d6?",
        "What do I roll on average with 4d6, keeping the best three?",
        "How likely is a total of 7 with two dice?",
    ),
    examples=(
        Example(
            {"dice": "2d6", "target": 7},
            {
                "exactly": 1 / 6,
                "at_least": 21 / 36,
                "at_least_fraction": "7/12",
                "mean": 7.0,
                "deviation": 2.41522945769824,
            },
            source="by hand: 6 of 36",
        ),
        Example(
            {"dice": "4d6kh3"},
            {"mean": 15869 / 1296, "minimum": 3, "maximum": 18},
            source="known mean of the best three of four dice, 12.2446",
        ),
        Example({"dice": "d20+5-1d4"}, {"minimum": 2, "maximum": 24, "mean": 13.0}, source="by hand"),
        Refusal({"dice": "2x6"}, "3d6+2"),
    ),
    reply={
        "args.target": (
            "The chance of at least {args.target} is {at_least} "
            "({at_least_fraction}), and of exactly {args.target} {exactly}; the "
            "mean is {mean}."
        ),
        "": "The dice show {mean} on average, from {minimum} to {maximum}.",
    },
)
def stats_compute_dice(
    dice: Annotated[
        str,
        About("Dice such as 3d6+2, 2d20kh1 (keep highest), 4d6kl3 (keep lowest)", "3d6+2", min_length=1, max_length=60),
    ],
    target: Annotated[int | None, About("Target sum", 15, minimum=-1000000, maximum=1000000)] = None,
) -> Dice:
    """Compute the exact distribution of the sum of dice, with constants and keep-highest or keep-lowest.

    Use it for games and teaching. Returns mean, deviation, every sum with its probability (chance), and the probability
    of reaching a target.
    """
    chances = _throw(dice.lower().replace(" ", ""))
    mean = sum(total * chance for total, chance in chances.items())
    variance = sum((total - mean) ** 2 * chance for total, chance in chances.items())
    result: Dice = {
        "mean": float(mean),
        "deviation": float(variance) ** 0.5,
        "minimum": min(chances),
        "maximum": max(chances),
        "outcomes": [
            {"total": total, "probability": float(chances[total])} for total in sorted(chances)[:_MOST_OUTCOMES]
        ],
    }
    if target is not None:
        reached = sum((chance for total, chance in chances.items() if total >= target), Fraction(0))
        result |= {"at_least": float(reached), "at_least_fraction": str(reached)}
        result["exactly"] = float(chances.get(target, 0))
    return result


def _throw(text: str) -> dict[int, Fraction]:
    """Return the probability of each sum. Raises `ToolError`."""
    terms = list(_TERM.finditer(text))
    if "".join(term.group() for term in terms) != text or any(not term[1] for term in terms[1:]):
        raise ToolError("The dice cannot be parsed. Write them as 3d6+2 or 4d6kh3.")
    ways: Counter[int] = Counter({0: 1})
    for sign, count, faces, end, kept_dice, constant in (term.groups() for term in terms):
        part = Counter({int(constant): 1}) if constant else _sums(int(count or 1), int(faces), end, kept_dice)
        if len(ways) * len(part) > 1_000_000:
            raise ToolError("There are too many dice. Use fewer or smaller ones.")
        factor = -1 if sign == "-" else 1
        merged: Counter[int] = Counter()
        for total, some in ways.items():
            for more, others in part.items():
                merged[total + factor * more] += some * others
        ways = merged
    everything = sum(ways.values())
    return {total: Fraction(some, everything) for total, some in ways.items()}


def _sums(count: int, faces: int, end: str | None, kept_dice: str | None) -> Counter[int]:
    """Return the number of ways to throw each sum."""
    keep = int(kept_dice) if kept_dice else count
    if not 1 <= count <= 100 or not 1 <= faces <= 1000 or not 1 <= keep <= count:
        raise ToolError("There may be 1 to 100 dice with 1 to 1000 faces, of which at least one is kept.")
    if keep < count:
        return _keep(count, faces, keep, highest=end == "h")
    if count * faces > 5000:
        raise ToolError("There are too many dice. Use fewer or smaller ones.")
    sums: Counter[int] = Counter({0: 1})
    for _ in range(count):
        running, merged, window = 0, Counter[int](), sorted(sums)
        for total in range(window[0] + 1, window[-1] + faces + 1):
            running += sums[total - 1] - sums[total - faces - 1]
            merged[total] = running
        sums = merged
    return sums


def _keep(count: int, faces: int, keep: int, *, highest: bool) -> Counter[int]:
    """Return the number of ways for the sums of the highest or lowest dice, face by face from the kept end."""
    if count * keep * keep * faces * faces > 2_000_000:
        raise ToolError("There are too many dice to keep from. Use fewer or smaller ones.")
    states: Counter[tuple[int, int]] = Counter({(count, 0): 1})
    for face in range(faces, 0, -1) if highest else range(1, faces + 1):
        merged: Counter[tuple[int, int]] = Counter()
        for (left, total), ways in states.items():
            room = max(0, keep - (count - left))
            for number in range(left + 1):
                merged[left - number, total + face * min(number, room)] += ways * _choose(left, number)
        states = merged
    return Counter({total: ways for (left, total), ways in states.items() if not left})


def _choose(total: int, number: int) -> int:
    result = 1
    for step in range(number):
        result = result * (total - step) // (step + 1)
    return result


class Drawn(TypedDict):
    """Items drawn at random."""

    items: Annotated[list[str], About("Drawn items in the order of drawing")]
    positions: Annotated[list[int], About("Positions of the items in the list, from 1")]


@tool(
    tags="random sample draw lottery shuffle pick choose winner seed weighted",
    use_when=(
        "Draw three winners from Anna, Ben, Cleo, Dan and Eva",
        "Shuffle this list of questions",
        "Pick 5 random items with replacement, seed 42",
        "Flip a coin",
        "Heads or tails?",
        "Pick a name out of a hat",
        "Put the children into random teams",
        "Secret Santa draw",
    ),
    examples=(
        Example({"items": ["a", "b", "c"], "count": 3, "weights": [1, 0, 0], "replacement": True},
                {"items": ["a", "a", "a"], "positions": [1, 1, 1]}, source="by hand: only a has weight"),
        Example({"items": ["x"], "count": 1, "seed": 5}, {"items": ["x"]}, source="by hand: only one"),
        Refusal({"items": ["a"], "count": 2}, "with replacement"),
    ),
    reply={
        "items.1": "Drawn were, in this order: {items}",
        "": "I drew {items.0}.",
    },
    idempotent=False,
)  # fmt: skip
def stats_draw_items(
    items: Annotated[
        list[Annotated[str, About("An item", "Anna", max_length=500)]],
        About("Items to draw from", ["Anna", "Ben", "Cleo"], min_items=1, max_items=10_000),
    ],
    count: Annotated[
        int, About("Number of items to draw; drawing all of them shuffles the list", 2, minimum=1, maximum=10_000)
    ],
    replacement: Annotated[bool, About("Whether an item may be drawn again")] = False,
    weights: Annotated[
        list[Annotated[float, About("A weight", 2, minimum=0, maximum=1e9)]] | None,
        About(
            "Weight of each item: twice the weight means twice the probability",
            [2, 1, 1],
            min_items=1,
            max_items=10_000,
        ),
    ] = None,
    seed: DrawSeed = None,
) -> Drawn:
    """Draw items of a list at random, with or without replacement and weights, or shuffle it; repeatable by a seed.

    Use it for lotteries, samples and random orders. The same seed draws the same items; without a seed, each draw is
    new.
    """
    if weights is not None and len(weights) != len(items):
        raise ToolError("There must be the same number of weights and items.")
    possible = [place for place in range(len(items)) if weights is None or weights[place] > 0]
    if not possible or (not replacement and count > len(possible)):
        raise ToolError("There are fewer items than the number to draw. Draw fewer, or with replacement.")
    positions = _draw(generator_for(seed), possible, count, weights, replacement=replacement)
    return {"items": [items[place] for place in positions], "positions": [place + 1 for place in positions]}


def _draw(
    generator: random.Random, possible: list[int], count: int, weights: list[float] | None, *, replacement: bool
) -> list[int]:
    if replacement:
        return generator.choices(possible, [weights[place] for place in possible] if weights else None, k=count)
    if weights is None:
        return generator.sample(possible, count)
    keys = {place: generator.expovariate(1.0) / weights[place] for place in possible}
    return sorted(possible, key=keys.__getitem__)[:count]


_MOST = 10**12
Cases = Annotated[int, About("Number of cases", 80, minimum=0, maximum=_MOST)]
Share = float | None


class CaseRates(TypedDict):
    """Metrics of a test or classifier; null if the divisor is zero."""

    accuracy: Share
    precision: Annotated[Share, About("Precision, positive predictive value")]
    recall: Annotated[Share, About("Recall, sensitivity, true positive rate")]
    specificity: Annotated[Share, About("Specificity, true negative rate")]
    negative_predictive_value: Share
    f1: Share
    false_positive_rate: Share
    false_negative_rate: Share
    balanced_accuracy: Share
    kappa: Annotated[Share, About("Cohen's kappa of the two ratings")]
    mcc: Annotated[Share, About("Matthews' correlation")]
    prevalence: Share


@tool(
    tags="confusion matrix tp fp fn tn precision recall f1 sensitivity specificity ppv npv accuracy kappa counts",
    use_when=(
        "Precision, recall and F1 for TP 80, FP 20, FN 10",
        "Sensitivity and specificity: 45 true positives, 5 false negatives, 90 true negatives, 10 false positives",
        "Cohen's kappa: both yes 20, A yes B no 5, A no B yes 10, both no 15",
    ),
    examples=(
        Example(
            {"true_positives": 45, "false_negatives": 5, "true_negatives": 90, "false_positives": 10},
            {"recall": 0.9, "specificity": 0.9, "accuracy": 0.9, "precision": 0.818181818182},
            source="by hand: 45/50, 90/100, 135/150, 45/55",
        ),
        Example(
            {"true_positives": 20, "false_positives": 5, "false_negatives": 10, "true_negatives": 15},
            {"kappa": 0.4},
            source="Wikipedia, Cohen's kappa",
        ),
        Example(
            {"true_positives": 8, "false_positives": 2, "false_negatives": 2},
            {"f1": 0.8, "precision": 0.8, "specificity": None, "accuracy": None},
            "16 / 20",
        ),
        Refusal({"true_positives": 0}, "no cases"),
    ),
    reply={
        "specificity, accuracy": (
            "The precision is {precision}, the recall {recall}, F1 "
            "{f1}, the specificity {specificity} and the accuracy "
            "{accuracy}."
        ),
        "precision, recall, f1": "The precision is {precision}, the recall {recall} and F1 {f1}.",
        "": "The accuracy is {accuracy}.",
    },
)
def stats_evaluate_counts(
    true_positives: Cases,
    false_positives: Cases = 0,
    false_negatives: Cases = 0,
    true_negatives: Cases | None = None,
) -> CaseRates:
    """Evaluate a test or classifier from its four counts: precision, recall, F1, specificity, accuracy, kappa and more.

    Use it if the counts are known; for lists of cases use ml_evaluate_classification. Without true negatives, metrics
    that need them are null.
    """
    tp, fp, fn, tn = true_positives, false_positives, false_negatives, true_negatives or 0
    total = tp + fp + fn + tn
    if not total:
        raise ToolError("There are no cases. Give the counts.")
    rates = _rates(tp, fp, fn, tn)
    return rates if true_negatives is not None else _without_true_negatives(rates)


def _without_true_negatives(rates: CaseRates) -> CaseRates:
    return {
        **rates,
        "accuracy": None,
        "specificity": None,
        "negative_predictive_value": None,
        "false_positive_rate": None,
        "balanced_accuracy": None,
        "kappa": None,
        "mcc": None,
        "prevalence": None,
    }


def _rates(tp: int, fp: int, fn: int, tn: int) -> CaseRates:
    total = tp + fp + fn + tn
    recall, specificity = _share(tp, tp + fn), _share(tn, tn + fp)
    by_chance = ((tp + fp) * (tp + fn) + (fn + tn) * (fp + tn)) / total**2
    return {
        "accuracy": _share(tp + tn, total),
        "precision": _share(tp, tp + fp),
        "recall": recall,
        "specificity": specificity,
        "negative_predictive_value": _share(tn, tn + fn),
        "f1": _share(2 * tp, 2 * tp + fp + fn),
        "false_positive_rate": _share(fp, tn + fp),
        "false_negative_rate": _share(fn, tp + fn),
        "balanced_accuracy": None if recall is None or specificity is None else tidy((recall + specificity) / 2),
        "kappa": _share((tp + tn) / total - by_chance, 1 - by_chance),
        "mcc": _share(tp * tn - fp * fn, sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))),
        "prevalence": _share(tp + fn, total),
    }


def _share(part: float, whole: float) -> Share:
    return tidy(part / whole) if whole else None
