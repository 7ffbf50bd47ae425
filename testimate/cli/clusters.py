"""The verb that clusters inputs by the network's features and writes the cluster of each.

The verb that ranks several models.

The verb that compares techniques where the truth is known, with its tables and plots.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from testimate.cli.features import roles_of, typed_preprocessing
from testimate.cli.output import (
    PROJECT,
    Columns,
    Features,
    InputFiles,
    Json,
    Others,
    ProjectFolder,
    Quiet,
    Seed,
    ShownProgress,
    Table,
    TaskSaid,
    Tolerance,
    TopK,
    Training,
    Variant,
    aside,
    check_is_file,
    check_json,
    check_output,
    read_inputs,
    table_choices,
    tell_files,
    tell_others,
    write_json,
)
from testimate.cli.plans import tell_leaks
from testimate.core.errors import BadInput
from testimate.core.files import write_whole
from testimate.core.words import spaced

if TYPE_CHECKING:
    from testimate.core.inputs import Inputs
    from testimate.core.progress import Progress
    from testimate.datasets.preprocessing import Preprocessing
    from testimate.reports.clusters import Show


verbs = typer.Typer()

QUICKER = f"Too long? --sampled clusters {spaced(20_000)} of the inputs and lets the others join them."
"""Said where comparing all pairs takes minutes, as it does of data that lie in no groups."""


@verbs.command(
    epilog="Example: testimate clusters table.csv --features F.npy --seed 1 --out clusters.csv --report clusters.html"
)
def clusters(
    source: Annotated[Path, typer.Argument(metavar="MODEL|TABLE", help="A model, or a table of its predictions.")],
    seed: Seed,
    out: Annotated[Path, typer.Option(metavar="CLUSTERS.csv", help="One line per input.")],
    dataset: Annotated[
        Path | None, typer.Argument(metavar="[DATASET]", help="The data the model runs on; leave it out for a table.")
    ] = None,
    features: Features = None,
    layers: Annotated[
        str, typer.Option(help="For a model: ori, first, lhl, con; several are put side by side.")
    ] = "lhl",
    min_cluster_size: Annotated[
        int | None, typer.Option(help="The fewest inputs that make a cluster; 80 by default, fewer for small sets.")
    ] = None,
    min_samples: Annotated[
        int | None, typer.Option(help="The neighbour whose distance measures the density; 4 by default.")
    ] = None,
    reduction: Annotated[
        str | None,
        typer.Option(help="auto, none, fastica, pca, nmf or fa, before clustering; auto by default, as PACE."),
    ] = None,
    components: Annotated[int | None, typer.Option(help="Dimensions after the reduction; 2 by default.")] = None,
    sampled: Annotated[
        bool,
        typer.Option(
            "--sampled", help=f"Cluster {spaced(20_000)} of the inputs; the others join them. Quick for any data."
        ),
    ] = False,
    map_method: Annotated[str, typer.Option("--map", help="neighbours (t-SNE), fastica or pca.")] = "neighbours",
    report: Annotated[Path | None, typer.Option(metavar="FILE.html", help="A self-contained report.")] = None,
    scale: Annotated[str | None, typer.Option(metavar="1/255", help="For a model: as for testimate features.")] = None,
    mean: Annotated[str | None, typer.Option(metavar="M,M,M", help="The same.")] = None,
    deviation: Annotated[str | None, typer.Option(metavar="S,S,S", help="The same.")] = None,
    size: Annotated[str | None, typer.Option(metavar="224x224", help="The same.")] = None,
    channels: Annotated[str | None, typer.Option(metavar="first|last", help="The same.")] = None,
    engine: Annotated[
        str, typer.Option(help="local, or ray: prototypes of large clusters on the cluster that RAY_ADDRESS names.")
    ] = "local",
    column: Columns = None,
    inputs_at: InputFiles = None,
    project: ProjectFolder = PROJECT,
    quiet: Quiet = False,
    to: Json = "",
) -> None:
    """Group inputs by their features, with the prototypes and criticisms of each group and a map of all."""
    from testimate.feature_cache import ENGINES
    from testimate.reports.clusters import cluster_inputs
    from testimate.structure.maps import Method
    from testimate.structure.spanning_tree import COMPARING

    machines = ENGINES[engine](aside)

    known = get_args(Method)
    method = next((one for one in known if one == map_method), None)
    if method is None:
        raise BadInput(f"--map is {map_method!r:.60}; expected one of {', '.join(known)}. Choose one of these.")
    check_output(out, source, dataset, features, report)
    check_output(report, source, dataset, features)
    check_json(to, source, dataset, features, out, report)
    if dataset is None and any(one is not None for one in (scale, mean, deviation, size, channels)):
        raise BadInput("A table is not prepared; expected a model and a dataset with --scale. Leave it out.")
    with machines.kept_ready(), ShownProgress(quiet, quicker={} if sampled else {COMPARING: QUICKER}) as progress:
        show: Show | None = None
        if dataset is None:
            inputs: Inputs = read_inputs(source, features, None, None, choices=table_choices(column, inputs_at))
            layer = None
        else:
            if features is not None:
                raise BadInput(
                    "--features was given with a model, which computes its own. Give a table, or leave it out."
                )
            prepared = typed_preprocessing(
                source, scale=scale, mean=mean, deviation=deviation, size=size, channels=channels
            )
            inputs, show, layer = _of_model(source, dataset, prepared, layers, project, progress)
        found = cluster_inputs(
            inputs,
            seed=seed,
            features=layer,
            min_cluster_size=min_cluster_size,
            min_samples=min_samples,
            reduction=reduction,
            components=components,
            sampled=sampled,
            map_method=method,
            show=show,
            progress=progress,
            on_blocks=machines.blocks,
        )
        found.write(out)
        if report is not None:
            write_whole(report, found.to_html())
    if dataset is None:
        tell_files(inputs)
    if to:
        write_json(found.to_json(), to)
        return
    for sentence in found.sentences():
        typer.echo(sentence)
    typer.echo(f"clusters: {out}" + ("" if report is None else f"\nreport: {report}"))


def _of_model(
    model: Path, dataset: Path, prepared: "Preprocessing | None", layers: str, project: Path, progress: "Progress"
) -> "tuple[Inputs, Show, str]":
    """What a model says about its data, as ``testimate features`` computes and keeps it; what a person sees; the layers."""
    from testimate.models.description import ModelDescription
    from testimate.planning.known_inputs import known_inputs
    from testimate.project.subjects import project_cache
    from testimate.subjects.uploaded_subject import SubjectDescription, open_uploaded_subject

    roles = roles_of(layers)
    description = SubjectDescription(
        ModelDescription(model), dataset, preprocessing=prepared, decided="as given on the command line"
    )
    own = open_uploaded_subject(description, progress=progress)
    own.check_decided()
    inputs = known_inputs(own.subject, project_cache(project), progress, roles=roles)
    return inputs, own.subject.dataset.show, "+".join(roles)


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


Setting = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="[TECHNIQUE.]NAME=VALUE", help="A setting, of one technique or all that have it."),
]
Resume = Annotated[
    Path | None,
    typer.Option(
        "--resume", metavar="FILE", help="Keep finished campaigns in this file, and continue from those already in it."
    ),
]


@verbs.command(
    epilog="Example: testimate study table.csv --technique rrs --technique srs --budget 200 --repetitions 300 --seed 1"
)
def study(
    table: Table,
    technique: Annotated[list[str], typer.Option(help="May be repeated.")],
    budget: Annotated[list[int], typer.Option(help="May be repeated.")],
    seed: Seed,
    repetitions: Annotated[int, typer.Option(min=1, help="Campaigns per technique and budget.")] = 300,
    auxiliary: Annotated[
        list[str] | None,
        typer.Option(
            help="May be repeated; by default combined where there are other models, else confidence, "
            "else lsa, else the first score; a+b joins two."
        ),
    ] = None,
    variant: Variant = None,
    option: Setting = None,
    other: Others = None,
    features: Features = None,
    training: Training = None,
    tolerance: Tolerance = None,
    task: TaskSaid = None,
    column: Columns = None,
    top_k: TopK = 1,
    resume: Resume = None,
    engine: Annotated[str, typer.Option(help="local, or ray for the cluster that RAY_ADDRESS names.")] = "local",
    csv: Annotated[Path | None, typer.Option(metavar="FILE.csv", help="Write the table as CSV.")] = None,
    markdown: Annotated[Path | None, typer.Option(metavar="FILE.md", help="Write the table as Markdown.")] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write plots as a page that works offline.")
    ] = None,
    quiet: Quiet = False,
    to: Json = "",
) -> None:
    """Techniques side by side where the truth is known: errors, bias, coverage and failures over many campaigns."""
    from testimate.planning.needs import default_auxiliary
    from testimate.studies.study import study as run_study
    from testimate.studies.study import to_csv, to_markdown
    from testimate.subjects.table_features import FILE_FEATURES

    options = _settings(option or ())
    read = (table, features, training, resume, *(other or ()))
    check_output(csv, *read, markdown, plot)
    check_output(markdown, *read, plot)
    check_output(plot, *read)
    check_json(to, *read, csv, markdown, plot)
    check_output(resume, table, features, training, *(other or ()))
    choices = table_choices(column, top_k=top_k)
    kept = (
        "There is no --resume FILE, so nothing is kept."
        if resume is None
        else f"The campaigns that are finished are in {resume}; the same command continues from there."
    )
    with ShownProgress(quiet, kept) as progress:
        inputs = read_inputs(table, features, training, tolerance, task=task, choices=choices, others=other)
        rows = run_study(
            inputs,
            techniques=technique,
            auxiliaries=auxiliary or [default_auxiliary(inputs) or "confidence"],
            budgets=budget,
            repetitions=repetitions,
            seed=seed,
            variant=variant,
            features=FILE_FEATURES if features else "LHL",
            options=options,
            resume_file=resume,
            progress=progress,
            engine=engine,
            tell=aside,
        )
        tell_leaks(inputs, technique, auxiliary or ())
    tell_others(inputs)
    if csv is not None:
        write_whole(csv, to_csv(rows))
    if markdown is not None:
        write_whole(markdown, to_markdown(rows) + "\n")
    if plot is not None:
        from testimate.studies.plots import to_html

        write_whole(plot, to_html(rows))
    if to:
        write_json([row.to_json() for row in rows], to)
    elif csv is None and markdown is None and plot is None:
        typer.echo(to_markdown(rows))


def _settings(given: Sequence[str]) -> dict[str, str]:
    """The settings given, by name; BadInput for one without a value or given twice."""
    found: dict[str, str] = {}
    for setting in given:
        name, equals, value = setting.partition("=")
        if not (name and equals and value) or name in found:
            raise BadInput(
                f"The option is {setting!r:.60}; expected NAME=VALUE or TECHNIQUE.NAME=VALUE, such as gbs.clusters=8, each "
                "name once. Change it."
            )
        found[name] = value
    return found
