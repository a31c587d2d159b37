"""Random numbers and throws of dice."""

import re
from typing import Annotated

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, ToolError, tool
from retinue_tools.statistics._draws import DrawSeed, generator_for

_DICE = re.compile(r"(\d{0,3})[dw](\d{1,4})([+-]\d{1,6})?", re.ASCII)
_MOST_DICE = 100
_BOUND = 10**15


class RandomNumbers(TypedDict):
    """Numbers drawn at random."""

    numbers: Annotated[list[int], About("Numbers in the order of drawing")]


@tool(
    tags="random number integer pick choose between range lottery draw generate guess",
    use_when=(
        "Pick a random number from 1 to 100",
        "Give me a random number between 1 and 10",
        "Six different lottery numbers from 1 to 49",
    ),
    examples=(
        Example({"minimum": 7, "maximum": 7}, {"numbers": [7]}, source="by hand: only one number is possible"),
        Example(
            {"minimum": 4, "maximum": 4, "count": 3}, {"numbers": [4, 4, 4]}, source="by hand: only one is possible"
        ),
        Example(
            {"minimum": 2, "maximum": 2, "different": True, "seed": 5},
            {"numbers": [2]},
            source="by hand: only one is possible",
        ),
        Refusal({"minimum": 5, "maximum": 1}, "greater than"),
        Refusal({"minimum": 1, "maximum": 3, "count": 4, "different": True}, "fewer"),
    ),
    reply={
        "numbers.1": "The random numbers: {numbers}",
        "": "The random number: {numbers.0}",
    },
    idempotent=False,
)
def random_draw_numbers(
    minimum: Annotated[int, About("Smallest possible number", minimum=-_BOUND, maximum=_BOUND)] = 1,
    maximum: Annotated[int, About("Largest possible number", minimum=-_BOUND, maximum=_BOUND)] = 100,
    count: Annotated[int, About("Number of numbers to draw", minimum=1, maximum=1000)] = 1,
    different: Annotated[bool, About("Whether no number may be drawn twice, as in a lottery")] = False,
    seed: DrawSeed = None,
) -> RandomNumbers:
    """Draw random whole numbers between two bounds, both included; each number is equally likely.

    Use it to pick a number, for lotteries and games. Returns the numbers in the order of drawing.
    """
    if minimum > maximum:
        raise ToolError("The minimum is greater than the maximum.")
    generator, possible = generator_for(seed), range(minimum, maximum + 1)
    if not different:
        return {"numbers": [generator.choice(possible) for _ in range(count)]}
    if count > len(possible):
        raise ToolError(f"There are fewer than {count} different numbers. Widen the bounds, or draw fewer.")
    return {"numbers": generator.sample(possible, count)}


class Throw(TypedDict):
    """A throw of dice."""

    dice: Annotated[list[int], About("What each die shows")]
    total: Annotated[int, About("Sum of the dice and the constant")]


@tool(
    tags="dice die roll throw random d6 d20 tabletop game",
    use_when=(
        "Roll two dice",
        "Roll a die",
        "Throw 3d6+2 for me",
    ),
    examples=(
        Example({"dice": "4d1+3"}, {"dice": [1, 1, 1, 1], "total": 7}, source="by hand: each die has one face"),
        Example({"dice": "d1", "seed": 3}, {"dice": [1], "total": 1}, source="by hand: the die has one face"),
        Refusal({"dice": "two"}, "2d6"),
        Refusal({"dice": "0d6"}, "1 to 100 dice"),
    ),
    reply={
        "dice.1": "The dice show {dice}, which makes {total}.",
        "": "You rolled {total}.",
    },
    idempotent=False,
)
def random_roll_dice(
    dice: Annotated[
        str, About("Dice such as 2d6, d20 or 3d6+2: number, faces and constant", "2d6", min_length=1, max_length=20)
    ] = "1d6",
    seed: DrawSeed = None,
) -> Throw:
    """Roll dice at random: one or several dice with any number of faces, and an added or subtracted constant.

    Use it for games. Returns what each die shows, and the total.
    """
    if (found := _DICE.fullmatch(dice.lower().replace(" ", ""))) is None:
        raise ToolError("Give dice such as 2d6, d20 or 3d6+2: the number of dice, d, the faces and a constant.")
    number, faces, constant = int(found[1] or 1), int(found[2]), int(found[3] or 0)
    if not 1 <= number <= _MOST_DICE or faces < 1:
        raise ToolError(f"Roll 1 to {_MOST_DICE} dice with at least one face.")
    generator = generator_for(seed)
    rolls = [generator.randint(1, faces) for _ in range(number)]
    return {"dice": rolls, "total": sum(rolls) + constant}
