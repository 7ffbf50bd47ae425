"""What the columns of a table tell where people judge: a prediction of sentences is an output, and beside an output stand its
question, its reference and the choices it had, whatever these are called.
"""

import re
from collections.abc import Collection, Mapping
from functools import cached_property
from shlex import quote

import numpy as np

from testimate.core.reading import EMPTY_COLUMN
from testimate.core.spellings import bare, folded
from testimate.tables.cells import Column
from testimate.tables.column_evidence import MOST_COLUMNS, ColumnEvidence
from testimate.tables.column_names import CHOICES, CONTEXTS, TRUTHS, WHY
from testimate.tables.evaluation_names import (
    CALLED_AS_BOTH,
    GIVEN,
    INPUT_KEYS,
    OF_KEYS,
    WRONG_ONES,
    are_twins,
    is_called_grade,
    is_called_input_or_reference,
    is_called_output,
)
from testimate.tables.evaluation_records import KEY, OF_RECORD
from testimate.tables.evaluations import MOST_WORDS, are_grades, is_amount, names_systems, roles_beside_output
from testimate.tables.first_cells import FEWEST_ROWS, OFTEN, FirstCells, coded, looks_like_sentence, say_the_same
from testimate.tables.output_names import (
    ABOUT_OUTPUT,
    ABOUT_REPLY,
    ANSWERS,
    ASKS,
    BESIDE_TEXTS,
    BY_PERSON,
    DATASETS,
    EDITED,
    KEYS,
    MATERIAL,
    OF_INPUT_KEYS,
    OF_KINDS,
    OF_NAMES,
    OF_OTHER_KEYS,
    OF_PROGRAM,
    OF_TESTS,
    OF_TRUTH,
    POST_EDITED,
    RETRIEVED,
    SURELY_RIGHT,
    SURELY_WRITTEN,
    UNWANTED,
    VERDICTS,
    WANTED,
)
from testimate.tables.pairs import (
    ASKED,
    EXPECTED,
    differ_in_one_word,
    differing_word,
    has_word,
)
from testimate.tables.retrieved import FIRST_TEXTS, first_texts, lists_things, says_what_to_find, share_within
from testimate.tables.role_questions import MOST_ASKED, which_column, which_input, which_output
from testimate.tables.score_names import (
    JUDGE_NAMES,
    fields_of,
    is_in_judgment,
    is_in_list,
    is_in_scores,
    is_no_score,
    is_of_judge,
    may_name_judge,
    names_judge,
    path_end,
    says_how_a_call_went,
    says_where_or_how_long,
    words_in,
)
from testimate.tasks import TASKS
from testimate.tasks.classification import form_of_sets
from testimate.tasks.verdict import grade_in_english, grade_in_words

FEWEST_OF_MANY = 50
"""Rows from which on answers that hardly recur name no classes, though they are no sentences."""

CUT_OUT, FEWEST_TO_CUT = 0.95, 20
"""Share of rows beyond which a text that stands in another one was cut out of it, and the rows that it takes; a truth stands
in right replies alone."""

CELL_OF_KEY, FEW_KEYS = re.compile(r"(?=.*[0-9])[\w/#-]*[A-Za-z_/#][\w/#-]*|[0-9]+"), 3
"""What says which input it is, without a space and with a number, and the rows that it takes to see that."""

WITHIN_LISTS, NUMBER_OF_KEY = re.compile(r"[\s,;\"']+"), re.compile(r"[0-9]+")
"""What stands around the keys of a list, and what differs between keys that are spelled alike."""

LEAST_TEXT = 8
"""Letters below which a text may stand in another one by chance."""


HALF = 0.5
"""Share of texts from which on words stand in them by chance."""

BEGINNING, OFTEN_SAID = 60, 0.8
"""First letters of a reply that say its class, and the share of rows in which they do."""


def _in_entry(name: str, place: int) -> str:
    """The path of the same field in another entry of the first list."""
    return re.sub(r"\[[0-9]+\]", f"[{place}]", name, count=1)


def _says_class(text: str, word: str) -> bool:
    return bool(word) and re.search(rf"(?<!\w){re.escape(word.casefold())}(?!\w)", text.casefold()) is not None


def _is_class(text: str, word: str) -> bool:
    """Whether a text is the class alone, as the truth is; a reply says more."""
    return folded(text) == folded(word)


def _plain(texts: FirstCells) -> list[str]:
    """The first texts without what is written otherwise in JSON; one too short to be told from others is none."""
    words = [re.sub(r"\\[nrt\"']|\W", "", word).casefold() for word in first_texts(texts)]
    return [word if len(word) >= LEAST_TEXT else "\0" for word in words]


def _name_several(cells: Collection[str]) -> bool:
    """Whether each of these distinct cells names several classes, as a set or as another kind of task separates them."""
    marks = {task.separator for task in TASKS.values() if task.separator}
    parts = {mark: [cell.split(mark) for cell in cells] for mark in marks}
    names = any(
        all(len(some) > 1 and not any(map(looks_like_sentence, map(str.strip, some))) for some in of_cells)
        for of_cells in parts.values()
    )
    return names or form_of_sets(cells) is not None


class JudgedColumnsEvidence(ColumnEvidence):
    """What is known of each column, and what stands beside an output."""

    @cached_property
    def _passed_over(self) -> set[str]:
        """Columns whose own name is no longer their role."""
        return set()

    @cached_property
    def _put_in(self) -> list[str]:
        """What was put in the prompt besides the question."""
        return []

    def _find_judged_prediction(self) -> None:
        """A prediction whose cells are sentences, or hardly recur and have no chances: people judge it."""
        if self._verdicts is False or {"output", "output_a", "outcome"} & {*self._roles}:
            return
        chosen = {column for _, column in self._chosen}
        own = self._roles.get("prediction")
        named = [own] if own is not None else self._named(self._predictions)[:1]
        if not named or named[0] in chosen or named[0] not in self._cells.columns or not self._are_free_texts(named[0]):
            return
        [name] = named
        label = self._roles.get("label")
        if label in chosen or (label is not None and label not in self._cells.columns):
            return
        if self._strict and label is not None and not self._of(label).filled:
            del self._roles["label"]
            self._hide(label, EMPTY_COLUMN)
            label = None
        true = label or next(iter(self._named(TRUTHS)), None)
        if self._strict and true is not None and self._of(name).are_sentences and self._grades(true):
            self._roles.pop("prediction", None)
            self._take("output", name, "its cells are texts that name no classes, and their grades are beside it")
            if label is None:
                self._take("label", true, "its name, and its words are grades")
            return
        amounts = self._strict and true is not None and (self._stand_in(true, name) or self._differ_in_kind(true, name))
        few = true is not None and 2 * len(self._of(true).filled) <= self._inputs
        if true is not None and not amounts and (self._of(true).are_numbers or (self._of(true).are_classes and few)):
            return
        for role in ("prediction", "label"):
            self._roles.pop(role, None)
        self._take("output", name, "its cells are texts that name no classes")
        if true is not None and not (self._strict and self._of(true).are_classes and few):
            self._take("reference", true, "its name, and its cells are texts, too")

    def _differ_in_kind(self, true: str, name: str) -> bool:
        """Whether classes share none with sentences, which are no classes then, and beside which they say something else."""
        known, said = ({*map(folded, self._of(one).filled)} for one in (true, name))
        return self._of(name).are_sentences and self._of(true).are_classes and known.isdisjoint(said)

    def _grades(self, name: str) -> bool:
        """Whether every word of a column says right or wrong."""
        words = self._of(name).filled
        return len(words) > 1 and self._say_grades(words)

    def _are_free_texts(self, name: str) -> bool:
        """Whether answers are sentences, or hardly recur in a table of many rows without chances of classes."""
        one = self._of(name)
        few = 2 * len(one.filled) <= min(one.size, self._inputs)
        if one.are_numbers or one.are_files or few or _name_several(one.filled[:1000]):
            return False
        if self._are_compared(name, self._roles.get("label") or next(iter(self._named(TRUTHS)), "")):
            return False
        chances = any(self._of(other).are_shares for other in self._named_confidences())
        return one.are_sentences or (one.size >= FEWEST_OF_MANY and not chances and not self._predicts_by_chances)

    def _are_compared(self, name: str, label: str) -> bool:
        """Whether a column says right in exactly the rows in which short answers are what is called the truth, the label.

        Then nothing is left to judge. Where texts are beside them, people may judge the answers to these.
        """
        if not self._strict or not {name, label} <= {*self._cells.columns} or self._of(name).hold_sentences:
            return False
        texts = any(self._of(other).hold_sentences for other in self._free())
        return not texts and any(self._says_where_equal(flag, name, label) for flag in self._flags())

    @cached_property
    def _inputs(self) -> int:
        """The number of inputs, of which each has several rows where records stood under keys."""
        records = self._strict and {OF_RECORD, KEY} <= {*self._cells.columns}
        return len(Column(OF_RECORD, self._cells.columns[OF_RECORD]).words) if records else self._cells.size

    @property
    def _predicts_by_chances(self) -> bool:
        """Whether columns hold the chances of classes."""
        return any(name.casefold().startswith("p_") for name in self._cells.names)

    def _find_beside_output(self) -> None:
        """The question and the reference beside an output that is known by its own name, by a choice or as a prediction."""
        output = self._roles.get("output")
        if output is None or output not in self._cells.columns:
            return
        for role, name in roles_beside_output(self._cells, output, self._taken, rules=self._rules).items():
            if role not in self._roles:
                self._take(role, name, "its name")
        grades = [name for name in self._free() if self._strict and self._are_grades_of_people(name)]
        if len(grades) == 1 and not {"label", "outcome"} & {*self._roles}:
            self._take("label", grades[0], "its name, and its cells are grades")

    def _are_grades_of_people(self, name: str) -> bool:
        """Whether a column is called a grade and a person's, and holds grades."""
        words = {*map(grade_in_english, self._of(name).filled)}
        return (
            is_called_grade(self._called(name))
            and bool(BY_PERSON & self._words(name))
            and len(words) > 1
            and are_grades(words)
        )

    def _weigh_output(self, foreign: Mapping[str, str]) -> Mapping[str, str]:
        """The roles of an evaluation, whose output is weighed against the other texts that may be one.

        One that is called as a truth may be, too, gives way to the only one that a program is said to have written, and is
        the reference then. ReadingUnclear where two fit.
        """
        output = foreign.get("output", "")
        if not self._strict or not output or "." in output or "[" in output or "output_a" in foreign:
            return foreign
        if self._found.get("output", output) != output and self._is_called_as_both(output):
            rest = {role: name for role, name in foreign.items() if role != "output"}
            return rest if "reference" in {*rest, *self._roles} else {**rest, "reference": output}
        if OF_TRUTH & self._words(output) and not self._is_surely_written(output):
            self._take("reference", output, "its name, and its cells are texts, too")
            return {}
        if not self._is_called_as_both(output):
            return foreign
        both = foreign.get("reference", "")
        known = {column for role, column in foreign.items() if column != both or not self._is_called_as_both(both)}
        others = [*dict.fromkeys(name for name in (*self._replies(output), both) if name and name not in known)]
        written = [name for name in others if self._is_called_written(name)]
        said, true = "output", "reference"
        if "input" not in foreign and (self._of(output).are_classes or self._of(output).are_numbers):
            said, true = "prediction", "label"
        if (
            len(written) == 1
            and not {"reference", true} & {*foreign, *self._roles}
            and "completion" not in bare(output)
        ):
            self._take(said, written[0], "its name says that a model wrote it")
            self._take(true, output, f"its name, and {written[0]!r:.60} is the {said}")
            return {}
        if others:
            asked = [output, *others][:MOST_ASKED]
            raise which_output(asked) if said == "output" else which_column(said, asked)
        return foreign

    def _replies(self, output: str = "") -> list[str]:
        """The free columns that may be replies, by their names and cells: texts, and beside an output what is like it.

        ``output`` : one that is found by its name, "" if none is.
        """
        free = [name for name in self._free() if "[" not in name and name != output]
        free = [name for name in free if "." not in name or (self._strict and len(fields_of(name)) == 1)]
        named = [name for name in free if self._may_be_called_reply(name)]
        texts = [name for name in named if self._holds_texts(name)]
        if self._strict:
            texts = [name for name in texts if is_called_output(self._called(name)) or not self._holds_keys(name)]
        if not output:
            return texts
        if self._of(output).are_classes or self._of(output).are_numbers:
            texts = [name for name in texts if self._stand_in(output, name)]
        like_it = [name for name in named if name not in texts and self._may_tell(self._of(name), self._of(output))]
        if self._cells.size < FEWEST_TO_CUT:
            return [*like_it, *texts]  # a truth may stand in all of so few replies
        return [*like_it, *(name for name in texts if not self._holds_the_other(name, output, in_rows=CUT_OUT))]

    def _has_replies(self) -> bool:
        """Whether a column of sentences is called an output."""
        return any(is_called_output(self._called(name)) and self._of(name).hold_sentences for name in self._replies())

    def _holds_texts(self, name: str) -> bool:
        one = self._of(name)
        classes = one.are_classes and not one.hold_long_texts
        filled = bool(one.filled) and not (one.are_numbers or classes or one.are_files)
        return filled and not (one.are_lists or one.name_things or names_systems(self._cells, name))

    def _may_be_called_reply(self, name: str) -> bool:
        words = self._words(name)
        about = ABOUT_OUTPUT - {"result", "summary"} | BESIDE_TEXTS | ASKED | OF_TRUTH | {"q"}
        if (
            words & (about - OF_PROGRAM - self._written_code(name))
            or words & OF_NAMES
            or words & OF_TESTS
            or {"test", "list"} <= words
        ):
            return False
        if bare(self._called(name)) in CONTEXTS | CHOICES | {*MATERIAL, *ASKS} or is_called_input_or_reference(
            self._called(name)
        ):
            return False
        if says_how_a_call_went(name) or is_amount(self._cells, name):
            return False
        if bare(self._field(name)) in map(bare, INPUT_KEYS) or WRONG_ONES & words or name.count(" ") >= MOST_WORDS:
            return False
        return not (is_of_judge(name) or self._is_post_edited(name))

    def _is_post_edited(self, name: str) -> bool:
        """Whether a text is called as what a person made of a machine's translation."""
        words = self._words(name)
        return bool(words & POST_EDITED) or ("post" in words and bool(words & EDITED))

    def _written_code(self, name: str) -> set[str]:
        """The word for code where a name says that a program wrote it."""
        return {"code"} if self._is_called_written(name) else set()

    def _is_called_as_both(self, name: str) -> bool:
        """Whether the name of an output is also one of what is right."""
        return bare(self._called(name)) in CALLED_AS_BOTH

    def _is_called_written(self, name: str) -> bool:
        """Whether a name says that a program wrote a text: by a word, or by the model's own name."""
        words = self._words(name) | words_in(name)
        return bool(words & OF_PROGRAM) or any(word.startswith(JUDGE_NAMES) for word in words)

    def _is_surely_written(self, name: str) -> bool:
        """Whether a name says that a program wrote a text by more than a word for a reply, which people give, too."""
        words = self._words(name) | words_in(name)
        return bool(words & SURELY_WRITTEN) or any(word.startswith(JUDGE_NAMES) for word in words)

    def _true_numbers(self) -> list[str]:
        """The free columns of mostly distinct numbers beside an output whose names are those of what is right."""
        if not self._strict or not {"output", "output_a"} & {*self._roles}:
            return []
        numbers = [name for name in self._free() if self._of(name).are_numbers and not self._names_rows(name)]
        numbers = [name for name in numbers if 2 * len(self._of(name).filled) > self._of(name).size]
        numbers = [name for name in numbers if "." not in name and "[" not in name and not self._of(name).are_shares]
        numbers = [
            name
            for name in numbers
            if not (is_called_grade(self._called(name)) or may_name_judge(name) or is_no_score(name))
        ]
        numbers = [name for name in numbers if not RETRIEVED & self._words(name)]
        numbers = [name for name in numbers if OF_TRUTH & self._words(name) or not says_where_or_how_long(name)]
        called = [name for name in numbers if self._is_called_as_both(name) or OF_TRUTH & self._words(name)]
        called += [name for name in numbers if name not in called and is_called_input_or_reference(self._called(name))]
        output = self._roles.get("output", "")
        return called + [name for name in numbers if name not in called and self._stand_in(name, output)]

    def _stand_in(self, name: str, output: str) -> bool:
        """Whether numbers stand in many of the texts of an output, as true ones do in right replies, not in the question."""
        texts = output in self._cells.columns and not self._of(output).are_numbers and self._cells.size >= FEWEST_ROWS
        if not texts or not self._of(name).are_numbers or self._count_from_1(name):
            return False
        asked = self._roles.get("input", self._roles.get("text", ""))
        often = share_within(self._of(name), self._of(output))
        return often >= OFTEN and (
            asked not in self._cells.columns or share_within(self._of(name), self._of(asked)) < often / 2
        )

    def _count_from_1(self, name: str) -> bool:
        """Whether whole numbers count from 0 or 1, as those of rounds do and of the points of a list in an answer."""
        one = self._of(name)
        numbers = np.unique(one.column.values[one.column.is_number])
        return one.are_whole and len(numbers) > 1 and numbers[0] in (0, 1) and bool((np.diff(numbers) == 1).all())

    def _hide_what_to_find(self) -> None:
        """Hides what should have been retrieved beside an answer of prose, such as a chapter, and says so of a reference."""
        output = self._roles.get("output")
        if not self._strict or output is None or output not in self._cells.columns:
            return
        found = self._roles.get("reference")
        named = [name for name in self._free() if WANTED & self._words(name) and not self._of(name).are_shares]
        named = [
            name for name in named if not (names_judge(name) or may_name_judge(name)) and self._of(name).filled[1:]
        ]
        if not {"input", "text", "image", "audio", "file"} & {*self._roles}:
            named = [
                name for name in named if name not in self._only_key()
            ]  # which says what was asked, if anything does
        for name in [*named, *([] if found is None or ("reference", found) in self._chosen else [found])]:
            if name not in self._cells.columns or not self._is_to_be_found(name):
                continue
            self._hide(name, "it says what should be found, not what should be answered")
            if name == found:
                del self._roles["reference"]
                self._found.pop("reference", None)
                where = "holds keys" if self._holds_keys_of_table(name) else "stands in few of the outputs"
                self._doubts.append(
                    f"{name!r:.60} {where}, and may say what should be found. If it is the right answer: "
                    f"--column {quote(f'reference={name}')}."
                )

    def _is_to_be_found(self, name: str) -> bool:
        """Whether a column names what should be found, by its cells and those of the output and of what was retrieved."""
        output = self._roles["output"]
        if self._holds_keys_of_table(name):
            return self._of(output).are_sentences
        others = [one for one in [*self._cells.columns][:MOST_COLUMNS] if one not in (name, output)]
        others = [one for one in others if RETRIEVED & self._words(one) and not OF_TRUTH & self._words(one)]
        lists = (self._of(one) for one in others if lists_things(self._of(one)))
        answers = (
            is_called_input_or_reference(self._called(name))
            or bool(GIVEN & self._words(name))
            or self._is_called_as_both(name)
        )
        answers = answers or bare(self._called(name)) in ("label", *TRUTHS)
        return says_what_to_find(self._of(name), self._of(output), lists, answers=answers)

    def _holds_keys_of_table(self, name: str) -> bool:
        """Whether nearly all cells are keys or lists of them, which begin as those of a column of keys of other numbers do."""
        one = self._of(name)
        items = [item for word in one.filled[:1000] for item in WITHIN_LISTS.split(word.strip("[]")) if item]
        spelled = {NUMBER_OF_KEY.sub("0", item) for item in items}
        keys = [self._of(other) for other in self._cells.columns if other != name and OF_KEYS & self._words(other)]
        keys = [key for key in keys if len(key.filled) == key.size and all(map(CELL_OF_KEY.fullmatch, key.filled))]
        begins = {NUMBER_OF_KEY.sub("0", word) for key in keys for word in key.filled[:1000]}
        if len(one.filled) < FEW_KEYS or not all(map(CELL_OF_KEY.fullmatch, items)):
            return False
        return bool(spelled) and all(
            re.search("[^\\W0_]", item) is not None and any(key.startswith(item) for key in begins) for item in spelled
        )

    def _find_named_reference(self) -> None:
        """The only text beside an output whose name has a word for what is right and one for an answer, in whatever words
        else; it may recur as often as the question does.
        """
        if not self._strict or "output" not in self._roles or {"reference", "label"} & {*self._roles}:
            return
        asked = self._roles.get("input", "")
        inputs = len(self._of(asked).words) if asked in self._cells.columns else self._cells.size
        named = [name for name in self._free() if OF_TRUTH & self._words(name) and GIVEN & self._words(name)]
        further = [name for name in self._free() if name not in named and self._is_called_right(name)]
        for names in (named, further):
            names = [name for name in names if not (self._is_about(name) or is_in_list(name) or may_name_judge(name))]
            fit = [self._of(name) for name in names]
            fit = [one for one in fit if not (one.are_numbers or one.are_files) and 2 * len(one.filled) > inputs]
            fit = [one for one in fit if not one.are_lists] or fit
            fit = [one for one in fit if not self._is_to_be_found(one.column.name)]
            if len(fit) == 1:
                self._take("reference", fit[0].column.name, "its name, and its cells are texts, too")
            if fit:
                return

    def _is_called_right(self, name: str) -> bool:
        """Whether the field of a path has a word for what is right, and none for what else a text beside it may be."""
        words = self._words(self._field(name))
        about = BESIDE_TEXTS | OF_NAMES | ASKED | UNWANTED
        return bool(words & SURELY_RIGHT) and not words & about and self._of(name).hold_sentences

    def _find_whose_confidence(self) -> None:
        """Hides a confidence beside an output where it stands with a verdict on it: it is how sure a judge is of that."""
        if not self._strict or not {"output", "output_a"} & {*self._roles}:
            return
        for other in [*self._free()]:
            if bare(self._field(other)) == "confidence" and (names_judge(other) or is_in_judgment(other)):
                self._hide(other, "it may be how sure a judge is")
        name = self._roles.get("confidence")
        if name is None or ("confidence", name) in self._chosen:
            return
        chosen = {column for _, column in self._chosen}
        beside = [one for one in self._cells.columns if one.rpartition(".")[0] == name.rpartition(".")[0]]
        beside = [one for one in beside if VERDICTS & self._words(self._field(one)) and one not in chosen]
        beside = [one for one in beside if not EXPECTED & self._words(one)]
        label = self._roles.get("label")
        if "output_a" in self._roles and label is not None and label not in chosen:
            beside = [label]
        if beside:
            del self._roles["confidence"]
            self._hide(name, f"it may be how sure the judge of {beside[0]!r:.40} is")
        if beside and "output" in self._roles:
            self._doubts.append(
                f"{name!r:.60} stands beside {beside[0]!r:.60}, and may be how sure a judge is of it. If it is the chance that "
                f"the output is right: --column {quote(f'confidence={name}')}."
            )

    def _find_true_text(self) -> None:
        """A column 'label' beside an output that holds texts, as the output does: the reference."""
        name = self._roles.get("label")
        if not self._strict or name is None or ("label", name) in self._chosen or name not in self._cells.columns:
            return
        one = self._of(name)
        unknown = [word for word in one.filled if not grade_in_words(word)]
        if self._verdicts is None and one.are_classes and unknown:
            del self._roles["label"]
            self._hide(name, "its words are no grades")
            if len(unknown) < len(one.filled):
                self._doubts.append(
                    f"Some words of {name!r:.60} are grades, and {unknown[0]!r:.60} is none. To use it as known, correct these."
                )
            return
        if one.are_numbers or one.are_classes or not (one.are_sentences or one.size >= FEWEST_ROWS):
            return
        del self._roles["label"]
        self._taken.discard(name)
        if "reference" in self._roles:
            self._hide(name, "its name is that of the truth")
        else:
            self._take("reference", name, "its name, and its cells are texts, too")

    def _ask_which_answer_is_right(self) -> None:
        """ReadingUnclear where the reference is called an answer, and another column is, too, and says another thing."""
        name = self._roles.get("reference")
        if not self._lone or name is None or name not in self._cells.columns or ("reference", name) in self._chosen:
            return
        others = [one for one in self._free() if bare(self._field(one)) in ANSWERS and not is_in_list(one)]
        others = [one for one in others if not say_the_same(self._of(one), self._of(name))]
        if bare(self._field(name)) in ANSWERS and 0 < len(others) < MOST_ASKED:
            raise which_column("reference", [name, *others])

    def _ask_which_output(self) -> None:
        """ReadingUnclear where another text is called an output, too, and neither holds the other.

        ``output`` : as found by its name; without one all texts that are called so are asked about.
        """
        output = self._roles.get("output")
        others = {"output_a", "prediction"} | ({"outcome"} if output is None else set())
        if not self._strict or self._verdicts is False or others & {*self._roles}:
            return
        if output is not None and (("output", output) in self._chosen or output not in self._cells.columns):
            return
        found = [] if output is None else [output]
        for name in self._free():
            if self._is_another_output(name, above=output is None) and not any(
                self._holds_the_other(name, one) for one in found
            ):
                found.append(name)
        found = self._of_records_side_by_side(found)
        if 1 < len(found) <= self._most_asked:
            raise which_output(found)

    def _of_records_side_by_side(self, found: list[str]) -> list[str]:
        """These outputs without what each of several records says, such as what is right, and with their other outputs."""
        said = [name for name in found if not self._is_in_each_record(name)]
        if len(said) < 2:
            return found
        records = {fields_of(name)[0] for name in said if self._twins(name)}
        more = [name for name in self._free() if name not in said and fields_of(name)[0] in records]
        more = [name for name in more if is_called_output(self._called(name)) and self._twins(name)]
        more = [name for name in more if not (self._is_in_each_record(name) or self._is_about(name))]
        return [*said, *more] if len(said) + len(more) <= self._most_asked else said

    def _twins(self, name: str) -> list[str]:
        """The columns that hold the same field of records beside that of a column."""
        return [other for other in [*self._cells.columns][:MOST_COLUMNS] if are_twins(name, other)]

    def _is_in_each_record(self, name: str) -> bool:
        """Whether the same field of each record beside that of a column has its cells, row for row."""
        coded_pairs = [coded(self._of(name), self._of(twin)) for twin in self._twins(name)]
        return bool(coded_pairs) and all(np.array_equal(one, other) for one, other in coded_pairs)

    def _is_about(self, name: str) -> bool:
        """Whether a name says that a text is about an output, or how it was made; or it stands beside a score of that."""
        stem, part, _ = name.rpartition("/")
        beside = any(part and other.casefold() == f"{stem}/score".casefold() for other in self._cells.columns)
        return beside or bool((ABOUT_OUTPUT | ABOUT_REPLY | WHY | {"key"}) & self._words(self._field(name)))

    def _is_another_output(self, name: str, *, above: bool) -> bool:
        """Whether a column holds texts that a model gave, by its name, and neither its reasons nor what a judge said.

        ``above`` : as ``is_called_output`` takes it.
        """
        called = is_called_output(self._called(name), above=above) or (above and self._is_plainly_written(name))
        listed = is_in_list(name) and not self._is_one_of_replies(name)
        if not called or listed or self._is_of_judge(name) or is_in_judgment(name):
            return False
        if is_in_scores(name) or self._is_of_dataset(name) or self._is_unfiltered(name):
            return False
        one = self._of(name)
        return not self._is_about(name) and 2 * int(one.column.is_empty.sum()) < one.size and one.hold_sentences

    def _is_unfiltered(self, name: str) -> bool:
        """Whether a text is what the output was taken from, by its name."""
        return path_end(self._roles.get("output", "")) == f"filtered_{path_end(name)}"

    def _is_of_dataset(self, name: str) -> bool:
        """Whether a text is a field of the question's own record, or holds the reference and is called as a truth may be, or as
        an answer that no program wrote beside one that a program did.
        """
        if bare(name.partition(".")[0]) in DATASETS and "." in name:
            return True
        true = self._roles.get("reference", "")
        written = self._is_surely_written(self._roles.get("output", "")) and not self._is_called_written(name)
        if true not in self._cells.columns or not (bare(self._field(name)) in CALLED_AS_BOTH or written):
            return False
        return self._holds_the_other(name, true, in_rows=CUT_OUT) or (written and self._names_in_each_row(name, true))

    def _names_in_each_row(self, name: str, true: str) -> bool:
        """Whether nearly all texts hold the words of another column in their row, and few those of another one."""
        texts, words = (first_texts(self._of(one)) for one in (name, true))
        others = [(text, word) for text, mine, word in zip(texts, words, words[1:], strict=False) if word != mine]
        own = np.mean([*map(_says_class, texts, words)])
        return bool(own >= CUT_OUT and others and np.mean([_says_class(*one) for one in others]) < HALF)

    def _is_plainly_written(self, name: str) -> bool:
        """Whether a name says that a program wrote a text, and nothing else about it."""
        words = self._words(name)
        return self._is_called_written(name) and not (EXPECTED | ASKED | BESIDE_TEXTS | OF_NAMES) & words

    def _is_of_judge(self, name: str) -> bool:
        """Whether a text is a judge's by its name; a model's answer is no judgment, though such a model often judges."""
        words = self._words(name)
        judges = any(word.startswith(("judge", "grader", "autorater")) for word in words)
        return names_judge(name) and (judges or not GIVEN & words)

    def _is_one_of_replies(self, name: str) -> bool:
        """Whether the same field of another entry of a list is a column, too, as of several replies to one input."""
        return any(twin != name and twin in self._cells.columns for twin in (_in_entry(name, 0), _in_entry(name, 1)))

    def _hide_of_other_systems(self) -> None:
        """Hides another system's output than the one that is judged, and what is about it; of two, a judge's grades of one."""
        judged = [self._roles[role] for role in ("output", "output_a", "output_b") if role in self._roles]
        judged = [name for name in judged if name in self._cells.columns] if self._strict else []
        for other in [*self._free()] if len(judged) == 1 else judged:
            word = next((word for name in judged if (word := self._word_of_system(other, name)) is not None), None)
            if word is None or EXPECTED & self._words(other) or not self._of(other).hold_sentences:
                continue
            for name in [*self._free()]:
                if name == other:
                    self._hide(name, "it is another output")
                elif has_word(name, *word) and (len(judged) == 1 or names_judge(name)):
                    self._hide(name, f"it is about {other!r:.60}")

    def _word_of_system(self, name: str, output: str) -> tuple[int, str] | None:
        """The word of a name, with its place, by which it is that of another system's output; None of any other name."""
        if not differ_in_one_word(name, output):
            return None
        word, own = differing_word(name, output), differing_word(output, name)
        about = GIVEN | ASKED | ABOUT_OUTPUT | ABOUT_REPLY | BESIDE_TEXTS | OF_NAMES
        return None if word is None or own is None or {word[1], own[1]} & about else word

    def _holds_the_other(self, name: str, other: str, *, in_rows: float = 0.5) -> bool:
        """Whether in most rows one of two texts holds the other, as a reply holds the answer that was cut out of it.

        ``in_rows`` : the share of the rows. A right reply holds what is true, too, so that of these nearly all must.
        """
        one, two = (_plain(self._of(one)) for one in (name, other))
        held = sum(first in second or second in first for first, second in zip(one, two, strict=True))
        return held > in_rows * len(one)

    def _find_only_text(self) -> None:
        """The only other text beside an output that may be what was asked; ReadingUnclear where several may."""
        beside = {"input", "text", "image", "audio", "file", *(() if self._strict else ("reference",))}
        if beside & {*self._roles}:
            return
        may_be = [name for name in self._free() if "[" not in name and (not self._strict or self._may_be_asked(name))]
        may_be = [name for name in may_be if not (self._strict and self._of(name).list_keys)]
        texts = [name for name in may_be if self._of(name).are_sentences]
        if self._strict and not texts:
            texts = may_be
        if self._strict:
            texts = [
                name for name in texts if not any(name.startswith(f"{one}_") for one in texts)
            ]  # its translation, say
            texts = next(([one] for one in texts if texts[1:] and self._is_held_in(one, texts)), texts)
        if len(texts) == 1 and not ABOUT_OUTPUT & self._words(texts[0]) and not names_judge(texts[0]):
            self._take("input", texts[0], "the only other text")
        elif self._strict and 1 < len(texts) <= MOST_ASKED:
            raise which_input(texts)
        elif self._strict and texts[1:]:
            self._doubts.append(
                f"{texts[0]!r:.60}, {texts[1]!r:.60} and {len(texts) - 2} more texts may be what was asked. To show one beside "
                "the output: --column input=NAME."
            )

    def _is_held_in(self, name: str, others: list[str]) -> bool:
        """Whether nearly all cells of each other text hold those of this one, as a prompt does what was put in it."""
        held = _plain(self._of(name))
        shares = [np.mean([*map(str.__contains__, _plain(self._of(other)), held)]) for other in others if other != name]
        return bool(min(shares) > CUT_OUT)

    def _may_be_asked(self, name: str) -> bool:
        """Whether a text may be what was asked: prose that is no part of the output, nor about it or about what is right."""
        words, output = self._words(name), self._roles.get("output")
        if bare(self._field(name)) in CONTEXTS:
            return False
        if (ABOUT_OUTPUT | ABOUT_REPLY | EXPECTED) & words or is_in_judgment(name) or names_judge(name):
            return False
        if "/" in name and self._is_about(name):
            return False
        if is_called_output(self._called(name)) or not self._of(name).hold_sentences or self._differs_within_key(name):
            return False
        if OF_KINDS & self._words(self._field(name)) and self._of(name).are_classes:
            return False
        if output is not None and self._word_of_system(name, output) is not None:
            return False
        if output is None or output not in self._cells.columns:
            return True
        given = ~self._of(output).column.is_empty
        if 2 * int(self._of(name).column.is_empty[given].sum()) > int(given.sum()):
            return False  # what was asked is there wherever an answer is
        return not self._holds_the_other(name, output)

    def _free_key_as_input(self) -> None:
        """Takes the role of the input from keys where sentences are beside them that may be what was asked."""
        name = self._roles.get("input", "")
        if not self._strict or ("input", name) in self._chosen or name not in self._cells.columns:
            return
        beside = [other for other in self._free() if self._of(other).are_sentences] if self._holds_keys(name) else []
        if any(map(self._may_be_asked, beside)):
            del self._roles["input"]
            self._found.pop("input", None)
            self._taken.discard(name)

    def _holds_keys(self, name: str) -> bool:
        """Whether each cell is another key, which says which input it is."""
        one = self._of(name)
        return len(one.filled) == one.size >= FEW_KEYS and all(map(CELL_OF_KEY.fullmatch, one.filled))

    def _hide_why(self) -> None:
        """Hides the texts beside a prediction that say why it was given, or what a judge thinks of it."""
        for name in [*self._free()] if self._strict and self._predicts else ():
            if WHY & self._words(self._field(name)) and self._of(name).hold_sentences:
                self._hide(name, "it says why an answer was given, or what is wrong with it")

    def _hide_replies(self) -> None:
        """Hides the texts from which the predicted classes were read, as they say them at their beginning."""
        predicted = self._predicted()
        if not self._strict or predicted is None or predicted.are_measured or self._cells.size < FEWEST_ROWS:
            return
        said = [predicted.words[place] for place in predicted.column.places[:FIRST_TEXTS].tolist()]
        for name in [name for name in self._free() if self._of(name).hold_sentences]:
            one = self._of(name)
            begins = [one.words[place][:BEGINNING] for place in one.column.places[:FIRST_TEXTS].tolist()]
            tell = sum(map(_says_class, begins, said)) - 2 * sum(map(_is_class, begins, said))
            if tell >= OFTEN_SAID * len(said) or ("raw" in self._words(self._field(name)) and 2 * tell >= len(said)):
                self._hide(name, "it is the reply that the prediction was read from")

    def _differs_within_key(self, name: str) -> bool:
        """Whether a text differs between the rows of one input, by the key of these: what was asked does not."""
        for key in [one for one in self._free() if path_end(one) in KEYS]:
            inputs = len(self._of(key).words)
            if 2 * inputs <= self._of(key).size and len(self._of(name).words) > 2 * inputs:
                return True
        return False

    def _shown_beside(self) -> list[tuple[str, str]]:
        """The roles of what a tester needs beside the question: the material that it is about, its choices, or the key."""
        beside = dict.fromkeys((*self._put_in, *self._beside_question()))
        names = [name for name in beside if name not in self._taken or name in self._passed_over]
        self._taken |= {*names}
        self._reasons |= dict.fromkeys(names, "its name")
        return [("show", name) for name in names]

    def _beside_question(self) -> list[str]:
        """The columns of what stands beside the question, or of what says which one it is where none shows it."""
        question = self._roles.get("input")
        filled = (name for name in self._free() if not self._strict or self._of(name).filled)
        free = {bare(self._field(name)): name for name in filled if "[" not in name}
        if question is None or question not in self._cells.columns:
            seen = any(role in self._roles for role in ("image", "audio", "file", "text"))
            keys = {path_end(name): name for name in self._free() if not self._names_index(name)}
            if "key" in keys and self._strict and self._is_answer_key(keys["key"]):
                del keys["key"]
            named = [keys[name] for name in KEYS if name in keys]
            if self._strict and not named:
                named = [name for name in self._free() if self._of(name).are_files][:1] or self._only_key()
            return [] if seen else named
        texts = {bare(name.split(".")[-2]): name for name in self._free() if name.endswith(".text") and "[" not in name}
        choices = {**(texts if self._strict else {}), **free}
        beside = [choices[name] for name in CHOICES if name in choices and not self._of(choices[name]).are_numbers]
        if self._strict:
            beside += self._choices_of_output()
            true = self._roles.get("reference", self._roles.get("label", ""))
            beside = [name for name in beside if not self._repeats(name, true)]
            free = {field: name for field, name in free.items() if not self._repeats(name, question)}
        called = bare(self._field(question))
        if called in MATERIAL and (asks := [free[name] for name in ASKS if name in free]):
            if not self._is_mostly_empty(question):
                return [asks[0], *beside]
            self._roles.pop("input")
            self._take("input", asks[0], f"its name, and {question!r:.60} is empty in most rows")
            self._passed_over.add(question)
            return [question, *beside]
        material = [free[name] for name in MATERIAL if name in free] if called in ASKS else []
        return [*material[:1], *beside]

    def _choices_of_output(self) -> list[str]:
        """The columns that are called as the output's few words are, each by one: the choices A, B and so on."""
        output = self._roles.get("output", "")
        if output not in self._cells.columns or not 1 < len(self._of(output).filled) <= MOST_ASKED:
            return []
        free = {folded(name): name for name in self._free() if len(name) < LEAST_TEXT}
        named = [free[word] for word in map(folded, self._of(output).filled) if word in free]
        return sorted(named) if len(named) == len(self._of(output).filled) else []

    def _find_only_choice(self) -> None:
        """The only choice of each question, whose place among the choices is given: it is what is right."""
        if not self._strict or "output" not in self._roles or {"reference", "label"} & {*self._roles}:
            return
        for name in [
            name for name in self._free() if bare(self._field(name)) in CHOICES and not self._of(name).are_lists
        ]:
            places = [other for other in self._free() if other.rpartition(".")[0] == name.rpartition(".")[0]]
            places = [
                other for other in places if {"index", "idx"} & self._words(other) and self._of(other).words == ["0"]
            ]
            if places:
                self._take("reference", name, f"the only choice, which {places[0]!r:.60} says is right")
                return

    def _repeats(self, name: str, other: str) -> bool:
        """Whether a column says what another one says, in nearly all rows."""
        if other not in self._cells.columns:
            return False
        same = [*map(str.__eq__, *(first_texts(self._of(one)) for one in (name, other)))]
        return sum(same) > CUT_OUT * len(same)

    def _only_key(self) -> list[str]:
        """The only column that is called a key, and not that of a model, a call or a person."""
        words = {name: self._words(self._field(name)) for name in self._free()}
        keys = [name for name, of_name in words.items() if of_name & OF_INPUT_KEYS and not of_name & OF_OTHER_KEYS]
        return keys if len(keys) == 1 else []

    def _is_mostly_empty(self, name: str) -> bool:
        column: Column = self._of(name).column
        return bool(2 * column.is_empty.sum() > len(column.is_empty))
