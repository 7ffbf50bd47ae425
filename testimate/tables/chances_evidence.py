"""Which columns are classes and their chances, and how sure the model is, by their numbers and the classes beside them."""

import re
from collections.abc import Collection, Mapping
from shlex import quote

from testimate.core.spellings import bare
from testimate.tables.column_evidence import MOST_COLUMNS
from testimate.tables.column_names import (
    CHANCES,
    LIKELIHOODS,
    OF_BOXES,
    PREDICTING,
    SURE,
    TRUE,
    TRUTHS,
    UNSURE,
    has_boxes,
    words_of,
)
from testimate.tables.confidence import ROUNDING
from testimate.tables.first_cells import (
    FEWEST_ROWS,
    FirstCells,
    agrees,
    say_the_same,
)
from testimate.tables.hidden_evidence import HiddenColumnsEvidence
from testimate.tables.paired_evidence import MOST_AS_SHARE
from testimate.tables.pairs import CAME_OUT, EXPECTED, systems_among
from testimate.tables.role_questions import (
    MOST_ASKED,
    class_or_share,
    prediction_or_truth,
    sure_or_score,
    which_chances,
    which_column,
)
from testimate.tables.roles import (
    JUDGED,
)
from testimate.tables.telling import (
    cut_between,
)
from testimate.tasks.classification import LISTED, names_in_set

MOST_TOO_SMALL = 0.01
"""Share of chances of predicted classes that may be too small for one."""


class ChancesEvidence(HiddenColumnsEvidence):
    """What is known of each column, and the classes that are predicted by their chances."""

    def _find_said_by_chances(self) -> None:
        """The only column of classes that says the same as the most probable class in every row."""
        likeliest = self._predicted()
        if likeliest is None or likeliest.size < FEWEST_ROWS or not likeliest.filled[1:]:
            return
        found = [
            name for name in self._free() if self._of(name).are_classes and say_the_same(self._of(name), likeliest)
        ]
        if len(found) == 1:
            self._take("prediction", found[0], "it says the same as the chances of the classes")

    def _check_prediction(self) -> None:
        """ReadingUnclear where the column of that name holds shares, and the classes stand in another."""
        name = self._roles.get("prediction")
        if name is None or name in {column for _, column in self._chosen} or name not in self._cells.columns:
            return
        others = [other for other in self._named(self._predictions) if self._of(other).are_classes]
        if not others or not self._of(name).are_shares:
            return
        if self._strict and self._cells.size >= FEWEST_ROWS and self._is_surely_chance(name, others[0]):
            del self._roles["prediction"]
            self._take("prediction", others[0], f"its chance is in {name!r:.60}")
            self._take("confidence", name, f"no number is too small for the chance of {others[0]!r:.60}")
            return
        raise class_or_share(others[0], name)

    def _is_surely_chance(self, name: str, classes: str) -> bool:
        """Whether numbers may be chances of these classes, and a half at least, or a truth is of the same classes."""
        shares, said = self._of(name), self._of(classes)
        true = [one for one in self._free_or_said() if bare(self._called(one)) in self._truths]
        true = [one for one in true if {*self._of(one).filled} == {*said.filled}]
        return are_chances_of(shares, said) and bool(true or shares.column.values.min() >= 0.5)

    def _find_label_said(self) -> bool:
        """A column 'label' beside the chance of each label, where nothing else is predicted: what a pipeline returns."""
        label = self._roles.get("label")
        if label is None or label in {column for _, column in self._chosen} or label not in self._cells.columns:
            return False
        sure = [name for name in self._named_confidences() if self._of(name).are_shares]
        if self._paired:
            sure = [name for name in sure if name.rpartition(".")[0] == label.rpartition(".")[0]]
        if len(sure) != 1 or self._named([*OF_BOXES]) or not self._of(label).are_classes:
            return False
        if not are_chances_of(self._of(sure[0]), self._of(label)):
            return False
        del self._roles["label"]
        self._take("prediction", label, "its chance is beside it, and nothing else is predicted")
        self._doubts.append(
            f"{label!r:.60} is read as the prediction, because {sure[0]!r:.60} may be its chance. If it is the truth, name the "
            f"prediction: --column {quote(f'label={label}')} --column prediction=NAME."
        )
        return True

    def _find_classes(self) -> None:
        """The only column whose words recur; ReadingUnclear where two could be the prediction."""
        if any(role in self._roles for role in JUDGED) or (self._strict and has_boxes(self._cells.names)):
            return
        words = [name for name in self._free() if self._of(name).are_classes and bare(self._called(name)) not in TRUTHS]
        words = [name for name in words if not self._told or self._of(name).filled[1:]]
        if self._paired:
            said = [name for name in words if self._are_verdicts(self._of(name))]
            called = (
                self._strict
                and len(said) > 1
                and any((TRUE | EXPECTED | CAME_OUT) & self._words(name) for name in said)
            )
            words = words if called else [name for name in words if name not in said] or words
            words = [name for name in words if self._may_be_classes_of_label(name)]
        if self._strict:
            words = [name for name in words if not self._names_groups(name)]
        if self._strict and "label" not in self._roles and self._has_replies():
            return  # texts that a model gave are judged; classes beside them are about the question
        if self._strict and len(said := [name for name in words if self._are_called_as_shares(name)]) == 1:
            self._take("prediction", said[0], "columns of shares are called as its classes are")
            return
        words = self._without_places_and_remarks(words) if self._strict and "label" not in self._roles else words
        words = self._without_other_names(words) if self._strict else words
        if self._told and (alone := self._only_classes()):
            self._ask_about_few_rows(alone)
            self._take("prediction", alone, "the only classes beside keys and chances")
            if self._strict and not self._named_confidences():
                self._say_only_answers(alone)
            return
        if self._translated and (both := self._classes_and_chances()):
            raise sure_or_score(*both, "0 to 1" if self._of(both[1]).are_shares else "0 to 100")
        sure = self._named_confidences() or (self._paired and self._has_confidence())
        if self._strict and sure and len(words) == 1 and "label" not in self._roles:
            sure = self._has_confidence() or self._confidences_of(words[0])
        if len(words) == 1 and ("label" in self._roles or sure or len(self._cells.columns) == 1):
            self._ask_which_others_agree(words[0])
            self._ask_whether_texts_are_judged(words[0])
            self._ask_about_few_rows(words[0])
            self._take("prediction", words[0], "the only column whose words recur")
        elif 1 < len(words) <= self._most_asked and "label" in self._roles:
            label = self._of(self._roles["label"])
            alike = [name for name in words if {*self._of(name).filled} <= {*label.filled}]
            if len(alike) == 1:
                self._take("prediction", alike[0], "its words are those of the label")
            elif alike:
                raise which_column("prediction", alike)
        elif self._asked and len(words) == 2 and agrees(self._of(words[1]), self._of(words[0])):
            if self._lone and all(self._are_verdicts(self._of(name)) for name in words):
                raise which_column("outcome", words)
            if self._strict and systems_among({name: self._called(name) for name in words}):
                raise which_column("prediction", words)  # of two systems, neither the truth of the other
            raise prediction_or_truth(words[0], words[1])

    def _without_other_names(self, words: list[str]) -> list[str]:
        """The first of these columns of classes if the others name the same ones, as in another language; else all."""
        alike = [name for name in words[1:] if say_the_same(self._of(words[0]), self._of(name))]
        return words[:1] if alike and len(alike) == len(words) - 1 else words

    def _without_places_and_remarks(self, words: list[str]) -> list[str]:
        """The only one of these columns of classes of which a confidence may be the chance: each row has one; else all.

        Others have gaps, which the confidence has not, or their codes stand in the names of the rows' files.
        """
        if len(words) < 2 or not any(map(self._may_be_chances, self._named_confidences())):
            return words
        files = [name for name in self._free() if self._of(name).are_files]
        rest = [name for name in words if not self._of(name).column.is_empty.any()]
        rest = [name for name in rest if not any(self._codes_stand_in(name, one) for one in files)]
        return rest if len(rest) == 1 and self._confidences_of(rest[0]) else words

    def _codes_stand_in(self, name: str, files: str) -> bool:
        """Whether the words of a column have digits, and each is a part of the name of its row's file."""
        one, other = self._of(name).column, self._of(files).column
        if not all(re.search("[0-9]", word) for word in self._of(name).filled):
            return False
        rows = zip(one.texts.to_pylist(), other.texts.to_pylist(), strict=True)
        return all(code in path for code, path in rows)

    def _has_confidence(self) -> bool:
        """Whether a column says how sure the model is, by its name."""
        named = (name for name in self._free() if SURE & self._words(name) and self._of(name).are_shares)
        return "confidence" in self._roles or any(named)

    def _only_classes(self) -> str:
        """The only column of classes beside keys, files and confidences, numbered classes too; "" if there is more."""
        if "label" in self._roles:
            return ""
        sure = self._named_confidences()
        rest = [name for name in self._free() if name not in sure and not self._names_rows(name)]
        fits = len(rest) == 1 and bare(self._called(rest[0])) not in self._truths
        if self._strict and fits:
            fits = not self._names_groups(rest[0]) and (not sure or bool(self._confidences_of(rest[0])))
        return rest[0] if fits and (self._of(rest[0]).are_classes or self._of(rest[0]).number_classes) else ""

    def _find_sets_of_shares(self) -> None:
        """The only column of lists of what columns of shares are called; ReadingUnclear where several list that."""
        lists = [name for name in self._free() if self._of(name).are_lists]
        found = [name for name in lists if self._are_called_as_shares(name)]
        if 1 < len(found) <= self._most_asked:
            raise which_column("prediction", found)
        if len(found) == 1:
            self._take("prediction", found[0], "columns of shares are called as what it lists")

    def _are_called_as_shares(self, name: str) -> bool:
        """Whether most classes of a column, two or more, are in the names of columns of shares that differ in that alone."""
        one = self._of(name)
        listed = sorted(
            {word for cell in one.filled for word in names_in_set(cell, LISTED)} if one.are_lists else one.filled
        )
        classes = listed[:MOST_COLUMNS]
        shares = [other for other in self._free() if other != name and self._of(other).are_shares]
        rests = [other.replace(word, "\0", 1) for other in shares for word in classes if word in other]
        most = max((rests.count(rest) for rest in {*rests}), default=0)
        return most > 1 and 2 * most > len(classes)

    def _confidences_of(self, name: str) -> list[str]:
        """The columns with the name of a confidence whose numbers may be how sure the model is of the classes in another."""
        return [
            one for one in self._named_confidences() if self._may_be_chances(one) and self._orders_classes(one, name)
        ]

    def _classes_and_chances(self) -> tuple[str, str] | None:
        """The only column of classes and the only other one, if it may hold their chances, beside keys and files."""
        if "label" in self._roles or self._named_confidences():
            return None
        rest = [name for name in self._free() if not self._names_rows(name)]
        rest = [name for name in rest if not (self._strict and self._of(name).name_things)]
        words = [name for name in rest if self._of(name).are_classes and self._of(name).filled[1:]]
        if len(rest) != 2 or len(words) != 1 or bare(self._called(words[0])) in self._truths:
            return None
        other = next(name for name in rest if name != words[0])
        fits = self._of(other).are_shares and are_chances_of(self._of(other), self._of(words[0]))
        if self._strict and self._may_be_chances(other) and not self._of(other).are_shares:
            least, most = self._of(other).column.values.min() / 100, self._of(other).column.values.max()
            fits = bool(least >= 1 / len(self._of(words[0]).filled) and most > MOST_AS_SHARE)  # in percent
        return (words[0], other) if fits else None

    def _find_chances(self) -> None:
        """Columns of chances of the classes under another name than p_<class>: one beginning for all, and sums of 1."""
        if "prediction" not in self._roles or self._is_number("prediction"):
            return
        if self._roles["prediction"] in self._cells.columns:
            predicted = self._of(self._roles["prediction"])
            few = predicted.size < FEWEST_ROWS
            numbered = {} if few else self._numbered_chances_of(predicted)
            self._take_chances(self._chances_of(predicted.filled) or numbered)

    def _find_chances_alone(self) -> bool:
        """Chances of the classes without a prediction: columns of one beginning, or numbered from 0, whose rows sum to 1."""
        groups: dict[str, dict[str, str]] = {}
        for name in [name for name in self._free() if self._of(name).are_shares]:
            plain = name.rstrip("])" if self._seen else "]")
            word = re.split(r"[._ :\[(=-]" if self._seen else r"[._ :\[-]", plain)[-1]
            if self._seen and (number := re.fullmatch("[a-z]+([0-9]+)", word)):
                word = number[1]
            groups.setdefault(plain.removesuffix(word), {})[word] = name
            called = re.match(r"([A-Za-z]+)[._ :\[(=-]+(?=.)", plain) if self._strict else None
            if called is not None and CHANCES & words_of(called[1]) and plain != called[0] + word:
                groups.setdefault(called[0], {})[plain.removeprefix(called[0])] = name
        if self._strict:
            groups = {before: _without_shared_path(named) for before, named in groups.items()}
        found = [named for before, named in groups.items() if self._are_chances_after(before, named)]
        sets = [named for named in found if self._strict and named.keys() == found[0].keys()]
        sets = [named for named in sets if named is found[0] or not {*named.values()} & {*found[0].values()}]
        if len(sets) > 1:
            raise which_chances(sets[:MOST_ASKED])
        if found:
            self._take_chances(found[0])
            return True
        rest = [name for name in self._free() if not self._names_rows(name)] if self._told else []
        if len(rest) > 1 and all(self._of(name).are_shares for name in rest) and self._sum_to_1(rest):
            self._take_chances({name: name for name in rest})
            return True
        return False

    def _are_chances_after(self, before: str, named: Mapping[str, str]) -> bool:
        """Whether columns by the end of their names, behind one beginning, are the chances of classes."""
        numbered = {*named} == {*map(str, range(len(named)))} or (
            self._strict and {*named} == {*map(str, range(1, len(named) + 1))}
        )
        fields = self._told and before.endswith(".")
        called = numbered or fields or CHANCES & words_of(before) or (self._paired and self._are_classes_of(named))
        return len(named) > 1 and bool(called) and self._sum_to_1([*named.values()])

    def _are_classes_of(self, words: Collection[str]) -> bool:
        """Whether these are the classes of a free column, or of one that a person called the truth."""
        columns = self._free_or_said() if self._strict else [*self._free()]
        return any({*words} == {*self._of(name).filled} for name in columns if self._of(name).are_classes)

    def _take_chances(self, named: Mapping[str, str]) -> None:
        for word, name in named.items():
            self._take(f"p_{word}", name, "its name, and the chances of a row sum to 1")

    def _find_confidence(self) -> None:
        """A column of chances of the prediction, under another name."""
        if "confidence" in self._roles or "prediction" not in self._roles or self._is_number("prediction"):
            return
        words = {*SURE, "probability", "prob", "proba", *(("probabilities", "probs") if self._seen else ())}
        words |= LIKELIHOODS if self._strict else set()
        shared = self._words(self._roles["prediction"]) if self._strict else set()
        free = [
            name for name in self._free() if words & self._words(name) and not UNSURE & (self._words(name) - shared)
        ]
        free += self._shares_of_prediction() if self._paired else []
        free += self._glued_chances() if self._strict else []
        said = [name for name in self._free() if self._strict and PREDICTING & self._words(name)]
        free += [name for name in said if "p" in self._words(name)]
        named = dict.fromkeys((*self._named_confidences(), *free))
        chances = [name for name in named if self._may_be_chances(name)]
        fitting = [name for name in chances if SURE & self._words(name) or self._orders_classes(name)]
        fitting = fitting or self._parting_at_a_half()
        if fitting:
            self._take("confidence", fitting[0], "its name and its numbers")
        elif chances:
            self._doubts.append(
                f"{chances[0]!r:.60} may be how sure the model is, but some of its numbers are too small for that. "
                f"To use it so: --column {quote(f'confidence={chances[0]}')}."
            )

    def _orders_classes(self, name: str, classes: str = "") -> bool:
        """Whether numbers may be chances of the predicted class, or of the second of two: nearly none is below 1/C.

        ``classes`` : the column of these, if not the prediction.
        """
        values, predicted = self._of(name).column.values, self._of(classes or self._roles["prediction"])
        if values.max() > 1 or values.min() < 0 or len(predicted.filled) < 2:
            return True  # per cent or logarithms: the reader of confidences asks
        if len(predicted.filled) == 2 and len(predicted.column.places) == len(values):
            second = predicted.column.places == predicted.words.index(max(predicted.filled))
            if min(values[second].min(initial=1), values[~second].min(initial=1)) < 0.5:
                first = self._strict and CHANCES & self._words(name)  # a chance of the first of two classes, too
                if (
                    first
                    and values[second].max(initial=0) <= 0.5 + ROUNDING <= values[~second].min(initial=1) + 2 * ROUNDING
                ):
                    return True
                if self._strict and cut_between(self._of(name), predicted) is not None:
                    return True
                return bool(values[~second].max(initial=0) <= values[second].min(initial=1) + ROUNDING)
        return bool((values < 1 / len(predicted.filled) - ROUNDING).mean() <= MOST_TOO_SMALL)

    def _find_truth_told_apart(self) -> bool:
        """The only column of two words that predicted chances, which are called so, tell apart."""
        name = self._roles.get("prediction", "")
        if not (name in self._cells.columns and self._of(name).are_shares):
            return False
        if not (self._chance or CHANCES & self._words(name)):
            return False
        told = self._told_apart_by(name)
        if len(told) != 1 or told[0] in self._taken:
            return False
        self._take("label", told[0], f"{name!r:.60} tells its cells apart")
        return True


def are_chances_of(numbers: FirstCells, classes: FirstCells) -> bool:
    """Whether shares may be chances of the likeliest of these classes: nearly none is below 1/C."""
    count = len(classes.filled)
    return count > 1 and bool((numbers.column.values < 1 / count - ROUNDING).mean() <= MOST_TOO_SMALL)


def _without_shared_path(named: Mapping[str, str]) -> dict[str, str]:
    """Columns by the ends of their names, less a path that several of these begin with."""
    path = next(iter(named)).rpartition(".")[0] + "."
    shared = len(named) > 1 and all(word.startswith(path) for word in named)
    return {word.removeprefix(path) if shared else word: name for word, name in named.items()}
