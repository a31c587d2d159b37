"""Parts of electric circuits together: in series and in parallel."""

from typing import Annotated, Literal

from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, tool


class Combination(TypedDict):
    """Parts that act as one."""

    total: Annotated[float, About("What one part would have to have, in the unit of the values")]
    count: Annotated[int, About("How many parts there are")]
    adds_up: Annotated[bool, About("Whether the values add up, or their reciprocals do")]


@tool(
    tags="resistors parallel series total equivalent resistance capacitors inductors combine ohm farad henry circuit",
    use_when=(
        "What is the total resistance of 100, 150 and 300 ohm in parallel?",
        "Two capacitors of 10 and 22 uF in series: what capacitance is that?",
        "Equivalent resistance of 47, 100 and 220 ohm one after the other",
    ),
    examples=(
        Example(
            {"values": [6, 3, 2], "arrangement": "parallel"},
            {"total": 1.0, "count": 3, "adds_up": False},
            source="arithmetic: 1/6 + 1/3 + 1/2 = 1",
        ),
        Example(
            {"values": [47, 100, 220], "arrangement": "series"},
            {"total": 367.0, "adds_up": True},
            source="arithmetic: 47 + 100 + 220",
        ),
        Example(
            {"values": [10, 15], "arrangement": "series", "kind": "capacitors"},
            {"total": 6.0, "adds_up": False},
            source="arithmetic: 10 * 15 / 25",
        ),
        Example(
            {"values": [10, 15], "arrangement": "parallel", "kind": "capacitors"},
            {"total": 25.0},
            source="arithmetic: 10 + 15",
        ),
        Refusal({"values": [100, 0], "arrangement": "parallel"}, "more than 0"),
        Refusal({"values": [100], "arrangement": "parallel"}, "at least 2"),
    ),
)
def circuit_combine_parts(
    values: Annotated[
        list[Annotated[float, About("Value of a part", 220, exclusive_minimum=0, maximum=1e15)]],
        About("Values of the parts, all in one unit", [220, 330], min_items=2, max_items=100),
    ],
    arrangement: Annotated[
        Literal["series", "parallel"], About("One after the other (series), or side by side (parallel)")
    ],
    kind: Annotated[Literal["resistors", "capacitors", "inductors"], About("What the parts are")] = "resistors",
) -> Combination:
    """Combine resistors, capacitors or inductors in series or in parallel into their total.

    Use it for equivalent resistances. Resistances and inductances add up in series, capacitances in parallel; else the
    reciprocals do. The total is in the unit of the values.
    """
    adds_up = (arrangement == "series") != (kind == "capacitors")
    total = sum(values) if adds_up else 1 / sum(1 / value for value in values)
    return {"total": float(f"{total:.12g}"), "count": len(values), "adds_up": adds_up}
