"""The last rows of a table that are none of its own: totals and shares below it, as people write them in spreadsheets."""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from testimate.core.words import commas, counted
from testimate.tables.cells import Cells, Column
from testimate.tables.column_names import word_set

TOTALS = word_set("""
    total totals sum sums count counts mean average avg median accuracy acc agreement overall correct errors score
    matched rows minimum maximum min max std rate percent matches
    gesamt summe insgesamt anzahl durchschnitt mittelwert mittel genauigkeit trefferquote
    totale totaux somme moyenne taux precision exactitude
    totales suma promedio media exactitud aciertos precisión
    soma média acurácia totais somma totaal som gemiddelde razem średnia suma ogółem итого всего среднее сумма
    toplam ortalama summa medelvärde totalt yhteensä keskiarvo
    合計 平均 総計 正解率 一致率 合计 总计 平均值 准确率 總計 합계 평균 정확도 कुल औसत المجموع الإجمالي المتوسط
""")
"""Words in a cell at the end of a table that say that its row sums up those above."""

MOST_LAST, FEWEST_ABOVE, FEWEST_FILLED, LONGEST = 12, 5, 2, 40
"""Last rows that may sum up the others, rows that stand above these, columns that are filled in each of those, and letters of
a cell that names a total."""


WORDS = re.compile(r"[^\W\d_]+")


def without_totals(cells: Cells) -> Cells:
    """Return a table of text or of a workbook without the last rows that sum up those above, or stand below an empty one.

    Each of them lacks more than half of the columns that are filled in every row above. What begins like a total may lack a
    third; what is called one alone may lack a single cell, or none where a number is the sum or the mean of those above.
    """
    first = max(FEWEST_ABOVE, cells.size - MOST_LAST)
    if (cells.written is None and not cells.format.startswith("Excel")) or cells.size <= first:
        return cells
    last = {name: Column(name, column.slice(first)).texts.to_pylist() for name, column in cells.columns.items()}
    if all(map(all, last.values())) and not any(_names_total(texts[-1]) for texts in last.values()):
        return cells
    filled = [name for name, column in cells.columns.items() if not Column(name, column.slice(0, first)).is_empty.any()]
    rows = [[column[place] for column in last.values()] for place in range(cells.size - first)]
    start = len(rows)
    while start and (
        _lacks(rows[start - 1], sum(not last[name][start - 1] for name in filled) / max(len(filled), 1))
        or (any(map(_names_total, rows[start - 1])) and _sums_up(cells, first + start - 1))
    ):
        start -= 1
    below = [row for row in rows[start:] if any(row)]
    totals = [cell for row in below for cell in row if _names_total(cell)]
    if len(filled) < FEWEST_FILLED or not below or not (totals or below[0] is not rows[start]):
        return cells
    size, count = first + start, len(below)
    rows_are = "row" if count == 1 else counted(count, "row")
    single = "s" if count == 1 else ""
    what = f"sum{single} up the others" if totals else f"stand{single} below an empty one"
    said = repr(totals[0] if totals else next(filter(None, below[0])))
    return replace(
        cells,
        columns={name: column.slice(0, size) for name, column in cells.columns.items()},
        size=size,
        notes=(
            *cells.notes,
            f"Left out: the last {rows_are}, with {said:.40}, which {what}. The table has {commas(size)} rows.",
        ),
        changes=(*cells.changes, "without last rows"),
    )


def _sums_up(cells: Cells, row: int) -> bool:
    """Whether a number of a row is the sum or the mean of those above it."""
    for name, column in cells.columns.items():
        values = Column(name, column.slice(0, row + 1)).values
        above, said = values[:-1], values[-1]
        varied = np.isfinite(said) and np.isfinite(above).all() and len(np.unique(above)) > 1
        if varied and np.isclose(said, [above.sum(), above.mean()], rtol=1e-3).any():
            return True
    return False


def _lacks(row: Sequence[str], share: float) -> bool:
    """Whether a row lacks so large a share of what stands in every row above that it is none of them."""
    totals = [cell for cell in row if _names_total(cell)]
    alone = any({*WORDS.findall(cell.casefold())} <= TOTALS for cell in totals)
    return share > 1 / 2 or (bool(totals) and share >= 1 / 3) or (alone and share > 0)


def _names_total(cell: str) -> bool:
    """Whether a short cell begins with a word for a total or a share."""
    words = WORDS.findall(cell.casefold())
    return len(cell) <= LONGEST and bool(words) and words[0] in TOTALS
