"""What a column is because nothing else can be it: the only answers of a table, a truth by its name, an input by its name."""

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from testimate.core.spellings import bare, folded
from testimate.core.words import counted
from testimate.tables.about_output import NEARLY_ALL
from testimate.tables.beside_person_evidence import BesidePersonsEvidence
from testimate.tables.column_names import (
    BETTER,
    CHANCES,
    FAILURES,
    FURTHER_OUTCOMES,
    MODEL_NAMES,
    OF_GROUPS,
    OF_NUMBERS,
    OF_PARTS,
    OF_PREDICTIONS,
    OUTCOMES,
    PEOPLE,
    PREDICTING,
    SPREAD,
    SURE,
    TRUE,
    TRUTHS,
    UNMISTAKABLE,
    UNSURE,
    WHO_LABELED,
    glued_words_of,
    has_boxes,
    words_of,
)
from testimate.tables.evaluation_names import is_called_output
from testimate.tables.evaluations import DECISIONS, is_amount
from testimate.tables.few_rows_evidence import OF_KEYS
from testimate.tables.first_cells import (
    FEWEST_ROWS,
    LEAST_KAPPA,
    LEAST_SHARED,
    OFTEN,
    YES_OR_NO,
    agrees,
    agrees_in_order,
    always_among,
    coded,
    kappa,
    may_agree,
    say_the_same,
    stands_among,
)
from testimate.tables.only_reply import OnlyReplyEvidence
from testimate.tables.paired_evidence import is_named_after
from testimate.tables.pairs import ASKED as PUT_IN
from testimate.tables.pairs import CAME_OUT, EXPECTED, OF_ANY_LABEL, pairs_among, says_program_answered
from testimate.tables.role_questions import MOST_ASKED, first_or_set, prediction_or_truth, which_column
from testimate.tables.roles import FILES, JUDGED
from testimate.tables.score_names import (
    LARGER_IS_BETTER,
    MADE_OF_TRUTH,
    OF_LANGUAGE_MODELS,
    ends_in_model,
    is_in_judgment,
    is_in_list,
    names_judge,
    says_how_a_call_went,
    words_in,
)
from testimate.tables.telling import bounds_around

OF_CLASSES = frozenset({"class", "label", "category", "type", "species", "topic", "intent", "target", *PREDICTING})
"""Words beside them in the name of a column of numbered classes."""

RECOMMENDED = frozenset(
    {"recommended", "recommendation", "recommendations", "recs", "suggested", "suggestions", "ranked", "top"}
)
"""Words in the name of a column of lists that a program made."""

OF_RANKS = frozenset({"top", "guess", "label", "class", "choice", "candidate", "rank", "hypothesis", *PREDICTING})
"""Words in the names of numbered columns of guesses, or beside a number that says their rank."""

MEASURES = MADE_OF_TRUTH | LARGER_IS_BETTER | frozenset({"ssim", "psnr", "distance", "reconstruction"})
"""Words in the name of a number by which a model tells inputs apart, such as the error of a reconstruction."""

CHECKING = frozenset({"check", "checks", "validation", "validations", "assertion", "assertions"})
"""Words in the name of a record about what an answer was checked for."""

OF_VALUES = frozenset({"score", "value", "raw", "output", "y", "is", "mean"})
"""Words in the name of a number that is predicted beside a class."""

FEWEST_MODELS, LESS_CLOSE = 3, 0.6
"""Models whose predictions stand beside each other, and the correlation with each from which on a column may be the truth."""

FEWEST_ALL_RIGHT = 30
"""Rows from which on it is rare, below 5%, that predictions of which 90% are right all are."""

ONLY_ANSWERS = "nothing else in the table can be predicted"
"""Why a column of any name is the prediction."""


class LoneColumnsEvidence(BesidePersonsEvidence, OnlyReplyEvidence):
    """What is known of each column, and the roles that no other column can have."""

    def _may_be_predicted(self, name: str) -> bool:
        """Whether a column whose name has a word for predictions may hold them, and not how sure the model is of them."""
        if not self._lone:
            return not self._may_be_chances(name)
        words = self._words(name)
        chances = self._of(name).are_shares or bool(words & (CHANCES | SURE | {"score", "confidences", "percent"}))
        return not (words & SPREAD or (chances and self._may_be_chances(name)))

    def _are_the_same(self, name: str, other: str) -> bool:
        """Whether two columns hold the same answers, numbers perhaps beside the names of classes."""
        one, two = self._of(name), self._of(other)
        if self._lone and (one.are_measured or two.are_measured):
            return one.size == two.size and np.array_equal(one.column.values, two.column.values, equal_nan=True)
        return say_the_same(one, two)

    def _ask_about_siblings(self) -> None:
        """ReadingUnclear where another column of the same kind has a word for predictions in its name, too."""
        name = self._found.get("prediction")
        if not self._lone or name is None or bare(self._called(name)) in self._predictions:
            return
        if not PREDICTING & self._words(name):
            return
        measured = self._of(name).are_measured
        chances = [] if measured or not self._strict else self._chances_of_other_models(name)
        if chances:
            raise which_column("prediction", [name, *chances][: self._most_asked])
        others = [one for one in self._free() if PREDICTING & self._words(one) and self._are_answers(one)]
        others = [one for one in others if self._may_be_predicted(one) and not self._of(one).number_rows]
        if self._strict:
            others = [one for one in self._without_bounds([name, *others]) if one != name]
        if self._strict and (label := self._roles.get("label")) in self._cells.columns:
            flags = self._flags()  # of where the prediction is right
            others = [one for one in others if not (one in flags and self._says_where_equal(one, name, str(label)))]
        found = self._told_apart([name, *(one for one in others if self._of(one).are_measured == measured)])
        if self._strict and len(found) == 1:
            found += self._as_right_as(name)
        if len(found) > 1:
            raise which_column("prediction", found[: self._most_asked])

    def _without_bounds(self, names: Sequence[str]) -> list[str]:
        """These columns without the ends of intervals around the numbers of another one of them."""
        numbers = [self._of(name) for name in names if self._of(name).are_measured]
        ends = {end for one in numbers for end in bounds_around(numbers, one) if end != one.column.name}
        return [name for name in names if name not in ends]

    def _chances_of_other_models(self, name: str) -> list[str]:
        """The free columns of shares that are called as a prediction is but for the word before "pred", or a model's name."""
        named = {one: self._field(self._called(one)).casefold() for one in (name, *self._free())}
        split = {one: re.split(r"[\W_]+", called) for one, called in named.items()}
        parts, found = split.pop(name), list[str]()
        for one, words in split.items():
            apart = [place for place, word in enumerate(words) if len(words) == len(parts) and word != parts[place]]
            if len(apart) != 1 or not self._of(one).are_shares:
                continue
            place, pair = apart[0], {words[apart[0]], parts[apart[0]]}
            before = place + 1 < len(words) and words[place + 1] in PREDICTING
            if (before or pair <= MODEL_NAMES) and not pair & (
                OF_CLASSES | SPREAD | UNSURE | CHANCES | SURE | OF_VALUES
            ):
                found.append(one)
        return found

    def _as_right_as(self, name: str) -> list[str]:
        """The free columns that agree with what alone is called the truth as predictions do, and may be those of the model."""
        true = [
            one for one in self._free_or_said() if (TRUE | EXPECTED) & self._words(one) or self._is_called_truth(one)
        ]
        true = [*dict.fromkeys((*true, *([self._roles["label"]] if "label" in self._roles else [])))]
        true = [one for one in true if one in self._cells.columns and self._may_tell(self._of(one), self._of(name))]
        if len(true) != 1:
            return []
        free = [one for one in self._free() if one not in (name, *true) and not self._names_rows(one)]
        free = [
            one
            for one in free
            if not (WHO_LABELED | PEOPLE) & self._words(one)
            and self._of(one).are_measured == self._of(name).are_measured
        ]
        said = [
            one for one in free if agrees(self._of(one), self._of(true[0])) and agrees(self._of(one), self._of(name))
        ]
        return [one for one in said if not say_the_same(self._of(one), self._of(true[0]))]

    def _copies_truth(self, name: str, label: str) -> bool:
        """Whether a column says what the truth says: in nearly all rows its numbers, as a join leaves them, or its classes."""
        if not self._lone or label not in self._cells.columns or self._predicted() is None:
            return False
        one, true = self._of(name), self._of(label)
        known = ~true.column.is_empty
        if self._strict and one.size == true.size and 1 < known.sum() < true.size:
            one, true = one.of(known), true.of(known)
        if one.size != true.size or one.size < FEWEST_ROWS or len(true.filled) < 2:
            return False
        if not self._predicts_numbers:
            return (one.are_classes or one.number_classes) and say_the_same(one, true)
        numbers = one.are_numbers and true.are_numbers and len(true.filled) > 2
        return numbers and bool((one.column.values == true.column.values).mean() >= NEARLY_ALL)

    def _ask_which_agree(self) -> None:
        """ReadingUnclear where several columns hold the classes of one named as the truth, or agree with each other.

        Or have a word of their names and the same classes.
        """
        if self._cells.size < FEWEST_ROWS or "prediction" in self._roles:
            return
        if self._strict:
            self._ask_about_numbers()
            self._ask_about_stem()
        words = [name for name in self._free() if self._of(name).are_classes and not is_in_list(name)]
        words = [name for name in words if not self._are_verdicts(self._of(name))]
        if self._strict:
            words = [name for name in words if not (self._of(name).hold_sentences or self._names_check(name))]
            words = [name for name in words if not self._names_model(name)]
        found: list[str] = []
        of_one_kind = self._columns_of_one_kind() if self._strict and not words else []
        words = words or of_one_kind
        label = self._roles.get("label")
        called = (TRUE | EXPECTED) - {"label", "labels", "target"}
        true = [label] if label is not None else [name for name in words if called & self._words(name)]
        if len(true) == 1 and true[0] in self._cells.columns:
            known = {*map(folded, self._of(true[0]).filled)}
            found = [one for one in words if one != true[0] and {*map(folded, self._of(one).filled)} <= known]
        if len(true) != 1 or (self._strict and len(found) < 2):
            said = [name for name in words if len(true) != 1 or name != true[0]]
            pairs = [(one, other) for one in said for other in said if one < other]
            alike = {name for pair in pairs if self._are_alike(*pair) for name in pair}
            if self._strict and alike:  # what a program said by its name, of the same classes, may be it, too
                known = set().union(*({*map(folded, self._of(name).filled)} for name in alike))
                by_program = [name for name in said if CAME_OUT & self._words(name)]
                alike |= {name for name in by_program if self._are_mostly_among(name, known)}
            found = of_one_kind if alike and of_one_kind else [name for name in words if name in alike]
        if 1 < len(found) <= self._most_asked:
            raise which_column("prediction", found)

    def _names_model(self, name: str) -> bool:
        """Whether a column says which model a row is of or was judged by: its name ends so, and its cells are single words."""
        return ends_in_model(name) and not any(" " in word.strip() for word in self._of(name).filled)

    def _are_mostly_among(self, name: str, known: set[str]) -> bool:
        """Whether most classes of a column are among some."""
        classes = {*map(folded, self._of(name).filled)}
        return len(classes & known) >= LEAST_SHARED * len(classes)

    @staticmethod
    def _names_check(name: str) -> bool:
        """Whether a path says that a column is a part of what checked an answer."""
        return bool(CHECKING & words_of(name.rpartition(".")[0]))

    def _ask_about_few_answers(self) -> None:
        """ReadingUnclear where a text or a file stands beside a few columns of answers, and beside keys alone."""
        free = [*self._free()]
        given = any(self._of(name).are_files or self._of(name).are_texts for name in free)
        seen = given or bool({"text", *FILES} & {*self._roles})
        if not self._strict or not seen or {"prediction", "label"} & {*self._roles}:
            return
        rest = [name for name in free if not self._tells_rows_apart(name)]
        answers = [name for name in rest if self._of(name).are_classes and self._are_lone_answers(name, given=given)]
        answers = [name for name in answers if not {*self._of(name).filled} <= DECISIONS]
        answers = [name for name in answers if not (is_in_list(name) or is_in_judgment(name))]
        if rest != answers:
            return
        said = [name for name in rest if not self._names_model(name)]
        rest = rest if len(said) == 1 else said
        if 1 < len(rest) <= MOST_ASKED:
            raise which_column("prediction", rest)

    def _ask_about_numbers(self) -> None:
        """ReadingUnclear where one column has a name of the truth, and all others beside keys rise with it."""
        rest = [name for name in self._free_or_said() if not self._tells_rows_apart(name)]
        true = [name for name in rest if (TRUE | EXPECTED) & self._words(name) and self._of(name).are_numbers]
        others = [name for name in rest if name not in true]
        if len(true) != 1 or not 1 < len(others) <= self._most_asked:
            return
        if all(self._of(name).are_measured and agrees(self._of(name), self._of(true[0])) for name in others):
            raise which_column("prediction", others)

    def _ask_about_stem(self) -> None:
        """ReadingUnclear where the names of all columns of numbers but one begin in one word, and all rise with that one."""
        rest = [
            name for name in self._free_or_said() if self._of(name).are_measured and not self._tells_rows_apart(name)
        ]
        stems: dict[str, list[str]] = {}
        for name in rest:
            stem, *others = re.split(r"[\W_]+", name.casefold())
            if len(stem) > 2 and others and not SPREAD & {*others}:
                stems.setdefault(stem, []).append(name)
        for found in stems.values():
            near = [name for name in rest if name not in found and all(self._rise(name, one) for one in found)]
            if 1 < len(found) <= self._most_asked and len(near) == 1 and len(found) + 1 == len(rest):
                raise which_column("prediction", found)

    def _rise(self, name: str, other: str) -> bool:
        return agrees(self._of(name), self._of(other))

    def _are_alike(self, name: str, other: str) -> bool:
        """Whether two columns agree, or have a word of their names and the same classes, of which one may lack some."""
        if agrees(self._of(name), self._of(other)):
            return True
        if not self._strict or not self._words(name) & self._words(other) or EXPECTED & self._words(f"{name} {other}"):
            return False
        one, two = ({*map(folded, self._of(cells).filled)} for cells in (name, other))
        return len(one | two) > 1 and (one <= two or two <= one)

    def _columns_of_one_kind(self) -> list[str]:
        """All columns beside keys and texts where these number the same classes, or some of those of the only named truth."""
        rest = [name for name in self._free() if not self._tells_rows_apart(name)]
        kinds = {frozenset(self._of(name).filled) for name in rest if self._of(name).number_classes}
        if len(kinds) == 1 and all(self._of(name).number_classes for name in rest):
            return rest
        true = [name for name in rest if ((TRUE | EXPECTED) - OF_ANY_LABEL) & self._words(name)]
        known = {*self._of(true[0]).filled} if len(true) == 1 and self._of(true[0]).number_classes else set()
        several = [name for name in rest if self._of(name).filled[1:]]
        return rest if several[2:] and all({*self._of(name).filled} <= known for name in rest) else []

    def _told_apart(self, names: Sequence[str]) -> list[str]:
        """Those of these columns that are answers, names before numbers, and of several that say the same the first.

        One value in all rows is no prediction where another column has several.
        """
        if self._strict:
            names = [name for name in names if self._of(name).filled[1:]] or names
        words = [name for name in names if self._of(name).are_classes]
        found: list[str] = []
        for name in (*words, *(name for name in names if name not in words and self._are_answers(name))):
            if not any(self._are_the_same(name, other) for other in found):
                found.append(name)
        return found

    def _find_lone_chances(self) -> None:
        """The only column whose name has a word for predictions and for their chances; ReadingUnclear where several have."""
        named = [name for name in self._free() if PREDICTING & self._words(name) and self._of(name).are_shares]
        named = [name for name in named if not SPREAD & self._words(name)]
        if self._strict and not named:
            rest = [name for name in self._free() if not self._tells_rows_apart(name)]
            chances = [name for name in rest if CHANCES & self._words(name) and self._of(name).are_shares]
            named = rest if rest == chances and rest[1:] else []
        if len(named) == 1:
            self._take("prediction", named[0], ONLY_ANSWERS if CHANCES & self._words(named[0]) else "its name")
        elif 1 < len(named) <= self._most_asked:
            raise which_column("prediction", named)

    def _find_lone_chance(self) -> None:
        """The only column of shares, by its name a chance or a score; a chance by its name is that of a class."""
        if self._strict and (self._has_written_texts() or self._has_true_amounts() or has_boxes(self._cells.names)):
            return
        super()._find_lone_chance()
        name = self._roles.get("prediction", "")
        if self._lone and name in self._reasons and CHANCES & self._words(name):
            self._reasons[name] = ONLY_ANSWERS

    def _find_given_by_program(self) -> None:
        """The only column of answers that a program gave by its name, where no truth tells; ReadingUnclear of several."""
        if not self._strict or self._verdicts or {"prediction", "label", "outcome", *JUDGED} & {*self._roles}:
            return
        free = [name for name in self._free() if says_program_answered(self._called(name))]
        free = [name for name in free if not ((TRUE | EXPECTED) - OF_ANY_LABEL) & self._words(name)]
        free = [name for name in free if not (is_in_judgment(name) or names_judge(name))]
        free = [name for name in free if not self._names_rows(name) or self._may_be_all_distinct(name)]
        few = self._cells.size < FEWEST_ROWS
        words = [name for name in free if not (self._of(name).are_numbers or self._of(name).hold_sentences)]
        classes = [
            name
            for name in words
            if self._of(name).are_classes or self._are_sets(name) or (few and self._of(name).filled)
        ]
        numbers = [name for name in free if self._of(name).are_numbers and not self._of(name).column.is_empty.any()]
        numbers = [name for name in numbers if not self._of(name).are_shares and "suggested" not in self._words(name)]
        sure = "confidence" in self._roles or self._named_confidences()
        if sure and any(self._of(name).are_classes for name in self._free()):
            numbers = []  # the confidence may be that of the classes
        found = self._told_apart(classes) if len(classes) > 1 else classes or numbers
        if 1 < len(found) <= self._most_asked:
            raise which_column("prediction", found)
        if len(found) == 1:
            self._take("prediction", found[0], "its name says that a program gave it")
            self._doubts.append(
                f"{found[0]!r:.60} is read as the prediction by its name alone. If it is none, name the prediction: "
                "--column prediction=NAME."
            )

    def _has_written_texts(self) -> bool:
        """Whether a column of sentences is called a reply, or as what a program wrote: a number beside it is no prediction."""
        called = (one for one in self._replies() if is_called_output(self._called(one)) or self._is_called_written(one))
        return any(self._of(name).hold_sentences for name in called)

    def _has_true_amounts(self) -> bool:
        """Whether numbers beyond 1 are called the truth: no number from 0 to 1 predicts them."""
        label = self._roles.get("label", "")
        called = (TRUE | EXPECTED) - {"label", "labels"}
        true = [label, *(name for name in self._free_or_said() if called & self._words(name))]
        numbers = [self._of(name) for name in true if name in self._cells.columns]
        return any(one.are_numbers and len(one.filled) > 2 and one.column.values.max() > 1 for one in numbers)

    def _find_lone_answers(self) -> None:
        """The only column of answers beside keys, texts and files; one with a name of the truth beside keys alone."""
        label = self._roles.get("label")
        if label in {column for _, column in self._chosen} or self._cells.size < 2:
            return
        free = [*self._free()]
        lists = [name for name in free if self._strict and self._of(name).list_names]
        lists = [name for name in lists if not self._of(name).list_words_of_texts]
        apart = [name for name in free if name not in lists and self._tells_rows_apart(name)]
        given = any(self._of(name).are_files or self._of(name).are_texts for name in free)
        rest = [name for name in free if name not in apart and not (lists and self._stands_in_blocks(name))]
        rest = self._without_measures(rest) if given or {"text", *FILES} & {*self._roles} else rest
        if label is not None:
            rest = [] if rest or given or not apart or self._are_votes(apart) else [label]
        elif not rest:
            rest = [name for name in free if self._may_be_all_distinct(name)]
            if self._strict and not rest and (given or {"text", *FILES} & {*self._roles}):
                rest = [name for name in free if self._are_few_words(name)]
        fits = [name for name in rest if not is_in_list(name) and self._are_lone_answers(name, given=given)]
        texts = [name for name in free if self._of(name).hold_sentences]
        if lists and len(fits) == len(rest) > 1 and len(rest) <= MOST_ASKED and len(texts) < 2:
            self._ask_about_lists()
            raise which_column("prediction", [*lists, *(name for name in rest if name not in lists)])
        if len(rest) != 1 or not fits:
            return
        self._ask_about_few_rows(rest[0])
        amounts = [name for name in apart if self._strict and self._may_be_all_distinct(name)]
        for name in amounts if label is None else ():
            if agrees(self._of(name), self._of(rest[0]), whole=True):
                raise prediction_or_truth(rest[0], name, "rise with each other")
        self._roles.pop("label", None)
        self._ask_whether_texts_are_judged(rest[0])
        self._take("prediction", rest[0], ONLY_ANSWERS)
        self._say_only_answers(rest[0])

    def _stands_in_blocks(self, name: str) -> bool:
        """Whether each word of a column has its rows one after another, as what rows are sorted by does, and no answer."""
        one = self._of(name)
        changes = int((np.diff(one.column.places.astype(np.int64)) != 0).sum())
        return one.size >= FEWEST_ROWS and one.are_classes and changes == len(one.words) - 1

    def _say_only_answers(self, name: str) -> None:
        """A sentence on the only column of answers, which may be the truth."""
        self._doubts.append(
            f"{name!r:.60} is read as the prediction, because {ONLY_ANSWERS}. If it holds the truth, give the table of "
            "predictions instead."
        )

    def _tells_rows_apart(self, name: str) -> bool:
        """Whether a column is a key, a text, a file, or words that mostly stand in one row alone."""
        one, words = self._of(name), self._words(name)
        key = bool(words & OF_KEYS) and not words & OF_CLASSES
        rare = bool(one.filled) and not one.are_numbers and not one.are_classes
        if words & (TRUE | EXPECTED | CAME_OUT) and not (one.are_files or (self._strict and one.name_things)):
            return False
        return key or rare or self._names_rows(name) or not one.filled

    def _are_keys_of_few(self, name: str) -> bool:
        """Whether whole numbers of few rows are all distinct, and count by one or have a name of a key."""
        one = self._of(name)
        if (
            not 2 < one.size < FEWEST_ROWS
            or not one.are_whole
            or one.column.is_empty.any()
            or len(one.filled) < one.size
        ):
            return False
        named = bool((OF_KEYS | OF_NUMBERS | {"case", "sample", "uid", "ts"}) & self._words(name))
        return named or bool((np.diff(one.column.values) == 1).all())

    def _names_language_models(self, name: str) -> bool:
        """Whether most words of a column begin as the names of language models do."""
        words = [word.casefold().removeprefix("chat") for word in self._of(name).filled]
        return 2 * sum(word.startswith(OF_LANGUAGE_MODELS) for word in words) > len(words)

    def _names_groups(self, name: str) -> bool:
        """Whether a column says by its name what a row belongs to, or who gave it, and not what it is."""
        words = self._words(name) - OF_NUMBERS - {"name", "names"}
        return bool(words) and words <= OF_GROUPS | OF_PARTS | WHO_LABELED

    @staticmethod
    def _are_votes(apart: list[str]) -> bool:
        """Whether the only other column is the row that a vote names."""
        return [name.casefold() for name in apart] == ["row"]

    def _may_be_all_distinct(self, name: str) -> bool:
        """Whether whole numbers that are all distinct do not rise, and have no name of a key: amounts."""
        one, words = self._of(name), self._words(name)
        key = self._names_index(name) or bool(words & OF_KEYS)
        return one.number_rows and not key and not bool((np.diff(one.column.values) > 0).all())

    def _are_lone_answers(self, name: str, *, given: bool) -> bool:
        """Whether a column holds answers and is neither a metric nor, beside the inputs, called as the truth is."""
        one, plain = self._of(name), words_in(name)
        if (
            says_how_a_call_went(name)
            or plain & (MADE_OF_TRUTH | LARGER_IS_BETTER)
            or (given and self._is_called_truth(name))
            or (self._strict and ((PUT_IN | BETTER) & self._words(name) or self._names_groups(name)))
            or (self._strict and (is_amount(self._cells, name) or self._names_language_models(name)))
        ):
            return False
        numbers = one.are_numbers and not one.column.is_empty.any()
        return one.are_classes or numbers or (self._strict and (one.list_names or self._are_few_words(name)))

    def _without_measures(self, names: list[str]) -> list[str]:
        """The only column of classes beside numbers by which a model measured the inputs, as their names say; else all."""
        words = [name for name in names if self._of(name).are_classes and self._of(name).filled[1:]]
        words = [
            name for name in words if not {*OUTCOMES, *FURTHER_OUTCOMES, *FAILURES} & {bare(name), *self._words(name)}
        ]
        measures = [name for name in names if self._of(name).are_measured and words_in(name) & MEASURES]
        return words if self._strict and len(words) == 1 and len(words) + len(measures) == len(names) else names

    def _is_called_truth(self, name: str) -> bool:
        return bare(self._called(name)) in ("label", *TRUTHS)

    def _is_surely_truth(self, name: str) -> bool:
        """Whether a column with a name of the truth holds what is predicted, too: the same classes, or numbers.

        Below ``FEWEST_ROWS`` the name decides: numbers need not differ, nor classes recur, and of a name that only the truth
        has one class in common is enough.
        """
        predicted, few = self._predicted(), self._cells.size < FEWEST_ROWS
        if not self._lone or predicted is None:
            return False
        one = self._of(name)
        if predicted.are_numbers and one.are_numbers and (few or predicted.are_measured):
            return few or (not one.number_rows and len(one.filled) > 1)
        if predicted.are_measured or (not few and (len(predicted.filled) < 2 or 2 * len(one.filled) > one.size)):
            return False
        known, said = ({*map(folded, cells.filled)} for cells in (one, predicted))
        known -= {"-1"} - said if self._strict else set()  # not known
        sure = self._strict and bare(self._called(name)) in UNMISTAKABLE
        if sure and few and known & said:
            return True
        return len(known) > (0 if few or sure else 1) and len(known & said) >= LEAST_SHARED * len(known)

    def _says_all_are_wrong(self, name: str) -> bool:
        """Whether a column is surely called the truth, and the predictions are others in every row."""
        same = self._rows_as_called(name)
        return same is not None and not same.any()

    def _is_met_at_all(self, name: str) -> bool:
        """Whether a column that is surely called the truth hardly recurs, and is predicted in some row, which is no chance."""
        same, one = self._rows_as_called(name), self._of(name)
        return same is not None and bool(same.any()) and 2 * len(one.filled) > one.size

    def _rows_as_called(self, name: str) -> NDArray[np.bool_] | None:
        """In which rows the predictions, by their name, are words or flags of a column that is surely called the truth."""
        predicted, said = self._predicted(), bare(self._called(self._roles.get("prediction", "")))
        if not self._strict or predicted is None or said not in OF_PREDICTIONS:
            return None
        one = self._of(name)
        flags = all({*cells.words} <= {"0", "1"} for cells in (one, predicted))
        words = not (one.are_numbers or predicted.are_numbers or one.are_sentences or predicted.are_sentences)
        if one.size != predicted.size or not (flags or words):
            return None
        if not flags and bare(self._called(name)) not in UNMISTAKABLE | {"actual", "gold"}:
            return None
        same: NDArray[np.bool_] = np.equal(*coded(one, predicted))
        return same

    def _take_truth(self, name: str) -> None:
        """Makes a column the truth; of few rows a doubt says that its name alone does."""
        if not self._lone or self._cells.size >= FEWEST_ROWS:
            agreeing = not self._strict or self._tells(name)
            self._take(
                "label", name, f"its name, and it {'agrees with' if agreeing else 'has the classes of'} the predictions"
            )
            return
        self._take("label", name, "its name")
        self._say_name_tells(name)

    def _is_truth_of_few(self, name: str) -> bool:
        """Whether a column beside predictions for few rows has a word for the truth in its name, or they are named after it."""
        predicted = self._roles.get("prediction")
        if not self._lone or predicted is None or self._cells.size >= FEWEST_ROWS or PREDICTING & self._words(name):
            return False
        return bool(TRUE & self._words(name)) or is_named_after(bare(self._called(predicted)), bare(self._called(name)))

    def _may_be_truth(self, name: str) -> bool:
        """Whether a column has the predicted classes and few rows cannot tell that it is not the truth."""
        both = self._beside_predicted(name)
        return self._strict and both is not None and (may_agree(*both) or self._is_begun(name))

    def _numbers_truth(self, name: str) -> bool:
        """Whether a column numbers the predicted classes in order, or names predicted numbers so, and agrees with them."""
        both = self._beside_predicted(name)
        return self._strict and both is not None and agrees_in_order(*both)

    def _is_begun(self, name: str) -> bool:
        """Whether a column has gaps, and classes of the predictions in all other rows: labels that are being filled in.

        Of numbers and of yes and no these have to agree in most rows.
        """
        both, predicted = self._beside_predicted(name), self._predicted()
        if both is None or predicted is None or not 1 < both[0].size < predicted.size or predicted.are_measured:
            return False
        known, classes = ({*map(folded, one.filled)} for one in (both[0], predicted))
        first, second = coded(*both)
        plain = both[0].are_numbers or known <= YES_OR_NO
        return known <= classes and len(classes) > 1 and bool(not plain or 2 * (first == second).sum() > len(first))

    def _stands_among(self, name: str) -> bool:
        """Whether what a column names is in the predicted sets or lists far above chance, or it lists what is predicted.

        Lists that hold the prediction in every row are what it was chosen from, or further guesses.
        """
        predicted, one = self._predicted(), self._of(name)
        if not self._strict or predicted is None:
            return False
        lists = one.list_several and stands_among(predicted, one) and not always_among(predicted, one)
        return lists or stands_among(one, predicted)

    def _ask_about_lists(self) -> None:
        """ReadingUnclear where lists may be predicted, or the first of each, beside a column that names one of them."""
        if not self._strict or self._verdicts or {*JUDGED} & {*self._roles} or "prediction" in dict(self._chosen):
            return
        said = self._roles.get("prediction", "")
        by_name = bare(self._called(said)) in ("prediction", *self._predictions) or PREDICTING & self._words(said)
        named = [said] if said and by_name else [name for name in self._free() if PREDICTING & self._words(name)]
        lists = [name for name in named if name in self._cells.columns and self._of(name).list_several]
        if not named:
            listed = [name for name in (*self._free(), said) if name and RECOMMENDED & self._words(name)]
            lists = [name for name in listed if name in self._cells.columns and self._are_sets(name)]
        others = [*self._free_or_said(), *self._roles.values()]
        for name in lists:
            for other in others:
                if other != name and other in self._cells.columns and self._names_one_of(other, name):
                    raise first_or_set(name, other)

    def _names_one_of(self, name: str, lists: str) -> bool:
        """Whether a column names one thing in each row, which is among those that another one lists."""
        one, several = self._of(name), self._of(lists)
        single = not one.are_lists and one.sets is not None and all(len(names) < 2 for names in one.sets)
        return single and stands_among(one, several)

    def _ask_which_others_agree(self, name: str) -> None:
        """ReadingUnclear where classes are the prediction because nothing else is, and two other columns agree."""
        label = self._roles.get("label")
        if not self._strict or label is not None:
            return
        free = [one for one in self._free() if one != name and self._are_answers(one) and not self._names_rows(one)]
        free = [one for one in free if not (self._of(one).are_shares or {*SURE, "score"} & self._words(one))]
        alike = [one for one in free for two in free if one != two and self._may_tell(self._of(one), self._of(two))]
        rare = [one for one in self._free() if one not in (name, *free) and self._holds_words(one)]
        if len(rare) <= self._most_asked:
            alike += [one for one in rare for two in rare if one != two and self._are_often_the_same(one, two)]
        alike += [one for one in self._said_by_programs() if one != name]
        chances = [one for one in self._free() if CHANCES & self._words(one) and self._may_be_chances(one)]
        found = sorted(dict.fromkeys([*alike, name, *chances]), key=self._unlikely)
        if alike and len(found) <= self._most_asked:
            raise which_column("prediction", found)

    def _holds_words(self, name: str) -> bool:
        """Whether a column holds words that hardly recur, and are no texts, files, addresses or times."""
        one = self._of(name)
        plain = not (one.are_numbers or one.are_texts or one.are_files or one.name_things or one.are_lists)
        return plain and len(one.filled) > 1 and not self._names_index(name)

    def _are_often_the_same(self, name: str, other: str) -> bool:
        """Whether two columns of words are the same in many rows, and not by chance."""
        one, two = self._of(name), self._of(other)
        same = one.size == two.size and (np.equal(*coded(one, two))).mean() >= OFTEN
        return bool(same and kappa(one, two) > LEAST_KAPPA)

    def _unlikely(self, name: str) -> tuple[bool, ...]:
        """What speaks against a column as the prediction, its name and its cells: the likeliest is asked about first."""
        words, classes = self._words(name), self._of(name).are_classes
        return not PREDICTING & words, not (classes and words & OF_CLASSES), not words & (CHANCES | {"score"})

    def _is_true_by_pair(self, name: str) -> bool:
        """Whether a column holds what is predicted, and its name is that of the prediction but for the word for the truth."""
        predicted = self._roles.get("prediction")
        if not self._lone or predicted is None:
            return False
        pair = {one: self._called(one) for one in (predicted, name)}
        return bool(pairs_among(pair)) and self._is_surely_truth(name)

    def _glued_chances(self) -> list[str]:
        """The free columns of shares whose name has a word for chances within another, as winprobability has."""
        glued = {name: glued_words_of(self._called(name)) for name in self._free() if self._of(name).are_shares}
        chances = [name for name, words in glued.items() if any(len(word) > 5 for word in words & (CHANCES | SURE))]
        off = [word for word in SPREAD | UNSURE if len(word) > 3]
        return [name for name in chances if not any(word in name.casefold() for word in off)]

    def _is_expected_beside(self, name: str) -> str:
        """The column of predictions, of another thing perhaps, whose name is this one's but for the word for the truth."""
        return self._said_beside.get(name, "") if self._strict and "prediction" in self._roles else ""

    @cached_property
    def _said_beside(self) -> dict[str, str]:
        """The columns whose names have a word for the truth, and those that have one for predictions in its place."""
        called = {one: self._called(one) for one in self._cells.columns if (TRUE | PREDICTING) & self._words(one)}
        pairs = [pair for pair in pairs_among(called) if PREDICTING & self._words(pair.came_out)]
        return {pair.expected: pair.came_out for pair in pairs if TRUE & self._words(pair.expected)}

    def _find_ranked_guesses(self) -> None:
        """The first of several columns of guesses, numbered by rank, of which no two are the same in a row; others are hidden.

        Their names say that they are guesses or classes, or numbers beside them fall with their rank.
        """
        if not self._strict or self._verdicts or {"prediction", "outcome", *JUDGED} & {*self._roles}:
            return
        groups = self._numbered(lambda name: self._of(name).are_classes or self._of(name).number_classes)
        falling = [names for names in self._numbered(lambda name: self._of(name).are_measured) if self._fall(names)]
        found = []
        for names in groups:
            called = OF_RANKS & set().union(*(self._words(name) for name in names))
            beside = [scores for scores in falling if len(scores) == len(names)]
            if self._differ_in_every_row(names) and (called or beside):
                found.append((names, beside))
        if len(found) != 1:
            return
        [(names, beside)] = found
        self._take("prediction", names[0], "the first of several guesses")
        for name in names[1:]:
            self._hide(name, "it is a further guess")
        if len(beside) == 1:
            if "confidence" not in self._roles and self._may_be_chances(beside[0][0]):
                self._take(
                    "confidence", beside[0][0], f"it is beside {names[0]!r:.60}, and falls with the rank of a guess"
                )
            for name in beside[0][1:]:
                self._hide(name, "it is the chance of a further guess")

    def _numbered(self, kind: Callable[[str], bool]) -> list[list[str]]:
        """The free columns of a kind whose names differ in a number alone, which counts from 0 or 1, in its order."""
        stems: dict[tuple[str, str], dict[int, str]] = {}
        for name in self._free():
            match = re.fullmatch(r"(.*?)([0-9]{1,2})(\D*)", name)
            if match is not None and kind(name):
                stems.setdefault((match[1], match[3]), {})[int(match[2])] = name
        found = [[named[place] for place in sorted(named)] for named in stems.values() if min(named) in (0, 1)]
        return [
            names
            for names, named in zip(found, stems.values(), strict=False)
            if 1 < len(names) == max(named) - min(named) + 1
        ]

    def _differ_in_every_row(self, names: Sequence[str]) -> bool:
        """Whether columns of the same classes have another one in each row; gaps differ from everything."""
        known = [{*map(folded, self._of(name).filled)} for name in names]
        shared = all(2 * len(one & other) > min(len(one), len(other)) for one in known for other in known)
        pairs = [(one, other) for place, one in enumerate(names) for other in names[:place]]
        return shared and not any(
            ((same[0] == same[1]) & ~self._of(one).column.is_empty).any()
            for one, other in pairs
            for same in [coded(self._of(one), self._of(other))]
        )

    def _fall(self, names: Sequence[str]) -> bool:
        """Whether numbers never rise from one column to the next."""
        values = np.array([self._of(name).column.values for name in names])
        return bool(np.isfinite(values).all() and (np.diff(values, axis=0) <= 0).all())

    def _find_glued(self) -> None:
        """The column of answers whose name holds a word for predictions within another, and agrees with one for the truth.

        ReadingUnclear where several do.
        """
        if not self._strict or "prediction" in self._roles:
            return
        answers = [name for name in self._free_or_said() if self._are_answers(name) and not self._of(name).are_shares]
        answers = [name for name in answers if not SPREAD & self._words(name)]
        words = {name: self._words(name) | glued_words_of(self._called(name)) for name in answers}
        said = [name for name in self._free() if PREDICTING & words.get(name, set())]
        true = [name for name in answers if TRUE & words[name] and name not in said]
        pairs = [(one, other) for one in said for other in true if agrees(self._of(other), self._of(one), whole=True)]
        found = [*dict.fromkeys(one for one, _ in pairs)]
        if 1 < len(found) <= self._most_asked:
            raise which_column("prediction", found)
        if len(found) == 1:
            self._take("prediction", found[0], f"its name, and {pairs[0][1]!r:.60} agrees with it")
            if len(pairs) == 1 and "label" not in self._roles and pairs[0][1] not in self._taken:
                self._take("label", pairs[0][1], f"its name, and it agrees with {found[0]!r:.60}")

    def _rises_with_models(self, name: str) -> bool:
        """Whether a column of numbers rises with what each of several models predicts, as the truth does, not as closely."""
        models = self._predicted_numbers if self._strict else []
        if len(models) < FEWEST_MODELS or self._roles.get("prediction") not in models or name in models:
            return False
        return self._of(name).are_measured and all(
            agrees(self._of(name), self._of(one), close=LESS_CLOSE) for one in models
        )

    def _put_prediction_in_words(self) -> None:
        """Takes the names of the predicted classes where the prediction numbers them, and the truth, if any, is named, too."""
        name = self._roles.get("prediction", "")
        if not self._strict or name not in self._cells.columns or ("prediction", name) in self._chosen:
            return
        if self._cells.size < FEWEST_ROWS or not self._of(name).number_classes:
            return
        if any(re.fullmatch("p_[0-9]+", one.casefold()) for one in self._cells.names):
            return  # chances of numbered classes
        words = [one for one in self._free_or_said() if self._of(one).are_classes]
        said = [one for one in words if PREDICTING & self._words(one) and say_the_same(self._of(one), self._of(name))]
        called = [one for one in self._free_or_said() if TRUE & self._words(one) or self._is_called_truth(one)]
        true = [one for one in (*called, self._roles.get("label", name)) if one != name and one in self._cells.columns]
        numbered = [one for one in true if self._of(one).number_classes]
        named = [any(say_the_same(self._of(one), self._of(other)) for other in words) for one in numbered]
        if len(said) == 1 and said[0] not in self._taken and all(named):
            del self._roles["prediction"]
            self._take("prediction", said[0], f"it names the classes that {name!r:.60} numbers")
            self._hide(name, f"it says the same as {said[0]!r:.60}")

    def _find_label_in_words(self) -> None:
        """The truth in the words of the prediction, where a column 'label' numbers it."""
        label, predicted = self._roles.get("label"), self._roles.get("prediction")
        if not self._lone or label is None or predicted is None or ("label", label) in self._chosen:
            return
        if self._cells.size < FEWEST_ROWS or not {label, predicted} <= {*self._cells.columns}:
            return
        if not self._of(label).are_numbers or not self._of(predicted).are_classes:
            return
        named = [name for name in self._free_or_said() if EXPECTED & self._words(name)]
        same = [name for name in named if self._of(name).are_classes]
        same = [name for name in same if say_the_same(self._of(name), self._of(label)) and self._tells(name)]
        if same:
            del self._roles["label"]
            if same[0] not in self._taken:
                self._take("label", same[0], f"{label!r:.60} numbers its classes")
            self._hide(label, f"it says the same as {same[0]!r:.60}")

    def _doubt_truth_that_is_predicted(self) -> None:
        """Says that the truth is what is predicted in every row: a copy of it may have been taken for the truth."""
        name, predicted = self._roles.get("label"), self._predicted()
        if not self._strict or name is None or name not in self._cells.columns or predicted is None:
            return
        if name == self._roles.get("prediction"):
            return  # a suggested label, beside what a person said about it
        one = self._of(name)
        if one.size < FEWEST_ALL_RIGHT or ("label", name) in self._chosen or len(predicted.filled) < 2:
            return
        if not np.equal(*coded(one, predicted, sets=True)).all():
            return
        others = [other for other in self._hidden if other in self._cells.columns and self._tells(other)]
        instead = f" To take {others[0]!r:.60}: --column {quote(f'label={others[0]}')}." if others else ""
        self._doubts += [
            f"The truth {name!r:.60} is what was predicted in all {counted(one.size, 'row')}, and may be a copy of that.",
            f"To leave {name!r:.60} out: --column {quote(f'ignore={name}')}.{instead}",  # the page has a field for it
        ]

    def _find_put_in(self) -> None:
        """The only column beside a judged output whose name says that it was put in."""
        if not self._lone or "output" not in self._roles or {"input", "text", "file"} & {*self._roles}:
            return
        named = [name for name in self._free() if PUT_IN & self._words(name) and not OF_KEYS & self._words(name)]
        found = [name for name in named if not self._are_answers(name) and self._of(name).filled]
        found = [name for name in found if not (self._strict and is_amount(self._cells, name))]
        found = [name for name in found if not (self._strict and EXPECTED & self._words(name))]
        if len(found) == 1:
            self._take("input", found[0], "its name")
