"""The verbs that look at a whole set: clusters of its inputs, a ranking of models, and a study of techniques on known truth."""

from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from testimate.cli.features import Preparation, roles_of
from testimate.cli.options import (
    Features,
    Json,
    Quiet,
    RunOptions,
    Seed,
    Table,
    TableFiles,
    TableReading,
    Variant,
    Verbs,
    check_is_file,
    read_inputs,
    tell_reading,
)
from testimate.cli.output import (
    ShownProgress,
    aside,
    check_json,
    check_output,
    tell_files,
    tell_others,
    write_json,
)
from testimate.cli.plans import tell_leaks
from testimate.core.errors import BadInput
from testimate.core.files import write_whole
from testimate.core.selector import DEFAULT_AUXILIARY
from testimate.core.words import commas

if TYPE_CHECKING:
    from testimate.core.inputs import Inputs
    from testimate.core.progress import Progress
    from testimate.project.cluster_settings import ClusterSettings
    from testimate.reports.clusters import Show
    from testimate.structure.maps import Method
    from testimate.studies.against import Against
    from testimate.studies.study_rows import StudyRow


verbs = Verbs()

QUICKER = f"Too long? --sampled clusters {commas(20_000)} of the inputs and lets the others join them."
"""Said where comparing all pairs takes minutes, as it does of data that lie in no groups."""


@dataclass(frozen=True)
class ClusterSource:
    """What is clustered besides a table or a model: the model's data and layers, or the table's features."""

    dataset: Annotated[
        Path | None, typer.Argument(metavar="[DATASET]", help="The data the model runs on; leave it out for a table.")
    ] = None
    features: Features = None
    layers: Annotated[str, typer.Option(help="For a model: ori, first, lhl, con; several are put side by side.")] = (
        "lhl"
    )


@dataclass(frozen=True)
class ClusterOptions:
    """How the inputs are clustered, drawn on a map and reported."""

    min_cluster_size: Annotated[
        int | None, typer.Option(help="The fewest inputs that make a cluster; 80 by default, fewer for small sets.")
    ] = None
    min_samples: Annotated[
        int | None, typer.Option(help="The neighbor whose distance measures the density; 4 by default.")
    ] = None
    reduction: Annotated[
        str | None,
        typer.Option(help="auto, none, fastica, pca, nmf or fa, before clustering; auto by default, as PACE."),
    ] = None
    components: Annotated[int | None, typer.Option(help="Dimensions after the reduction; 2 by default.")] = None
    sampled: Annotated[
        bool,
        typer.Option(
            "--sampled", help=f"Cluster {commas(20_000)} of the inputs; the others join them. Quick for any data."
        ),
    ] = False
    map_method: Annotated[str, typer.Option("--map", help="neighbors (t-SNE), fastica or pca.")] = "neighbors"
    report: Annotated[Path | None, typer.Option(metavar="FILE.html", help="A self-contained report.")] = None

    def settings(self, inputs: "Inputs", layers: str | None, seed: int) -> "ClusterSettings":
        """The settings by which these inputs are clustered; what was not given is as suits them."""
        from testimate.project.cluster_settings import suited_settings

        return suited_settings(
            inputs,
            features=layers,
            min_cluster_size=self.min_cluster_size,
            min_samples=self.min_samples,
            reduction=self.reduction,
            components=self.components,
            exactness="sampled" if self.sampled else None,
            seed=seed,
        )

    @property
    def method(self) -> "Method":
        """The method of the map; BadInput where there is no such method."""
        from testimate.structure.maps import method_named

        return method_named(self.map_method, "--map")


@dataclass(frozen=True)
class ModelPreparation(Preparation):
    """How inputs are prepared, of a verb that takes a table as well as a model."""

    scale: Annotated[str | None, typer.Option(metavar="1/255", help="For a model: as for testimate features.")] = None
    mean: Annotated[str | None, typer.Option(metavar="M,M,M", help="The same.")] = None
    deviation: Annotated[str | None, typer.Option(metavar="S,S,S", help="The same.")] = None
    size: Annotated[str | None, typer.Option(metavar="224x224", help="The same.")] = None
    channels: Annotated[str | None, typer.Option(metavar="first|last", help="The same.")] = None


@verbs.command(
    epilog="Example: testimate clusters table.csv --features F.npy --seed 1 --out clusters.csv --report clusters.html"
)
def clusters(
    *,
    source: Annotated[Path, typer.Argument(metavar="MODEL|TABLE", help="A model, or a table of its predictions.")],
    seed: Seed,
    out: Annotated[Path, typer.Option(metavar="CLUSTERS.csv", help="One line per input.")],
    given: ClusterSource,
    clustering: ClusterOptions,
    preparation: ModelPreparation,
    engine: Annotated[
        str, typer.Option(help="local, or ray: prototypes of large clusters on the cluster that RAY_ADDRESS names.")
    ] = "local",
    reading: Annotated[TableReading, "column", "read", "inputs_at"],
    run: RunOptions,
    to: Json = "",
) -> None:
    """Group inputs by their features, with the prototypes and criticisms of each group and a map of all."""
    from testimate.feature_cache import ENGINES
    from testimate.reports.clusters import cluster_inputs
    from testimate.structure.spanning_tree import COMPARING

    machines = ENGINES[engine](aside)

    method, files, report = clustering.method, (source, given.dataset, given.features), clustering.report
    check_output(out, *files, report)
    check_output(report, *files)
    check_json(to, *files, out, report)
    if given.dataset is None and preparation.typed:
        raise BadInput("A table is not prepared. Expected a model and a dataset with --scale. Leave it out.")
    quicker = {} if clustering.sampled else {COMPARING: QUICKER}
    with machines.kept_ready(), ShownProgress(run.quiet, quicker=quicker) as progress:
        show: Show | None = None
        layer = None
        if given.dataset is None:
            inputs = read_inputs(source, TableFiles(features=given.features), reading)
        else:
            inputs, show, layer = _of_model(source, given.dataset, given, preparation, run.project, progress)
        found = cluster_inputs(
            inputs,
            clustering.settings(inputs, layer, seed),
            map_method=method,
            show=show,
            progress=progress,
            on_blocks=machines.blocks,
        )
        found.write(out)
        if report is not None:
            write_whole(report, found.to_html())
    if given.dataset is None:
        tell_files(inputs)
    if to:
        write_json(found.to_json(), to)
        return
    for sentence in found.sentences():
        typer.echo(sentence)
    typer.echo(f"clusters: {out}" + ("" if report is None else f"\nreport: {report}"))


def _of_model(
    model: Path, dataset: Path, given: ClusterSource, preparation: Preparation, project: Path, progress: "Progress"
) -> "tuple[Inputs, Show, str]":
    """What a model says about its data, as ``testimate features`` computes and keeps it; what a person sees; the layers."""
    from testimate.models.description import ModelDescription
    from testimate.planning.known_inputs import known_inputs
    from testimate.project.subjects import project_cache
    from testimate.subjects.uploaded_subject import SubjectDescription, open_uploaded_subject

    if given.features is not None:
        raise BadInput("--features was given with a model, which computes its own. Give a table, or leave it out.")
    prepared, roles = preparation.preprocessing(model), roles_of(given.layers)
    description = SubjectDescription(
        ModelDescription(model), dataset, preprocessing=prepared, decided="as given on the command line"
    )
    own = open_uploaded_subject(description, progress=progress)
    own.check_decided()
    inputs = known_inputs(own.subject, project_cache(project), progress, roles=roles)
    return inputs, own.subject.dataset.show, "+".join(roles)


@dataclass(frozen=True)
class RankedColumns:
    """Which columns are models, which holds the truth, and how their classes are spelled."""

    reading: Annotated[TableReading, "read"]
    truth: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column that contains the true labels.")] = (
        None
    )
    model: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="A column that is a model; may be repeated.")
    ] = None
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="A column that is no model; may be repeated.")
    ] = None


@verbs.command(epilog="Example: testimate rank predictions.csv --truth label")
def rank(
    *,
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
    columns: RankedColumns,
    ces_model: Annotated[
        str,
        typer.Option(
            help='The model whose sample ces takes; "best by true accuracies" is the paper\'s choice, which needs the truth.'
        ),
    ] = "closest to the majority",
    repetitions: Annotated[
        int,
        typer.Option(min=1, help="Rankings with other inputs, for the spread of sds, ces and random; with --truth."),
    ] = 1,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="TECHNIQUE",
            help="Compare with another technique over the repetitions: gain of 1 - Spearman's, Wilcoxon's test, A12.",
        ),
    ] = None,
    quiet: Quiet = False,
    to: Json = "",
) -> None:
    """Rank several models by what they predict for the same inputs, without a label or with few."""
    from testimate.comparison.predictions_table import read_predictions
    from testimate.comparison.ranking import CES_MODELS, WITHOUT_LABELS, closer_orders, ranked_again, ranking_spread
    from testimate.comparison.ranking import rank as rank_models
    from testimate.core.errors import BadInput

    if ces_model not in CES_MODELS:
        raise BadInput(f"--ces-model is {ces_model!r:.60}. Expected {' or '.join(CES_MODELS)}. Choose one of these.")
    check_is_file(predictions)
    check_json(to, predictions)
    table = read_predictions(
        predictions,
        truth=columns.truth,
        models=columns.model or (),
        ignored=columns.ignore or (),
        read=columns.reading.choices.read,
        by_content=True,
        tell=aside,
    )
    with ShownProgress(quiet) as progress:
        ranked = partial(
            rank_models,
            table.predictions,
            budget=budget,
            truth=table.truth,
            ces_model=CES_MODELS[ces_model],
        )
        ranking = ranked(technique, seed=seed, progress=progress)
        spread = compared = None
        if repetitions > 1 or against is not None:
            again = partial(ranked_again, seed=seed, repetitions=repetitions, compared=against is not None)
            own = again(ranking, lambda other: ranked(technique, seed=other))
            spread = ranking_spread(own) if len(own) > 1 else None
        if against is not None:
            theirs = again(ranked(against, seed=seed), lambda other: ranked(against, seed=other))
            compared = closer_orders(own, theirs)
    aside(table.columns.in_words(len(table.predictions.labels)))
    if to:
        more = {"spread": spread, "against": compared}
        write_json(ranking.to_json() | {name: asdict(one) for name, one in more.items() if one is not None}, to)
        return
    for line in ranking.lines():
        typer.echo(line)
    if spread is not None:
        typer.echo(spread.words())
    if compared is not None:
        typer.echo(f"against {against}, by 1 - spearman: {compared.words()}")
    if technique in WITHOUT_LABELS:
        from testimate.comparison.overview import trust_in
        from testimate.comparison.ranking import labeling_free

        for sentence in trust_in(table.predictions, labeling_free(table.predictions)).warnings:
            typer.echo(sentence)


@dataclass(frozen=True)
class Campaigns:
    """Which campaigns a study runs."""

    technique: Annotated[list[str], typer.Option(help="May be repeated.")]
    budget: Annotated[list[int], typer.Option(help="May be repeated.")]
    seed: Seed
    repetitions: Annotated[int, typer.Option(min=1, help="Campaigns per technique and budget.")] = 300
    auxiliary: Annotated[
        list[str] | None,
        typer.Option(
            help="May be repeated; by default combined where there are other models, else confidence, "
            "else lsa, else the first score; a+b joins two."
        ),
    ] = None
    variant: Variant = None
    option: Annotated[
        list[str] | None,
        typer.Option(
            "--option", metavar="[TECHNIQUE.]NAME=VALUE", help="A setting, of one technique or all that have it."
        ),
    ] = None

    @property
    def options(self) -> dict[str, str]:
        """The settings by name; BadInput for one without a value or given twice."""
        found: dict[str, str] = {}
        for setting in self.option or ():
            name, equals, value = setting.partition("=")
            if not (name and equals and value) or name in found:
                raise BadInput(
                    f"The option is {setting!r:.60}. Expected NAME=VALUE or TECHNIQUE.NAME=VALUE, such as gbs.clusters=8, each "
                    "name once. Change it."
                )
            found[name] = value
        return found


@dataclass(frozen=True)
class StudyComparison:
    """The technique that a study compares the others with."""

    against: Annotated[
        str | None,
        typer.Option(
            metavar="TECHNIQUE",
            help="Compare with one of the techniques, such as srs: gain with its interval, Wilcoxon's test, A12.",
        ),
    ] = None
    among: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND=FILE.csv",
            help="For --against: the same study of another test set, as --csv wrote it; KIND names its task or inputs. "
            "May be repeated.",
        ),
    ] = None

    def compare(self, rows: "list[StudyRow]") -> "list[Against]":
        """What was asked for; BadInput for other subjects without a technique to compare with."""
        from testimate.studies.against import StudiedSubject, against, over_subjects, read_study

        if self.against is None:
            if self.among:
                raise BadInput(
                    "There is --among without --against. Expected a technique to compare with. Add --against srs."
                )
            return []
        others = [read_study(setting) for setting in self.among or ()]
        compared = against(rows, self.against)
        return compared + (over_subjects([StudiedSubject("this table", rows), *others], self.against) if others else [])


@dataclass(frozen=True)
class StudyFiles:
    """The files that a study writes."""

    csv: Annotated[Path | None, typer.Option(metavar="FILE.csv", help="Write the table as CSV.")] = None
    markdown: Annotated[Path | None, typer.Option(metavar="FILE.md", help="Write the table as Markdown.")] = None
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Write plots as a page that works offline.")
    ] = None

    @property
    def paths(self) -> tuple[Path | None, ...]:
        """All of them."""
        return (self.csv, self.markdown, self.plot)

    def check(self, *read: Path | None) -> None:
        """BadInput where one of them would replace another, or one of those that are read."""
        check_output(self.csv, *read, self.markdown, self.plot)
        check_output(self.markdown, *read, self.plot)
        check_output(self.plot, *read)

    def write(self, rows: "list[StudyRow]") -> None:
        """Writes those that were asked for."""
        from testimate.studies.study_rows import to_csv, to_markdown

        if self.csv is not None:
            write_whole(self.csv, to_csv(rows))
        if self.markdown is not None:
            write_whole(self.markdown, to_markdown(rows) + "\n")
        if self.plot is not None:
            from testimate.studies.plots import to_html

            write_whole(self.plot, to_html(rows))


@verbs.command(
    epilog="Example: testimate study table.csv --technique rrs --technique srs --budget 200 --repetitions 300 --seed 1"
)
def study(
    *,
    table: Table,
    campaigns: Campaigns,
    beside: TableFiles,
    reading: Annotated[TableReading, "tolerance", "task", "column", "read", "top_k"],
    comparison: StudyComparison,
    resume: Annotated[
        Path | None,
        typer.Option(
            "--resume",
            metavar="FILE",
            help="Keep finished campaigns in this file, and continue from those already in it.",
        ),
    ] = None,
    engine: Annotated[str, typer.Option(help="local, or ray for the cluster that RAY_ADDRESS names.")] = "local",
    files: StudyFiles,
    quiet: Quiet = False,
    to: Json = "",
) -> None:
    """Compare techniques where the truth is known: errors, bias, coverage and faults found over many campaigns."""
    from testimate.planning.needs import default_auxiliary
    from testimate.studies.study import StudyChoice
    from testimate.studies.study_rows import to_markdown

    options, read = campaigns.options, (table, *beside.paths)
    files.check(*read, resume)
    check_json(to, *read, resume, *files.paths)
    check_output(resume, *read)
    kept = (
        "Nothing was saved. Add --resume FILE to be able to continue."
        if resume is None
        else f"Finished campaigns are saved in {resume}. Run the same command to continue."
    )
    with ShownProgress(quiet, kept) as progress:
        inputs = read_inputs(table, beside, reading)
        choice = StudyChoice(
            campaigns.technique,
            campaigns.budget,
            campaigns.repetitions,
            campaigns.seed,
            campaigns.auxiliary or [default_auxiliary(inputs) or DEFAULT_AUXILIARY],
            campaigns.variant,
            beside.layers,
            options=options,
        )
        rows = choice.run(inputs, progress=progress, resume_file=resume, engine=engine, tell=aside)
        tell_leaks(inputs, campaigns.technique, campaigns.auxiliary or ())
    tell_reading(inputs)
    tell_others(inputs)
    compared = comparison.compare(rows)
    files.write(rows)
    if to:
        listed = [row.to_json() for row in rows]
        write_json({"rows": listed, "against": [one.to_json() for one in compared]} if compared else listed, to)
    elif not any(files.paths):
        typer.echo(to_markdown(rows))
    if compared and to != "-":
        from testimate.studies.against import to_markdown as in_words

        typer.echo(f"\n{in_words(compared, comparison.against or '')}")
