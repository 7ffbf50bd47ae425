"""The verbs for stored model outputs: cache list, verify and prune."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from testimate.cli.options import PROJECT, Json, ProjectFolder, Quiet
from testimate.cli.output import ShownProgress, write_json
from testimate.cli.project_folder import check_project_folder
from testimate.core.errors import BadInput
from testimate.core.rounding import spaced

if TYPE_CHECKING:
    from testimate.feature_cache import FeatureCache

GIGABYTE = 1_000_000_000

verbs = typer.Typer(
    name="cache", no_args_is_help=True, rich_markup_mode=None, help="Outputs of models on their data, kept on disk."
)


@verbs.command("list", epilog="Example: testimate cache list --project my-project")
def list_(project: ProjectFolder = PROJECT, to: Json = "") -> None:
    """List what is kept: which roles of which subject, how large, and when it was last used."""
    records = _cache(project).list()
    if to:
        rows = [{**vars(record), "last_used": record.last_used.isoformat(timespec="seconds")} for record in records]
        write_json(rows, to)
        return
    for record in records:
        state = ", ".join(record.roles) if record.whole else "half done"
        typer.echo(
            f"{record.fingerprint}  {record.bytes / GIGABYTE:8.3f} GB  {record.last_used:%Y-%m-%d %H:%M}  "
            f"{spaced(record.size):>9} x {record.name}: {state}"
        )
    typer.echo(f"{sum(record.bytes for record in records) / GIGABYTE:.3f} GB in {len(records)} entries")


@verbs.command(epilog="Example: testimate cache verify")
def verify(project: ProjectFolder = PROJECT, quiet: Quiet = False, to: Json = "") -> None:
    """Read everything and compare it with its checksums; what is damaged is computed again when it is next used.

    Exits with 1 where something is damaged.
    """
    cache = _cache(project)
    with ShownProgress(quiet) as progress:
        damages = cache.verify(progress)
    for damage in damages:
        cache.forget(damage)
    if to:
        write_json([vars(damage) for damage in damages], to)
    else:
        for damage in damages:
            first, last = damage.rows
            typer.echo(f"{damage.fingerprint}  {damage.name}: {damage.role} is damaged in rows {first} to {last}")
        typer.echo(
            "They will be computed again when they are next used." if damages else "Every file is as it was written."
        )
    if damages:
        raise typer.Exit(1)


@verbs.command(epilog="Example: testimate cache prune --limit 20")
def prune(
    project: ProjectFolder = PROJECT,
    limit: Annotated[float, typer.Option(metavar="GB", min=0, help="How much to keep, in gigabytes.")] = 0,
    to: Json = "",
) -> None:
    """Remove what has not been used for longest until the rest is within the limit; what is in use stays."""
    cache = _cache(project)
    if not math.isfinite(limit):
        raise BadInput(f"--limit is {limit}; expected a number of gigabytes from 0 on. Give --limit 20, for example.")
    gone = cache.prune(round(limit * GIGABYTE))
    left = sum(record.bytes for record in cache.list())
    if to:
        write_json({"removed": [record.fingerprint for record in gone], "bytes": left}, to)
        return
    for record in gone:
        typer.echo(f"{record.fingerprint}  {record.bytes / GIGABYTE:8.3f} GB  {record.name}: removed")
    typer.echo(f"{left / GIGABYTE:.3f} GB are kept")


def _cache(project: Path) -> "FeatureCache":
    """The cache of a project; BadInput where there is none."""
    from testimate.feature_cache import FeatureCache

    check_project_folder(project)
    return FeatureCache(project / "cache")
