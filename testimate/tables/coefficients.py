"""Tables of what a fit gave for the terms of a model, which predict nothing for an input: coefficients and importances."""

from collections.abc import Sequence
from shlex import quote
from typing import NamedTuple

from testimate.core.errors import BadInput
from testimate.core.spellings import bare
from testimate.tables.column_names import word_set, words_of

ESTIMATES = word_set("estimate estimates coef coefs coeff coefficient coefficients beta betas")
IMPORTANCES = word_set("importance importances featureimportance featureimportances permutationimportance meanabsshap")
TERMS = word_set("term terms feature features featurename variable variables predictor predictors covariate parameter")
"""Names of the coefficient, of the importance, and of the term that has it, in lower-case letters and digits."""

TESTED = word_set("""
    pvalue pval pt pz prt prz tvalue tstat tstatistic zvalue zstat zscore zstatistic statistic tratio wald
""")
ERRORS = word_set("se stderr stderror standarderror")
"""Names of a test of the coefficient, and of its standard error."""


class Coefficients(NamedTuple):
    """The column of what a term has, and the column beside it that says so."""

    name: str
    beside: str


def coefficients_among(names: Sequence[str]) -> Coefficients | None:
    """Return the coefficients, with what says that they are some; None where no names do.

    >>> coefficients_among(["term", "estimate", "std.error", "statistic", "p.value"])
    Coefficients(name='estimate', beside='p.value')
    >>> coefficients_among(["recipe", "estimate", "var_term"]), coefficients_among(["id", "estimate", "std_error"])
    (Coefficients(name='estimate', beside='var_term'), None)
    >>> coefficients_among(["feature", "importance"]), coefficients_among(["feature", "coefficient", "prediction"])
    (Coefficients(name='importance', beside='feature'), Coefficients(name='coefficient', beside='feature'))
    """
    plain = {bare(name): name for name in reversed(names)}
    given = [name for name in names if bare(name) in ESTIMATES]
    terms = [name for one, name in plain.items() if one in TERMS]
    if not given:
        important = [name for name in names if bare(name) in IMPORTANCES]
        return Coefficients(important[0], terms[0]) if important and terms else None
    tested = [plain[one] for one in sorted(plain) if one in TESTED]
    beside = [name for name in names if "term" in words_of(name) - ESTIMATES and name not in terms]
    errors = [plain[one] for one in sorted(plain) if one in ERRORS] if terms or "" in plain else []
    found = [*tested, *beside, *errors, *terms]
    return Coefficients(given[0], found[0]) if found else None


def no_predictions(found: Coefficients) -> BadInput:
    """The refusal of such a table."""
    return BadInput(
        f"The table seems to have a row for each term of a model, with {found.name!r:.60} and {found.beside!r:.60}, and no "
        "predictions. Expected a row for each input, with what was predicted for it. If "
        f"{found.name!r:.60} was: --column {quote(f'prediction={found.name}')}."
    )
