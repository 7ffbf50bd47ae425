"""What a notebook shows: sentences, a table, intervals on a line; HTML and SVG that fetch nothing and run nothing."""

from collections.abc import Iterable, Sequence
from html import escape

from testimate.charts.palette import shades
from testimate.core.task import Measure
from testimate.core.words import commas

MOST_ROWS = 10
"""Rows of a table that are shown; below a longer one a line says how many there are."""

WIDTH, MARGIN, LABELS, LINE = 640, 24, 190, 26
"""Of the intervals, in pixels: the whole width, the margin on both sides, the width of the names, the height of one."""


def paragraphs(sentences: Iterable[str]) -> str:
    """One paragraph for each sentence.

    >>> paragraphs(["a < b"])
    '<p>a &lt; b</p>'
    """
    return "".join(f"<p>{escape(sentence)}</p>" for sentence in sentences if sentence)


def table(header: Sequence[str], rows: Iterable[Sequence[object]], count: int) -> str:
    """A table of the first rows, ``count`` in all; every cell is untrusted text.

    >>> table(["row"], [["<b>"]], 1)
    '<table><thead><tr><th>row</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    shown = [row for _, row in zip(range(MOST_ROWS), rows, strict=False)]
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(f"<tr>{''.join(f'<td>{escape(_cell(cell))}</td>' for cell in row)}</tr>" for row in shown)
    if count > len(shown):
        body += f'<tr><td colspan="{len(header)}">... {commas(count)} in all</td></tr>'
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def interval_lines(value: float, intervals: Sequence[tuple[str, float, float]], measure: Measure) -> str:
    """An estimate as a dot with its intervals below one another, as SVG in the color of the text around; "" without one.

    ``intervals`` : name, low and high of each, the one that counts first, which is drawn strongest.
    """
    if not intervals:
        return ""
    low, high = min(one[1] for one in intervals), max(one[2] for one in intervals)
    low, high = min(low, value), max(high, value)
    room = 0.05 * (high - low) or 0.01
    low, high = low - room, high + room

    def x(place: float) -> float:
        return LABELS + (place - low) / (high - low) * (WIDTH - LABELS - MARGIN)

    color, parts = shades(False).estimate, []
    for number, (name, least, most) in enumerate(intervals):
        y = LINE * (number + 0.7)
        text = f"{name}: {measure.range(least, most)}"
        parts.append(
            f'<text x="0" y="{y + 4:.0f}">{escape(name)}</text>'
            f'<line x1="{x(least):.1f}" x2="{x(most):.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{color}" '
            f'stroke-width="{8 if number == 0 else 4}" stroke-opacity="{1 if number == 0 else 0.5}"><title>{escape(text)}'
            f'</title></line><circle cx="{x(value):.1f}" cy="{y:.1f}" r="5" fill="currentColor"/>'
        )
    bottom = LINE * (len(intervals) + 0.4)
    counting = intervals[0]
    for place, said in zip(counting[1:], measure.ends(*counting[1:]), strict=True):
        parts.append(f'<text x="{x(place):.1f}" y="{bottom + 12:.0f}" text-anchor="middle">{escape(said)}</text>')
    title = f"{measure.title} {measure.value(value)}"
    return (
        f'<svg width="{WIDTH}" height="{bottom + 20:.0f}" role="img" aria-label="{escape(title)}" font-size="12" '
        f'font-family="sans-serif" fill="currentColor" xmlns="http://www.w3.org/2000/svg">{"".join(parts)}</svg>'
    )
