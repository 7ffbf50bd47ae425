"""The terms of the field, explained once: the screens, the tour and docs/glossary.md take them from here."""

from testimate.core.errors import BadInput
from testimate.core.terms.choosing import AUXILIARY_VARIABLES, GROUPS, TECHNIQUES
from testimate.core.terms.results import ESTIMATES, FAULTS, MODELS
from testimate.core.terms.term import Term

__all__ = ["TERMS", "Term", "glossary", "term"]

TERMS: dict[str, Term] = {
    one.name: one for part in (ESTIMATES, AUXILIARY_VARIABLES, GROUPS, FAULTS, MODELS, TECHNIQUES) for one in part
}
"""Every term by its name."""

_BY_ANY_NAME = {name: one for one in TERMS.values() for name in (one.name, *one.also)}


def term(name: str) -> Term:
    """The term with this name or alias; BadInput where the glossary has none.

    >>> term("stop-safe interval").name
    'always-valid interval'
    """
    try:
        return _BY_ANY_NAME[name]
    except KeyError:
        raise BadInput(
            f"The glossary has no term {name!r:.60}. Use one of its terms, or add it in testimate/core/terms."
        ) from None


def glossary() -> str:
    """The text of docs/glossary.md: the letters, then every term in alphabetical order with meaning, formula and source."""
    lines = [
        "# Glossary",
        "",
        "Generated from `testimate/core/terms` by `docs/glossary_page.py`. The screens show the same words.",
        "",
        "Letters on array shapes: **N** inputs, **n** labels, **C** classes, **d** width of a feature, **H** strata, "
        "**M** models. In the formulas of orders (WFDR, SFDR, APFD, ...) **n** is the size of the set and **m** the number of "
        "faults, as in their paper.",
        "",
        "| term | meaning | formula | source |",
        "|---|---|---|---|",
    ]
    for one in sorted(TERMS.values(), key=lambda one: one.name.lower()):
        name = one.name + (f" ({', '.join(one.also)})" if one.also else "")
        formula = f"${one.formula}$" if one.formula else ""
        lines.append(f"| {name} | {one.meaning} | {formula} | {one.source} |")
    return "\n".join(lines) + "\n"
