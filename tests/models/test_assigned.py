"""Numbers of a request are given to arguments where that is sure."""

from typing import Any

from retinue.models.assigned import assigned
from retinue.models.candidates import Candidate, NumberRole, SaidNumber

SCHEMA = {
    "properties": {
        "price": {"type": "number", "minimum": 0},
        "cost": {"type": "number"},
        "decimals": {"type": "integer"},
        "years": {"anyOf": [{"type": "integer"}, {"type": "null"}], "default": None},
        "flows": {"type": "array", "items": {"type": "number"}},
        "name": {"type": "string"},
    },
    "required": ["price", "cost", "flows"],
}
TOLD = [("pay 10, then 4 and 5%", '{"flows":[-10,4,0.05]}')]
HIDDEN = [("4 and 5, for 10", '{"flows":[-10,4,5]}')]


def number(value: float, **roles: float) -> SaidNumber:
    return SaidNumber(value, [NumberRole(argument, likelihood, value) for argument, likelihood in roles.items()])


def given(
    question: str, *numbers: SaidNumber, precedents: Any = (), left: Any = SCHEMA["properties"]
) -> dict[str, Any]:
    return assigned(question, Candidate("shop", "", SCHEMA, precedents=precedents, numbers=numbers), left)


def test_each_argument_gets_the_number_that_is_likeliest_it() -> None:
    numbers = number(34, price=0.9, cost=0.1), number(18, price=0.6, cost=0.55)
    assert given("at 34, made for 18", *numbers) == {"price": 34, "cost": 18}


def test_what_is_not_sure_is_not_given() -> None:
    assert given("34", number(34, price=0.4, cost=0.4)) == {}
    assert given("for 5", number(5, years=0.7)) == {}
    assert given("for 5", number(5, years=0.9)) == {"years": 5}


def test_only_arguments_that_are_left_and_that_take_the_number() -> None:
    assert given("-34", number(-34, price=0.9)) == {}
    assert given("34", number(34, name=0.9, unknown=0.9)) == {}
    assert given("34", number(34, price=0.9), left=["cost"]) == {}


def test_a_wish_is_only_what_tells_wishes() -> None:
    assert given("34 to 2 decimals", number(34, price=0.9), number(2, cost=0.9)) == {"price": 34}
    assert given("34 to 2 decimals", number(34, price=0.9), number(2, decimals=0.9)) == {"price": 34, "decimals": 2}


def test_several_numbers_where_precedents_tell_them_in_their_order() -> None:
    numbers = number(9, flows=0.9), number(7, flows=0.9), number(8, price=0.9, flows=0.05)
    assert given("9 or 7 for 8", *numbers, precedents=TOLD) == {"flows": [9, 7], "price": 8}
    assert given("9 or 7 for 8", *numbers, precedents=HIDDEN) == {"price": 8}
    assert given("9 or 7 for 8", number(9, flows=0.7), *numbers[1:], precedents=TOLD) == {"price": 8}
    assert given("9 and 8", numbers[0], numbers[2], precedents=TOLD) == {"price": 8}
    one_list = [number(value, flows=0.5 + value / 20) for value in (2, 4, 6)]
    assert given("2, 4 and 6", *one_list, precedents=TOLD) == {"flows": [2, 4, 6]}


def test_a_number_is_left_out_where_it_stands_in_a_wish_alone() -> None:
    numbers = number(3, cost=0.9), number(3, price=0.9)
    assert given("3 of them, to three decimals", *numbers) == {"cost": 3}


def test_degrees_south_and_west_are_negative() -> None:
    place = {"properties": {"latitude": {"type": "number"}}, "required": ["latitude"]}
    offer = Candidate("sun", "", place, numbers=[number(33.9, latitude=0.9)])
    assert assigned("at 33.9 S", offer, place["properties"]) == {"latitude": -33.9}
    assert assigned("at 33.9 N", offer, place["properties"]) == {"latitude": 33.9}
