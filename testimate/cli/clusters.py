"""The verb that clusters inputs by the network's features and writes the cluster of each."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer

from testimate.cli.features import roles_of, typed_preprocessing
from testimate.cli.options import PROJECT, Columns, Features, InputFiles, Json, ProjectFolder, Quiet, Seed
from testimate.cli.output import ShownProgress, aside, check_json, check_output, write_json
from testimate.cli.tables import read_inputs, table_choices, tell_files
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
