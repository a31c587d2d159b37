"""The tree finds the route of a path, and no other."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retinue.app import operations
from retinue.core.http.route_trie import RouteTrie

PART = st.text(st.characters(exclude_characters="/", exclude_categories=["Cs"]), min_size=1)


def tree(*paths: str) -> RouteTrie[str]:
    """Return a tree whose endpoints are the paths themselves."""
    made: RouteTrie[str] = RouteTrie()
    for path in paths:
        made.add("GET", path, path)
    return made


def test_every_operation_is_found_with_its_parameters() -> None:
    known = tree()
    for operation in operations():
        known.add(operation.method, operation.path, operation.name)
    for operation in operations():
        names = [part[1:-1] for part in operation.path.split("/") if part.startswith("{")]
        path = operation.path.replace("{", "a-").replace("}", "")
        assert known.find(operation.method, path) == (operation.name, {name: f"a-{name}" for name in names})


@given(PART, PART)
def test_whatever_stands_for_a_parameter_is_its_value(first: str, second: str) -> None:
    known = tree("/a/{x}/b/{y}")
    assert known.find("GET", f"/a/{first}/b/{second}") == ("/a/{x}/b/{y}", {"x": first, "y": second})


@pytest.mark.parametrize("path", ["", "/", "/a", "/a/", "/a/1/", "/a/1/c", "/a//b", "/a/1/b/2", "a/1/b", "/A/1/b"])
def test_other_paths_are_not_found(path: str) -> None:
    assert tree("/a/{x}/b").find("GET", path) is None


def test_other_methods_are_not_found() -> None:
    assert tree("/a").find("POST", "/a") is None


def test_words_come_before_parameters() -> None:
    known = tree("/a/{x}", "/a/b")
    assert known.find("GET", "/a/b") == ("/a/b", {})
    assert known.find("GET", "/a/c") == ("/a/{x}", {"x": "c"})


def test_paths_may_name_a_parameter_as_they_like() -> None:
    known = tree("/a/{x}", "/a/{y}/b")
    assert known.find("GET", "/a/1") == ("/a/{x}", {"x": "1"})
    assert known.find("GET", "/a/1/b") == ("/a/{y}/b", {"y": "1"})
