"""What the columns of a table are, by what stands in them: content decides before names, and names before position.

``roles_by_content`` adds to a person's choices what the cells say: which column is the prediction under a name of another
tool, which holds the truth and may not be shown, which only numbers the rows.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from shlex import quote

from testimate.core.spellings import bare
from testimate.tables.cells import Cells
from testimate.tables.chances_evidence import ChancesEvidence
from testimate.tables.column_names import (
    FILE_NAMES,
    PREDICTING,
    REFERENCES,
    SHORT_TRUE,
    TEXTS,
    TRUE,
)
from testimate.tables.evaluation_names import GIVEN
from testimate.tables.evaluations import is_amount
from testimate.tables.first_cells import (
    FEWEST_ROWS,
    looks_like_sentence,
)
from testimate.tables.pairs import EXPECTED
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
    class_or_share,
    prediction_or_output,
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
    have_chances,
)


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


class _Finder(ChancesEvidence):
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

    def _most_like_classes(self, names: Sequence[str]) -> str:
        """The one of these columns whose words recur; the first where none or all do."""
        return next((name for name in names if self._of(name).are_classes), names[0])

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
