"""No number is rounded to a 0 or 1 that it is not, and the ends of an interval only outwards; against exact fractions."""

import ast
import re
from fractions import Fraction
from pathlib import Path

import numpy as np

from testimate.core.words import decimal, decimal_ends, number, number_ends, percent, percent_ends, points
from tests.each import each

SHARES = [*(k / n for n in (7, 30, 999, 10_000, 30_000, 1_000_000) for k in (0, 1, 2, n // 2, n - 2, n - 1, n))]


def of(said: str) -> Fraction:
    return Fraction(said.removesuffix("%"))


@each("share", SHARES)
def test_a_share_reads_as_0_or_1_only_where_it_is(share):
    for said, whole in ((percent(share), 100), (percent(share, 0), 100), (decimal(share), 1)):
        assert (of(said) == 0) == (share == 0)
        assert (of(said) == whole) == (share == 1)


def test_ends_are_rounded_outwards_and_the_point_stays_between_them():
    rng = np.random.default_rng(3)
    near_an_end = 10.0 ** -rng.uniform(0, 7, 4000)
    for low, point, high in np.sort(np.concatenate([near_an_end, 1 - near_an_end]).reshape(-1, 4)[:, :3]).tolist():
        for ends, said, scale in ((percent_ends, percent(point), 100), (decimal_ends, decimal(point), 1)):
            first, last = (of(end) for end in ends(low, high))
            slack = Fraction(scale, 10**12)
            assert first <= Fraction(low) * scale + slack
            assert last >= Fraction(high) * scale - slack
            assert 0 < first <= of(said) <= last < scale


def test_floating_point_noise_does_not_move_an_end():
    assert percent_ends(1 - 0.93, 0.1 + 0.2) == ("7.0%", "30.0%")
    assert decimal(1 - 1e-15) == "1.0000"


def test_half_widths_are_rounded_up_and_numbers_of_any_size_outwards():
    assert points(0.0201, outwards=True) == "2.1 points"
    assert points(0.02, outwards=True) == "2.0 points"
    assert number_ends(-1234.56, 0.123412) == ("-1235", "0.1235")
    assert (number(1.0), number(0.999999)) == ("1", "0.999999")
    assert decimal_ends(0.5, 0.99997) == ("0.5000", "0.99997")


def test_no_number_that_a_person_reads_has_a_space_before_its_percent_sign_or_between_thousands():
    root = Path(__file__).parents[2]
    rooms = [root / "pages", root / "testimate"]
    files = [file for room in rooms for kind in ("*.py", "*.html") for file in room.rglob(kind)]
    spaced_out = re.compile(
        r"""(?<=[\d}])[ \u00a0\u202f]%(?=[ .,;:)"'<]|$)(?! [\w(]+ ?[)\]%+*=<>-])|\d[\u00a0\u202f]\d{3}|\df %%"""
    )
    assert spaced_out.search('"94.1 % of them"')
    assert spaced_out.search("10\u202f000")
    assert spaced_out.search('format="%.1f %%"')
    assert len(files) > 400
    found = [
        f"{file.relative_to(root)}: {line}" for file in files for line in shown_lines(file) if spaced_out.search(line)
    ]
    assert found == []


def shown_lines(file: Path) -> list[str]:
    """Lines without comments and docstrings."""
    text = file.read_text(encoding="utf-8")
    lines = text.splitlines()
    for node in ast.walk(ast.parse(text)) if file.suffix == ".py" else ():
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return [line.split("  # ")[0] for line in lines if not line.strip().startswith("#")]
