"""Which columns of a table are models, each with the class it predicts for every input."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from shlex import quote

import numpy as np

from testimate.core.spellings import bare, folded
from testimate.core.words import commas
from testimate.tables.cells import Cells
from testimate.tables.column_evidence import FIRST_ROWS
from testimate.tables.column_names import (
    FAILURES,
    FURTHER_OUTCOMES,
    MODEL_NAMES,
    OF_GROUPS,
    OF_PARTS,
    OUTCOMES,
    PREDICTING,
    TRUE,
    TRUTHS,
    WHO_LABELED,
    in_english,
    word_set,
    words_of,
)
from testimate.tables.first_cells import (
    FEW_ROWS,
    FEWEST_ROWS,
    FirstCells,
    agrees,
    agrees_rather,
    coded,
    kappa,
    looks_like_sentence,
    say_the_same,
)
from testimate.tables.lone_evidence import OF_CLASSES
from testimate.tables.pairs import EXPECTED
from testimate.tables.roles import is_index_name
from testimate.tables.rules import LATEST

OF_TRUTH = (EXPECTED | TRUE | WHO_LABELED | {"consensus", "adjudicated", "majority"}) - {"teacher"}
"""Words in the name of a column of what is right, or of what people said."""

OF_RIGHT = frozenset({*OUTCOMES, *FURTHER_OUTCOMES, *FAILURES, "agree", "agrees", "agreement"}) - {"accuracy", "acc"}
"""Names, and last words of names, of a column that says which rows are right, or where models agree."""

CALLED_MODELS = (
    PREDICTING
    | MODEL_NAMES
    | word_set("""
    model classifier system run network net ensemble voting stacking blend oracle baseline checkpoint ckpt student teacher
    version finetuned zeroshot fewshot phi logistic bayes dt gb forest tree boosting inception swin vader
    neural neuronal neuronale neuronales neuronaal neurones rede regressao regresion regressione logistica logistico
    logistique logistische floresta foresta foret bosque zufallswald arvore arbol albero arbre entscheidungsbaum
""")
)
"""Words in the name of a column of what a model predicts, and names of models, some in other languages."""

OF_WHAT_IS_PREDICTED = OF_CLASSES - CALLED_MODELS | word_set("answer sentiment emotion mood diagnosis genre outcome")
"""Words for what is predicted, which is seldom the name of a model."""

MOST_COMPARED = 60
"""Columns up to which each is compared with each other one."""

NO_CHANCE = 2.5
"""Standard errors beyond which a column agrees with the models more than by chance."""


@dataclass(frozen=True)
class ModelColumns:
    """Which columns are models, in the order of the file, and why others are ``left_out``.

    ``truths`` : those of them that seem to hold the truth. ``may_be_truth`` : those of the models that may hold it instead, as
    they are not called as the others are, or are ``agreed_with`` : each other agrees with it more than with any third.
    """

    models: tuple[str, ...]
    left_out: Mapping[str, str] = field(default_factory=dict)
    truths: tuple[str, ...] = ()
    may_be_truth: tuple[str, ...] = ()
    agreed_with: str = ""

    def in_words(self, size: int) -> str:
        """Return what was understood, in one line, and how the truth would be named."""
        models = ", ".join(f"`{name:.60}`" for name in self.models[:MOST_NAMED])
        rest = f" and {commas(len(self.models) - MOST_NAMED)} more" if len(self.models) > MOST_NAMED else ""
        out = ", ".join(f"`{name:.60}` ({why})" for name, why in self.left_out.items())
        line = f"{commas(size)} rows: {commas(len(self.models))} models {models}{rest}{f' · left out: {out}' if out else ''}"
        suspects = (
            f"{name!r:.60} looks like the true labels and is not ranked. If it is, run again with --truth {quote(name)}"
            for name in self.truths
        )
        return "\n".join((line, *suspects))


MOST_NAMED = 6
"""Models that are named in a sentence; the others are counted."""


def models_among(cells: Cells, names: Sequence[str], *, truth: bool = False) -> ModelColumns:
    """Which of these columns are models: those whose cells are the others' classes.

    Left out are keys, names of files, texts and measurements; what shares no class with the others, or agrees with them no
    more than by chance; what says which rows are right; and what has a name of the truth, or says the same.

    ``truth`` : whether the truth is known, so that none of these columns holds it.
    """
    left_out: dict[str, str] = {}
    first: dict[str, FirstCells] = {}
    for name in names:
        one = FirstCells(name, cells.columns[name].slice(0, FIRST_ROWS))
        reason = _no_model(one)
        if reason:
            left_out[name] = reason
        else:
            first[name] = one
    marks = [name for name, one in first.items() if len(one.filled) < 3 and _names_what_is_right(name)]
    left_out |= dict.fromkeys(marks, "its name is that of what is right")
    words = {name: {folded(word) for word in one.filled} for name, one in first.items() if name not in marks}
    truths = tuple(name for name in words if _names_truth(name) and _shared(words, name))
    for name in truths:
        left_out[name] = "its name is that of the truth"
    models = [name for name in words if name not in truths]
    if len(models) > 2:
        apart = [name for name in models if not _shared({one: words[one] for one in models}, name)]
        left_out |= dict.fromkeys(apart, "its cells are not the others' classes")
        models = [name for name in models if name not in apart]
    left_out |= _that_follow({name: first[name] for name in models}, [first[name] for name in truths])
    models = [name for name in models if name not in left_out]
    left_out |= _by_chance({name: first[name] for name in models})
    models = [name for name in models if name not in left_out]
    unlike = _unlike_the_others(models)
    if not (truth or truths):
        agreed = _agreed_with({name: first[name] for name in models})
        agreed = "" if unlike and agreed not in unlike else agreed
        suspects = (*((agreed,) if agreed else ()), *(name for name in unlike if name != agreed))
        return ModelColumns(tuple(models), left_out, truths, suspects, agreed)
    like = [first[name] for name in models if name not in unlike]
    alone = [name for name in unlike if not any(agrees(first[name], one) for one in like[:MOST_COMPARED])]
    left_out |= dict.fromkeys(alone, "it is not called as the models are, and agrees with them no more than by chance")
    return ModelColumns(tuple(name for name in models if name not in alone), left_out, truths)


def _names_truth(name: str) -> bool:
    """Whether a column has a name of the truth or of what people said, in any language whose words are known."""
    called = in_english(name, LATEST)
    words = called.split()
    usual = {"label", "y", *TRUTHS} & {bare(" ".join(words)), bare(" ".join(reversed(words)))}
    return bool(usual or OF_TRUTH & words_of(called)) and not CALLED_MODELS & words_of(called)


def _no_model(first: FirstCells) -> str:
    """Why a column predicts no classes; "" where it may."""
    name = first.column.name
    if is_index_name(name):
        return "it numbers the rows"
    if first.are_files:
        return "it names files"
    if first.are_numbers and not first.are_whole:
        return "it contains numbers with decimals"
    if bool(first.filled) and all(map(looks_like_sentence, first.filled)):
        return "it contains texts"
    if words_of(name) and words_of(name) <= OF_PARTS | OF_GROUPS:
        return "its name is that of a part or a group"
    if first.size < FEWEST_ROWS:
        return ""
    if first.number_rows:
        return "it numbers the rows"
    return "it differs in nearly every row" if 2 * len(first.filled) > first.size else ""


def _shared(words: Mapping[str, set[str]], name: str) -> bool:
    """Whether at least half of the classes of a column, or of all others together, are those of the others."""
    others = set[str]().union(*(own for one, own in words.items() if one != name))
    common = len(words[name] & others)
    return 2 * common >= min(len(words[name]), len(others) or 1)


def _names_what_is_right(name: str) -> bool:
    called = in_english(name, LATEST).casefold()
    return bool({bare(called), re.split(r"[\W_]+", called)[-1]} & OF_RIGHT)


def _that_follow(columns: Mapping[str, FirstCells], truths: Sequence[FirstCells]) -> dict[str, str]:
    """The columns that say the same as the truth, or where two others, or all, are equal; and why they are left out."""
    called = _called_as_models([*columns])
    found = {
        name: "it says the same as the truth"
        for name, one in columns.items()
        if one.size >= FEW_ROWS and name not in called and any(say_the_same(one, true) for true in truths)
    }
    flags = {name: one for name, one in columns.items() if len(one.words) == 2 and name not in {*found, *called}}
    flags = {name: one for name, one in flags.items() if one.size >= FEWEST_ROWS}
    if not flags or len(columns) > MOST_COMPARED:
        return found
    rest = {one.column.name: one for one in (*columns.values(), *truths) if one.column.name not in found}
    equal = {(one, other): np.equal(*coded(rest[one], rest[other])) for one, other in combinations(rest, 2)}
    of_models = [same for pair, same in equal.items() if not {*pair} & {*flags}]
    everywhere = [np.logical_and.reduce(of_models)] if of_models else []
    for name, one in flags.items():
        second = one.column.places == 1
        pairs = [same for pair, same in equal.items() if name not in pair]
        if any(np.array_equal(same, second) or np.array_equal(same, ~second) for same in (*pairs, *everywhere)):
            found[name] = "it says where others are equal"
    return found


def _by_chance(columns: Mapping[str, FirstCells]) -> dict[str, str]:
    """The columns that agree with the models no more than by chance, where others do agree; and why they are left out."""
    if not 2 < len(columns) <= MOST_COMPARED or next(iter(columns.values())).size < FEWEST_ROWS:
        return {}
    names = [*columns]
    near = {name: {name} for name in names}
    for one, other in combinations(names, 2):
        if agrees(columns[one], columns[other]):
            near[one].add(other)
            near[other].add(one)
    core = max(near.values(), key=lambda some: (sum(map(_names_model, some)), len(some)))
    if len(core) < 2:
        return {}
    called = _called_as_models(names)
    apart = [name for name in names if name not in core and not near[name] & core and name not in called]
    alone = [
        name for name in apart if not any(agrees_rather(columns[name], columns[one], errors=NO_CHANCE) for one in core)
    ]
    return dict.fromkeys(alone, "it agrees with the others no more than by chance")


def _agreed_with(columns: Mapping[str, FirstCells]) -> str:
    """The column with which each other one agrees more than with any third, as models do with the truth; "" without one.

    Of three columns there is always such a one. One that is called as models are, or as all others are by a letter, is a
    model, such as the best of them.
    """
    size = next(iter(columns.values())).size if columns else 0
    names = [*columns]
    if not 3 < len(names) <= MOST_COMPARED or size < FEWEST_ROWS:
        return ""
    called = names if all(len(name) == 1 for name in names) else _called_as_models(names)
    same = np.full((len(names), len(names)), -np.inf)
    for one, other in combinations(range(len(names)), 2):
        same[one, other] = same[other, one] = kappa(columns[names[one]], columns[names[other]])
    for place in range(len(names)):
        rest = np.delete(np.arange(len(names)), place)
        if names[place] not in called and (same[rest, place] > same[np.ix_(rest, rest)].max(axis=1)).all():
            return names[place]
    return ""


def _names_model(name: str) -> bool:
    return bool(CALLED_MODELS & words_of(in_english(name, LATEST)))


def _called_as_models(names: Sequence[str]) -> list[str]:
    """Those of these columns whose names have a word of a model, or one of another column's name."""
    of_word = Counter(word for name in names for word in words_of(name))
    return [name for name in names if _names_model(name) or any(of_word[word] > 1 for word in words_of(name))]


def _unlike_the_others(models: Sequence[str]) -> list[str]:
    """The columns that are not called as at least two others are, or as what is predicted."""
    called = _called_as_models(models)
    unlike = [name for name in models if name not in called and words_of(name)] if len(called) > 1 else []
    what = [name for name in models if OF_WHAT_IS_PREDICTED & words_of(in_english(name, LATEST)) and name not in called]
    return unlike or (what if len(what) < len(models) - 1 else [])
