"""What stands beside answers without being one: what judges said about them and how sure they were, other replies, how a call
went. None of it is predicted, shown to testers or a score.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from shlex import quote
from typing import Any

import numpy as np

from testimate.core.spellings import MARKS, bare, folded
from testimate.tables.cells_of_evaluations import parsed
from testimate.tables.column_evidence import MOST_COLUMNS
from testimate.tables.column_names import (
    BETTER,
    CHECKS,
    CHOICES,
    CONTEXTS,
    OUTCOMES,
    PREDICTING,
    SURE,
    TRUE,
    WHY,
    word_set,
)
from testimate.tables.evaluation_names import EXAMINED, GIVEN, is_called_input, is_called_output
from testimate.tables.evaluations import OF_GRADING, ZERO_OR_ONE, roles_beside_output
from testimate.tables.first_cells import FEWEST_ROWS, OFTEN, YES_OR_NO, FirstCells, coded, resemblance, say_the_same
from testimate.tables.judged_evidence import OFTEN_SAID, JudgedColumnsEvidence
from testimate.tables.output_names import (
    ABOUT_OUTPUT,
    ABOUT_REPLY,
    ASKS,
    BESIDE_TEXTS,
    MADE_OF_OUTPUT,
    OF_NAMES,
    OF_TRUTH,
    REWRITTEN,
    UNWANTED,
    VERDICTS,
)
from testimate.tables.pairs import ASKED, EXPECTED, differ_in_one_word, differing_word, pairs_in_any_order
from testimate.tables.retrieved import FIRST_TEXTS, first_texts, share_within
from testimate.tables.role_questions import MOST_ASKED, predicted_or_judged, which_output
from testimate.tables.roles import FILES, JUDGED
from testimate.tables.score_names import (
    JUDGE_NAMES,
    is_in_judgment,
    is_in_list,
    is_no_score,
    may_name_judge,
    names_judge,
    words_in,
)
from testimate.tables.whole_objects import whole_objects
from testimate.tasks.verdict import PREFERENCES, folded_grade, grade_in_words, preferred

WHO_JUDGES = word_set("""
    judge judges judging grader graders grading annotator annotators rater raters reviewer reviewers evaluator evaluators
    eval evaluation verdict coder coders worker workers labeler autorater autograder autoevaluator
""")
"""Words in the name of a column for who said, or for what was said, whether an answer is right."""

ADDRESSED = word_set("you your my i")
"""Words in a name, or in a question that is one, by which a person says what that person thinks."""

OF_KEYS = word_set("id ids uid uuid guid qid idx index unnamed")
"""Words in the name of a number that tells rows apart."""

MOST_VERDICTS, MOST_DECIDED, NEARLY = 6, 0.85, 0.1
"""Words of a column that says what is right, the share of rows in which it does, and how far it may err."""

FEWEST_TOLD = 3
"""Right rows, and wrong ones, from which on what goes with them in every row is no accident."""

OF_VERDICTS = (
    VERDICTS
    | CHECKS
    | word_set(
        "match matches matched mismatch agreement pass passed success correct eval evaluation ok completed solved resolved"
    )
    | word_set(
        "reached achieved works valid accurate exec executed result error wrong incorrect hallucinated hallucination"
    )
)
"""Words in the name of a column that says whether an answer is right."""

NEARLY_ALL = 0.9
"""Share of rows from which on a column says what its words say, or has the numbers of another one."""

OF_RECORDS, MOST_NESTED = word_set("raw full json api completion"), 50
"""Words in the name of a record that an interface returned, and how many of its fields are looked at."""

IN_NAMES_OF_TRUTH = word_set("""
    human expert editor author teacher physician doctor lawyer student person people professional gold truth canonical official
    muster correct ideal reference expected
""")
"""What in the name of a text says that it is right, or a person's, within other words, too."""

AS_LONG, MOSTLY_NEARER = 3.0, 0.8
"""How much longer or shorter a reference is than the output, at most, and the share of rows in which it is nearer to the output
in its own row than in another one."""

PARSED = PREDICTING | word_set("parsed extracted verdict choice decision")
"""Words in the name of a class that a program took from a reply."""

HALF = 0.5
"""Share of few rows in which a class that was read from a reply is the true one."""

FAR_OFTENER = 0.3
"""How much oftener texts name what is predicted in their own row than another class."""

SAME_OR_NOT = frozenset({"match", "no match", "mismatch", "matched", "not matched", "equal", "not equal"})
"""Further words of verdicts."""


WHETHER_IT_MATCHES = word_set("match matches matched correct correctness right accurate")
OF_ALL_OUTPUTS = word_set(
    "is exec execution exact result results answer answers output response final overall full sql gold human"
)
"""Words in the name of a column that says whether an output is right, and words beside them that name no part of it."""

MOST_PICKED, MOST_TEXTS = 4, 20
"""Words that say which of two texts is better, ties with them, and the texts among which two are looked for."""

COMMENTS = word_set("comment comments review remark suggestion feedback summary analysis note notes advice message")
"""Words in the name of a text that is about another one, which a program may have been asked for."""


class AboutOutputEvidence(JudgedColumnsEvidence):
    """What is known of each column, and what is said about answers."""

    def _hide_sureness_of_judges(self) -> None:
        """Hides how sure somebody is who judged an answer."""
        for name in [*self._free()] if self._strict else ():
            words = self._words(self._field(name))
            if SURE & words and (WHO_JUDGES | ADDRESSED) & words:
                self._hide(name, "it may be how sure a judge is")

    def _hide_copies_in_records(self) -> None:
        """Hides the texts in records, such as an interface returns, that are those of a column of their own."""
        nested = [name for name in self._free() if "." in name and OF_RECORDS & self._words(name.partition(".")[0])]
        plain = [name for name in self._free() if "." not in name] if self._strict and nested else []
        for name in nested[:MOST_NESTED]:
            if any(
                say_the_same(self._of(name), self._of(one)) and self._of(name).words[:1] == self._of(one).words[:1]
                for one in plain
            ):
                self._hide(name, "it is a copy of another column")

    def _with_plain_copy(self, foreign: Mapping[str, str]) -> Mapping[str, str]:
        """These roles with the column of its own that repeats an output in a record, such as an interface returns."""
        output = foreign.get("output", "")
        if not self._strict or "." not in output or not OF_RECORDS & self._words(output.partition(".")[0]):
            return foreign
        plain = [name for name in self._free() if "." not in name and name not in foreign.values()]
        copies = [name for name in plain if is_called_output(self._called(name)) and self._repeats(name, output)]
        if len(copies) != 1:
            return foreign
        self._hide(output, "it is a copy of another column")
        return {**foreign, "output": copies[0]}

    def _find_objects(self) -> bool:
        """The output, and the reference with its fields, where objects are one answer each; whether there are such."""
        said = {role for role, _ in self._chosen}
        if not self._strict or self._verdicts is False or said & {"prediction", "outcome", "output", "output_a"}:
            return False
        names = [name for name in [*self._cells.columns][:MOST_COLUMNS] if name not in dict(self._chosen).values()]
        names = [
            name for name in names if self._are_records(name) and not self._of(name).filled[0].lstrip().startswith("[")
        ]
        if not names:
            return False
        others = [name for name in self._cells.columns if name not in names]
        objects = whole_objects(
            [
                {**dict.fromkeys(others, ""), **{name: _object(cell) for name, cell in zip(names, row, strict=True)}}
                for row in zip(*(first_texts(self._of(name)) for name in names), strict=True)
            ]
        )
        if objects is None:
            return False
        for role, name in (("output", objects.said), ("reference", objects.true)):
            for own in ("prediction", "label", *JUDGED):
                if name and self._roles.get(own) == name:
                    del self._roles[own]
            if name:
                self._take(
                    role, name, "an object with the fields of what is right" if objects.true else "the only object"
                )
        if objects.true:
            self._reasons[objects.true] = f"its name, and it has the fields of {objects.said!r:.60}"
        return True

    def _find_beside_pair(self) -> None:
        """What was asked beside two outputs that are known by their own names, and which is truly better."""
        output = self._roles.get("output_a", "")
        if not self._strict or output not in self._cells.columns:
            return
        known = {"input", "text", *FILES} & {*self._roles}
        found = {} if known else roles_beside_output(self._cells, output, self._taken, rules=self._rules)
        if "input" in found:
            self._take("input", found["input"], "its name")
        better = [name for name in self._free() if BETTER & self._words(name) and (TRUE | EXPECTED) & self._words(name)]
        better = [name for name in better if {*map(folded_grade, self._of(name).filled)} <= PREFERENCES]
        if len(better) == 1 and not {"label", "outcome"} & {*self._roles}:
            self._take("label", better[0], "its name, and its words are preferences")

    def _find_resembling_reference(self) -> None:
        """The only text beside an output that says by a part of its name that it is right, or a person's, is about as long, and
        resembles the output in its own row far more than in other rows, and more than what was asked does.
        """
        output = self._roles.get("output", "")
        known = {"reference", "label", "outcome"} & {*self._roles}
        if not self._strict or known or output not in self._cells.columns or not self._of(output).hold_sentences:
            return
        free = [name for name in self._free() if self._of(name).hold_sentences and "[" not in name]
        free = [name for name in free if self._is_partly_called_true(name) or self._is_post_edited(name)]
        same = GIVEN & self._words(output)  # such as summary, which is also about an answer
        free = [name for name in free if same & self._words(name) or not self._is_about(name)]
        free = [name for name in free if not (self._is_of_judge(name) or is_in_judgment(name))]
        asked = self._roles.get("input", self._roles.get("text", ""))
        said, near = first_texts(self._of(output)), []
        less = resemblance(first_texts(self._of(asked)), said).mean() if asked in self._cells.columns else 0.0
        for name in free:
            texts = first_texts(self._of(name))
            own, other = resemblance(texts, said), resemblance(texts, said[1:] + said[:1])
            as_long = 1 / AS_LONG <= sum(map(len, texts)) / max(sum(map(len, said)), 1) <= AS_LONG
            nearer = own.mean() > less and (own > other).mean() >= MOSTLY_NEARER
            near += [name] if as_long and nearer else []
        if len(near) == 1:
            self._take("reference", near[0], f"its name, and it resembles {output!r:.60}")

    def _is_partly_called_true(self, name: str) -> bool:
        """Whether a part of a name is a word for what is right, or for a person; no program's name, no question's."""
        plain, true = bare(self._called(self._field(name))), bool(OF_TRUTH & self._words(name))
        other = BESIDE_TEXTS - {"author"} | OF_NAMES - {"version"} | ASKED | UNWANTED
        if other & self._words(name) or self._is_called_written(name) or is_called_input(self._called(name)):
            return False
        return true or (not is_called_output(self._called(name)) and any(word in plain for word in IN_NAMES_OF_TRUTH))

    def _say_question_is_not_shown(self) -> None:
        """A doubt where nothing shows a tester what was asked, and texts are left that may."""
        if (
            not self._strict
            or not {"output", "output_a"} & {*self._roles}
            or {"input", "text", *FILES} & {*self._roles}
        ):
            return
        texts = [name for name in self._free() if self._of(name).hold_sentences and not self._is_called_about(name)]
        texts = [name for name in texts if not (is_in_judgment(name) or names_judge(name))]
        if texts and not any(f"--column {quote('input=NAME')}" in one for one in self._doubts):
            self._doubts.append(
                f"Nothing shows testers what was asked. If {texts[0]!r:.60} does: --column {quote(f'input={texts[0]}')}."
            )

    def _find_picked(self) -> None:
        """The two texts that a column of their names says which is better, as outputs that are compared.

        ReadingUnclear where it names more.
        """
        if not self._strict or self._verdicts is False or {"prediction", "outcome", "output_a"} & {*self._roles}:
            return
        chosen = [self._roles["output"]] if "output" in self._roles else []
        known = [name for name in (*self._free(), *chosen) if name in self._cells.columns]
        texts = {folded(name): name for name in known if self._of(name).hold_sentences}
        for name in [name for name in self._free() if self._of(name).are_classes] if texts else ():
            said = {word: folded(word) for word in self._of(name).filled}
            named = [texts[word] for word in said.values() if word in texts]
            rest = {folded_grade(word) for word, plain in said.items() if plain not in texts}
            both = () if named else self._named_by_difference([*texts.values()], said.values())
            named = [*both] or named
            if len(named) < 2 or not (both or rest <= PREFERENCES) or not {*chosen} <= {*named}:
                continue
            found = [one for one in self._cells.columns if one in named]
            self._hide(name, "it says which text is better")
            if chosen:
                for one in found:
                    if one not in chosen:
                        self._hide(one, "it is another output")
                return
            if len(found) > 2:
                raise which_output(found[: self._most_asked])
            for role, one in zip(("output_a", "output_b"), found, strict=True):
                self._take(role, one, f"{name!r:.60} names it")
            self._find_beside_pair()
            return

    @staticmethod
    def _named_by_difference(texts: Sequence[str], words: Collection[str]) -> tuple[str, ...]:
        """The only two of these texts whose names differ in one word each, where these words name both of them, and ties."""
        if not 2 <= len(words) <= MOST_PICKED or all(preferred(word) is not None for word in words):
            return ()
        pairs = [pair for pair in combinations(texts[:MOST_TEXTS], 2) if differ_in_one_word(*pair)]
        told = {pair: [differing_word(*pair), differing_word(*pair[::-1])] for pair in pairs}
        found = [pair for pair, own in told.items() if all(one is not None and folded(one[1]) in words for one in own)]
        return found[0] if len(found) == 1 else ()

    def _pass_over_files(self) -> list[tuple[str, str]]:
        """The files beside an output whose names recur, while a text differs: what a row belongs to, not what was asked."""
        name = self._roles.get("file", "")
        if not self._strict or name not in self._cells.columns or ("file", name) in self._chosen:
            return []
        texts = [one for one in self._free() if self._may_be_asked(one) and self._of(one).are_sentences]
        if not texts or {"input", "text"} & {*self._roles} or 2 * len(self._of(name).filled) > self._of(name).size:
            return []
        del self._roles["file"]
        self._reasons[name] = "its files recur"
        return [("show", name)]

    def _find_whether_it_matches(self) -> None:
        """The only flag beside an output whose name says that it matches or is correct, and names no part and no judge."""
        if not self._strict or "output" not in self._roles or {"outcome", "label"} & {*self._roles}:
            return
        flags = [name for name in self._free() if WHETHER_IT_MATCHES & self._words(self._field(name))]
        flags = [name for name in flags if self._words(self._field(name)) <= WHETHER_IT_MATCHES | OF_ALL_OUTPUTS]
        flags = [name for name in flags if not (is_in_judgment(name) or self._of(name).column.is_empty.any())]
        flags = [name for name in flags if len(self._of(name).words) == 2 and not self._of(name).are_numbers]
        flags = [name for name in flags if self._say_grades(self._of(name).words)]
        if len(flags) == 1:
            self._take("outcome", flags[0], "its name, and its words say right or wrong")

    def _find_whether_all_passed(self) -> None:
        """The flags that say right exactly where one of two counts is the other, as of tests that passed and of all."""
        if not self._strict or "output" not in self._roles or {"outcome", "label"} & {*self._roles}:
            return
        free = [*self._free()]
        flags = [name for name in free if {*map(str.casefold, self._of(name).words)} == {"true", "false"}]
        counts = [name for name in free if self._of(name).are_whole and OF_GRADING & self._words(name)] if flags else []
        for name in flags if self._cells.size >= FEWEST_ROWS else ():
            one = self._of(name)
            right = np.array([word.casefold() == "true" for word in one.words])[one.column.places]
            for count in counts:
                for other in free:
                    both = [self._of(number).column for number in (count, other)]
                    if count != other and np.array_equal(right, both[0].values == both[1].values):
                        self._take("outcome", name, f"it is true exactly where {count!r:.60} is {other!r:.60}")
                        return

    def _hide_numbers_about_output(self) -> None:
        """Hides numbers beside judged outputs that say right or wrong, or are answers by their names."""
        if not self._strict or not {"output", "output_a"} & {*self._roles}:
            return
        for name in [one for one in self._free() if self._strict and self._is_answer_key(one)]:
            self._hide(name, "its name may be that of what is right")
        for name in [one for one in self._free() if self._of(one).are_numbers]:
            if "output_a" in self._roles and self._prefers(name):
                self._hide(name, "it may say which output is better")
                continue
            if names_judge(name) or may_name_judge(name) or is_no_score(name):
                continue
            if {*self._of(name).filled} <= ZERO_OR_ONE:
                self._hide(name, "it may say what is right or wrong")
            elif "output" in self._roles and self._is_in_output(name):
                self._hide(name, "it stands in many outputs, and may be an answer")
            elif self._ends_as_answer(name) and not self._of(name).are_shares:
                self._hide(name, "it may be an answer, or what is right")

    def _prefers(self, name: str) -> bool:
        """Whether numbers may say which of two outputs is better."""
        words = self._of(name).filled
        return len(words) > 1 and {*words} <= PREFERENCES and not self._of(name).number_rows

    def _is_in_output(self, name: str) -> bool:
        """Whether numbers stand in many outputs, and not in what was asked there, or are often the same as these."""
        output, asked = self._roles["output"], self._roles.get("input", "")
        one = self._of(name)
        if output not in self._cells.columns or 2 * len(one.filled) <= min(one.size, FEWEST_ROWS):
            return False
        if self._of(output).are_numbers:
            return one.size >= FEWEST_ROWS and bool(
                (one.column.values == self._of(output).column.values).mean() >= OFTEN
            )
        often = share_within(one, self._of(output))
        return often >= (OFTEN if one.size >= FEWEST_ROWS else 0.5) and (
            asked not in self._cells.columns or share_within(one, self._of(asked)) < often / 2
        )

    def _ends_as_answer(self, name: str) -> bool:
        """Whether the last word of a name is one for an answer, as in "official answer"; "answer length" is a length."""
        words = re.findall("[a-z]+", re.sub("(?<=[a-z])(?=[A-Z])", " ", self._called(self._field(name))).casefold())
        return bool(words) and words[-1] in GIVEN | {"solution", "reference"}

    def _hide_texts_about_prediction(self) -> None:
        """Hides the texts beside a prediction that a model or a judge wrote about it, where what was asked is another text."""
        predicted = self._predicted()
        if not self._strict or predicted is None or predicted.are_measured:
            return
        texts = [name for name in self._free() if self._of(name).hold_sentences or self._are_records(name)]
        naming = [name for name in texts if self._says_what_is(name, predicted)]
        for name in naming:
            if self._is_surely_about(name) or {*texts} - {*naming}:  # else it may be what the prediction is about
                self._hide(name, "it is the reply that the prediction was read from")
        lists = [
            name
            for name in self._free()
            if self._of(name).are_lists and bare(self._field(name)) not in CHOICES | CONTEXTS
        ]
        texts = [name for name in dict.fromkeys((*texts, *lists)) if name not in self._hidden]
        asked = [name for name in texts if self._is_called_asked(name)]
        rest = [name for name in texts if name not in asked and not self._is_called_about(name)]
        for name in texts:
            sure = asked or "text" in self._roles or (rest and self._is_surely_about(name))
            if sure and name not in asked and self._is_called_about(name):
                self._hide(name, "it may be about the answer")

    def _hide_verdicts_on_prediction(self) -> None:
        """Hides what says by its name and by most of its words whether a predicted class is right."""
        predicted = self._predicted()
        if not self._strict or predicted is None or predicted.are_measured:
            return
        for name in [one for one in self._free() if self._says_whether(one)]:
            self._hide(name, "it may say what is right or wrong")

    def _says_whether(self, name: str) -> bool:
        """Whether recurring words are mostly those of verdicts, by the name or by all of them."""
        one = self._of(name)
        of_judge = WHO_JUDGES & self._words(self._field(name)) or names_judge(name)
        called = of_judge or (OF_VERDICTS & self._words(self._field(name)) and not one.are_numbers)
        recur = one.are_classes or (one.are_numbers and {*one.filled} <= ZERO_OR_ONE)
        if not recur or not called or len(one.filled) < 2:
            return False
        known = np.array([_is_verdict(word) or folded_grade(word) in MARKS for word in one.words], np.bool_)
        return bool(known[one.column.places].mean() >= MOST_DECIDED)

    def _are_records(self, name: str) -> bool:
        """Whether cells are objects, or lists of these, as an interface returns a reply."""
        some = self._of(name).filled[:100]
        return bool(some) and all(re.match(r"\s*\[?\s*\{", cell) for cell in some)

    def _says_what_is(self, name: str, predicted: FirstCells) -> bool:
        """Whether nearly all texts name what is predicted in their own row, and few what is predicted in another one."""
        one = self._of(name)
        few = one.size < FEWEST_ROWS
        if one.size != predicted.size or not 1 < len(predicted.filled) <= (one.size - 1 if few else one.size / 2):
            return False
        texts = [one.words[place] for place in one.column.places[:FIRST_TEXTS].tolist()]
        said = [predicted.words[place] for place in predicted.column.places[:FIRST_TEXTS].tolist()]
        own = sum(map(_names, texts, said)) / len(said)
        if own < (1 if few else OFTEN_SAID):
            return False
        others = [
            _names(text, word)
            for text, mine in zip(texts, said, strict=True)
            for word in predicted.filled[:20]
            if word != mine
        ]
        return own - sum(others) / max(len(others), 1) > FAR_OFTENER

    def _is_called_asked(self, name: str) -> bool:
        """Whether a text is called as what was asked, or what it is about."""
        words = self._words(name)
        return (
            is_called_input(self._called(name))
            or bool({bare(self._field(name)), bare(self._called(name))} & {*ASKS})
            or bool((ASKED | {"goal", "objective", "ticket"}) & words)
            or ("problem" in words and not GIVEN & words)
        )

    def _is_called_about(self, name: str) -> bool:
        """Whether a text is called as an answer, as what is right, or as what is said about either; not if it was examined."""
        about = ABOUT_OUTPUT - {"message"} | ABOUT_REPLY | REWRITTEN | OF_TRUTH
        return self._has_name_of(name, about | {"raw", "remark", "remarks", "aliases", "acceptable"})

    def _is_surely_about(self, name: str) -> bool:
        """Whether a text is called as thoughts, as a reply or as a rewritten one, and not as a text that is classified."""
        about = ABOUT_REPLY | REWRITTEN | WHY
        return self._has_name_of(name, about | {"raw", "reasoning", "thoughts", "trace", "references", "aliases"})

    def _has_name_of(self, name: str, about: frozenset[str]) -> bool:
        """Whether a text has one of these words in its name, or is called a reply, and is not what somebody examined wrote."""
        words = self._words(self._field(name))
        if EXAMINED & words and not (COMMENTS | WHY) & words:
            return False
        return bool(about & words) or is_called_output(self._called(name)) or self._is_called_written(name)

    def _verdicts_beside(self) -> list[str]:
        """The free columns that say by their words, or by their names, whether an answer is right."""
        found = []
        for name in self._free():
            one = self._of(name)
            if not (one.are_classes or (one.are_numbers and {*one.filled} <= ZERO_OR_ONE)) or not one.filled[1:]:
                continue
            known = np.array([_is_verdict(word) for word in one.words], np.bool_)[one.column.places]
            called = bool(OF_VERDICTS & self._words(self._field(name)))
            sure = known.mean() >= NEARLY_ALL and (
                called or not {*map(str.casefold, one.filled)} <= YES_OR_NO | ZERO_OR_ONE
            )
            if sure or (called and known.mean() > 0):
                found.append(name)
        return found

    def _ask_which_text_is_judged(self) -> None:
        """ReadingUnclear where texts stand beside a verdict, which is no prediction, and none is called an output."""
        judged = "outcome" in self._roles and ("outcome", self._roles["outcome"]) not in self._chosen
        if not self._strict or (self._predicts and not judged) or {"prediction", "output", "output_a"} & {*self._roles}:
            return
        called = (self._of(name) for name in self._named(self._predictions))
        if any((one.are_classes or one.are_numbers) and one.filled[1:] for one in called):
            return  # what is called a prediction is known
        replies = self._texts_that_may_be_judged() if judged or self._verdicts_beside() else []
        if 1 < len(replies) <= self._most_asked:
            raise which_output(replies)

    def _texts_that_may_be_judged(self) -> list[str]:
        """The free sentences that may be replies by their names, and are not called what was asked."""
        texts = [name for name in self._free() if self._of(name).hold_sentences and self._of(name).are_sentences]
        return [name for name in texts if self._may_be_called_reply(name) and not self._is_called_asked(name)]

    def _ask_whether_texts_are_judged(self, classes: str) -> None:
        """ReadingUnclear where the only classes stand beside what was asked and texts that may be the replies."""
        if not self._strict or PREDICTING & self._words(classes):
            return
        asked = [name for name in self._free() if self._is_called_asked(name) and self._of(name).are_sentences]
        replies = self._texts_that_may_be_judged() if asked else []
        if not replies and not is_called_output(classes):
            named = [name for name in self._free() if is_called_output(name) and self._holds_texts(name)]
            replies = [name for name in named if self._may_be_called_reply(name) and not self._is_about(name)]
        if 0 < len(replies) < self._most_asked:
            raise predicted_or_judged(classes, replies)

    def _without_derived_output(self, foreign: Mapping[str, str]) -> Mapping[str, str]:
        """These roles without an output that was made of the one that is known already."""
        output = foreign.get("output", "")
        other = self._found.get("output", output) != output
        if not (self._strict and other and (MADE_OF_OUTPUT & self._words(output) or self._is_of_record(output))):
            return foreign
        return {role: name for role, name in foreign.items() if role != "output"}

    def _ask_about_derived_output(self, foreign: Mapping[str, str]) -> None:
        """ReadingUnclear where an output is called as what was made of another one, and another text may be that one."""
        output = foreign.get("output", "")
        if not self._strict or not output or not self._may_stand_for_another(output):
            return
        pair = {name: self._called(name) for name in (output, foreign.get("reference", "")) if name}
        if pairs_in_any_order(pair):
            return  # the reference is called as this output, not as another one
        others = [name for name in self._free() if name not in foreign.values() and self._may_be_called_reply(name)]
        if self._is_of_record(output):
            others = [name for name in others if self._of(name).hold_sentences]
        others = [name for name in others if self._holds_texts(name) or self._is_like(name, output)]
        plain = [name for name in others if not MADE_OF_OUTPUT & self._words(name)]
        if plain or others:
            raise which_output([output, *(plain or others)][:MOST_ASKED])

    def _may_stand_for_another(self, output: str) -> bool:
        """Whether an output is called as what was made of another one, as one of several systems', or as what is right."""
        words = self._words(output)
        system = any(word.startswith(JUDGE_NAMES) or re.fullmatch("v[0-9]", word) for word in words_in(output))
        return bool((MADE_OF_OUTPUT | {"solution"}) & words) or system or self._is_of_record(output)

    def _is_of_record(self, name: str) -> bool:
        """Whether a column holds objects, or a field of one that is called an output and is no reply of a chat."""
        return name in self._cells.columns and self._are_records(name)

    def _is_like(self, name: str, output: str) -> bool:
        """Whether a column holds classes, or numbers, where an output does."""
        one, two = self._of(name), self._of(output)
        return (one.are_classes and two.are_classes) or (one.are_numbers and two.are_numbers and not one.are_shares)

    def _is_key_by_name(self, name: str) -> bool:
        """Whether whole numbers that are all distinct have the name of a key, in however few rows."""
        one = self._of(name)
        if one.size < 2 or is_in_list(name):
            return False
        return (
            self._strict
            and one.are_whole
            and len(one.words) == one.size
            and bool(OF_KEYS & self._words(self._field(name)))
        )

    def _hide_marks_of_right(self, label: str | None) -> None:
        """Hides what has one word nearly where predictions are right and another one where they are wrong."""
        truths = [
            name
            for name in (label, *self._hidden)
            if name is not None and name in self._cells.columns and self._tells(name)
        ]
        right = self._right(truths[0]) if self._strict and truths else None
        if right is None:
            return
        for name in [*self._free()]:
            one = self._of(name)
            if one.size != len(right) or not 1 < len(one.filled) <= MOST_VERDICTS:
                continue
            shares = [
                (float((rows := one.column.places == place).mean()), float(right[rows].mean()))
                for place, word in enumerate(one.words)
                if word
            ]
            of_right, of_wrong = (
                sum(size for size, share in shares if side(share)) for side in (_is_nearly_1, _is_nearly_0)
            )
            if of_right and of_wrong and of_right + of_wrong >= MOST_DECIDED:
                self._hide(name, "it says what is right or wrong")

    def _hide_what_the_outcome_fills(self, outcome: str | None) -> None:
        """Hides what has other words, or is empty, in exactly the rows that are right, as a message of a fault is."""
        if outcome is None or outcome not in self._cells.columns:
            return
        one = self._of(outcome)
        grades = np.array([grade_in_words(word) for word in one.words])
        right = grades[one.column.places] == "right"
        if {*grades} != {"right", "wrong"} or min(right.sum(), (~right).sum()) < FEWEST_TOLD:
            return
        for name in [*self._free()]:
            column = self._of(name).column
            told = column.places if len(self._of(name).words) <= MOST_VERDICTS else column.is_empty
            if len(told) == len(right) and {*told[right].tolist()}.isdisjoint(told[~right].tolist()):
                self._hide(name, f"it goes with {outcome!r:.60} in every row")

    def _read_from_reply(self, output: str) -> str:
        """The only classes that the texts of an output name, and with which another column agrees, or beside which one says
        what is right; "" without.
        """
        if not self._strict or output not in self._cells.columns:
            return ""
        few = self._cells.size < FEWEST_ROWS
        free = [name for name in self._free() if self._of(name).are_classes or (few and self._are_letters(name))]
        free = [name for name in free if name != output and bare(self._field(name)) not in CHOICES]
        labels = [self._roles["label"]] if self._roles.get("label") in self._cells.columns else []
        read = [name for name in free if not self._is_called_true(name) and self._says_what_is(output, self._of(name))]
        agreeing = [
            name
            for name in read
            if any(one != name and self._agree_here(one, name, few=few) for one in (*free, *labels))
        ]
        outcome = any(bare(self._field(name)) in OUTCOMES and self._grades(name) for name in self._free())
        parsed = [name for name in read if PARSED & self._words(self._field(name))]
        agreeing = agreeing or (parsed if outcome else [])
        return agreeing[0] if len(agreeing) == 1 else ""

    def _are_letters(self, name: str) -> bool:
        """Whether cells are letters by which choices are called."""
        return bool(self._of(name).filled) and all(re.fullmatch("[A-Z]", word) for word in self._of(name).filled)

    def _agree_here(self, name: str, other: str, *, few: bool) -> bool:
        """Whether two columns agree; of few rows, whether half of their cells are the same."""
        one, two = self._of(name), self._of(other)
        return self._may_tell(one, two) or (few and bool(np.equal(*coded(one, two)).mean() >= HALF))

    def _is_called_true(self, name: str) -> bool:
        return bool((TRUE | EXPECTED) & self._words(name)) and not self._is_called_written(name)


def _names(text: str, word: str) -> bool:
    """Whether a text has a word, of one letter in its case."""
    if not word:
        return False
    if len(word) > 1:
        text, word = text.casefold(), word.casefold()
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


def _is_nearly_1(share: float) -> bool:
    return share >= 1 - NEARLY


def _is_nearly_0(share: float) -> bool:
    return share <= NEARLY


def _object(cell: str) -> Any:
    """The object in a cell; the cell where it holds none."""
    value = parsed(cell) if cell else None
    fields = isinstance(value, dict) and all(isinstance(name, str) for name in value)
    return value if value is None or fields else cell


def _is_verdict(word: str) -> bool:
    return bool(grade_in_words(word)) or word.casefold() in SAME_OR_NOT
