"""Charts as SVG, rendered on the server: they need no script, and screen readers and tests can read them."""

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from retinue.language.formats import format_number

_LEFT, _BOTTOM, _TOP = 44, 24, 12
_LINES = 4


def stacked_bars(
    labels: Sequence[str], series: Mapping[str, Sequence[int]], *, title: str, width: int = 760, height: int = 220
) -> Markup:
    """Draw one bar for each label, with the series stacked. A tooltip shows a bar's numbers."""
    totals = [sum(values) for values in zip(*series.values(), strict=True)]
    top = _round_up(max(totals, default=1))
    plot = height - _BOTTOM - _TOP
    slot = (width - _LEFT) / max(len(labels), 1)
    every = max(1, round(len(labels) / 8))
    parts = [_grid(top, width, plot)]
    for column, label in enumerate(labels):
        parts.append(_bar(column, label, {name: values[column] for name, values in series.items()}, top, slot, plot))
        if column % every == 0:
            x = _LEFT + slot * (column + 0.5)
            parts.append(Markup('<text class="x tick" x="{:.1f}" y="{}" text-anchor="middle">{}</text>').format(
                x, height - 6, label
            ))  # fmt: skip
    svg = Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>')
    return svg.format(width, height, title, Markup("").join(parts))


def _bar(column: int, label: str, values: Mapping[str, int], top: int, slot: float, plot: int) -> Markup:
    bar = min(slot * 0.62, 26)
    left, y = _LEFT + slot * column, float(_TOP + plot)
    x = left + (slot - bar) / 2
    rects = [Markup('<rect class="hit" x="{:.1f}" y="{}" width="{:.1f}" height="{}"/>').format(left, _TOP, slot, plot)]
    for index, value in enumerate(values.values()):
        if value:
            tall = plot * value / top
            y -= tall
            rects.append(Markup('<rect class="s{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>').format(
                index, x, y, bar, tall
            ))  # fmt: skip
    numbers = ", ".join(f"{name} {format_number(value)}" for name, value in values.items())
    return Markup('<g class="bar"><title>{}: {}</title>{}</g>').format(label, numbers, Markup("").join(rects))


def _grid(top: int, width: int, plot: int) -> Markup:
    line = Markup('<line class="grid" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>')
    tick = Markup('<text class="tick" x="{}" y="{:.1f}" text-anchor="end">{}</text>')
    parts = []
    for number in range(_LINES + 1):
        y = _TOP + plot * number / _LINES
        parts.append(line.format(_LEFT, width, y, y))
        parts.append(tick.format(_LEFT - 8, y + 3.5, _compact(top * (_LINES - number) / _LINES)))
    return Markup("").join(parts)


def _round_up(value: int) -> int:
    """Return a number of at least `value` whose quarters are integers."""
    step = 10 ** max(len(str(max(value, 1))) - 2, 0)
    top: int = next(factor * step for factor in (4, 8, 12, 20, 40, 60, 80, 100) if factor * step >= value)
    return top


def _compact(value: float) -> str:
    return f"{format_number(value / 1000)}k" if value >= 1000 else format_number(value)
