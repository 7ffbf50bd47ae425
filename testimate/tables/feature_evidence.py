"""What tells features of the inputs from answers: names, values, and whether other features stand beside them."""

import re
from functools import cached_property
from shlex import quote

from testimate.core.spellings import folded
from testimate.tables.coefficients import coefficients_among, no_predictions
from testimate.tables.column_names import CHANCES, OF_MODELS, PREDICTING, SHORT_TRUE, TRUE, word_set
from testimate.tables.first_cells import FEWEST_ROWS, LEAST_SHARED, SURELY, YES_OR_NO, FirstCells
from testimate.tables.lone_evidence import LoneColumnsEvidence
from testimate.tables.pairs import EXPECTED
from testimate.tables.roles import FILES, JUDGED
from testimate.tables.score_names import names_judge
from testimate.tables.telling import MOST_BANDS, closeness, is_cut_of

SAID_BY_MODELS = OF_MODELS | word_set("model models classifier baseline ensemble class vote ml dl")
"""Words in the name of a column that holds what a model said."""

BANDS = frozenset(
    {"low", "lower", "medium", "mid", "middle", "high", "higher", "small", "large", "none", "some", "many"}
)
"""Words of parts into which numbers are cut, which columns of other things have, too."""

INTERVAL = re.compile(r"[(\[]?\s*-?[\d.]+\s*(,|-|to|\.\.)\s*-?[\d.]+\s*[)\]]?|[<>]=?\s*-?[\d.]+|[\d.]+\s*\+")

COPIES = 0.99
"""Cohen's kappa from which on a column of a feature's name is a copy of the answers nevertheless."""


class FeaturesEvidence(LoneColumnsEvidence):
    """Which columns are features of the inputs although they agree with the answers, and which are made of the chances."""

    def _check_no_coefficients(self) -> None:
        """BadInput where the names are those of coefficients of a model, and nothing is called or chosen as a prediction."""
        found = None if self._roles or self._named(self._predictions) else coefficients_among([*self._free()])
        if found is not None and self._of(found.name).are_numbers:
            raise no_predictions(found)

    def _is_feature(self, name: str) -> bool:
        """Whether a column that agrees with the answers is a feature: the truth is known, and neither name nor values say more.

        Numbers, yes and no, and bands may stand for anything; what they stand for agrees with the truth in three rows of four
        often enough. Where they agree more closely than that, other features have to stand beside them.
        """
        known = {"prediction", "label"} <= {*self._roles}
        if not self._strict or not known or self._has_media or not self._is_plain_of_no_answer(name):
            return False
        close = self._closeness(name)
        self._close |= {name} if close > SURELY else set()
        return True

    def _as_right_as(self, name: str) -> list[str]:
        """Those columns that agree as predictions do and are no features."""
        found = super()._as_right_as(name)
        return found if self._has_media else [one for one in found if not self._is_plain_of_no_answer(one)]

    def _is_plain_of_no_answer(self, name: str) -> bool:
        """Whether the values of a column may stand for anything, its name is none of answers, and it agrees as features do."""
        if not _are_plain(self._of(name)) or self._is_called_answer(name):
            return False
        close = self._closeness(name)
        return close <= SURELY or (close <= COPIES and self._has_plain_features(name))

    @cached_property
    def _close(self) -> set[str]:
        """The features that agree closely."""
        return set()

    @property
    def _has_media(self) -> bool:
        """Whether texts or files stand for the inputs."""
        media = any(self._of(name).are_texts or self._of(name).are_files for name in self._free())
        return media or bool({"text", *FILES, *JUDGED} & {*self._roles})

    def _is_called_answer(self, name: str) -> bool:
        """Whether a name has a word for answers or models, or all words of the truth's own name."""
        words = self._words(name)
        own = self._words(self._roles.get("label", "")) - TRUE - SHORT_TRUE - EXPECTED - {"class", "is"}
        return (
            bool(words & (PREDICTING | TRUE | SHORT_TRUE | EXPECTED | SAID_BY_MODELS))
            or names_judge(name)
            or (bool(own) and own <= words)
        )

    def _has_predicted_classes(self, name: str) -> bool:
        """Whether a column beside a known truth has two or more of the predicted classes and nothing else, in words that stand
        for nothing else, or with the name of another model or of a truth.
        """
        one, predicted = self._of(name), self._predicted()
        if not self._strict or "label" not in self._roles or predicted is None or predicted.are_measured:
            return False
        if len(one.filled) < 2 or not {*map(folded, one.filled)} <= {*map(folded, predicted.filled)}:
            return False
        return not _are_plain(one) or self._is_called_answer(name)

    def _closeness(self, name: str) -> float:
        """How closely a column agrees with the truth or the predictions, as it is or in other words: Cohen's kappa at most."""
        known = [self._roles.get(role, "") for role in ("prediction", "label")]
        known = [one for one in known if one in self._cells.columns]
        found = []
        for other in map(self._of, known):
            one, rows = self._of(name), ~other.column.is_empty
            some = one.size == other.size and not rows.all() and int(rows.sum()) >= FEWEST_ROWS
            found.append(closeness(one.of(rows), other.of(rows)) if some else closeness(one, other))
        return max(found, default=0.0)

    def _has_plain_features(self, name: str) -> bool:
        """Whether another free column holds a feature by its cells: numbers or classes that do not agree closely."""
        others = [one for one in self._free() if one != name and self._are_answers(one) and not self._names_rows(one)]
        others = [one for one in others if not self._is_called_answer(one) and one not in self._named_confidences()]
        return any(self._closeness(one) <= SURELY for one in others)

    def _say_what_agrees(self) -> None:
        """A sentence on features that agree closely, with the way to leave one out."""
        close = [name for name in self._free() if name in self._close and name not in self._taken]
        if not close:
            return
        more = f" and {len(close) - 1} more columns agree" if close[1:] else " agrees"
        self._doubts.append(
            f"{close[0]!r:.60}{more} closely with the truth or the predictions, and may be another model's answers. If so, "
            f"leave such a column out: --column {quote(f'ignore={close[0]}')}."
        )

    def _has_predicted_names(self, name: str) -> bool:
        """Whether a column of words, or of sets of them, names what is predicted, two names or more, and little else."""
        predicted, one = self._predicted(), self._of(name)
        if predicted is None or predicted.are_numbers or one.are_numbers:
            return False
        named, said = ({name for names in cells.sets or () for name in names} for cells in (one, predicted))
        return len(named & said) > 1 and len(named & said) >= LEAST_SHARED * len(named)

    def _is_band(self, name: str) -> bool:
        """Whether a column says in which band the chances that the model gave lie."""
        if not 2 <= len(self._of(name).words) <= MOST_BANDS:
            return False
        chances = [column for role, column in self._roles.items() if role == "confidence" or role.startswith("p_")]
        said = self._roles.get("prediction")
        chances += [said] if said is not None and said in self._cells.columns and self._of(said).are_shares else []
        chances += [one for one in self._free() if CHANCES & self._words(one) and self._of(one).are_shares]
        return any(column in self._cells.columns and is_cut_of(self._of(name), self._of(column)) for column in chances)


def _are_plain(one: FirstCells) -> bool:
    """Whether the cells of a column are numbers, yes and no, or parts of a scale, which may stand for anything."""
    words = {*map(str.casefold, one.filled)}
    return one.are_numbers or words <= YES_OR_NO | BANDS or all(INTERVAL.fullmatch(word) for word in one.filled[:100])
