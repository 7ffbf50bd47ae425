"""What `testimate estimate` says about slices, classes and weak spots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from testimate.core.errors import BadInput
from testimate.core.words import decimal, decimal_ends, spaced

if TYPE_CHECKING:  # named only: both cost time that an estimate alone does not need
    from testimate.core.inputs import Inputs
    from testimate.core.task import Measure
    from testimate.estimators.parts import ClassScores
    from testimate.estimators.weights import PartEstimate
    from testimate.planning.estimate import PlanEstimate
    from testimate.planning.parts import Slice
    from testimate.planning.weak_spots import WeakSpots


@dataclass(frozen=True)
class AskedParts:
    """The slices, the scores of the classes and the weak spots that were asked for; None where they were not."""

    slices: tuple[Slice, ...] | None
    scores: ClassScores | None
    classes: tuple[str, ...]
    spots: WeakSpots | None

    def to_json(self) -> dict[str, Any]:
        """What the estimate's JSON gains: "slices", the scores of the classes and "weak_spots", each where it was asked for."""
        from testimate.planning.parts import classes_to_json

        of_slices = {} if self.slices is None else {"slices": [one.to_json() for one in self.slices]}
        of_spots = {} if self.spots is None else {"weak_spots": self.spots.to_json()}
        of_classes = {} if self.scores is None else classes_to_json(self.scores, self.classes)
        return {**of_slices, **of_classes, **of_spots}


def asked_parts(
    found: PlanEstimate,
    inputs: Inputs | None,
    kind: str,
    votes: Mapping[int, str],
    *,
    table: Path | None,
    slices: Sequence[str],
    classes: bool,
    simultaneous: bool,
    spots: bool,
) -> AskedParts:
    """The slices, scores and weak spots; BadInput where what they need is not available."""
    from testimate.planning.parts import scores_of_classes, slices_of
    from testimate.planning.votes import class_of_label

    plan, level = found.plan, found.estimate.level
    if simultaneous and not slices and not classes:
        raise BadInput(
            "--simultaneous is about slices and classes; expected --slice or --classes. Add one, or leave it out."
        )
    of_slices = scores = None
    if slices:
        from testimate.planning.parts import groupings_of_table

        if table is None:
            raise BadInput(
                f"The plan's table {plan.table} was not found, and the slices are its columns. Name it with --table."
            )
        of_slices = slices_of(
            groupings_of_table(table, slices, plan.design.size),
            plan.design,
            found.verdicts,
            technique=plan.request.technique,
            level=level,
            simultaneous=simultaneous,
            loss_bound=found.loss_bound,
        )
    if classes:
        if inputs is None:
            raise BadInput(
                f"The plan's table {plan.table} was not found, and --classes needs its predictions. Restore it."
            )
        labels = {row: cell for row, cell in votes.items() if cell} if kind == "label" else {}
        is_one_class = not inputs.task.numeric and inputs.predictions.ndim == 1
        scores = scores_of_classes(
            inputs.task,
            inputs.predictions,
            plan.design,
            found.verdicts,
            {row: class_of_label(cell, row, inputs) for row, cell in labels.items()} if is_one_class else {},
            technique=plan.request.technique,
            level=level,
            simultaneous=simultaneous,
        )
    found_spots = None
    if spots:
        from testimate.planning.parts import further_columns_of_table

        if table is None:
            raise BadInput(
                f"The plan's table {plan.table} was not found, and weak spots are looked for in its columns. Name it with "
                "--table."
            )
        found_spots = found.weak_spots(
            further_columns_of_table(table, plan.columns, plan.design.size, boxed=plan.task == "boxes")
        )
    return AskedParts(of_slices, scores, () if inputs is None else inputs.task.classes, found_spots)


def say_parts(parts: AskedParts, measure: Measure) -> None:
    """Prints the slices, then the classes, one per line."""
    from testimate.planning.parts import MANY

    if parts.slices is not None:
        typer.echo(f"\n{measure.title} by slice; intervals are good at a size fixed in advance. {MANY}")
        for one in parts.slices:
            typer.echo(f"  {one.column} = {one.value}, {spaced(one.size)} inputs: {_in_words(one.estimate)}")
    if parts.spots is not None:
        typer.echo(
            f"\nWeak spots, among {spaced(parts.spots.traits)} traits and their pairs: one half of the labels finds them, the "
            "other half measures them"
        )
        for sentence in parts.spots.sentences():
            typer.echo(f"  {sentence}")
    scores = parts.scores
    if scores is None:
        return
    typer.echo("\nPrecision, recall and F1 of each class, then their means (macro) and of all inputs alike (micro)")
    named = [*zip(parts.classes, scores.classes, strict=True), ("macro", scores.macro), ("micro", scores.micro)]
    for name, score in named:
        for what, part in (("precision", score.precision), ("recall", score.recall), ("F1", score.f1)):
            typer.echo(f"  {name}, {what}: {_in_words(part)}")
    typer.echo("\nConfusion of all inputs: the true class, the predicted one, and the share of all inputs")
    for cell in scores.confusion:
        typer.echo(f"  {parts.classes[cell.true]}, {parts.classes[cell.predicted]}: {_in_words(cell.share)}")


def _in_words(part: PartEstimate) -> str:
    """The number with its interval, or why there is none."""
    if part.value is None:
        return part.why
    said = f"{decimal(part.value)} from {spaced(part.labeled)} labels"
    if part.low is None or part.high is None:
        return f"{said}; {part.why}"
    return f"{said}, {' to '.join(decimal_ends(part.low, part.high))}"
