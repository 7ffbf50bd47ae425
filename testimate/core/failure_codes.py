"""Why an input failed, as names that testers give: how these are written, spelled alike, renamed and merged."""

from collections.abc import Iterable, Mapping, Sequence

from testimate.core.errors import BadInput
from testimate.core.spellings import counted_names, folded
from testimate.core.visible_text import check_line

LONGEST_CODE = 60
"""Characters of a code's name at most."""

MOST_OF_ONE = 20
"""Codes of one input at most."""

SEPARATOR = ";"
"""Between the codes of one input, in files and where they are typed."""


def checked_codes(names: Iterable[str]) -> tuple[str, ...]:
    """The codes of one input, each once, in their order; BadInput where a name cannot be one.

    >>> checked_codes([" blur", "dark", "Blur", ""])
    ('blur', 'dark')
    """
    found: dict[str, str] = {}
    for name in names:
        plain = " ".join(name.split())
        if not plain:
            continue
        check_line(plain, "failure code", LONGEST_CODE)
        if SEPARATOR in plain:
            raise BadInput(
                f"The failure code {plain!r:.40} has a {SEPARATOR!r}, which separates codes. Expected one name. Give two codes."
            )
        found.setdefault(folded(plain), plain)
    if len(found) > MOST_OF_ONE:
        raise BadInput(f"An input has {len(found)} failure codes. Expected at most {MOST_OF_ONE}. Keep the main ones.")
    return tuple(found.values())


def codes_of_cell(cell: str) -> tuple[str, ...]:
    """The codes that a cell of a table holds.

    >>> codes_of_cell("blur; dark"), codes_of_cell("")
    (('blur', 'dark'), ())
    """
    return checked_codes(cell.split(SEPARATOR))


def spelled_alike(given: Mapping[int, Sequence[str]]) -> dict[int, tuple[str, ...]]:
    """The codes of each row with one spelling for those that differ in case or spaces: the commonest.

    >>> spelled_alike({3: ["blur"], 5: ["Blur", "dark"], 8: ["blur"]})[5]
    ('blur', 'dark')
    """
    spelling = {folded(name): name for name, _ in counted_names(name for names in given.values() for name in names)}
    return {
        row: tuple(dict.fromkeys(spelling[folded(name)] for name in names)) for row, names in given.items() if names
    }


def renamed(given: Mapping[int, Sequence[str]], names: Mapping[str, str]) -> dict[int, tuple[str, ...]]:
    """The codes of each row after one name after the other became another; two that become one are merged.

    ``given`` : as ``spelled_alike`` returns it. BadInput where no row has a code that is to be renamed.

    >>> renamed({3: ("blur",), 5: ("fog", "dark"), 8: ("haze",)}, {"blur": "unclear", "haze": "unclear"})
    {3: ('unclear',), 5: ('fog', 'dark'), 8: ('unclear',)}
    """
    found = {row: tuple(codes) for row, codes in given.items()}
    for old, new in names.items():
        known = {folded(code): code for codes in found.values() for code in codes}
        if folded(old) not in known:
            listed = ", ".join(sorted(known.values())) or "none"
            raise BadInput(
                f"There is no failure code {old!r:.40}. The answers have {listed:.200}. Give one of these to be renamed."
            )
        target = checked_codes([new])
        if len(target) != 1:
            raise BadInput(f"The failure code {old!r:.40} has no new name. Expected one. Give it.")
        becomes = known.get(folded(target[0]), target[0]) if folded(old) != folded(target[0]) else target[0]
        found = {
            row: tuple(dict.fromkeys(becomes if folded(code) == folded(old) else code for code in codes))
            for row, codes in found.items()
        }
    return found
