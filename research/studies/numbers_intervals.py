"""How often the defaults' always-valid intervals hold the truth while one watches."""

from research.studies.jobs import LOOKS, WATCHED
from research.studies.numbers_measured import N, watched_numbers
from research.studies.page_text import points, table
from research.studies.results import Results


def always_valid(results: Results) -> str:
    """Misses and widths of the always-valid interval."""
    rows = []
    for (subject, technique), watched in sorted(results.watched.items()):
        missed, width, ordinary_width = watched_numbers(watched)
        _, width_in_the_end, ordinary_in_the_end = watched_numbers(watched, max(LOOKS))
        rows.append(
            [
                f"{technique} on {subject}",
                f"{100 * missed:.1f} %",
                points(width),
                points(ordinary_width),
                f"{width / ordinary_width:.2f}",
                f"{width_in_the_end / ordinary_in_the_end:.2f}",
            ]
        )
    planned = f"ratio, n = {max(LOOKS):,}"
    head = ["technique", "always-valid ever misses", f"width, n = {N}", "Wilson's", f"ratio, n = {N}", planned]
    return f"""## Watching and stopping

{WATCHED} campaigns of {max(LOOKS):,} labels; widths in points. The always-valid interval is nested, so a miss at any
label is a miss at the last. Its bets aim at the number of labels planned (decision 66), here {max(LOOKS):,}: at {N} of them
it is wider than where {N} are planned ([fewer labels](fewer-labels.md)). Wilson's, with the effective n, is the measure
of the goal; the ordinary interval of today is wider by 3 to 8 % (decision 21). How often the ordinary and the
conservative interval hold the truth at a number of labels fixed in advance is measured on a suite of networks:
[intervals](../intervals.md).

{table(head, rows)}"""
