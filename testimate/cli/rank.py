"""The verb that ranks several models."""

from pathlib import Path
from typing import Annotated

import typer

from testimate.cli.options import Json, Quiet
from testimate.cli.output import ShownProgress, aside, check_json, write_json
from testimate.cli.tables import check_is_file

verbs = typer.Typer()


@verbs.command(epilog="Example: testimate rank predictions.csv --truth label")
def rank(
    predictions: Annotated[
        Path, typer.Argument(metavar="PREDICTIONS.csv", help="One column per model with its predicted labels.")
    ],
    technique: Annotated[
        str,
        typer.Option(
            help="laf, majority or dawid-skene, without labels; sds, ces or random, by the labels of some inputs."
        ),
    ] = "laf",
    budget: Annotated[int | None, typer.Option(help="Inputs to label, for sds, ces and random.")] = None,
    seed: Annotated[int | None, typer.Option(help="Same seed, same inputs; for sds, ces and random.")] = None,
    truth: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column that holds the true labels.")] = None,
    ces_model: Annotated[
        str,
        typer.Option(
            help='The model whose sample ces takes; "best by true accuracies" is the paper\'s choice, which needs the truth.'
        ),
    ] = "closest to the majority",
    quiet: Quiet = False,
    to: Json = "",
) -> None:
    """Rank several models by what they predict for the same inputs, without a label or with few."""
    from testimate.comparison.predictions_table import looks_like_truth, read_predictions
    from testimate.comparison.ranking import CES_MODELS, WITHOUT_LABELS
    from testimate.comparison.ranking import rank as rank_models
    from testimate.core.errors import BadInput

    if ces_model not in CES_MODELS:
        raise BadInput(f"--ces-model is {ces_model!r:.60}; expected {' or '.join(CES_MODELS)}. Choose one of these.")
    check_is_file(predictions)
    check_json(to, predictions)
    table = read_predictions(predictions, truth=truth, tell=aside)
    suspect = looks_like_truth(table.predictions.models)
    if suspect is not None:
        typer.echo(f"{suspect!r} is ranked as a model; if it holds the true labels, add --truth {suspect!r}.", err=True)
    with ShownProgress(quiet) as progress:
        ranking = rank_models(
            table.predictions,
            technique,
            budget=budget,
            seed=seed,
            truth=table.truth,
            ces_model=CES_MODELS[ces_model],
            progress=progress,
        )
    if to:
        write_json(ranking.to_json(), to)
        return
    for line in ranking.lines():
        typer.echo(line)
    if technique in WITHOUT_LABELS:
        from testimate.comparison.overview import trust_in
        from testimate.comparison.ranking import labeling_free

        for sentence in trust_in(table.predictions, labeling_free(table.predictions)).warnings:
            typer.echo(sentence)
