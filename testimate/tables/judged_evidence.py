"""What the columns of a table tell where people judge: a prediction of sentences is an output, and beside an output stand its
question, its reference and the choices it had, whatever these are called.
"""

from collections.abc import Collection
from functools import cached_property

from testimate.core.spellings import bare
from testimate.tables.cells import Column
from testimate.tables.column_evidence import ColumnEvidence
from testimate.tables.column_names import TRUTHS
from testimate.tables.evaluations import INPUT_KEYS, roles_beside_output
from testimate.tables.first_cells import looks_like_sentence, say_the_same
from testimate.tables.role_questions import MOST_ASKED, which_column
from testimate.tables.score_names import is_in_list, names_judge, path_end
from testimate.tasks import TASKS
from testimate.tasks.classification import form_of_sets

FEWEST_OF_MANY = 50
"""Rows from which on answers that hardly recur name no classes, though they are no sentences."""

CHOICES = frozenset({"choices", "options", "answerchoices", "multiplechoicetargets"})
"""Names of the answers among which a model chose, in lower-case letters and digits."""

ANSWERS = frozenset({"answer", "answers"})
"""Names of what is right, and of what somebody answered."""

KEYS = (*INPUT_KEYS, "custom_id", "qid", "uid", "session_id", "conversation_id", "key")
"""Names of what says which input it is, where nothing shows the input itself."""

MATERIAL = ("input", "inputs", "passage")
ASKS = ("instruction", "question", "query", "prompt", "task", "problem")
"""Names of what a question is about, and of what was asked of it."""


ABOUT_OUTPUT = frozenset(
    {
        *("reason", "reasons", "reasoning", "rationale", "explanation", "judgment", "judgement", "feedback", "comment"),
        *("critique", "note", "notes", "thought", "thoughts", "error", "result", "results", "strengths", "weaknesses"),
        *("review", "analysis", "summary", "evaluation", "trace", "log", "logs", "message", "messages"),
    }
)
"""Words in the name of a text that may be about an output, or how it was made."""


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
        true = label or next(iter(self._named(TRUTHS)), None)
        if true is not None and (self._of(true).are_numbers or self._of(true).are_classes):
            return
        for role in ("prediction", "label"):
            self._roles.pop(role, None)
        self._take("output", name, "its cells are texts that name no classes")
        if true is not None:
            self._take("reference", true, "its name, and its cells are texts, too")

    def _are_free_texts(self, name: str) -> bool:
        """Whether answers are sentences, or hardly recur in a table of many rows without chances of classes."""
        one = self._of(name)
        if one.are_numbers or one.are_files or 2 * len(one.filled) <= one.size or _name_several(one.filled[:1000]):
            return False
        chances = any(self._of(other).are_shares for other in self._named_confidences())
        return one.are_sentences or (one.size >= FEWEST_OF_MANY and not chances and not self._predicts_by_chances)

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

    def _ask_which_answer_is_right(self) -> None:
        """ReadingUnclear where the reference is called an answer, and another column is, too, and says another thing."""
        name = self._roles.get("reference")
        if not self._lone or name is None or name not in self._cells.columns or ("reference", name) in self._chosen:
            return
        others = [one for one in self._free() if bare(self._field(one)) in ANSWERS and not is_in_list(one)]
        others = [one for one in others if not say_the_same(self._of(one), self._of(name))]
        if bare(self._field(name)) in ANSWERS and 0 < len(others) < MOST_ASKED:
            raise which_column("reference", [name, *others])

    def _find_only_text(self) -> None:
        """The only other text beside an output, unless its name says that it is about the output: what was asked."""
        if {"input", "text", "image", "audio", "file", "reference"} & {*self._roles}:
            return
        texts = [name for name in self._free() if self._of(name).are_sentences and "[" not in name]
        if len(texts) == 1 and not ABOUT_OUTPUT & self._words(texts[0]) and not names_judge(texts[0]):
            self._take("input", texts[0], "the only other text")

    def _shown_beside(self) -> list[tuple[str, str]]:
        """The roles of what a tester needs beside the question: the material that it is about, its choices, or the key."""
        names = [name for name in self._beside_question() if name not in self._taken or name in self._passed_over]
        self._taken |= {*names}
        self._reasons |= dict.fromkeys(names, "its name")
        return [("show", name) for name in names]

    def _beside_question(self) -> list[str]:
        """The columns of what stands beside the question, or of what says which one it is where none shows it."""
        question = self._roles.get("input")
        free = {bare(self._field(name)): name for name in self._free() if "[" not in name}
        if question is None or question not in self._cells.columns:
            seen = any(role in self._roles for role in ("image", "audio", "file", "text"))
            keys = {path_end(name): name for name in self._free() if not self._names_index(name)}
            named = [keys[name] for name in KEYS if name in keys]
            if self._strict and not named:
                named = [name for name in self._free() if self._of(name).are_files][:1]
            return [] if seen else named
        beside = [free[name] for name in CHOICES if name in free and not self._of(free[name]).are_numbers]
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

    def _is_mostly_empty(self, name: str) -> bool:
        column: Column = self._of(name).column
        return bool(2 * column.is_empty.sum() > len(column.is_empty))
