"""The questions about columns: which has a role, and what numbers mean; each answer with what gives it."""

import re
from collections.abc import Mapping, Sequence
from shlex import quote

from testimate.core.errors import ReadingUnclear, Way
from testimate.core.reading import FIRST_IN_LIST, way_to_read
from testimate.tables.numbers import DECIMALS, THOUSANDS
from testimate.tables.pairs import differ_in_one_word

MOST_ASKED, MOST_OF_LONE = 4, 12
"""Columns among which a person chooses, the second since ``rules.LONE``; of more, none is asked about."""


def class_or_share(words: str, shares: str) -> ReadingUnclear:
    """The question whether a column of shares is a prediction, or how sure the model is of the class in another."""
    pairs = (("prediction", words), ("confidence", shares))
    return ReadingUnclear(
        "What is a prediction?",
        f"The column {shares!r:.60} contains numbers from 0 to 1, and {words!r:.60} contains classes.",
        [
            Way(
                f"{words} is the prediction and {shares} its confidence",
                _options(pairs),
                f"columns={dict(pairs)}",
                tuple(("columns", pair) for pair in pairs),
            ),
            Way(
                f"{shares} is a number",
                _options((("prediction", shares),)),
                f'columns={{"prediction": {shares!r}}}',
                (("columns", ("prediction", shares)),),
            ),
        ],
    )


def first_or_set(name: str, true: str) -> ReadingUnclear:
    """The question whether the first of each list in a column is predicted, or each list is a set."""
    column, read = ("prediction", name), ("lists", FIRST_IN_LIST)
    return ReadingUnclear(
        f"What is {name!r:.40}?",
        f"The column {name!r:.60} contains lists, among which {true!r:.60} names one far more often than by chance.",
        [
            Way(
                "the first of each list is the prediction",
                f"{_options((column,))} --read {'='.join(read)}",
                f"columns={dict((column,))}, read={dict((read,))}",
                (("columns", column), ("read", read)),
            ),
            Way(
                "each list is a set of predictions",
                _options((column,)),
                f"columns={dict((column,))}",
                (("columns", column),),
            ),
        ],
    )


def sure_or_score(words: str, shares: str, between: str) -> ReadingUnclear:
    """The question whether shares beside the only column of classes are chances of these, or another number.

    ``between`` : the least and the most that they may be, such as "0 to 1".
    """
    sure, score = (("confidence", shares), ("score", shares))
    return ReadingUnclear(
        f"What is {shares!r:.40}?",
        f"The column {words!r:.60} contains classes, and {shares!r:.60} numbers from {between}.",
        [
            Way(
                f"{words} is the prediction and {shares} {what}",
                _options((("prediction", words), other)),
                f"columns={dict((('prediction', words), other))}",
                (("columns", ("prediction", words)), ("columns", other)),
            )
            for other, what in ((sure, "how sure the model is of it"), (score, "another number"))
        ],
    )


def which_chances(sets: Sequence[Mapping[str, str]]) -> ReadingUnclear:
    """The question which of several sets of columns, each by its class, hold the chances of the same classes."""
    pairs = [tuple((f"p_{word}", name) for word, name in named.items()) for named in sets]
    word, called = next(iter(sets[0])), " and ".join(repr(pair[0][1])[:60] for pair in pairs)
    return ReadingUnclear(
        "Which columns are the chances?",
        f"The columns {called} may each be the chance of {word!r:.40}.",
        [
            Way(
                f"{pair[0][1]} and those called so",
                _options(pair),
                f"columns={dict(pair)}",
                tuple(("columns", one) for one in pair),
            )
            for pair in pairs
        ],
    )


def prediction_or_output(name: str) -> ReadingUnclear:
    """The question whether a column with the name of an output holds classes or numbers, or outputs to judge."""
    ways = (("prediction", "a class or a number was predicted"), ("output", "people judge each"))
    return ReadingUnclear(
        f"What is {name!r:.40}?",
        f"The column {name!r:.60} is called an output, and holds classes or numbers, not texts.",
        [
            Way(
                f"{name} is the {role}: {words}",
                _options(((role, name),)),
                f'columns={{"{role}": {name!r}}}',
                (("columns", (role, name)),),
            )
            for role, words in ways
        ],
    )


def prediction_or_truth(one: str, other: str, alike: str = "") -> ReadingUnclear:
    """The question which of two columns is the prediction; the other holds the truth.

    ``alike`` : what they have in common, in a phrase; "" of the same words.
    """
    alike = alike or "contain the same classes, and agree far more often than by chance"
    pairs = [(("prediction", first), ("label", second)) for first, second in ((one, other), (other, one))]
    return ReadingUnclear(
        "Which column is the prediction?",
        f"The columns {one!r:.60} and {other!r:.60} {alike}.",
        [
            Way(
                f"{pair[0][1]} is the prediction and {pair[1][1]} the truth",
                _options(pair),
                f"columns={dict(pair)}",
                tuple(("columns", one) for one in pair),
            )
            for pair in pairs
        ],
    )


def _options(pairs: Sequence[tuple[str, str]]) -> str:
    return " ".join(f"--column {quote(f'{role}={name}')}" for role, name in pairs)


def which_column(role: str, columns: Sequence[str]) -> ReadingUnclear:
    """The question which of several columns has a role."""
    more = f" and {len(columns) - 4} more" if len(columns) > 4 else ""
    found = " and ".join(repr(name)[:60] for name in columns[:4]) + more
    ways = [
        Way(
            f"{name} is the {role}",
            _options(((role, name),)),
            f'columns={{"{role}": {name!r}}}',
            (("columns", (role, name)),),
        )
        for name in columns
    ]
    return ReadingUnclear(f"Which column is the {role}?", f"The columns {found} may each be the {role}.", ways)


def predicted_or_judged(classes: str, texts: Sequence[str]) -> ReadingUnclear:
    """The question whether the only classes of a table are predicted, or people judge one of its texts."""
    judged = which_column("output", texts)
    predicted = which_column("prediction", [classes])
    some = " and ".join(repr(name)[:60] for name in texts[:MOST_ASKED])
    return ReadingUnclear(
        "What is a prediction?",
        f"The column {classes!r:.60} contains classes, and {some} texts that may be the replies to what was asked.",
        [*predicted.ways, *judged.ways],
    )


def which_input(columns: Sequence[str]) -> ReadingUnclear:
    """The question which of several texts beside an output is what was asked, if any."""
    asked, left_out = which_column("input", columns), [("ignore", name) for name in columns]
    none = Way(
        "none of these is what was asked",
        _options(left_out),
        f"columns={left_out}",
        tuple(("columns", pair) for pair in left_out),
    )
    return ReadingUnclear(asked.question, asked.found, [*asked.ways, none])


def which_output(columns: Sequence[str]) -> ReadingUnclear:
    """The question which of several columns of texts is judged, or whether two with names of one kind are compared."""
    asked = which_column("output", columns)
    if len(columns) > 2 or not differ_in_one_word(*columns):
        return asked
    pairs = [*zip(("output_a", "output_b"), columns, strict=True)]
    both = Way(
        f"{columns[0]} and {columns[1]} are compared",
        _options(pairs),
        f"columns={dict(pairs)}",
        tuple(("columns", pair) for pair in pairs),
    )
    return ReadingUnclear(asked.question, asked.found, [*asked.ways, both])


def grouped_numbers(name: str, example: str) -> ReadingUnclear:
    """The question whether numbers are grouped by thousands or have decimals."""
    return ReadingUnclear(
        f"What is {example!r:.40}?",
        f"All numbers in the column {name!r:.60} are written like {example!r:.40}, which may be thousands or decimals.",
        [
            way_to_read("numbers", THOUSANDS, f"{example} is {re.sub('[.,]', '', example)}"),
            way_to_read("numbers", DECIMALS, f"{example} is {example.replace(',', '.')}"),
        ],
    )
