"""The same verbs from a terminal: app, demo, techniques, select, continue, estimate, metrics, study."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from testimate.core.errors import BadInput, TestimateError
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.core.selector import Request

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Label a few inputs of a neural network, know the accuracy of all of them, and see its faults.",
)

Table = Annotated[Path, typer.Argument(metavar="TABLE", help="One row per input, CSV (also .gz) or Parquet.")]
Json = Annotated[str, typer.Option("--json", metavar="FILE", help="Write the result as JSON; - for stdout.")]
Seed = Annotated[int, typer.Option(help="Same seed, same draws.")]
Auxiliary = Annotated[str, typer.Option(help="Column that foretells failure; NAME:lower where smaller means likelier.")]
Features = Annotated[Path | None, typer.Option("--features", metavar="F.npy", help="(N, width) features, row for row.")]
Variant = Annotated[str | None, typer.Option(help='A named variant, such as "as published".')]
Tolerance = Annotated[float | None, typer.Option(help="Regression: the error beyond which an input has failed.")]
Quiet = Annotated[bool, typer.Option("--quiet", help="No progress bar.")]
ProjectFolder = Annotated[Path, typer.Option("--project", metavar="DIR", help="Where subjects and labels are kept.")]

PROJECT = Path("testimate-project")


@app.command("app", epilog="Example: testimate app --project my-project")
def run_app(
    project: ProjectFolder = PROJECT,
    port: Annotated[int, typer.Option(min=1, max=65535, help="The port to serve on.")] = 8501,
    address: Annotated[str, typer.Option(help="The address to serve on; only this computer by default.")] = "127.0.0.1",
) -> None:
    """Start the app in this folder's project; open the address it prints in a browser."""
    if address not in ("127.0.0.1", "localhost", "::1"):
        raise BadInput(
            f"The address {address} is open to others, and this version has no login for them; needed is this computer's "
            "own. Leave --address out."
        )
    script = app_script()
    command = [
        *(sys.executable, "-m", "streamlit", "run", str(script)),
        *("--server.address", address, "--server.port", str(port), "--server.headless", "true"),
        *("--browser.gatherUsageStats", "false"),
    ]
    environment = {**os.environ, "TESTIMATE_PROJECT": str(project.resolve())}
    sys.exit(subprocess.run(command, env=environment, check=False).returncode)


def app_script() -> Path:
    """Where app.py lies: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).parent
    for script in (package / "_app" / "app.py", package.parent / "app.py"):
        if script.is_file():
            return script
    raise BadInput("The app's files were not found beside the package. Install Testimate again.")


@app.command(epilog="Example: testimate demo digits")
def demo(
    name: Annotated[str, typer.Argument(metavar="NAME", help="digits")],
    project: ProjectFolder = PROJECT,
    quiet: Quiet = False,
) -> None:
    """Make a demo ready: train its network and compute its features, so that the app opens it at once."""
    from testimate.sessions.project import Project
    from testimate.subjects.demos import DEMOS

    if name not in DEMOS:
        raise BadInput(f"There is no demo {name!r:.60}; there are {', '.join(DEMOS)}. Choose one of these.")
    with ShownProgress(quiet) as progress:
        inputs = Project(project).inputs(name, progress)
    typer.echo(f"{DEMOS[name].title}: {len(inputs):,} inputs are ready in {project}. Start the app with: testimate app")


@app.command(epilog="Example: testimate techniques")
def techniques(to: Json = "") -> None:
    """List the techniques: what each needs, whether it adapts, and where it comes from."""
    from testimate.selectors import SELECTORS

    rows = [
        {
            "name": technique.name,
            "title": technique.title,
            "needs": list(technique.needs),
            "adapts": technique.adapts,
            "unbiased": technique.claims.unbiased,
            "honest_interval": technique.claims.honest_interval,
            "always_valid": technique.claims.always_valid,
            "variants": list(technique.variants),
            "options": {option.name: option.default for option in technique.options},
            "source": technique.source,
        }
        for technique in SELECTORS.values()
    ]
    if to:
        write_json(rows, to)
        return
    for row in rows:
        adapts = "adapts" if row["adapts"] else "fixed"
        typer.echo(f"{row['name']:<10}  {row['title']}")
        typer.echo(f"{'':<12}needs {row['needs']}; {adapts}; {row['source']}".replace("[", "").replace("]", "").replace("'", ""))


@app.command(epilog="Example: testimate select table.csv --technique rrs --budget 200 --seed 1 --out plan.json")
def select(
    table: Table,
    technique: Annotated[str, typer.Option(help="See: testimate techniques")],
    budget: Annotated[int, typer.Option(help="How many labels.")],
    seed: Seed,
    out: Annotated[Path, typer.Option(metavar="PLAN.json", help="The plan to write.")],
    auxiliary: Auxiliary = "confidence",
    features: Features = None,
    variant: Variant = None,
    options: Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="An option of it.")] = None,
    tolerance: Tolerance = None,
    quiet: Quiet = False,
) -> None:
    """Choose which inputs to label and write them, in labeling order, to a plan."""
    from testimate.plans.known_inputs import FILE_FEATURES
    from testimate.plans.plan import make_plan

    with ShownProgress(quiet):
        inputs = read_inputs(table, features, tolerance)
        request = Request(
            technique=technique,
            budget=budget,
            seed=seed,
            auxiliary=auxiliary,
            features=FILE_FEATURES if features else "LHL",
            variant=variant,
            options=dict(key_and_value(text) for text in options or ()),
        )
        plan = make_plan(inputs, request, table=str(table), features_file=str(features or ""))
    plan.write(out)
    more = (
        "" if len(plan.draws) == budget else f", the rest follows with: testimate continue {out} VOTES.csv --out {out}"
    )
    typer.echo(f"{len(plan.draws)} inputs to label are in {out}{more}")


@app.command("continue", epilog="Example: testimate continue plan.json votes.csv --out plan.json")
def continue_(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN.json")],
    votes_file: Annotated[Path, typer.Argument(metavar="VOTES.csv")],
    out: Annotated[Path, typer.Option(metavar="PLAN.json", help="The longer plan to write.")],
) -> None:
    """Draw what follows in a plan whose technique learns from the labels."""
    from testimate.plans.plan import check_fingerprint, continue_plan, read_plan
    from testimate.plans.votes import read_votes, verdicts_of_votes

    plan = read_plan(plan_file)
    inputs = inputs_of_plan(plan_file, plan.table, plan.features_file)
    if inputs is None:
        raise BadInput(
            f"The plan's table {plan.table} was not found, and what follows depends on it. Restore the table."
        )
    check_fingerprint(plan, inputs)
    kind, votes = read_votes(votes_file)
    longer = continue_plan(inputs, plan, verdicts_of_votes(plan.draws, kind, votes, inputs))
    longer.write(out)
    typer.echo(f"{len(longer.draws) - len(plan.draws)} more inputs to label, {len(longer.draws)} in all, are in {out}")


@app.command(epilog="Example: testimate estimate plan.json votes.csv --json -")
def estimate(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN.json")],
    votes_file: Annotated[Path, typer.Argument(metavar="VOTES.csv", help="row and one of failed, loss, label.")],
    level: Annotated[float, typer.Option(help="How sure the interval is, above 0 and below 1.")] = 0.95,
    tolerance: Tolerance = None,
    to: Json = "",
) -> None:
    """The accuracy of the whole set from the votes on a plan's inputs."""
    from testimate.estimators import estimator_of
    from testimate.plans.plan import check_fingerprint, read_plan
    from testimate.plans.votes import read_votes, verdicts_of_votes

    if not 0 < level < 1:
        raise BadInput(f"The level is {level}; it must lie between 0 and 1. Give 0.95, for example.")
    plan = read_plan(plan_file)
    inputs = inputs_of_plan(plan_file, plan.table, plan.features_file, tolerance)
    if inputs is None:
        typer.echo(f"The plan's table {plan.table} was not found; whether it has changed is not checked.", err=True)
    else:
        check_fingerprint(plan, inputs)
    kind, votes = read_votes(votes_file)
    verdicts = verdicts_of_votes(plan.draws, kind, votes, inputs)
    bound = 1.0 if kind == "failed" else plan.loss_bound
    result = estimator_of(plan.design).estimate(plan.design, verdicts, level=level, loss_bound=bound)
    if to:
        write_json(result.to_json(), to)
        return
    typer.echo(
        f"accuracy {result.accuracy:.4f} from {result.labeled} labels, {result.skipped} skipped ({result.method})"
    )
    if result.low is None or result.high is None:
        typer.echo(result.why)
    else:
        typer.echo(f"{level:.0%} interval {result.low:.4f} to {result.high:.4f}, good at a size fixed beforehand")
    if result.always_low is not None and result.always_high is not None:
        typer.echo(f"{level:.0%} interval {result.always_low:.4f} to {result.always_high:.4f}, good whenever you stop")


@app.command(epilog="Example: testimate metrics order.csv --size 10000 --json -")
def metrics(
    order_file: Annotated[Path, typer.Argument(metavar="ORDER.csv", help="failed and probability, by priority.")],
    size: Annotated[int, typer.Option(help="Inputs in the whole set.")],
    faults: Annotated[int | None, typer.Option(help="Faults in the whole set, where the order is cut short.")] = None,
    gamma: Annotated[float, typer.Option(help="SFDR's penalty for a correct input, above 0 and below 1.")] = 0.5,
    to: Json = "",
) -> None:
    """How well an order of priority finds the faults: FDRO, APFD, RAUC, ATRC, WFDR, SFDR and their severity."""
    from testimate.metrics import order_metrics
    from testimate.plans.order import read_order

    order = read_order(order_file)
    result = order_metrics(order.failed, order.probability, size=size, faults=faults, gamma=gamma).to_json()
    if to:
        write_json(result, to)
        return
    for name, value in result.items():
        typer.echo(f"{name:<9} {value:.4f}" if isinstance(value, float) else f"{name:<9} {value}")


@app.command(
    epilog="Example: testimate study table.csv --technique rrs --technique srs --budget 200 --repetitions 300 --seed 1"
)
def study(
    table: Table,
    technique: Annotated[list[str], typer.Option(help="May stand several times.")],
    budget: Annotated[list[int], typer.Option(help="May stand several times.")],
    seed: Seed,
    repetitions: Annotated[int, typer.Option(min=1, help="Campaigns per technique and budget.")] = 300,
    auxiliary: Annotated[list[str] | None, typer.Option(help="May stand several times.")] = None,
    variant: Variant = None,
    features: Features = None,
    tolerance: Tolerance = None,
    quiet: Quiet = False,
    to: Json = "",
) -> None:
    """Techniques side by side where the truth is known: errors, bias, coverage and failures over many campaigns."""
    from testimate.studies import study as run_study
    from testimate.studies.tables import to_markdown

    with ShownProgress(quiet) as progress:
        rows = run_study(
            read_inputs(table, features, tolerance),
            techniques=technique,
            auxiliaries=auxiliary or ["confidence"],
            budgets=budget,
            repetitions=repetitions,
            seed=seed,
            variant=variant,
            progress=progress,
        )
    if to:
        write_json([row.to_json() for row in rows], to)
        return
    typer.echo(to_markdown(rows))


def read_inputs(table: Path, features: Path | None, tolerance: float | None) -> Inputs:
    """What a table, and a features file beside it, say of the inputs."""
    from testimate.plans.known_inputs import inputs_of_table

    return inputs_of_table(table, features, tolerance=tolerance)


def inputs_of_plan(plan_file: Path, table: str, features: str, tolerance: float | None = None) -> Inputs | None:
    """The inputs a plan was made from, looked for as named and beside the plan; None where they are not found."""
    found = []
    for name in (table, features):
        places = [place for place in (Path(name), plan_file.parent / Path(name).name) if name and place.is_file()]
        if name and not places:
            return None
        found.append(places[0] if places else None)
    return read_inputs(found[0], found[1], tolerance) if found[0] else None


def key_and_value(text: str) -> tuple[str, str]:
    """KEY=VALUE taken apart."""
    key, equals, value = text.partition("=")
    if not key or not equals:
        raise BadInput(f"--set got {text!r:.60}; needed is KEY=VALUE, such as --set alpha=0.8.")
    return key.strip(), value.strip()


def write_json(result: Any, to: str) -> None:
    """Writes JSON to a file, whole or not at all, or to stdout for "-"."""
    from testimate.plans.plan import write_whole

    text = json.dumps(result, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    if to == "-":
        sys.stdout.write(text)
    else:
        write_whole(Path(to), text)


class ShownProgress:
    """A progress bar on stderr while the block runs; none with ``quiet`` or without a terminal."""

    def __init__(self, quiet: bool) -> None:
        self.shown = not quiet and sys.stderr.isatty()

    def __enter__(self) -> Progress:
        if not self.shown:
            return silent
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
        self.bar = Bar(*columns, console=Console(stderr=True), transient=True)
        self.bar.start()
        task = self.bar.add_task("working", total=None)

        def progress(done: int, total: int, what: str = "") -> None:
            self.bar.update(task, completed=done, total=total, description=what or "working")

        return progress

    def __exit__(self, *_: object) -> None:
        if self.shown:
            self.bar.stop()


def main(arguments: list[str] | None = None, run: Callable[..., Any] = app) -> None:
    """The entry point: errors a person can mend become one sentence on stderr and exit status 2."""
    try:
        run(args=arguments, prog_name="testimate")
    except TestimateError as error:
        sys.stderr.write(f"{error}\n")
        sys.exit(2)
    except OSError as error:
        sys.stderr.write(
            f"{error.filename or 'A file'} could not be used: {error.strerror}. Check the path and your rights.\n"
        )
        sys.exit(2)


if __name__ == "__main__":
    main()
