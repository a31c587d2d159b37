"""Short round trips through all places of a table of distances."""

EXACT_UP_TO = 11
"""So many places, and it is proved that no trip is shorter."""


def tour(legs: list[list[float]]) -> list[int]:
    """The places in the order of a short trip from the first one and back: exact up to 11, improved above."""
    return _exact(legs) if len(legs) <= EXACT_UP_TO else _improve(_nearest(legs), legs)


def length_of(order: list[int], legs: list[list[float]]) -> float:
    """Length of the trip, the way back to the first one included."""
    return float(sum(legs[one][other] for one, other in zip(order, [*order[1:], order[0]], strict=True)))


def _exact(legs: list[list[float]]) -> list[int]:
    """By dynamic programming over sets of visited stops (Held and Karp, 1962)."""
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
    """By reversing pieces and moving single stops while that shortens the trip."""
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
