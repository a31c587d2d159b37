"""Notices calls from which no audio comes.

That is no fault by itself: telephones with silence suppression send none while nobody speaks there, and some networks
pass audio in one direction only. So the other side is asked, by a re-INVITE, whether it still knows the call.
"""

from collections.abc import Callable, Mapping

QUIET_S = 180.0
"""Seconds without a packet after which the other side is asked, and between two such questions."""


class AudioWatch:
    """The numbers of packets that have come on each call, and since when."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen: dict[str, tuple[int, float]] = {}

    def quiet_calls(self, packets: Mapping[str, int]) -> list[str]:
        """Take the present numbers, by Call-ID. Returns the calls whose other side is to be asked now."""
        now, quiet = self._clock(), []
        before, self._seen = self._seen, {}
        for call_id, count in packets.items():
            known, since = before.get(call_id, (-1, now))
            if count == known and now - since >= QUIET_S:
                quiet.append(call_id)
            unchanged = count == known and call_id not in quiet
            self._seen[call_id] = (count, since) if unchanged else (count, now)
        return quiet
