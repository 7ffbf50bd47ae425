"""What a study is asked for, as one record: run in the background, and the rows that are done already."""

from dataclasses import dataclass
from pathlib import Path

from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.planning.needs import default_auxiliary, possible
from testimate.selectors import SELECTORS
from testimate.studies.cell import cells_of
from testimate.studies.kept_rows import KeptRows
from testimate.studies.study import study
from testimate.studies.study_row import StudyRow

SENSIBLE = ("rra", "rrs", "srs", "sups")
"""The defaults beside simple random sampling, which both are measured by, and the one that exposes most failures."""

SENSIBLE_BUDGETS = (50, 100, 200)
LEVEL = 0.95


@dataclass(frozen=True)
class StudyChoice:
    """Techniques with auxiliary variables at budgets, how often each is repeated, and the seed; see ``study``."""

    techniques: tuple[str, ...]
    budgets: tuple[int, ...]
    repetitions: int
    seed: int
    auxiliaries: tuple[str, ...] = ("confidence",)

    def run(
        self,
        inputs: Inputs,
        *,
        resume_file: Path | None = None,
        progress: Progress = silent,
        workers: int | None = None,
    ) -> list[StudyRow]:
        """Every row, those of the file read instead of run; raises as ``study`` does."""
        return study(
            inputs,
            techniques=self.techniques,
            budgets=self.budgets,
            repetitions=self.repetitions,
            seed=self.seed,
            auxiliaries=self.auxiliaries,
            features=_features(inputs),
            level=LEVEL,
            progress=progress,
            workers=workers,
            resume_file=resume_file,
        )

    def done(self, inputs: Inputs, resume_file: Path) -> list[StudyRow | None]:
        """A place for each row, in the study's order; None where the file does not hold it yet. Raises as ``study`` does."""
        kept = KeptRows(resume_file, inputs, repetitions=self.repetitions, seed=self.seed, level=LEVEL)
        cells = cells_of(inputs, self.techniques, self.auxiliaries, self.budgets, None, _features(inputs), {})
        return [kept.row(cell) for cell in cells]


def sensible_choice(inputs: Inputs) -> StudyChoice:
    """What to begin with on these inputs: the sensible techniques that can run, at budgets well below their number."""
    budgets = tuple(budget for budget in SENSIBLE_BUDGETS if budget <= len(inputs) // 3)
    return StudyChoice(
        techniques=tuple(name for name in SENSIBLE if not possible(inputs, SELECTORS[name])) or ("srs",),
        budgets=budgets or (max(2, len(inputs) // 3),),
        repetitions=200,
        seed=1,
        auxiliaries=(default_auxiliary(inputs) or "confidence",),
    )


def _features(inputs: Inputs) -> str:
    """The layer for the techniques that need one: the last hidden one, else the first at hand."""
    return next((role for role in ("LHL", *inputs.features) if role in inputs.features), "LHL")
