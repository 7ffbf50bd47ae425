"""What the columns of a table tell about each other by their names: answers beside the truth they are named after, the chance
of one of two words, and what a judge or a check says.
"""

import re
from collections.abc import Collection, Mapping
from shlex import quote

import numpy as np

from testimate.core.spellings import MARKS, bare, folded
from testimate.tables.column_evidence import ColumnEvidence
from testimate.tables.column_names import (
    CHANCES,
    CHECKS,
    CONTEXTS,
    LABELS,
    LIKELY,
    LOGARITHMS,
    OF_MODELS,
    PEOPLE,
    PREDICTING,
    SHORT_TRUE,
    SPREAD,
    SURE,
    TRUE,
    are_words_of_context,
    glued_words_of,
    word_set,
    words_of,
)
from testimate.tables.evaluation_names import CALLED_AS_BOTH, GIVEN, is_called_input_or_reference
from testimate.tables.evaluation_names import NAMES as OF_EVALUATIONS
from testimate.tables.evaluations import is_amount
from testimate.tables.first_cells import (
    FirstCells,
    agrees,
    are_often_equal,
    coded,
    looks_like_sentence,
    rise_together,
    say_the_same,
    stands_among,
)
from testimate.tables.likeliest import CALLED_CLASSES, NAMES
from testimate.tables.pairs import (
    BY_PROGRAM,
    CAME_OUT,
    EXPECTED,
    OF_ANY_LABEL,
    SETTLED,
    PairedColumns,
    are_flags,
    pairs_among,
    pairs_in_any_order,
    says_what_came_out,
)
from testimate.tables.role_questions import prediction_or_truth, which_column
from testimate.tables.score_names import (
    JUDGE_NAMES,
    MADE_OF_TRUTH,
    is_in_judgment,
    is_in_list,
    names_judge,
    path_end,
    says_how_a_call_went,
    words_in,
)
from testimate.tables.telling import tells_apart

NOTHING_ELSE = "its name, and nothing else may be predicted"
"""Why a column of shares, a score by its name, is the prediction."""

OF_LABELS, LABELED = word_set("label labels target annotation annotations"), word_set("annotation annotations")
"""Words in the name of a label, whoever gave it, and those that are of people where nothing else is said."""

OF_IDS = frozenset({"id", "ids", "uid", "uuid"})
"""Words in the name of a key."""

BY_PEOPLE = (TRUE | EXPECTED | PEOPLE) - {"label", "labels"}
"""Words in the name of a record that people made."""


MOST_AS_SHARE = 50
"""The largest of several chances in percent, at least: others count or measure something."""


class PairedColumnsEvidence(ColumnEvidence):
    """What is known of each column, and the roles that columns give each other."""

    def _without_classes(self, foreign: Mapping[str, str]) -> Mapping[str, str]:
        """These roles of outputs that people judge; none where the output holds classes with which another column agrees."""
        output = self._of(foreign["output"])
        others = [name for name in self._free_or_said() if name != foreign["output"]]
        if "input" in foreign:  # what was asked has an answer, unless a label of the same words is beside it
            named = [*others, *([self._roles["label"]] if "label" in self._roles else [])]
            others = [name for name in named if name in self._cells.columns and bare(self._field(name)) in LABELS]
        true = foreign.get("reference", "")
        if self._strict and output.are_classes and true in self._cells.columns and not self._are_answers(true):
            return foreign  # what was expected hardly recurs, and neither would what came out
        answers = output.are_classes or (self._strict and output.are_numbers)
        if not answers or not any(self._may_tell(self._of(name), output) for name in others):
            return foreign
        self._take("prediction", foreign["output"], "it holds classes, and another column agrees with them")
        return {}

    def _has_predicted_pair(self) -> bool:
        """Whether names say that one column of answers was predicted, and that another one is its truth."""
        called = {name: self._called(name) for name in self._free_or_said() if self._are_answers(name)}
        pairs = pairs_among({name: said for name, said in called.items() if (PREDICTING | TRUE) & words_of(said)})
        return any(
            PREDICTING & words_of(called[one.came_out]) and TRUE & words_of(called[one.expected]) for one in pairs
        )

    def _is_called_output(self, name: str) -> bool:
        """Whether a column of numbers has a name of outputs, and of no truth."""
        called = path_end(self._called(name))
        return self._strict and self._of(name).are_numbers and called in {*OF_EVALUATIONS["output"]} - CALLED_AS_BOTH

    def _free_or_said(self) -> list[str]:
        """The free columns, and those that a person called the truth or leaves out: what these say about the others counts."""
        said = [
            column for role, column in self._chosen if role in ("label", "ignore") and column in self._cells.columns
        ]
        return [*self._free(), *said]

    def _find_pair(self) -> bool:
        """The two columns of answers whose names say what came out and what was expected, and that agree.

        ReadingUnclear where several are, or where a name holds the other.
        """
        called = {
            name: self._called(name) for name in self._free_or_said() if self._are_answers(name) or self._are_sets(name)
        }
        pairs = [*pairs_among(called), *(pairs_in_any_order(called) if self._strict else [])]
        pairs = [one for one in dict.fromkeys(pairs) if one.came_out not in self._taken]
        found = [one for one in pairs if self._agree_as_pair(one)]
        if len(found) == 1:
            self._take("prediction", found[0].came_out, f"its name, beside {found[0].expected!r:.60}")
            if "label" not in self._roles and found[0].expected not in self._taken:
                self._take("label", found[0].expected, f"its name, beside {found[0].came_out!r:.60}")
                if SETTLED & (words := self._words(found[0].expected)) and not (EXPECTED - OF_ANY_LABEL) & words:
                    self._say_by_name(found[0].expected, found[0].came_out)
        elif 1 < len(found) <= self._most_asked:
            raise which_column("prediction", [one.came_out for one in found])
        return bool(found)

    def _say_by_name(self, true: str, said: str) -> None:
        """A sentence on a column that is the truth because its name says so beside that of the prediction."""
        self._doubts.append(
            f"{true!r:.60} is read as the truth by its name, beside {said!r:.60}. If it is not, leave it out: "
            f"--column {quote(f'ignore={true}')}."
        )

    def _agree_as_pair(self, pair: PairedColumns) -> bool:
        """Whether what came out agrees with what was expected."""
        expected, came_out = self._of(pair.expected), self._of(pair.came_out)
        if self._strict and "." in pair.came_out and 2 * int(came_out.column.is_empty.sum()) > came_out.size:
            return False  # a part of a record that most rows lack
        sets = self._are_sets(pair.came_out) and stands_among(expected, came_out)
        rise = self._strict and rise_together(expected, came_out)
        return (
            sets
            or rise
            or agrees(expected, came_out, whole=True)
            or (self._lone and are_often_equal(expected, came_out))
        )

    def _says_true(self, name: str, called: str) -> bool:
        """Whether a name has a word for the truth; what a program labeled is none."""
        words = (TRUE | EXPECTED) & words_of(self._without_settings(called))
        by_program = self._strict and (BY_PROGRAM - GIVEN) & self._words(name)
        return bool(words - OF_ANY_LABEL if by_program else words)

    def _are_sets(self, name: str) -> bool:
        """Whether the cells of a column are names between separators."""
        return self._strict and self._of(name).are_sets

    def _without_settings(self, called: str) -> str:
        """A name without what stands in parentheses, such as the settings of a model: "rag_(True)" says nothing about truth."""
        return re.sub(r"\([^()]*\)", " ", called) if self._strict else called

    def _find_beside_score(self) -> bool:
        """The only column of classes that is a field of a record beside its chance, of which no person is said to be sure."""
        parts = {name: name.rpartition(".")[0] for name in self._free()}
        sure = [name for name in self._named_confidences() if parts.get(name) and self._may_be_chances(name)]
        sure = [name for name in sure if not BY_PEOPLE & self._words(parts[name])]
        beside = [name for score in sure for name in parts if parts[name] == parts[score]]
        called = [name for name in beside if bare(self._field(name)) in CALLED_CLASSES | NAMES]
        if self._strict:
            called += [name for name in parts if name in {parts[score] for score in sure}]
        classes = [name for name in called if self._of(name).are_classes and self._may_be_classes_of_label(name)]
        if len(sure) != 1 or len(classes) != 1:
            return False
        same = [name for name in parts if self._strict and PREDICTING & self._words(name) and not is_in_list(name)]
        same = [name for name in same if say_the_same(self._of(name), self._of(classes[0]))]
        self._take("prediction", (same or classes)[0], f"{sure[0]!r:.60} is beside {'its copy' if same else 'it'}")
        return True

    def _is_guess(self, name: str) -> bool:
        """Whether a column is a field of an entry of a list, beside the chance of the class that it names: a model said it."""
        record, _, field = name.rpartition(".")
        if not self._strict or not record.endswith("]") or bare(field) not in CALLED_CLASSES:
            return False
        if BY_PEOPLE & self._words(record):
            return False
        chances = [*self._named_confidences(), self._roles.get("confidence", "")]
        return any(one.rpartition(".")[0] == record and self._of(one).are_shares for one in chances if one)

    def _may_be_classes_of_label(self, name: str) -> bool:
        """Whether a column shares a class with the label, if there is one."""
        label = self._roles.get("label")
        if label is None or label not in self._cells.columns:
            return True
        known = {*map(folded, self._of(label).filled)} - MARKS
        return not known or not known.isdisjoint(map(folded, self._of(name).filled))

    def _find_named_after(self) -> bool:
        """The only column of answers that another one agrees with and whose name holds that one's, or a word for what came out.

        The other one is the truth where the name of the first is made of it, as SPSS does, or holds its words. ReadingUnclear
        where the name says less.
        """
        known = self._free_or_said()
        answers = [name for name in known if self._are_answers(name) or self._are_sets(name)]
        answers = [name for name in answers if not self._of(name).are_shares]
        answers = [name for name in answers if not (self._lone and SPREAD & self._words(name))]
        answers = [name for name in answers if not (self._strict and is_in_list(name) and says_how_a_call_went(name))]
        answers = [name for name in answers if not (self._strict and is_amount(self._cells, name))]
        free, called = {*self._free()} & {*answers}, {name: self._called(name) for name in answers}
        plain = {name: bare(name) for name in answers}
        after = [(one, other) for one in free for other in answers if is_named_after(plain[one], plain[other])]
        words = BY_PROGRAM if self._strict else CAME_OUT
        out = {one for one in answers if says_what_came_out(called[one], words) or self._is_called_output(one)}
        came = [(one, other) for one in free & out for other in answers]
        pairs = dict.fromkeys(
            pair
            for pair in (*after, *came)
            if pair[0] != pair[1]
            and not (self._strict and is_called_input_or_reference(self._called(pair[0])))
            and not (pair[1] in out or self._says_true(pair[0], called[pair[0]]))
            and (
                self._may_tell(self._of(pair[1]), self._of(pair[0]), whole=True)
                or (self._are_sets(pair[0]) and stands_among(self._of(pair[1]), self._of(pair[0])))
            )
        )
        if pairs and self._strict and self._is_only_called_predicted({one for pair in pairs for one in pair}):
            return False  # its name comes before what agrees
        if len(pairs) > 1 and len(ones := {one for one, _ in pairs}) == 1 and ones <= out:
            self._take("prediction", min(ones), "its name, and several columns agree with it")
            return True
        if len(pairs) != 1:
            return False
        [(one, other)] = pairs
        self._ask_about_other_predictions(one)
        if not (one.startswith("$") or one in out):
            if self._of(one).are_numbers:
                return False
            raise prediction_or_truth(one, other)
        self._take("prediction", one, f"its name, and {other!r:.60} agrees with it")
        if "label" not in self._roles and other in free and plain[other] in plain[one]:
            self._take("label", other, f"{one!r:.60} is named after it")
        return True

    def _is_only_called_predicted(self, others: Collection[str]) -> bool:
        """Whether one column of classes alone is called a prediction, and is none of these."""
        said = [name for name in self._free() if PREDICTING & self._words(name) and self._of(name).are_classes]
        return len(said) == 1 and said[0] not in others

    def _find_with_own_score(self) -> bool:
        """The only column of classes that has the words of the only score's name, where another column agrees with it."""
        said = SURE | CHANCES | LOGARITHMS | {"score"}
        scores = [name for name in self._free() if said & self._words(name) and self._may_be_chances(name)]
        own = self._words(scores[0]) - said if self._strict and len(scores) == 1 else set()
        classes = [name for name in self._free() if self._of(name).are_classes]
        found = [
            name
            for name in classes
            if own and own <= self._words(name) and not self._says_true(name, self._called(name))
        ]
        if len(found) != 1 or not any(
            one != found[0] and self._may_tell(self._of(one), self._of(found[0])) for one in classes
        ):
            return False
        self._take("prediction", found[0], f"{scores[0]!r:.60} is called as its score")
        return True

    def _ask_about_other_predictions(self, name: str) -> None:
        """ReadingUnclear where another column is called a prediction as this one is, and holds no other classes."""
        if not self._strict or not PREDICTING & self._words(name):
            return
        said = [one for one in self._free() if one != name and PREDICTING & self._words(one)]
        said = [one for one in said if self._of(one).filled and {*self._of(one).filled} <= {*self._of(name).filled}]
        said = [one for one in said if not np.array_equal(*coded(self._of(one), self._of(name)))]
        if 0 < len(said) < self._most_asked:
            raise which_column("prediction", [name, *said])

    def _find_beside_truth(self) -> bool:
        """The only column of classes that agrees with one whose name alone says that it holds the truth."""
        classes = [name for name in self._free_or_said() if self._of(name).are_classes]
        classes = [name for name in classes if not (self._lone and is_in_judgment(name))]
        true = [name for name in classes if self._is_called_as_true(name) and not self._is_guess(name)]
        pairs = [
            (one, other)
            for other in true
            for one in classes
            if one not in true and one not in self._taken and self._agree_in_words(other, one)
        ]
        if self._strict and len(pairs) > 1:
            pairs = [pair for pair in pairs if not self._are_verdicts(self._of(pair[0]))] or pairs
        if self._strict and len(pairs) > 1 and len({one for one, _ in pairs}) == 1:
            pairs = [pair for pair in pairs if TRUE & self._words(self._field(pair[1]))]  # before what persons said
        pairs += self._often_equal_to_truth() if self._strict and not pairs else []
        if len(pairs) != 1:
            return False
        [(one, other)] = pairs
        by_program = PREDICTING | CAME_OUT
        called = [name for name in self._free() if by_program & self._words(name) and name not in (one, other)]
        called = [name for name in called if self._have_a_class_in_common(name, other)]
        if self._strict and called and not by_program & self._words(one):
            raise which_column("prediction", [*called, one][: self._most_asked])
        self._take("prediction", one, f"{other!r:.60} agrees with it")
        if "label" not in self._roles and other not in self._taken:
            self._take("label", other, f"its name, and it agrees with {one!r:.60}")
        return True

    def _have_a_class_in_common(self, name: str, other: str) -> bool:
        return bool({*map(folded, self._of(name).filled)} & {*map(folded, self._of(other).filled)} - MARKS)

    def _often_equal_to_truth(self) -> list[tuple[str, str]]:
        """The numbers that are called a program's, and those that are called the truth and are often the same."""
        numbers = [name for name in self._free_or_said() if self._of(name).are_measured and not self._names_rows(name)]
        true = [name for name in numbers if self._is_called_as_true(name)]
        said = [name for name in numbers if name not in true and name not in self._taken]
        said = [name for name in said if self._is_of_program(name)]
        return [(one, other) for one in said for other in true if are_often_equal(self._of(other), self._of(one))]

    def _is_of_program(self, name: str) -> bool:
        """Whether a name has a word for a program, or the name of a language model."""
        words = self._words(name)
        return bool(words & CAME_OUT) or any(word in OF_MODELS or word.startswith(JUDGE_NAMES) for word in words)

    def _is_called_as_true(self, name: str) -> bool:
        """Whether a name has a word for the truth, or says that people labeled; the label of a language model is none."""
        words = self._words(self._field(name))
        if (
            self._strict
            and words & OF_LABELS
            and any(word in OF_MODELS or word.startswith(JUDGE_NAMES) for word in words)
        ):
            words = words - OF_LABELS
        return bool((TRUE | EXPECTED | (LABELED if self._strict else frozenset())) & words)

    def _agree_in_words(self, name: str, other: str) -> bool:
        """Whether two columns agree, and one has no class that the other lacks: a second header is no class of either."""
        words = [{*map(folded, self._of(one).filled)} - MARKS for one in (name, other)]
        return (words[0] <= words[1] or words[1] <= words[0]) and agrees(self._of(name), self._of(other))

    def _told_apart_by(self, chance: str) -> list[str]:
        """The label, or columns that may be it, whose two words a chance tells apart; several where names do not decide."""
        label = self._roles.get("label")
        flags = [label] if label is not None else [name for name in self._free_or_said() if name != chance]
        told = [name for name in flags if name in self._cells.columns and tells_apart(self._of(chance), self._of(name))]
        called = self._chance or bool(CHANCES & self._words(chance))
        if self._strict and label is None:
            told = [name for name in told if not PREDICTING & self._words(name) or TRUE & self._words(name)]
            called = called and not [name for name in self._predicted_numbers if name != chance]
        if self._strict and (told[1:] or not called):  # chances of one system may be larger than those of another, too
            told = [name for name in told if name == label or (TRUE | SHORT_TRUE | EXPECTED) & self._words(name)]
        return told

    def _find_chance_of(self) -> bool:
        """The only column of chances of one of two classes by its name, and the column of these classes that it tells apart."""
        shares = [name for name in self._free() if self._of(name).are_shares and CHANCES & self._words(name)]
        if self._strict:
            sure = [name for name in self._named_confidences() if self._of(name).are_shares]
            shares = [*dict.fromkeys((*shares, *sure))]
            shares = [name for name in shares if not (is_in_judgment(name) or MADE_OF_TRUTH & words_in(name))]
            shares = shares or self._only_shares()
        if len(shares) != 1:
            return False
        label, told = self._roles.get("label"), self._told_apart_by(shares[0])
        if len(told) != 1 or (self._strict and told[0] != label and PREDICTING & self._words(told[0])):
            return False  # what is called predicted is what was made of its chance
        self._take("prediction", shares[0], f"its name, and it tells the cells of {told[0]!r:.60} apart")
        if label is None and told[0] not in self._taken:
            self._take("label", told[0], f"{shares[0]!r:.60} tells its cells apart")
        return True

    def _only_shares(self) -> list[str]:
        """The only column of numbers beside keys, if they are shares that are made of no truth."""
        numbers = [name for name in self._free() if self._of(name).are_measured and not self._names_rows(name)]
        if any(PREDICTING & (self._words(name) | glued_words_of(self._called(name))) for name in self._free()):
            return []
        made = [name for name in numbers if (MADE_OF_TRUTH | SPREAD) & words_in(name) or is_in_judgment(name)]
        return numbers if len(numbers) == 1 and not made and self._of(numbers[0]).are_shares else []

    def _find_lone_chance(self) -> None:
        """The only column of shares, by its name a chance or a score, where no column holds classes: it is asked about."""
        if any(self._of(name).are_classes for name in self._free()) and not self._has_true_flags():
            return
        named = LIKELY | {"score"}
        shares = [name for name in self._free() if self._of(name).are_shares and named & self._words(name)]
        if (
            len(shares) == 1
            and self._of(shares[0]).column.values.min() < 0.5 <= self._of(shares[0]).column.values.max()
        ):
            self._take("prediction", shares[0], NOTHING_ELSE)

    def _has_true_flags(self) -> bool:
        """Whether the truth, by its name, is 0 or 1 in every row: nothing but its chance can be predicted then."""
        label = self._roles.get("label")
        names = [label] if label is not None else self._named(self._truths)
        return self._strict and any(are_flags(self._cells, name) for name in names if name in self._cells.columns)

    def _contexts(self) -> list[tuple[str, str]]:
        """The roles of the texts that a judged output was given with its question: testers see them beside it."""
        if not {"output", "output_a"} & {*self._roles}:
            return []
        names = [name for name in self._free() if bare(self._field(name)) in CONTEXTS and not self._are_answers(name)]
        if self._lone:  # one context may be that of several questions
            named = [name for name in self._free() if self._is_called_context(name)]
            names = [name for name in named if any(map(looks_like_sentence, self._of(name).filled))]
        self._taken |= {*names}
        self._reasons |= dict.fromkeys(names, "its name")
        return [("show", name) for name in names]

    def _is_called_context(self, name: str) -> bool:
        """Whether a name is that of what a model was given with its question."""
        passage = self._strict and are_words_of_context(self._words(self._field(name)))
        return passage or bare(self._field(name)) in CONTEXTS

    def _are_answers(self, name: str) -> bool:
        """Whether a column holds classes or numbers, which nobody judges; keys of what is predicted or true are neither."""
        one, words = self._of(name), self._words(name)
        if self._strict and words & OF_IDS and words - OF_IDS <= PREDICTING | TRUE and 2 * len(one.filled) > one.size:
            return False
        return one.are_classes or one.are_numbers

    def _shares_of_prediction(self) -> list[str]:
        """The free columns of shares that are named after the truth, or scores of what predicts or of its column."""
        label = bare(self._roles.get("label", ""))
        said, plain = self._words(self._roles["prediction"]), bare(self._called(self._roles["prediction"]))
        scores = [name for name in self._free() if "score" in self._words(name)]
        scores = [name for name in scores if self._of(name).are_shares or (self._strict and self._are_percents(name))]
        own = {name: self._words(name) - {"score"} for name in scores}
        beside = [
            name
            for name, words in own.items()
            if CAME_OUT & said & words or (self._strict and words and words <= said and len(scores) == 1)
        ]
        named = (f"{plain}score", f"score{plain}") if self._strict else ()
        beside = [name for name in scores if bare(self._called(name)) in named] or beside
        after = [name for name in self._free() if self._of(name).are_shares and is_named_after(bare(name), label)]
        return [*dict.fromkeys(name for name in self._free() if name in after or name in beside)]

    def _are_percents(self, name: str) -> bool:
        """Whether numbers may be percents, none of them too small for the likeliest of the predicted classes."""
        predicted = self._predicted()
        if not self._may_be_chances(name) or predicted is None or len(predicted.filled) < 2:
            return False
        values = self._of(name).column.values
        return bool(values.max() > MOST_AS_SHARE and values.min() / 100 >= 1 / len(predicted.filled))

    def _are_verdicts(self, one: FirstCells) -> bool:
        """Whether the words of a column say yes or no, or right or wrong."""
        return self._say_grades(one.filled)

    def _says_right_or_wrong(self, name: str) -> bool:
        """Whether a column says yes or no beside what is predicted or judged, with the name of a check or of a judge."""
        filled = self._of(name).filled
        if not (self._predicts or "output" in self._roles) or not filled or (self._strict and len(filled) < 2):
            return False
        words = self._words(name)
        checks = (
            CHECKS & words
            or (self._strict and "acceptable" in words)
            or ("output" in self._roles and names_judge(name))
        )
        return bool(checks) and self._are_verdicts(self._of(name))


def is_named_after(name: str, other: str) -> bool:
    """Return whether a name contains another one of three letters or more, and a word besides.

    >>> is_named_after("cspecies", "species"), is_named_after("feature12", "feature1"), is_named_after("axle", "ax")
    (True, False, False)
    """
    return len(other) > 2 and other in name and not name.replace(other, "", 1).isdecimal() and name != other
