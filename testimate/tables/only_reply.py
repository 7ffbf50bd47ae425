"""Which text is the reply that people judge where no name tells it: the only one that may be, by what is beside it."""

import re
from shlex import quote

from testimate.core.spellings import bare
from testimate.tables.about_output import COMMENTS, AboutOutputEvidence
from testimate.tables.column_evidence import MOST_COLUMNS
from testimate.tables.column_names import (
    CALLED_TEXTS,
    CONTEXTS,
    PREDICTING,
    REFERENCES,
)
from testimate.tables.evaluation_names import GIVEN, is_called_input, is_called_output
from testimate.tables.evaluations import is_amount, roles_beside_output
from testimate.tables.lists_of_parts import PARTS
from testimate.tables.output_names import (
    ASKS,
    BESIDE_TEXTS,
    MADE_OF_OUTPUT,
    OF_TRUTH,
    PLAIN_TEXTS,
)
from testimate.tables.pairs import ASKED, EXPECTED
from testimate.tables.role_questions import which_output
from testimate.tables.score_names import (
    is_in_scores,
    is_named_after_model,
)


class OnlyReplyEvidence(AboutOutputEvidence):
    """What is known of each column, and the only text that may be a reply."""

    def _find_only_reply(self) -> None:
        """The only text that may be a reply, where it is called an output; or where it stands beside what was asked, and a
        model is said to have written it or the reference is there, too.
        """
        if self._predicts or self._verdicts is False or {"output", "output_a"} & {*self._roles}:
            return
        if self._strict and (self._find_predicted_text() or self._find_beside_true_text()):
            return
        self._free_plain_text()
        comments, replies = self._comments_of_program(), self._replies()
        if comments and not any(
            is_called_output(self._called(name)) or self._is_called_written(name) for name in replies
        ):
            replies = comments
        edited = [name for name in self._free() if self._is_post_edited(name)]
        replies = self._only_beside_its_truth(self._without_made_of_one(replies)) or self._objects_called_replies()
        if len(replies) == 1 and self._is_named_after_text(replies[0]):
            return
        if self._strict and self._take_only_code(replies):
            return
        if len(replies) != 1 or (self._strict and MADE_OF_OUTPUT & self._words(replies[0]) and not edited):
            return
        beside = roles_beside_output(self._cells, replies[0], self._taken, rules=self._rules)
        true = [name for name in self._free() if OF_TRUTH & self._words(name) and self._are_free_texts(name)]
        true = true or edited
        known = "reference" in {*beside, *self._roles} or len(true) == 1
        asked = {"input", "text"} & {*beside, *self._roles} or any(ASKED & self._words(name) for name in self._free())
        called = is_called_output(self._called(replies[0])) or self._is_of_call(replies[0])
        written = self._of(replies[0]).hold_sentences or self._are_records(replies[0])
        called = (called or replies == comments) and written
        if called or (asked and (known or self._is_called_written(replies[0]))):
            self._take("output", replies[0], "the only text beside the question that may be a reply")
            self._find_beside_output()
            if "reference" not in self._roles and len(true) == 1:
                self._take("reference", true[0], "its name, and its cells are texts, too")
            self._find_true_text()

    def _find_predicted_text(self) -> bool:
        """The only text that is called as another one is, but for a word that says that it was predicted, and that one."""
        texts = [name for name in self._free() if self._of(name).are_sentences]
        words = {name: re.findall(r"[^\W_]+", self._called(name).casefold()) for name in texts}
        rests = {name: [word for word in words[name] if word not in PREDICTING] for name in texts}
        pairs = [(one, other) for one in texts for other in texts if one != other and rests[one] == words[other]]
        if len(pairs) != 1:
            return False
        [(said, true)] = pairs
        self._take("output", said, f"its name, beside {true!r:.60}")
        if "reference" not in self._roles:
            self._take("reference", true, f"{said!r:.60} is named after it")
        self._find_beside_output()
        return True

    def _find_beside_true_text(self) -> bool:
        """The only column of texts beside keys and another one that is surely called the expected text."""
        rest = [name for name in self._free() if not self._names_rows(name)]
        true = [name for name in rest if bare(self._called(name)) in {*REFERENCES, "gold", "reference", "truth"}]
        if len(rest) != 2 or len(true) != 1 or not all(self._of(name).are_sentences for name in rest):
            return False
        said = next(name for name in rest if name not in true)
        if self._is_called_asked(said) or is_called_input(said) or bare(self._called(said)) in CALLED_TEXTS:
            return False
        self._take("output", said, f"nothing else is beside {true[0]!r:.60}")
        if "reference" not in self._roles:
            self._take("reference", true[0], "its name")
        return True

    def _find_named_after_model(self) -> None:
        """The only text that is named after a model and nothing else, beside texts that are called replies of others.

        ReadingUnclear where several are, or where a program is said to have written one of these, too.
        """
        if not self._strict or self._predicts or self._verdicts is False or {"output", "output_a"} & {*self._roles}:
            return
        texts = [
            name for name in self._free() if self._of(name).hold_sentences and not self._of(name).column.is_empty.any()
        ]
        named = [name for name in texts if is_named_after_model(name)]
        others = [
            name
            for name in texts
            if name not in named and is_called_output(self._called(name)) and not self._is_of_judge(name)
        ]
        if 1 < len(named) <= self._most_asked:
            raise which_output(named)
        if len(named) != 1 or not others:
            return
        written = [name for name in others if self._is_called_written(name)]
        if written and len(written) < self._most_asked:
            raise which_output([*named, *written])
        self._take("output", named[0], "it is named after a model, and holds a text in each row")
        for name in others:
            self._hide(name, "it is another output")
        self._doubts.append(
            f"{named[0]!r:.60} is the output, as it is named after a model. If people judge {others[0]!r:.60}: "
            f"--column {quote(f'output={others[0]}')}."
        )
        self._find_beside_output()
        self._find_true_text()

    def _take_only_code(self, replies: list[str]) -> bool:
        """Takes the only code beside a question as the output, and says so; whether it is there, and no other reply."""
        code = [name for name in self._free() if self._of(name).hold_code and not self._is_about(name)]
        asked = [name for name in self._free() if self._is_called_asked(name) and self._of(name).hold_sentences]
        if (
            len(code) != 1
            or not {*replies} <= {*code}
            or (OF_TRUTH | EXPECTED | ASKED) & self._words(code[0])
            or not {*asked} - {*code}
        ):
            return False
        self._take("output", code[0], "the only code beside the question")
        self._doubts.append(
            f"{code[0]!r:.60} is read as the output, as it is the only code beside a question. If people wrote it, add what "
            "the model gave, in a column 'output'."
        )
        self._find_beside_output()
        return True

    def _is_named_after_text(self, name: str) -> bool:
        """Whether a text is called as another one with a word behind it, such as its lemmas, and not as a program wrote it."""
        others = [one for one in [*self._cells.columns][:MOST_COLUMNS] if name.startswith(f"{one}_")]
        after = self._strict and any(self._of(one).hold_sentences for one in others)
        return after and not self._is_surely_written(name)

    def _objects_called_replies(self) -> list[str]:
        """The free columns of objects, as of calls of functions, that are called what a model gave."""
        objects = [name for name in self._free() if self._are_records(name)] if self._strict else []
        return [name for name in objects if is_called_output(self._called(name)) and self._may_be_called_reply(name)]

    def _without_made_of_one(self, replies: list[str]) -> list[str]:
        """The only one of several replies that is not called as made of another, where it holds the others or they hold it."""
        called = [name for name in replies if is_called_output(self._called(name)) and self._of(name).hold_sentences]
        plain = [name for name in called if not MADE_OF_OUTPUT & self._words(name)]
        if not self._strict or len(plain) != 1 or len(called) < 2:
            return replies
        return plain if all(self._holds_the_other(name, plain[0]) for name in called) else replies

    def _only_beside_its_truth(self, replies: list[str]) -> list[str]:
        """The only one of several replies that is called an output, where the only true text is called the same: a translation,
        say, and the target translation.
        """
        called = [name for name in replies if is_called_output(name) or self._is_called_written(name)]
        if not self._strict or len(replies) < 2 or len(called) != 1 or not self._of(called[0]).hold_sentences:
            return replies
        true = [name for name in self._free() if OF_TRUTH & self._words(name) and self._are_free_texts(name)]
        same = GIVEN & self._words(called[0])
        return called if len(true) == 1 and same & self._words(true[0]) else replies

    def _find_scored_text(self) -> None:
        """The only text beside the only question where a record holds scores: they are those of this text."""
        if not self._strict or self._predicts or self._verdicts is False or {"output", "output_a"} & {*self._roles}:
            return
        scores = [name for name in self._free() if self._of(name).are_numbers and is_in_scores(name)]
        texts = [name for name in self._free() if self._of(name).hold_sentences] if scores else []
        asked = [name for name in texts if bare(self._field(name)) in ASKS]
        rest = [name for name in texts if name not in asked]
        if len(asked) != 1 or len(rest) != 1 or self._is_about(rest[0]) or {"reference", "label"} & {*self._roles}:
            return
        if (OF_TRUTH | ASKED) & self._words(rest[0]) or bare(self._field(rest[0])) in CONTEXTS:
            return
        if BESIDE_TEXTS & self._words(rest[0]) and PARTS not in self._cells.changes:
            return  # what was found for a question may be scored, too, and is no answer
        self._take("output", rest[0], f"the only text beside {asked[0]!r:.60} and the scores")
        self._doubts.append(
            f"{rest[0]!r:.60} is the output, as {scores[0]!r:.60} may be its score. If it was given to the model, "
            "add what that answered."
        )
        self._find_beside_output()

    def _is_of_call(self, name: str) -> bool:
        """Whether a text with the plain name of one stands beside what an answer of a model took: tokens, time or money."""
        record = name.rpartition(".")[0]
        beside = [
            one for one in self._cells.columns if one.rpartition(".")[0].removesuffix("usage").rstrip(".") == record
        ]
        took = [one for one in beside if GIVEN & self._words(one) and is_amount(self._cells, one)]
        return bool(took) and bare(self._field(name)) in PLAIN_TEXTS

    def _free_plain_text(self) -> None:
        """Takes the role of a column 'text' from it where a question stands beside it, and what an answer took: it is that."""
        name = self._roles.get("text", "")
        if ("text", name) in self._chosen or name not in self._cells.columns or not self._is_of_call(name):
            return
        if any(self._is_called_asked(one) and self._of(one).hold_sentences for one in self._free()):
            del self._roles["text"]
            self._taken.discard(name)

    def _comments_of_program(self) -> list[str]:
        """The free sentences that a program is said to have commented, where another text may be what they are about."""
        texts = [name for name in self._free() if self._of(name).hold_sentences] if self._strict else []
        said = [name for name in texts if COMMENTS & self._words(name) and self._is_surely_written(name)]
        return said if texts[1:] else []
