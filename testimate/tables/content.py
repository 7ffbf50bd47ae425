"""What the columns of a table are, by what stands in them: content decides before names, and names before position.

``roles_by_content`` adds to a person's choices what the cells say: which column is the prediction under a name of another
tool, which holds the truth and may not be shown, which only numbers the rows.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from shlex import quote

from testimate.core.spellings import bare
from testimate.tables.cells import Cells
from testimate.tables.column_evidence import MOST_COLUMNS
from testimate.tables.column_names import (
    CHANCES,
    FILE_NAMES,
    LIKELIHOODS,
    OF_BOXES,
    PREDICTING,
    REFERENCES,
    SHORT_TRUE,
    SURE,
    TEXTS,
    TRUE,
    TRUTHS,
    UNSURE,
    has_boxes,
    words_of,
)
from testimate.tables.confidence import ROUNDING
from testimate.tables.evaluation_names import GIVEN
from testimate.tables.evaluations import is_amount
from testimate.tables.first_cells import (
    FEWEST_ROWS,
    FirstCells,
    agrees,
    looks_like_sentence,
    say_the_same,
)
from testimate.tables.hidden_evidence import HiddenColumnsEvidence
from testimate.tables.paired_evidence import MOST_AS_SHARE
from testimate.tables.pairs import CAME_OUT, EXPECTED, systems_among
from testimate.tables.parquet import is_text
from testimate.tables.prompts import (
    AFTER_OUTPUT,
    REPEATED,
    beside_output,
    output_of_prompt,
    outputs_of_prompts,
    put_in_prompt,
)
from testimate.tables.role_questions import (
    MOST_ASKED,
    class_or_share,
    prediction_or_output,
    prediction_or_truth,
    sure_or_score,
    which_chances,
    which_column,
)
from testimate.tables.roles import (
    FILES,
    JUDGED,
    Chosen,
    roles_of_other_tools,
)
from testimate.tables.rules import LATEST
from testimate.tables.telling import (
    cut_between,
    have_chances,
)
from testimate.tasks.classification import LISTED, names_in_set

MOST_TOO_SMALL = 0.01
"""Share of chances of predicted classes that may be too small for one."""


@dataclass(frozen=True, eq=False)
class ContentRoles:
    """What the cells say about the roles of columns, besides a person's choices.

    ``columns`` : the choices with those that were found, as ``roles_of`` takes them. ``reasons`` : why, of each column that
    was found. ``hidden`` : columns that may hold the truth or another model's answers, and why; testers do not see them.
    ``keys`` : columns that number the rows. ``doubts`` : sentences on what may be otherwise, with the way to say so.
    ``without_folders`` : names of files of which testers see no folder, since these are called as the classes are. ``unseen`` :
    keys that testers do not see, since they hold the names of the classes.
    """

    columns: Chosen
    reasons: Mapping[str, str] = field(default_factory=dict)
    hidden: Mapping[str, str] = field(default_factory=dict)
    keys: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()
    without_folders: tuple[str, ...] = ()
    unseen: tuple[str, ...] = ()


def says_class_names(name: str) -> str:
    """The sentence on a key that testers do not see."""
    return f"{name!r:.60} holds the names of the classes, and is shown to no tester."


def roles_by_content(
    cells: Cells,
    chosen: Chosen,
    *,
    verdicts: bool | None,
    boxed: bool = False,
    codes: Collection[str] = (),
    rules: int = LATEST,
    chance: bool = False,
) -> ContentRoles:
    """The choices and what the cells add to them.

    ``verdicts`` : whether outputs are judged, None to let the columns decide. ``codes`` : columns whose digits are words.
    ``rules`` : BY_CONTENT or a later set. ``chance`` : whether a person says that the predictions are chances of class 1.

    Raises
    ------
    ReadingUnclear : two columns fit one role that is needed.
    """
    return _Finder(cells, chosen, verdicts=verdicts, boxed=boxed, codes=codes, rules=rules, chance=chance).found()


class _Finder(HiddenColumnsEvidence):
    """Finds the roles one after another; each column has one."""

    def found(self) -> ContentRoles:
        """What was found, in the order in which one role depends on another."""
        self._hide_sure_in_words()
        if not self._boxed:
            self._hide_kinds_of_errors()
            self._hide_sureness_of_judges()
            self._hide_copies_in_records()
            self._find_answers()
            self._put_prediction_in_words()
            self._find_beside_pair()
            self._ask_about_lists()
            self._ask_about_siblings()
            self._find_whose_confidence()
            self._find_chances()
            self._find_confidence()
            self._find_label_in_words()
            self._find_truth()
            self._find_remainder()
            self._hide_bounds()
            self._hide_lists()
            self._hide_why()
            self._hide_replies()
            self._hide_texts_about_prediction()
        self._find_media()
        shown = self._contexts() if self._paired and not self._boxed else []
        if self._lone and not self._boxed and {"output", "output_a"} & {*self._roles}:
            shown += self._pass_over_files()
            self._free_key_as_input()
            self._find_only_text()
            self._hide_what_to_find()
            shown = self._only_context_as_input(shown)
            self._find_named_reference()
            self._find_resembling_reference()
            self._find_only_choice()
            self._find_whether_it_matches()
            self._find_whether_all_passed()
            shown += self._shown_beside()
            self._say_question_is_not_shown()
        if not self._boxed:
            self._hide_of_other_systems()
            self._hide_what_tells()
            self._hide_numbers_about_output()
            self._hide_verdicts_on_prediction()
        keys = tuple(name for name in self._free() if self._numbers_rows(name) or self._is_key_by_name(name))
        found = tuple((role, column) for role, column in self._found.items())
        hidden = tuple(("ignore", name) for name in self._hidden)
        folders = self._telling_folders()
        self._doubt_truth_that_is_predicted()
        self._doubts += self._offers()
        self._doubts += map(says_class_names, self._unseen)
        columns = (*self._chosen, *found, *shown, *hidden)
        doubts, unseen = tuple(self._doubts), tuple(self._unseen)
        return ContentRoles(columns, self._reasons, self._hidden, keys, doubts, folders, unseen)

    def _numbers_rows(self, name: str) -> bool:
        """Whether a column numbers the rows, by its name or its cells, of which a few may be words."""
        one = self._of(name)
        if self._strict and is_amount(self._cells, name):
            return False
        index = self._names_index(name) and not (self._strict and self._recurs(name))
        few = self._strict and (one.mostly_number_rows or self._are_keys_of_few(name))
        return index or one.number_rows or few

    def _only_context_as_input(self, shown: list[tuple[str, str]]) -> list[tuple[str, str]]:
        """The columns that are shown beside an output without its only context, which is the input where nothing else is."""
        if not self._strict or len(shown) != 1 or {"input", "text", *FILES} & {*self._roles}:
            return shown
        if any(self._is_called_asked(name) and self._of(name).are_sentences for name in self._free()):
            return shown
        self._take("input", shown[0][1], "the only text that the model was given")
        return []

    def _find_answers(self) -> None:
        """The prediction, or the output or outputs that are judged."""
        if self._told and self._verdicts is not False:
            self._find_prompt()
            self._find_picked()
        if self._cells.truth and "label" not in self._roles and self._cells.truth not in self._taken:
            self._take("label", self._cells.truth, "the file calls it the class")
        if self._strict:
            self._check_no_coefficients()
        objects = self._find_objects()
        if self._lone and not objects:
            self._find_judged_prediction()
        if self._verdicts is None or not self._verdicts:
            self._find_chances_of_column()
        self._check_prediction()
        self._find_ranked_guesses()
        foreign: Mapping[str, str] = {}
        named = (self._are_answers(name) for name in self._named(self._predictions))
        if not objects and (self._verdicts or not any(named)):
            foreign = roles_of_other_tools(
                self._cells,
                dict(self._chosen),
                verdicts=self._verdicts,
                passed_over=("boxes",) if self._boxed else (),
                left_out=[name for role, name in self._chosen if role == "ignore" and self._strict],
                rules=self._rules,
            )
        output = foreign.get("output", "")
        no_input = self._strict and self._verdicts is None and "input" not in foreign
        if no_input and output and not PREDICTING & self._words(output) and self._has_predicted_pair():
            foreign, output = {}, ""  # a reply is what people wrote, about which classes were predicted
        if (
            self._counted
            and self._verdicts is None
            and output
            and have_chances(self._of(output), map(self._of, self._free()))
        ):
            self._take("prediction", output, "it holds classes, whose chances are beside it")
            foreign = {}
        else:
            foreign = self._weigh_output(self._without_derived_output(self._with_plain_copy(foreign)))
            read = self._read_from_reply(foreign.get("output", "")) if self._verdicts is None else ""
            if not read:
                self._ask_about_derived_output(foreign)
            if read:
                self._take("prediction", read, f"it was read from {output!r:.60}")
                self._hide(output, "it is the reply that the prediction was read from")
                foreign = {}
            judged = "output" in foreign and not {"label", "outcome"} & {*foreign}
            foreign = self._without_classes(foreign) if self._paired and self._verdicts is None and judged else foreign
        if self._strict and self._verdicts is None and not {"outcome", "label"} & {*foreign}:
            self._check_output(foreign.get("output", self._roles.get("output", "")), asked="input" in foreign)
        if self._strict and self._verdicts is None:
            self._ask_about_few_outputs(foreign)
        self._roles |= foreign
        self._taken |= {*foreign.values()}
        if "output" in self._roles and (self._paired or not self._predicts):
            if self._lone and not foreign:
                self._find_beside_output()
            elif self._strict and "output" in self._found:  # the rest is found with an output that was
                for role, name in foreign.items():
                    self._take(role, name, "its name")
            self._find_reference()
            self._find_true_text()
            self._ask_which_output()
            self._ask_which_answer_is_right()
            if self._told:
                self._find_input()
        self._ask_which_text_is_judged()
        if self._predicts or "output" in self._roles or {"output_a", "output_b"} <= {*self._roles}:
            if self._seen and not {"prediction", "outcome"} & {*self._roles}:
                self._find_said_by_chances()
            return
        predictions = (
            [] if self._verdicts else [name for name in self._named(self._predictions) if not self._of(name).are_files]
        )
        if self._asked and not self._verdicts:
            predictions = list(dict.fromkeys((*predictions, *self._ending_as(self._predictions))))
        if predictions:
            one = self._only_prediction(predictions) if self._asked else self._most_like_classes(predictions)
            self._take("prediction", one, "its name")
            return
        if (
            self._paired
            and not self._verdicts
            and (
                self._find_said_by_named_chances()
                or self._find_beside_persons()
                or self._find_pair()
                or self._find_beside_person()
                or self._find_by_difference()
                or self._find_compared()
                or self._find_named_after()
                or self._find_with_own_score()
                or self._find_beside_truth()
                or self._find_beside_score()
                or self._find_split()
                or self._find_chance_of()
            )
        ):
            return
        if self._seen and not self._verdicts:
            self._find_predicting()
            self._find_glued()
        if "prediction" not in self._roles and self._asked and not self._verdicts and self._find_chances_alone():
            if self._paired:
                self._find_said_by_chances()
            return
        if not self._verdicts and not self._seen:
            self._find_predicting()
        if (
            not self._verdicts
            and "prediction" not in self._roles
            and not (self._translated and self._find_label_said())
        ):
            if self._strict:
                self._find_given_by_program()
            if self._strict and "prediction" not in self._roles:
                self._ask_which_chance()
                self._find_sets_of_shares()
                self._find_between_bounds()
            if "prediction" not in self._roles:
                self._find_classes()
            if self._paired and not self._predicts and not {*JUDGED} & {*self._roles}:
                self._find_lone_chance()
            if self._strict:
                self._find_named_after_model()
                self._find_only_reply()
                self._find_scored_text()
                self._find_reference()
            if self._lone and not self._predicts and not {*JUDGED} & {*self._roles}:
                self._find_lone_chances()
                if "prediction" not in self._roles:
                    self._find_lone_answers()
                self._ask_which_agree()
                self._ask_about_difference()
                self._ask_about_numbers_by_name()
                self._find_nameless()
                self._ask_which_output()
                self._ask_about_few_answers()

    def _check_output(self, name: str, *, asked: bool) -> None:
        """ReadingUnclear where recurring words, which are no sentences, or sets of them are called an output.

        ``asked`` : whether a text is the question, to which a word or a number answers.
        """
        if not name or name not in self._cells.columns or ("output", name) in self._chosen:
            return
        if "outcome" in self._roles or self._cells.size < FEWEST_ROWS:
            return
        if any(map(looks_like_sentence, self._of(name).filled)):
            return
        one, label = self._of(name), self._roles.get("label", name)
        if label != name and not (label in self._cells.columns and self._may_tell(self._of(label), one)):
            return
        asked = asked or bool({"input", "text"} & {*self._roles})
        asked = asked or any(self._of(other).are_sentences for other in self._free() if other != name)
        sets = one.sets if one.are_lists or not one.are_texts else None
        several = sets is not None and any(len(names) > 1 for names in sets)
        recur = several and sets is not None and 2 * len(frozenset().union(*sets)) <= one.size
        if recur or ((one.are_classes or one.are_numbers) and not asked):
            raise prediction_or_output(name)

    def _find_prompt(self) -> None:
        """Of the outputs of several prompts the chosen one, with whether it passed; ReadingUnclear where none is chosen."""
        outputs = outputs_of_prompts(self._cells.names)
        lone = output_of_prompt([*self._cells.columns]) if self._strict and not outputs else ""
        if lone and lone in {*self._free()}:
            self._take_only_prompt(lone)
        if not outputs or {"prediction", "outcome"} & {role for role, _ in self._chosen}:
            return
        if self._roles.get("output") not in outputs:
            raise which_column("output", [*outputs])
        self._take("outcome", outputs[self._roles["output"]], "whether the output passed")
        for name, reason in beside_output(self._roles["output"], outputs, [*self._free()]).items():
            self._hide(name, reason)
        if self._strict:
            self._take_put_in(self._roles["output"])

    def _take_only_prompt(self, output: str) -> None:
        """The output of the only prompt of a table, whether it passed, and what was put in its prompt."""
        if {"prediction", "outcome", "output", "output_a"} & {*self._roles}:
            return
        self._take("output", output, "a provider and its prompt, and a verdict behind it")
        names = [*self._cells.columns]
        for name in names[names.index(output) + 1 :]:
            if name.casefold() == REPEATED[0] and self._say_grades(self._of(name).filled):
                self._take("outcome", name, "whether the output passed")
            elif name.casefold() in AFTER_OUTPUT and name not in self._taken:
                self._hide(name, "what its grader said")
        self._take_put_in(output)

    def _take_put_in(self, output: str) -> None:
        """What was put in the prompt of an output: the question, which is the first text, and what is shown beside it."""
        chosen = {column for _, column in self._chosen}
        text = self._roles.get("text", "")
        free = {*self._free(), *([text] if text not in chosen else [])}
        put_in = put_in_prompt(output, free)
        if not put_in or "input" in self._roles:
            return
        if text in put_in:
            del self._roles["text"]
        texts = [name for name in put_in if self._of(name).are_sentences] or put_in
        self._take("input", texts[0], "it was put in the prompt")
        self._put_in.extend(name for name in put_in if name != texts[0])

    def _ending_as(self, names: Sequence[str]) -> list[str]:
        """The free columns of answers whose path ends in one of these names."""
        free = [name for name in self._free() if bare(name.rpartition(".")[2]) in names]
        return [name for name in free if self._are_answers(name)]

    def _only_prediction(self, names: Sequence[str]) -> str:
        """The one of these columns that is the prediction, of numbers and names of the same classes the names.

        ReadingUnclear where several are.
        """
        found, words = self._told_apart(names), [name for name in names if self._of(name).are_classes]
        if len(found) < 2:
            return (found or [*names])[0]
        shares = [name for name in found if self._of(name).are_shares]
        if len(shares) == 1 and len(found) == 2 and found[0] in words:
            raise class_or_share(found[0], shares[0])
        raise which_column("prediction", found[: self._most_asked])

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

    def _find_reference(self) -> None:
        """The expected text beside an output, by its name; a column whose few words recur holds grades."""
        if self._strict and "output" not in self._roles:
            return
        keys = [name for name in self._free() if self._strict and self._is_answer_key(name)]
        names = [name for name in (*self._named(REFERENCES), *keys) if not self._of(name).are_classes]
        if "reference" not in self._roles and names:
            self._take("reference", names[0], "its name")
        for name in self._true_numbers():
            if "reference" in self._roles:
                self._hide(name, "its name is that of the truth")
            else:
                self._take("reference", name, "its name, and its numbers are no grades")

    def _find_input(self) -> None:
        """The only text beside an output that is a field of its input."""
        if "input" in self._roles:
            return
        fields = [name for name in self._free() if bare(name.partition(".")[0]) in ("input", "inputs")]
        fields = [name for name in fields if not (self._strict and EXPECTED & self._words(self._field(name)))]
        texts = [name for name in fields if not self._are_answers(name)]
        texts = [name for name in texts if not (self._strict and is_amount(self._cells, name))]
        if len(texts) == 1:
            self._take("input", texts[0], "a field of the input")
        else:
            self._find_put_in()

    def _find_predicting(self) -> None:
        """The only column of answers whose name has a word for a prediction; ReadingUnclear where several have one."""
        found = [name for name in self._free() if PREDICTING & self._words(name) and self._are_answers(name)]
        found = [name for name in found if not self._of(name).number_rows and self._may_be_predicted(name)]
        found = self._without_bounds(found) if self._strict else found
        found = self._told_apart(found) if self._seen else found
        if len(found) == 1:
            self._take("prediction", found[0], "its name")
        elif 1 < len(found) <= self._most_asked:
            raise which_column("prediction", found)

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

    def _most_like_classes(self, names: Sequence[str]) -> str:
        """The one of these columns whose words recur; the first where none or all do."""
        return next((name for name in names if self._of(name).are_classes), names[0])

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

    def _find_truth(self) -> None:
        """The truth under another name: where the name says so and the cells agree with the prediction, it is taken."""
        if "label" in self._roles or "outcome" in self._roles or self._predicted() is None:
            return
        for name in self._named(self._truths):
            compared = self._are_compared(self._roles.get("prediction", ""), name)
            if (
                compared
                or self._tells(name)
                or self._counts_from_1(name)
                or self._is_surely_truth(name)
                or self._is_met_at_all(name)
            ):  # read_truth asks about the numbering
                self._take_truth(name)
                return
            if self._says_all_are_wrong(name):
                self._take("label", name, "its name, and no row agrees with it")
                self._doubts.append(
                    f"What {name!r:.60} says was predicted in no row, as in a table of wrong rows alone. If it is not the "
                    f"truth: --column {quote(f'ignore={name}')}."
                )
                return

        if self._asked:
            true = TRUE | (SHORT_TRUE if self._counted else frozenset())
            words = [name for name in self._free() if true & self._words(name) and not PREDICTING & self._words(name)]
            telling = [name for name in words if self._tells(name) or (self._counted and self._counts_from_1(name))]
            labels = [name for name in self._free() if self._strict and "label" in self._words(name)]
            by_pair = [name for name in dict.fromkeys((*words, *labels)) if self._is_true_by_pair(name)]
            telling = by_pair if not telling or (self._strict and telling[1:] and by_pair) else telling
            if self._strict and len(telling) == 1 and telling == by_pair and not self._tells(telling[0]):
                self._take("label", telling[0], f"its name, beside {self._roles['prediction']!r:.60}")
                return
            if len(telling) == 1:
                self._take_truth(telling[0])
                return
        if self._strict and self._find_truth_in_the_end():
            return
        if self._strict and self._find_truth_told_apart():
            return
        if self._strict and len(counted := [name for name in self._free() if self._counts_one_more(name)]) == 1:
            self._take("label", counted[0], "its numbers are those of the predictions, one larger")
            return
        stem = [name for name in self._free() if self._is_predicted_column(name)]
        if len(stem) == 1 and (self._tells(stem[0]) or self._is_surely_truth(stem[0])):
            self._take("label", stem[0], f"{self._roles['prediction']!r:.60} is named after it")

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

    def _find_media(self) -> None:
        """The files or the texts that the rows are about, by their content."""
        if any(role in self._roles for role in (*FILES, "text", *JUDGED)) or self._cells.embedded:
            return
        files = [name for name in self._free() if self._of(name).are_files]
        named = [name for name in self._named(FILE_NAMES) if name in files]
        if named or len(files) == 1:
            self._take("file", (named or files)[0], "its cells name files")
            return
        free = [name for name in self._free() if is_text(self._cells.columns[name].type)]
        if self._strict:
            free = [name for name in free if not (self._of(name).are_lists and self._stands_among(name))]
            free = [name for name in free if not self._says_why(name) or not self._predicts]
        texts = [name for name in free if self._of(name).are_texts or (self._lone and self._of(name).are_sentences)]
        if self._strict and any(self._of(name).hold_sentences and not self._is_called_context(name) for name in free):
            texts = [name for name in texts if not self._is_called_context(name)]
        called = self._named(TEXTS)
        recurring = [name for name in called if name in free and self._of(name).hold_sentences] if self._strict else []
        named = [name for name in called if name in (texts or recurring)]
        if not named and self._strict and texts and self._is_name_beside_features(texts[0]):
            return  # of a person, say: one of the cells that a tester sees
        asked = [
            name for name in free if name not in texts and self._is_called_asked(name) and self._of(name).filled[1:]
        ]
        if not named and self._strict and any(self._of(name).hold_sentences for name in asked):
            return  # all are shown: what was asked, too
        if named or len(texts) == 1:
            self._take("text", (named or texts)[0], "its cells are texts")

    def _is_name_beside_features(self, name: str) -> bool:
        """Whether a column is called a name, or an answer, and others hold classes, or what was asked: a tester would not see
        these beside it.
        """
        asked = [one for one in self._free() if one != name and self._is_called_asked(one)]
        if GIVEN & self._words(name) and any(self._of(one).hold_sentences for one in asked):
            return True
        others = [one for one in self._free() if one != name and self._are_answers(one) and not self._names_rows(one)]
        return bool({"name", "names"} & self._words(name) and any(self._of(one).are_classes for one in others))


def are_chances_of(numbers: FirstCells, classes: FirstCells) -> bool:
    """Whether shares may be chances of the likeliest of these classes: nearly none is below 1/C."""
    count = len(classes.filled)
    return count > 1 and bool((numbers.column.values < 1 / count - ROUNDING).mean() <= MOST_TOO_SMALL)


def _without_shared_path(named: Mapping[str, str]) -> dict[str, str]:
    """Columns by the ends of their names, less a path that several of these begin with."""
    path = next(iter(named)).rpartition(".")[0] + "."
    shared = len(named) > 1 and all(word.startswith(path) for word in named)
    return {word.removeprefix(path) if shared else word: name for word, name in named.items()}
