"""What a program said and what a person said: of two columns that agree, the names tell which is true, or a question does."""

from shlex import quote

from testimate.core.spellings import folded
from testimate.core.words import counted
from testimate.tables.column_names import CHANCES, CHECKS, MODEL_NAMES, PREDICTING, SPREAD, SURE, word_set
from testimate.tables.few_rows_evidence import RISING, FewRowsEvidence, overlap
from testimate.tables.first_cells import (
    FEW_ROWS,
    FEWEST_ROWS,
    LEAST_SHARED,
    FirstCells,
    agrees,
    agrees_rather,
    stands_among,
)
from testimate.tables.pairs import CAME_OUT, MACHINES, PERSONS, REFERENCE
from testimate.tables.role_questions import prediction_or_truth, which_column
from testimate.tables.roles import JUDGED
from testimate.tables.score_names import is_in_judgment, is_in_list, is_no_score, says_how_a_call_went
from testimate.tables.telling import REMAINDERS, is_difference

OF_NO_ANSWER = (
    SPREAD
    | SURE
    | CHANCES
    | CHECKS
    | word_set("note notes comment comments remark remarks reason reasons error correction")
)
"""Words in the name of a column that is about an answer."""

IN_THE_END = frozenset({"sold", "realized", "realised"})
"""Words in the name of an amount that came about, after it was predicted."""

EARLIER = frozenset({"last", "previous", "prior", "earlier", "past", "before"})
"""Words beside them in the name of an amount that was known before."""

ESTIMATES = word_set("est sim calc computed approx approximate approximation interpolated fitted fit")
"""Further words in the name of a predicted number, where by how much it is off stands beside it."""

MOST_NUMBERS = 30
"""Columns of a kind among which two are looked for."""


class BesidePersonsEvidence(FewRowsEvidence):
    """What is known of each column, and the roles of what programs and persons said."""

    def _find_beside_person(self) -> bool:
        """The only column of answers that a program gave, as its name says, where one that a person gave agrees with it.

        Or one that is the reference; it is the truth if it is the only one. ReadingUnclear where several programs did.
        """
        if not self._strict or self._verdicts:
            return False
        true = [name for name in self._answers_called(PERSONS | REFERENCE) if not self._is_called(name, MACHINES)]
        said = self._answers_called(MACHINES) if true else []
        said = [name for name in said if name not in self._taken and not self._is_called(name, PERSONS | REFERENCE)]
        if max(len(said), len(true)) > MOST_NUMBERS:
            return False
        pairs = [(one, other) for one in said for other in true if self._meet(one, other)]
        found = [*dict.fromkeys(one for one, _ in pairs)]
        found += self._of_other_models(found, pairs)
        if 1 < len(found) <= self._most_asked:
            raise which_column("prediction", found)
        if len(found) != 1:
            return False
        self._take("prediction", found[0], f"its name, beside {pairs[0][1]!r:.60}")
        if len(pairs) == 1 and "label" not in self._roles and pairs[0][1] not in self._taken:
            self._take("label", pairs[0][1], f"its name, beside {found[0]!r:.60}")
            self._say_name_tells(pairs[0][1])
        return True

    def _of_other_models(self, said: list[str], pairs: list[tuple[str, str]]) -> list[str]:
        """The free columns of the same classes that are named after other models, as one that a program gave may be."""
        if not said or not pairs or not self._of(said[0]).are_classes:
            return []
        named = [name for name in self._free() if name not in {*said, *(other for _, other in pairs)}]
        named = [name for name in named if MODEL_NAMES & self._words(name) and self._of(name).are_classes]
        known = {*map(folded, self._of(said[0]).filled)}
        return [name for name in named if {*map(folded, self._of(name).filled)} == known]

    def _say_name_tells(self, name: str) -> None:
        """A sentence on a column that is the truth by its name, where few rows cannot tell."""
        if self._cells.size < FEWEST_ROWS:
            self._doubts.append(
                f"{name!r:.60} is read as the truth by its name: {counted(self._cells.size, 'row')} cannot tell. If it is not, "
                f"leave it out: --column {quote(f'ignore={name}')}."
            )

    def _find_beside_persons(self) -> bool:
        """The only column of answers that a program gave where several persons did, of whom none alone knows the truth."""
        several = self._strict and len(self._answers_called(PERSONS)) > 1
        return several and self._find_beside_person()

    def _said_by_programs(self) -> list[str]:
        """The free columns of classes that a program gave, as their names say, where a person gave the same classes."""
        said = [name for name in self._answers_called(MACHINES) if name not in self._taken]
        given = [name for name in self._answers_called(PERSONS | REFERENCE) if name not in said]
        known = [{*map(folded, self._of(name).filled)} for name in given]
        return [name for name in said if any({*map(folded, self._of(name).filled)} == other for other in known)]

    def _is_called(self, name: str, words: frozenset[str]) -> bool:
        return bool(words & self._words(name))

    def _answers_called(self, words: frozenset[str]) -> list[str]:
        """The columns of answers with one of these words in their names, and none for chances, times or metrics."""
        known = [name for name in self._free_or_said() if self._is_called(name, words) and not is_in_list(name)]
        known = [name for name in known if self._are_answers(name) or self._of(name).list_names]
        known = [
            name
            for name in known
            if not (self._is_called(name, OF_NO_ANSWER) or is_in_judgment(name) or is_no_score(name))
        ]
        return [name for name in known if not (self._of(name).number_rows or says_how_a_call_went(name))]

    def _meet(self, name: str, other: str) -> bool:
        """Whether one column agrees with another, or too few rows tell and they have a class, or their range, in common."""
        one, two = self._of(name), self._of(other)
        if _are_named_further(one, two):
            return False
        if one.list_names or two.list_names:
            return agrees(two, one, sets=True) or stands_among(two, one)
        if one.are_numbers != two.are_numbers:
            return False
        if self._may_tell(two, one, whole=True) or (one.are_measured and self._difference_of(name, other) is not None):
            return True
        if one.size >= FEWEST_ROWS:
            near = one.are_measured and overlap(one, two) and agrees(two, one, whole=True, close=RISING)
            return near or (not one.are_numbers and agrees_rather(two, one))
        if one.are_numbers:
            return overlap(one, two)
        return bool({*map(folded, one.filled)} & {*map(folded, two.filled)})

    def _difference_of(self, name: str, other: str) -> str | None:
        """The column of numbers, called a difference, that says by how much two others differ."""
        one, two = self._of(name), self._of(other)
        return next((some for some in self._differences if is_difference(self._of(some), one, two)), None)

    @property
    def _differences(self) -> list[str]:
        """The free columns of numbers that are called a difference."""
        return [name for name in self._free() if REMAINDERS & self._words(name) and self._of(name).are_numbers]

    def _only_two_that_differ(self) -> tuple[str, str, str] | None:
        """The only two columns of numbers whose difference a column holds, as it is called, and that column."""
        if not self._strict or self._verdicts or not (called := self._differences):
            return None
        rest = [name for name in self._free_or_said() if self._of(name).are_numbers and name not in called]
        rest = [name for name in rest if not self._names_index(name)][:MOST_NUMBERS]
        pairs = [(one, two) for place, two in enumerate(rest) for one in rest[:place]]
        found = [(*pair, off) for pair in pairs if (off := self._difference_of(*pair)) is not None]
        return found[0] if len(found) == 1 else None

    def _find_by_difference(self) -> bool:
        """Of two columns of numbers beside their difference the predicted one, as the name of either says."""
        if (found := self._only_two_that_differ()) is None:
            return False
        two = found[:2]
        said = [name for name in two if self._is_called(name, MACHINES | PREDICTING | CAME_OUT | ESTIMATES)]
        true = [name for name in two if name not in said and self._is_called(name, PERSONS | REFERENCE)]
        if len(said) != 1:
            said = [name for name in two if name not in true] if len(true) == 1 and not said else []
        if len(said) != 1 or said[0] in self._taken:
            return False
        other = next(name for name in two if name != said[0])
        self._take("prediction", said[0], f"its name, and {found[2]!r:.60} is by how much it is off {other!r:.60}")
        if "label" not in self._roles and other not in self._taken:
            self._take("label", other, f"{found[2]!r:.60} is by how much {said[0]!r:.60} is off it")
        return True

    def _find_compared(self) -> bool:
        """Of two columns of short answers that are the same exactly where a flag says right, the one not called the truth."""
        if not self._strict or self._verdicts or self._cells.size < FEWEST_ROWS:
            return False
        flags, rest = self._flags(), [name for name in self._free_or_said() if self._of(name).filled[1:]]
        rest = [name for name in rest if name not in flags and not self._of(name).hold_sentences][:MOST_NUMBERS]
        pairs = [(one, two) for place, two in enumerate(rest) for one in rest[:place]] if flags else []
        found = [pair for pair in pairs if any(self._says_where_equal(flag, *pair) for flag in flags)]
        if len(found) != 1:
            return False
        true = [name for name in found[0] if self._is_called_as_true(name)]
        [said, *_] = [*(name for name in found[0] if name not in true), ""]
        if len(true) != 1 or said in self._taken:
            return False
        self._take("prediction", said, f"a column says where it is {true[0]!r:.60}")
        if "label" not in self._roles and true[0] not in self._taken:
            self._take("label", true[0], f"its name, and a column says where {said!r:.60} is the same")
        return True

    def _ask_about_difference(self) -> None:
        """ReadingUnclear where one of two columns of numbers whose difference stands beside them may be the prediction."""
        if self._predicts or {*JUDGED} & {*self._roles}:
            return
        if (found := self._only_two_that_differ()) and self._rises(found[0], found[1]):
            raise prediction_or_truth(found[0], found[1], f"differ by what {found[2]!r:.60} says")

    def _ask_about_numbers_by_name(self) -> None:
        """ReadingUnclear where of the only two columns of numbers in one range a program is said to have given one, and the
        other one to be true or a person's, though they do not rise together.
        """
        if not self._strict or self._predicts or {*JUDGED} & {*self._roles}:
            return
        said, true = (self._answers_called(words) for words in (MACHINES, PERSONS | REFERENCE))
        both = [[name for name in names if self._of(name).are_numbers] for names in (said, true)]
        if [*map(len, both)] == [1, 1] and both[0] != both[1] and overlap(self._of(both[0][0]), self._of(both[1][0])):
            raise prediction_or_truth(both[0][0], both[1][0], "are a program's and what is true, as their names say")

    def _find_nameless(self) -> None:
        """Where the file names no column, the only sentences beside a file in each row are the output.

        ReadingUnclear where the only two of numbers rise with each other.
        """
        names = [*self._cells.columns]
        if not self._strict or names != [f"column {place}" for place, _ in enumerate(names, 1)]:
            return
        texts = [name for name in names if self._of(name).are_sentences]
        if len(names) == 2 and len(texts) == 1 and any(self._of(name).are_files for name in names):
            self._take("output", texts[0], "the only text beside a file in each row")
            self._doubts.append(f"{texts[0]!r:.60} is read as the output, because a file is all that stands beside it.")
            return
        rest = [name for name in self._free() if self._of(name).are_measured and not self._of(name).number_rows]
        if len(rest) == 2 and self._of(rest[0]).size >= FEWEST_ROWS and self._rises(rest[0], rest[1]):
            raise prediction_or_truth(rest[0], rest[1], "have no name, and their numbers rise together")

    def _rises(self, name: str, other: str) -> bool:
        one, two = self._of(name), self._of(other)
        return agrees(one, two, whole=True) if one.size >= FEWEST_ROWS else overlap(one, two)

    def _is_said_by_person(self, name: str) -> bool:
        """Whether a column holds the predicted classes, and a person gave them, as its name says, in few rows."""
        both = self._beside_predicted(name)
        if not self._strict or both is None or both[1].are_measured or not self._is_called(name, PERSONS):
            return False
        if both[0].size >= FEW_ROWS:
            return False  # as many rows tell that it does not agree
        known, said = ({*map(folded, one.filled)} for one in both)
        return len(known) > 1 and both[0].are_classes and len(known & said) >= LEAST_SHARED * len(known)

    def _find_truth_in_the_end(self) -> bool:
        """The only column that agrees with the predictions and that a person gave; or that says for what something was sold.

        Of the latter a doubt says that its name tells.
        """
        person = self._only_person_who_agrees()
        if person:
            self._take("label", person, "a person gave it, as its name says, and it agrees with the predictions")
            return True
        said = self._roles.get("prediction", "")
        sold = [name for name in self._free() if IN_THE_END & self._words(name) and not EARLIER & self._words(name)]
        if len(sold) != 1 or said not in self._cells.columns or not self._of(said).are_measured:
            return False
        if not self._rises(sold[0], said) or self._cells.size < FEWEST_ROWS:
            return False
        self._take("label", sold[0], "it rises with the predictions, and says for what something was sold")
        self._say_by_name(sold[0], said)
        return True

    def _only_person_who_agrees(self) -> str:
        """The only column of answers that a person gave, as its name says, and that agrees with the predictions; else "".

        One with a number is one of several.
        """
        said = self._roles.get("prediction", "")
        if said not in self._cells.columns or "output" in self._roles:
            return ""
        given = [name for name in self._answers_called(PERSONS) if name not in self._taken]
        given = [
            name
            for name in given
            if not (self._is_called(name, MACHINES | PREDICTING) or any(map(str.isdecimal, name)))
        ]
        found = [name for name in given if self._meet(said, name)]
        return found[0] if len(found) == len(given) == 1 else ""


def _are_named_further(one: FirstCells, two: FirstCells) -> bool:
    """Whether the first cells of two columns stand in no other row of either, as a second line of names does."""
    if one.are_numbers or two.are_numbers or min(one.size, two.size) < FEWEST_ROWS:
        return False
    first = [cells.column.words[int(cells.column.places[0])].as_py() for cells in (one, two)]
    once = all((cells.column.places == cells.column.places[0]).sum() == 1 for cells in (one, two))
    return once and first[0] not in two.filled and first[1] not in one.filled and one.are_classes and two.are_classes
