"""Short round trips through all places of a distance table."""

EXACT_UP_TO = 11
"""Up to this number of places, the trip is proved to be the shortest."""


def tour(legs: list[list[float]]) -> list[int]:
    """Return the places in the order of a short round trip from the first: exact up to 11 places, heuristic above."""
    return _exact(legs) if len(legs) <= EXACT_UP_TO else _improve(_nearest(legs), legs)


def length_of(order: list[int], legs: list[list[float]]) -> float:
    """Return the length of the trip, including the way back to the first place."""
    return float(sum(legs[one][other] for one, other in zip(order, [*order[1:], order[0]], strict=True)))


def _exact(legs: list[list[float]]) -> list[int]:
    """Solve by dynamic programming over sets of visited stops (Held and Karp, 1962)."""
    size = len(legs)
    best: dict[tuple[int, int], tuple[float, int]] = {(1, 0): (0.0, 0)}
    for visited in range(1, 1 << size, 2):
        for last in range(size):
            if (visited, last) not in best:
                continue
            so_far = best[visited, last][0]
            for after in range(1, size):
                key = (visited | 1 << after, after)
                length = so_far + legs[last][after]
                if not visited >> after & 1 and (key not in best or length < best[key][0]):
                    best[key] = (length, last)
    full = (1 << size) - 1
    last = min(range(1, size), key=lambda one: best[full, one][0] + legs[one][0])
    order = []
    while full:
        order.append(last)
        full, last = full & ~(1 << last), best[full, last][1]
    return order[::-1]


def _nearest(legs: list[list[float]]) -> list[int]:
    order, left = [0], set(range(1, len(legs)))
    while left:
        after = min(left, key=lambda one: (legs[order[-1]][one], one))
        order.append(after)
        left.remove(after)
    return order


def _improve(order: list[int], legs: list[list[float]]) -> list[int]:
    """Reverse segments and move single stops as long as this shortens the trip."""
    length, better = length_of(order, legs), True
    for _ in range(30):
        better = False
        for start in range(1, len(order)):
            for end in range(start + 1, len(order)):
                turned = order[:start] + order[start : end + 1][::-1] + order[end + 1 :]
                moved = order[:start] + order[start + 1 : end + 1] + [order[start]] + order[end + 1 :]
                for candidate in (turned, moved):
                    if length_of(candidate, legs) < length - 1e-12 * length:
                        order, length, better = candidate, length_of(candidate, legs), True
        if not better:
            break
    return order
