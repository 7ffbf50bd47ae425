"""What testers must not see beside predictions: what is true, what tells right from wrong, and other answers."""

import re
from collections.abc import Sequence
from shlex import quote

import numpy as np
from numpy.typing import NDArray

from testimate.core.spellings import MARKS, bare, folded
from testimate.core.words import percent
from testimate.tables.about_output import NEARLY_ALL
from testimate.tables.cells import pa
from testimate.tables.classes_of_names import NO, YES
from testimate.tables.column_names import (
    ANSWERS,
    BETTER,
    CHANCES,
    CHECKS,
    CHOICES,
    FAILURES,
    FURTHER_OUTCOMES,
    OF_NUMBERS,
    OUTCOMES,
    PREDICTING,
    SHORT_TRUE,
    SPREAD,
    SURE,
    TRUE,
    TRUTHS,
    WHO_LABELED,
    WHY,
    word_set,
    words_of,
)
from testimate.tables.evaluation_names import is_called_grade
from testimate.tables.evaluations import DECISIONS, ZERO_OR_ONE, is_no_verdict
from testimate.tables.feature_evidence import FeaturesEvidence
from testimate.tables.first_cells import (
    FEWEST_ROWS,
    FURTHER_MARKS,
    YES_OR_NO,
    FirstCells,
    agrees,
    agrees_rather,
    coded,
)
from testimate.tables.pairs import CAME_OUT, SURELY_PERSONS
from testimate.tables.role_questions import (
    MOST_ASKED,
)
from testimate.tables.roles import (
    FILES,
    JUDGED,
)
from testimate.tables.rows_of_input import rows_of_systems
from testimate.tables.scored_evidence import ScoredColumnsEvidence
from testimate.tables.telling import (
    BY_CHANCE,
    bounds_around,
    folders_tell,
    has_gaps_of,
    hold_names_of,
    in_other_words,
    is_made_of_truth,
    list_chances,
    list_it_first,
    marks_wrong,
    may_be_made_of_truth,
    names_tell,
    negates,
    nests_in,
    parts_exactly,
    remainder_of,
    says_how_far_off,
    stands_where_wrong,
)
from testimate.tables.truth import FROM_1_CLEARLY
from testimate.tasks.verdict import PREFERENCES, folded_grade, grade_in_words

ERROR_TYPES = [{one, kind} for one in ("error", "failure", "mistake") for kind in ("type", "kind", "category", "class")]
"""The words of the name of a column that says what is wrong with a prediction."""

ALLOWED = frozenset({"acceptable", "accepted", "allowed", "alternative", "permitted", "possible", "valid"})
"""Words in the name of a column of answers that count as right, too."""

TOO_COMMON = frozenset(
    {"level", "type", "statu", "name", "group", "category", "rate", "score", "id", "index", "of", "the"}
)
"""Words without a plural's ending that columns of other things have in their names, too."""

KINDS_OF_ERRORS = frozenset(
    {"true positive", "true negative", "false positive", "false negative", "tp", "tn", "fp", "fn"}
)
"""What a row is of two classes, by its prediction and its truth, folded."""

OF_FLAGS = YES | NO | FURTHER_MARKS
"""What stands in a column that says yes or no to a class, folded."""

CORRECTING = word_set("corrected correction corrections override overridden overruled should relabel relabeled fix")
"""Words in the name of a column in which people wrote what should have been predicted."""

REMARKS = word_set("comment comments note notes remark remarks feedback issue problem failure error mistake reviewer")
"""Words in the name of a column in which people wrote what they saw in some of the rows."""

PLAIN = word_set("low medium high small large good bad none other mild severe a b c d e")
"""Words, folded, by which classes of different things are called."""

MATCHING = word_set("correct correctness match matches matched agree agrees agreed right hit ok same exact")
"""Words in the name of a column that says whether a prediction is right."""

MARKED = word_set("✓ ✔ ✅ ✗ ✘ ❌ x maybe unsure partly partially partial")
"""What stands for right, wrong and neither besides their words."""

MAY_BE_TRUTH = "agrees with the predictions far above chance"

BUTTONS = frozenset(
    {
        *(
            "thumbs_up",
            "thumbs_down",
            "thumbs up",
            "thumbs down",
            "thumbsup",
            "thumbsdown",
            "👍",
            "👎",
            "like",
            "dislike",
        ),
        *("upvote", "downvote", "helpful", "not helpful", "unhelpful", "correct", "incorrect", "right", "wrong"),
    }
)
"""What people say about an answer by a button."""


class HiddenColumnsEvidence(ScoredColumnsEvidence, FeaturesEvidence):
    """What is known of each column, and which are shown to nobody."""

    def _hide_kinds_of_errors(self) -> None:
        """Hides columns that name the cell of the confusion matrix of each row, or by their name what is wrong with it."""
        words = {name: self._words(name) for name in self._cells.columns}
        predicted = [said for said in words.values() if said & PREDICTING]
        for name in [*self._free()] if self._strict else ():
            cells, own = self._of(name).filled, words[name]
            called = predicted and own in ERROR_TYPES and not any(own < other for other in words.values())
            cell = 1 < len(cells) <= len(KINDS_OF_ERRORS) and {*map(folded, cells)} <= KINDS_OF_ERRORS
            flag = predicted and folded(name) in KINDS_OF_ERRORS and self._of(name).number_classes
            if cell or flag or (called and self._of(name).are_classes):
                self._hide(name, "it says what is right or wrong")

    def _hide_lists(self) -> None:
        """Hides lists of chances, by which a tester would know what is predicted."""
        for name in [*self._free()] if self._counted and self._predicts else ():
            if list_chances(self._of(name), by_spaces=self._strict):
                self._hide(name, "it lists the chances of classes")
            elif self._lists_guesses(name):
                self._hide(name, "it lists guesses, the predicted one first")

    def _lists_guesses(self, name: str) -> bool:
        """Whether a column lists several classes in each row, the predicted one first, and is not called the choices."""
        predicted = self._predicted()
        chosen_from = bare(self._field(name)) in CHOICES
        return self._strict and predicted is not None and not chosen_from and list_it_first(self._of(name), predicted)

    def _find_remainder(self) -> None:
        """By how much predicted numbers are off, which is hidden, and the truth if both add up to it."""
        predicted = self._predicted()
        if not self._told or predicted is None or not predicted.are_measured:
            return
        label = self._roles.get("label")
        known = [label] if self._strict and label is not None and label in self._cells.columns else []
        found = remainder_of([self._of(name) for name in (*self._free(), *known)], predicted, of_any_unit=self._strict)
        if found is None:
            return
        self._hide(found.name, "it says by how much a prediction is off")
        if found.truth and "label" not in self._roles:
            self._take("label", found.truth, f"the prediction and {found.name!r:.60} add up to it")

    def _hide_bounds(self) -> None:
        """Hides the ends of an interval around predicted numbers, by which a tester would know these."""
        predicted = self._predicted()
        if not self._strict or predicted is None or not predicted.are_measured:
            return
        for name in bounds_around(map(self._of, [*self._free()]), predicted):
            self._hide(name, "it is an end of the interval around the predicted number")

    def _hide_sure_in_words(self) -> None:
        """Leaves out a column 'confidence' of words, such as high and low, which no score can be made of."""
        name = self._roles.get("confidence")
        if not self._strict or name is None or ("confidence", name) in self._chosen or name not in self._cells.columns:
            return
        one = self._of(name).column
        if 2 * int((one.is_number | one.is_not_finite).sum()) < int((~one.is_empty).sum()):
            del self._roles["confidence"]
            self._hide(name, "it says in words how sure the model is")

    def _telling_folders(self) -> tuple[str, ...]:
        """The column of files if their folders go with the classes; a doubt offers them as the truth where none is known."""
        name, predicted = next((self._roles[role] for role in FILES if role in self._roles), ""), self._predicted()
        if not self._told or predicted is None or name not in self._cells.columns:
            return ()
        if "label" in self._roles and not self._strict:
            return ()
        files, label = self._of(name), self._roles.get("label")
        true = [label] if label else self._true if self._strict else []
        known = [predicted, *(self._of(one) for one in true if self._strict and one in self._cells.columns)]
        if self._strict and any(names_tell(files, one) for one in known):
            self._doubts.append(
                f"The names of files in {name!r:.60} hold what goes with the classes, and may tell testers the truth. Show the "
                "inputs without their names, or give the files other names."
            )
        if not any(folders_tell(files, one, by_any_name=self._strict) for one in known):
            return ()
        called = folders_tell(files, predicted, by_any_name=False)
        said = "are called as the classes are" if called else "go with the classes"
        if "label" not in self._roles:
            self._doubts.append(
                f"The folders in {name!r:.60} {said}, and may be the truth. Testers see the files' names alone. To use the "
                "folders as known, write them into a column 'label'."
            )
        return (name,)

    def _counts_from_1(self, name: str) -> bool:
        """Whether whole numbers are those of the predictions, one larger."""
        one, predicted = self._of(name), self._predicted()
        if predicted is None or not all(
            cells.column.has_numbers_alone and cells.are_whole for cells in (one, predicted)
        ):
            return False
        less = pa.chunked_array([pa.array((one.column.values - 1).astype(np.int64))])
        return bool(one.column.values.min() == 1 and agrees(FirstCells(name, less), predicted))

    def _counts_one_more(self, name: str) -> bool:
        """Whether classes that are counted from 1 are the predicted ones, counted from 0, far more often than as they are."""
        one, predicted = self._of(name), self._predicted()
        if predicted is None or not (one.number_classes and predicted.number_classes) or not self._counts_from_1(name):
            return False
        said, known = predicted.column.values, one.column.values
        ends = said.min() == 0 and known.max() == said.max() + 1
        return bool(ends and (known - 1 == said).mean() > (known == said).mean() + FROM_1_CLEARLY)

    def _hide_what_tells(self) -> None:
        """Hides what holds the truth, right or wrong, or another model's answers, and offers it."""
        label = self._roles.get("label")
        told = None if label is None else self._right(label)
        if self._strict and self._predicts:
            self._hide_flags_of_classes()
        self._hide_one_by_one(label, told)
        if label is None and (named := self._named_by_confidence()):
            self._hide(named, f"{self._roles['confidence']!r:.60} is named after it", true=True)
            self._offer(named, "label")
        offered = any(role == "label" for role, _ in self._offered)
        if label is None and not offered and (rather := self._rather_true_number()):
            self._offer(rather, "label")
        self._say_what_agrees()
        if self._told:
            self._hide_what_follows(label)
        true = [self._of(name) for name in ([label] if label else self._true) if name in self._cells.columns]
        if self._strict:
            self._hide_filled_of_one_class(true)
            self._hide_nested(true)
        if self._strict and label is not None:
            self._hide_in_record_of_label(label)
        if self._paired:
            self._hide_people()
        outcome = self._roles.get("outcome")
        if self._paired and self._predicts and ("output" not in self._roles or may_be_made_of_truth(outcome or "")):
            self._hide_what_is_made(label or outcome)
        if self._strict and self._predicts:
            self._hide_what_is_made_of_chances(label)
            self._hide_what_parts(label)
            self._hide_what_stands_with_answers(label or outcome)
            self._hide_marks_of_right(label)
        if self._strict:
            self._hide_what_the_outcome_fills(outcome)

    def _hide_flags_of_classes(self) -> None:
        """Hides columns of 0 and 1 for the classes, of which one is 1 in each row, where they agree with the predictions."""
        predicted = self._predicted()
        flags = [name for name in self._free() if all(folded(word) in OF_FLAGS for word in self._of(name).filled)]
        flags = [name for name in flags if not (self._is_feature(name) or name.casefold().startswith("p_"))]
        if predicted is None or predicted.are_measured or len(flags) < 2:
            return
        classes, stems = {*map(folded, predicted.filled)}, dict[str, dict[str, str]]()
        for name in flags:
            ends = [word for word in predicted.filled if name.endswith(word)]
            word = max(ends, key=len) if ends else re.split(r"[._ :\[(=-]", name.rstrip("])"))[-1]
            stem = "" if folded(name) in classes else name.rstrip("])").removesuffix(word)
            stems.setdefault(stem, {})[name if not stem else word] = name
        for stem, named in stems.items():
            yes = np.array(
                [[folded(word) in YES for word in self._of(name).words] for name in named.values()], dtype=object
            )
            held = [np.array(own)[self._of(name).column.places] for own, name in zip(yes, named.values(), strict=True)]
            known = ~np.array([self._of(name).column.is_empty for name in named.values()]).any(axis=0)
            if len(named) < 2 or not known.any() or (np.array(held).sum(axis=0)[known] != 1).any():
                continue
            words = pa.array([*named, ""], pa.large_string())
            places = np.where(known, np.array(held).argmax(axis=0), len(named))
            joined = f"{stem}\0"
            self._first[joined] = FirstCells(stem, pa.chunked_array([words.take(pa.array(places))]), strict=True)
            if any(
                tell(joined) for tell in (self._tells, self._may_be_truth, self._numbers_truth, self._is_in_other_words)
            ):
                self._true.append(joined)
                for name in named.values():
                    self._hide(name, "it says yes or no to a class, as the truth would")

    def _hide_what_stands_with_answers(self, known: str | None) -> None:
        """Hides what is filled in wrong rows alone, and what is filled exactly where an answer is known: who gave it, and why.

        Where most columns have these gaps, they are those of the inputs.
        """
        verdicts = [name for name in self._hidden if name in self._cells.columns and self._said_to_be_right(name)]
        every = dict.fromkeys((known, *self._true, *verdicts))
        answers = [name for name in every if name is not None and name in self._cells.columns]
        for true in answers:
            right = self._said_to_be_right(true) or self._known_right(true)
            wrong = [name for name in self._free() if right and stands_where_wrong(self._of(name), *right)]
            for name in wrong:
                self._hide(name, "it stands in wrong rows alone")
        for true in answers:
            free = [*self._free()]
            same = [name for name in free if has_gaps_of(self._of(name), self._of(true))]
            for name in same if 2 * len(same) <= max(len(free), 4) else ():
                self._hide(name, f"it is known exactly where {true!r:.60} is")

    def _said_to_be_right(self, name: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]] | None:
        """Which rows are right, and of which a column says so, by its words; None where these say anything else."""
        one = self._of(name)
        grades = np.array([grade_in_words(word) or ("-" if word else "") for word in one.words])
        if (
            not {"right", "wrong"} <= {*grades}
            or "-" in grades
            or not any(grade_in_words(word, alone=True) for word in one.words)
        ):
            return None
        said = grades[one.column.places]
        return said == "right", said != ""

    def _hide_what_parts(self, label: str | None) -> None:
        """Hides what tells right from wrong in each row whose truth is known, as nothing but the truth does."""
        true = next((found for name in (label, *self._true) if name and (found := self._known_right(name))), None)
        if true is None:
            return
        right, known = true
        sure = self._found.get("confidence", "")
        for name in [*self._free(), *([sure] if sure in self._cells.columns else [])]:
            if not parts_exactly(self._of(name), right, known, sure=name == sure):
                continue
            if name == sure:
                del self._found["confidence"], self._roles["confidence"]
            self._hide(name, "it tells right from wrong in every row")
            self._doubts.append(
                f"{name!r:.60} tells right from wrong in every row whose truth may be known, as a number made from the truth "
                f"does. If new inputs have it, too: --column {quote(f'score={name}')}."
            )

    def _hide_people(self) -> None:
        """Hides the numbers of people who gave labels, which say nothing about faults."""
        for name in [*self._free()]:
            words = self._words(self._field(name)) - OF_NUMBERS
            if not words or not words <= WHO_LABELED or not self._of(name).are_whole:
                continue
            if self._lone and "output_a" in self._roles and {*self._of(name).filled} <= PREFERENCES:
                self._hide(name, "it may say which output is better")
                self._offer(name, "label")
            else:
                self._hide(name, "it says who gave a label")

    def _hide_what_is_made(self, truth: str | None) -> None:
        """Hides numbers that were made from the truth, such as losses; where nobody knows it, a doubt names them."""
        offered = [name for (role, _), names in self._offered.items() if role == "label" for name in names]
        truth = truth or next((name for name in (*self._hidden, *offered) if self._tells(name)), None)
        predicted = None if truth == self._roles.get("outcome") else self._predicted()
        measured = truth is not None and predicted is not None and predicted.are_measured
        named = [name for name in self._free() if measured or may_be_made_of_truth(name)]
        for name in [name for name in named if self._of(name).are_numbers and not self._of(name).number_rows]:
            if truth is None:
                self._doubts.append(
                    f"{name!r:.60} may be made from the truth, which no new input has. If so, leave it out: "
                    f"--column {quote(f'ignore={name}')}."
                )
            elif truth in self._cells.columns and is_made_of_truth(self._of(name), self._of(truth), predicted):
                self._hide(name, f"it is made from the truth in {truth!r:.60}")
        if not self._strict or predicted is None or not measured or truth is None or truth not in self._cells.columns:
            return
        for name in [name for name in self._free() if len(self._of(name).filled) == 2]:
            if says_how_far_off(self._of(name), self._of(truth), predicted):
                self._hide(name, f"it says how far off the truth in {truth!r:.60} is")

    def _hide_what_follows(self, label: str | None) -> None:
        """Hides what says the same as a hidden column of two words, or marks rows that are wrong by a hidden truth."""
        hidden = [name for name in self._hidden if len(self._of(name).filled) == 2]
        truths = [name for name in (label, *self._hidden) if name is not None and self._tells(name)]
        right = self._right(truths[0]) if truths else None
        for name in [*self._free()]:
            same = next((one for one in hidden if self._says_the_same(name, one)), None)
            if same is not None:
                self._hide(name, f"it says the same as {same!r:.60}")
            elif right is not None and marks_wrong(self._of(name), right):
                self._hide(name, "one of its values marks rows that are wrong")

    def _hide_one_by_one(self, label: str | None, told: NDArray[np.bool_] | None) -> None:
        """Hides each column by its own name and cells."""
        group = self._roles.get("group", "")
        if (
            self._strict
            and group in self._cells.columns
            and ("group", group) not in self._chosen
            and (self._tells(group) or self._has_predicted_names(group) or self._may_be_group_of_truth(group))
        ):
            del self._roles["group"]  # of a trial, say: what the predictions agree with
            self._taken.discard(group)
            if not self._tells(group):
                self._hide(group, "it has the predicted classes")
                self._offer(group, "label" if label is None else None)
        for name in [*self._free()]:
            one = self._of(name)
            if self._paired and one.number_rows and self._predicts_numbers and self._tells(name):
                self._hide(name, "it rises with the predictions")
                self._offer(name, "label" if label is None else None)
                continue
            if self._strict and name.casefold().startswith("p_") and "prediction" not in self._roles:
                continue  # a chance, from which the prediction is known
            if label is not None and self._copies_truth(name, label):
                self._hide(name, f"it says the same as {label!r:.60}", true=True)
                continue
            if self._names_index(name) and self._holds_class_names(name, label):
                self._unseen.append(name)
            if one.number_rows or (self._names_index(name) and not (self._paired and one.are_classes)):
                continue
            feature = self._is_feature(name)
            if bare(self._called(name)) in TRUTHS and not one.are_texts and self._shares_classes(name):
                self._hide(name, "its name is that of the truth", true=True)
                self._offer(name, "label" if label is None else None)
            elif self._is_truth_of_few(name):
                self._hide(name, "its name may be that of the truth", true=True)
                self._offer(name, "label" if label is None else None)
            elif other := self._is_expected_beside(name):
                self._hide(name, f"its name is that of the truth of {other!r:.60}", true=True)
                self._offer(name, "label" if label is None and other == self._roles["prediction"] else None)
            elif self._is_guess(name):
                self._hide(name, "its chance is beside it, so that a model said it")
            elif self._is_predicted_column(name):
                self._hide(name, f"{self._roles['prediction']!r:.60} is named after it", true=True)
                self._offer(name, "label" if label is None else None)
            elif (
                self._asked and "output" in self._roles and one.are_numbers and self._field(name).casefold() in ANSWERS
            ):
                self._hide(name, "its name is that of the truth")
            elif self._strict and "output" in self._roles and self._is_the_same_grade(name):
                self._hide(name, f"it is {one.filled[0]:.20} in every row")
                self._offer(name, "label")
            elif self._seen and "outcome" in self._roles and self._says_the_same(name, self._roles["outcome"]):
                self._hide(name, f"it says the same as {self._roles['outcome']!r:.60}")
            elif one.filled and self._are_decisions(one):
                self._hide(name, "it says what is right or wrong")
            elif self._seen and "output_a" in self._roles and BETTER & self._words(name):
                self._hide(name, "it may say which output is better")
            elif self._translated and not feature and (share := self._exchanged_share(name)):
                self._hide(
                    name, f"it exchanges the classes of the predictions, in {percent(share)} of the rows", true=True
                )
                self._offer(name, "label" if label is None else None)
            elif self._asked and self._numbers_predictions(name):
                self._hide(name, f"it says the same as {self._roles['prediction']!r:.60}")
                if self._strict and PREDICTING & self._words(name) and one.are_numbers and not one.are_whole:
                    self._doubts.append(
                        f"{name!r:.60} may be another prediction. To take it: --column {quote(f'prediction={name}')}."
                    )
            elif bare(self._field(name)) in (*self._outcomes, *FAILURES) and self._say_right_or_wrong(one):
                self._hide(name, "it says what is right or wrong")
                self._offer(name, "outcome" if label is None and bare(name) in self._outcomes else None)
            elif told is not None and self._says_what_is_right(one, told):
                self._hide(name, "it says what is right or wrong")
            elif self._strict and self._predicts and self._holds_verdicts(one) and not self._is_in_other_words(name):
                self._hide(name, "its words say what is right or wrong")
                self._offer(name, "outcome" if label is None else None)
            elif PREDICTING & self._words(name) and self._holds_guesses(name) and self._shares_classes(name):
                self._hide(name, "its name is that of a prediction")
            elif self._shares_words(name) and label is None:
                self._hide(name, "it has predicted classes, and too few rows tell whether it is the truth", true=True)
                self._offer(name, "label")
            elif self._has_predicted_classes(name):
                self._hide(name, "it has the predicted classes")
            elif (
                "output" in self._roles
                and {*one.filled} <= ZERO_OR_ONE
                and {"score", "grade", "match", *(("correct", "right") if self._strict else ())} & words_of(name)
            ):
                self._hide(name, "it may say what is right or wrong")
                self._offer(name, "outcome" if label is None else None)
            elif self._strict and self._is_band(name):
                self._hide(name, "it says in which band the chances of the model lie")
                self._offer(name, "label" if label is None and len(one.filled) == 2 else None)
            elif (
                self._predicts_numbers and (self._tells(name) or self._rises_with_models(name)) and not one.number_rows
            ):
                if self._in_its_range == [name] and label is None:
                    self._hide(name, "it rises with the predictions, and has their range", true=True)
                if not self._in_its_range or name in self._in_its_range or not self._tells(name):
                    self._offer(name, "label" if label is None else None)
            elif not self._predicts_numbers and not feature and self._tells(name):
                self._hide(name, f"{MAY_BE_TRUTH}, in {percent(self._agreement(name))} of the rows", true=True)
                self._offer(name, "label" if label is None else None)
            elif self._strict and self._names_predicted_classes(name):
                self._hide(name, "it names predicted classes, and may say which are right")
            elif self._stands_among(name):
                self._hide(name, "it names what is predicted far more often than by chance", true=True)
                self._offer(name, "label" if label is None else None)
            elif not feature and self._may_be_truth(name):
                if not self._predicts_numbers:
                    self._hide(
                        name, "it has the predicted classes, and too few rows tell whether it is the truth", true=True
                    )
                self._offer(name, "label" if label is None else None)
            elif label is None and self._is_only_of_the_classes(name):
                self._hide(name, "it has the predicted classes, as no other column has", true=True)
                self._offer(name, "label" if label is None else None)
            elif label is None and self._flags_class(name):
                self._hide(name, "it says yes or no to a class, as the truth would", true=True)
                self._offer(name, "label" if label is None else None)
            elif not feature and self._numbers_truth(name):
                self._hide(name, f"{MAY_BE_TRUTH}, where its numbers stand for them in order", true=True)
                self._offer(name, "label" if label is None else None)
            elif self._paired and self._says_right_or_wrong(name):
                self._hide(name, "it may say what is right or wrong")
                self._offer(name, "outcome" if label is None else None)
            elif self._strict and not feature and self._is_in_other_words(name):
                self._hide(name, "it may be the truth, in other words than the predictions", true=True)
            elif self._strict and self._predicts and self._is_called_true(name):
                self._hide(name, "its name may be that of the truth", true=True)
                self._offer(name, "label" if label is None else None)
            elif self._is_said_by_person(name):
                self._hide(name, "it has the predicted classes, and a person gave them, as its name says", true=True)
                self._offer(name, "label" if label is None else None)
            elif self._strict and not feature and self._has_all_classes(name):
                self._hide(name, "it has the classes of the predictions", true=True)
                self._offer(name, "label" if label is None else None)
            elif self._strict and self._is_remark(name):
                self._hide(name, "it is a remark in a part of the rows, and may say what is wrong")
            elif self._strict and self._is_chance_of_truth(name):
                self._hide(name, "its name is that of the chance of the true class")
                self._doubts.append(
                    f"{name!r:.60} may be the chance of the true class, which no new input has. If it is another number: "
                    f"--column {quote(f'score={name}')}."
                )
            elif self._strict and self._predicts and CORRECTING & self._words(name) and not one.are_numbers:
                self._hide(name, "its name is that of a correction")
            elif self._strict and self._predicts and MATCHING & self._words(name) and self._says_right_or_not(one):
                self._hide(name, "it may say what is right or wrong")
                self._offer(name, "outcome" if label is None else None)
            elif (
                self._strict
                and self._predicts
                and (negates(one.filled) or (self._says_why(name) and not one.are_numbers))
            ):
                self._hide(name, "it may say what is right or wrong" if negates(one.filled) else "it says why")
            elif self._strict and {"failure", "reason"} <= self._words(self._field(name)):
                self._hide(name, "it says why a row failed")
            elif self._paired and self._predicts and self._sure & self._words(name) and one.are_classes:
                self._hide(name, "it says how sure the model is")
            elif self._holds_class_names(name, label):
                self._hide(name, "it holds the names of the classes")
            elif self._everywhere and self._is_another_guess(name):
                self._hide(name, "it holds the classes of the predictions, and another one in every row")
            elif label is None and "outcome" not in self._roles and self._leaves_open(name):
                self._offer(name, "label")

    def _holds_class_names(self, name: str, label: str | None) -> bool:
        """Whether a column of words holds the name of the true or the predicted class in nearly all rows."""
        one, predicted = self._of(name), self._predicted()
        if not self._strict or predicted is None or predicted.are_measured or one.are_numbers:
            return False
        if one.are_sentences or one.hold_sentences or agrees(one, predicted):
            return False
        classes = [predicted, *([self._of(label)] if label is not None and label in self._cells.columns else [])]
        classes = [other for other in classes if 2 * len(other.filled) <= max(other.size, 4)]
        return any(hold_names_of(one, other) or (one.are_files and names_tell(one, other)) for other in classes)

    def _hide_in_record_of_label(self, label: str) -> None:
        """Hides the other fields of the entry of a list that holds the label, such as who gave it and when."""
        entry, _, field = label.partition("].")
        fields = [name for name in self._cells.columns if name.startswith(f"{entry}].")] if field else []
        if {*fields} & {column for role, column in self._roles.items() if role != "label"}:
            return  # what was asked or answered stands there, too
        for name in fields:
            if name not in self._taken:
                self._hide(name, f"it is about {label!r:.60}")

    def _hide_nested(self, true: Sequence[FirstCells]) -> None:
        """Hides words of which each goes with one true class alone, where something else is shown; else a doubt says it."""
        if self._predicts_numbers or not true:
            return
        free = [name for name in self._free() if not self._of(name).are_numbers and not self._names_rows(name)]
        nested = [name for name in free if any(nests_in(self._of(name), one) for one in true)]
        said = self._roles.get("prediction")
        several = (
            rows_of_systems(self._cells, [*self._roles.values()], true=true[0].column.name) if nested and said else None
        )
        if several is not None:  # what differs between inputs as their key does says no more than that
            nested = [name for name in nested if len(self._of(name).words) != several.inputs]
        seen = {*FILES, "text", *JUDGED} & {*self._roles} or self._cells.embedded or len(nested) < len(free)
        for name in nested:
            if seen:
                self._hide(name, "each of its values goes with one true class")
            else:
                self._doubts.append(
                    f"Each value in {name!r:.60} goes with one true class, and may tell testers the truth. To hide it: "
                    f"--column {quote(f'ignore={name}')}."
                )

    def _names_predicted_classes(self, name: str) -> bool:
        """Whether the cells of a column, many perhaps empty, name predicted classes, one or several, as its name says."""
        one, predicted = self._of(name), self._predicted()
        if predicted is None or predicted.are_numbers or one.are_numbers or not one.filled:
            return False
        words = {word.rstrip("s") for word in self._words(name)}
        known = {*map(folded, predicted.filled)} - YES_OR_NO
        others = (self._roles.get("prediction", ""), self._roles.get("label", ""))
        beside = {word.rstrip("s") for other in others for word in self._words(other)} - TOO_COMMON
        if len(known) < 2 or not words & (beside | ALLOWED):
            return False
        said = {folded(part.strip()) for word in one.filled for part in re.split("[;|,/]", word) if part.strip()}
        said = said if said <= known else {*map(folded, one.filled)}
        return said <= known

    def _says_what_is_right(self, one: FirstCells, told: NDArray[np.bool_]) -> bool:
        """Whether two words, or 0 and 1, stand in the rows that are right and in those that are wrong."""
        words = len(one.words) == 2 and not one.are_numbers and _is_outcome(one, told)
        return words or (self._strict and _tells_exactly(one, told))

    def _hide_filled_of_one_class(self, true: Sequence[FirstCells]) -> None:
        """Hides what is filled in rows of one true class alone, and not by chance."""
        for truth in [one for one in true if one.are_classes or one.number_classes]:
            for name in [*self._free()]:
                one = self._of(name)
                if one.size != truth.size or not one.column.is_empty.any():
                    continue
                filled = ~(one.column.is_empty | truth.column.is_empty)
                classes, count = np.unique(truth.column.places[filled]), int(filled.sum())
                share = float((truth.column.places == classes[0]).mean()) if len(classes) == 1 else 1.0
                if count >= FEWEST_ROWS and count * np.log(share) < np.log(BY_CHANCE):
                    where = f"{truth.column.name!r:.60} is {truth.words[classes[0]]!r:.40}"
                    self._hide(name, f"it is filled only where {where}")

    def _holds_verdicts(self, one: FirstCells) -> bool:
        """Whether all words of a column are those of a verdict, such as PASSED and FAILED, and no predicted class is."""
        said, predicted = {*map(folded, one.filled)} - MARKS - MARKED, self._predicted()
        if not any(grade_in_words(word, alone=True) for word in said) or not all(map(grade_in_words, said)):
            return False
        return predicted is None or said.isdisjoint(map(folded, predicted.filled))

    def _say_right_or_wrong(self, one: FirstCells) -> bool:
        """Whether a column has two words, or nearly all of its cells say right or wrong."""
        if len(one.filled) <= 2 or not self._strict:
            return len(one.filled) <= 2
        known = np.array([bool(grade_in_words(word)) for word in one.words], np.bool_)
        return bool(known[one.column.places].mean() >= NEARLY_ALL)

    def _says_why(self, name: str) -> bool:
        """Whether a name says why something was predicted; the reason of a model is not that of an input."""
        words = self._words(name)
        return bool(WHY & words) or bool({"reason", "reasons"} & words and (CAME_OUT | {"why"}) & words)

    def _is_called_true(self, name: str) -> bool:
        """Whether classes, whole numbers or flags have a word for the truth in their name, and for no prediction."""
        words, one = self._words(name), self._of(name)
        called = bool((TRUE - {"target"}) & words) and not (PREDICTING | CHANCES | SURE) & words
        kinds = one.are_classes or one.are_lists or (one.are_whole and not one.number_rows)
        return called and bool(one.filled) and (kinds or self._cells.size < FEWEST_ROWS)

    def _is_chance_of_truth(self, name: str) -> bool:
        """Whether shares have a name of the chance of the true class, and no predicted class is called so."""
        words, predicted = self._words(name), self._predicted()
        if predicted is None or predicted.are_measured or not self._of(name).are_shares or not CHANCES & words:
            return False
        called = {"true", "gold", "truth"} & words or {"of", "label"} <= words or {"true", "class"} <= words
        return bool(called) and not {*map(folded, predicted.filled)} & words

    def _has_all_classes(self, name: str) -> bool:
        """Whether the words of a column are the predicted classes, and agree rather than not; few things are called so."""
        both = self._beside_predicted(name)
        if both is None or both[0].are_numbers or not both[0].are_classes:
            return False
        known, said = ({*map(folded, one.filled)} for one in both)
        plain = known != said or len(known) < 2 or known <= YES | NO | PLAIN
        return not plain and agrees_rather(*both)

    def _is_remark(self, name: str) -> bool:
        """Whether texts or words with a name of remarks or faults stand in fewer than half of the rows, or are a person's."""
        one, words = self._of(name), self._words(name)
        if not self._predicts or not REMARKS & words or one.are_numbers:
            return False
        by_person = words & (SURELY_PERSONS | CHECKS) and words & (REMARKS - {"reviewer"})
        return bool(by_person) or 2 * int(one.column.is_empty.sum()) > one.size

    def _holds_guesses(self, name: str) -> bool:
        """Whether a column holds classes, or numbers of those that are predicted, or other numbers beside such predictions."""
        one, predicted = self._of(name), self._predicted()
        if one.are_classes or not self._strict or predicted is None:
            return one.are_classes
        if predicted.are_measured:
            return one.are_measured and not SPREAD & self._words(name) and not one.are_shares
        return one.are_whole and {*map(folded, one.filled)} <= {*map(folded, predicted.filled)}

    def _says_right_or_not(self, one: FirstCells) -> bool:
        """Whether all cells of a column say right or wrong, or are empty or left undecided."""
        said = {*map(folded_grade, one.filled)} - FURTHER_MARKS - MARKED
        return bool(one.filled) and all(map(grade_in_words, said))

    def _is_the_same_grade(self, name: str) -> bool:
        """Whether a column is called a grade and is one number in every row."""
        return is_called_grade(self._called(name)) and is_no_verdict(self._cells, "label", name, "")

    @property
    def _outcomes(self) -> tuple[str, ...]:
        """Names of a column of what is right."""
        further = self._paired and "output" not in self._roles
        return (*OUTCOMES, *(FURTHER_OUTCOMES if further else ()))

    @property
    def _sure(self) -> frozenset[str]:
        """Words in the name of a column of words that say how sure the model is."""
        return SURE | ({"uncertainty"} if self._strict else frozenset())

    def _is_in_other_words(self, name: str) -> bool:
        """Whether a column names the predicted classes otherwise, in words or numbers, and mostly agrees."""
        both = self._beside_predicted(name)
        if both is None or both[1].are_measured:
            return False
        one, predicted = both
        if not (one.are_classes or one.are_whole) or 2 * len(one.filled) > one.size:
            return False
        return in_other_words(one, predicted, named=bool((TRUE | SHORT_TRUE | {"label"}) & self._words(name)))

    def _is_another_guess(self, name: str) -> bool:
        """Whether a column holds the classes of the predictions, three or more, and in every row another one."""
        one, predicted = self._of(name), self._predicted()
        if predicted is None or one.are_numbers or not one.are_classes or one.size < FEWEST_ROWS:
            return False
        if one.size != predicted.size or len(one.filled) < 3:
            return False
        if {*map(folded, one.filled)} != {*map(folded, predicted.filled)}:
            return False
        found, said = coded(one, predicted)
        return not (found == said).any()

    def _are_decisions(self, one: FirstCells) -> bool:
        """Whether the words of a column are those by which people say what is right or wrong."""
        by_button = self._translated and len(one.filled) == 2 and {*map(str.casefold, one.filled)} <= BUTTONS
        return by_button or (self._seen and {*one.filled} <= DECISIONS)

    def _offer(self, name: str, role: str | None) -> None:
        judged = "output" in self._roles or (self._lone and "output_a" in self._roles)
        if role is None or not (self._predicts or judged) or role in self._roles:
            return
        what = "the truth or another model's answer" if role == "label" else "what is right or wrong"
        if self._strict:
            self._offered.setdefault((role, what), []).append(name)
        else:
            self._doubts.append(_offer_of(role, what, name))

    def _offers(self) -> list[str]:
        """Sentences on what may be known; one on many columns."""
        found: list[str] = []
        for (role, what), names in self._offered.items():
            if len(names) <= MOST_ASKED:
                found += [_offer_of(role, what, name) for name in names]
                continue
            found.append(
                f"{names[0]!r:.60}, {names[1]!r:.60} and {len(names) - 2} more may be {what}. To use one as known: "
                f"--column {role}=NAME."
            )
        return found


def _offer_of(role: str, what: str, name: str) -> str:
    return f"{name!r:.60} may be {what}. To use it as known: --column {quote(f'{role}={name}')}."


def _is_outcome(one: FirstCells, right: NDArray[np.bool_]) -> bool:
    """Whether two words say what is right or wrong, in nearly all rows."""
    same = one.column.places == right
    return len(same) == len(right) and (same.mean() > 0.95 or same.mean() < 0.05)


def _tells_exactly(one: FirstCells, right: NDArray[np.bool_]) -> bool:
    """Whether numbers are 1 in exactly the rows that are right, or that are wrong, of which there are both."""
    if one.size != len(right) or len(right) < FEWEST_ROWS or not {*one.words} <= ZERO_OR_ONE or right.all():
        return False
    said = one.column.values == 1
    return bool(right.any()) and (np.array_equal(said, right) or np.array_equal(said, ~right))
