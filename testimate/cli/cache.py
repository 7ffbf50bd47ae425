"""The verbs for stored model outputs: cache list, verify and prune."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from testimate.cli.options import PROJECT, Json, ProjectFolder, Quiet, Verbs, check_project_folder
from testimate.cli.output import ShownProgress, write_json
from testimate.core.errors import BadInput
from testimate.core.words import commas

if TYPE_CHECKING:
    from testimate.feature_cache import Damage, FeatureCache, Recomputed

GIGABYTE = 1_000_000_000

verbs = Verbs("cache", "Manage the outputs of models that are kept on disk.")


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
            f"{commas(record.size):>9} x {record.name}: {state}"
        )
    typer.echo(f"{sum(record.bytes for record in records) / GIGABYTE:.3f} GB in {len(records)} entries")


@verbs.command(epilog="Example: testimate cache verify --recompute 3")
def verify(
    project: ProjectFolder = PROJECT,
    recompute: Annotated[
        int, typer.Option(metavar="RANGES", min=0, help="Run the model again over this many row ranges of each entry.")
    ] = 0,
    seed: Annotated[int, typer.Option(min=0, help="Which ranges are run again.")] = 1,
    quiet: Quiet = False,
    to: Json = "",
) -> None:
    """Read everything and compare it with its checksums; what is damaged is computed again when it is next used.

    Exits with 1 where something is damaged, or gives other values when it is run again.
    """
    from testimate.project.subjects import recompute as run_again

    cache = _cache(project)
    with ShownProgress(quiet) as progress:
        damages = list(cache.verify(progress))
        for damage in damages:
            cache.forget(damage)
        again, unopened = run_again(cache, project, recompute, seed=seed, progress=progress) if recompute else ([], [])
    for one in again:
        for other in one.damages():
            cache.forget(other)
    if to:
        rows: dict[str, list[Any]] = {"damaged": [vars(damage) for damage in damages]}
        if recompute:
            rows |= {"recomputed": [vars(one) for one in again], "not_opened": unopened}
        write_json(rows if recompute else rows["damaged"], to)
    else:
        _tell_verified(damages, again, unopened)
    if damages or any(one.others for one in again):
        raise typer.Exit(1)


def _tell_verified(damages: Sequence["Damage"], again: Sequence["Recomputed"], unopened: Sequence[str]) -> None:
    """What is damaged, and what gave other values when it was run again."""
    for damage in damages:
        first, last = damage.rows
        typer.echo(f"{damage.fingerprint}  {damage.name}: {damage.role} is damaged in rows {first} to {last}")
    for one in again:
        by = f", written by {one.writer}" if one.writer else ""
        said = f"{', '.join(one.others)} came out differently" if one.others else "came out the same again"
        typer.echo(f"{one.fingerprint}  {one.name}: rows {one.rows[0]} to {one.rows[1]} {said}{by}")
    for sentence in unopened:
        typer.echo(f"not computed again: {sentence}")
    bad = damages or any(one.others for one in again)
    typer.echo("They will be computed again when they are next used." if bad else "Every file is as it was written.")


@verbs.command(epilog="Example: testimate cache prune --limit 20")
def prune(
    project: ProjectFolder = PROJECT,
    limit: Annotated[float, typer.Option(metavar="GB", min=0, help="How much to keep, in gigabytes.")] = 0,
    to: Json = "",
) -> None:
    """Remove what has not been used for longest until the rest is within the limit; what is in use stays."""
    cache = _cache(project)
    if not math.isfinite(limit):
        raise BadInput(f"--limit is {limit}. Expected a number of gigabytes from 0 on. Give --limit 20, for example.")
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
    from testimate.project.subjects import project_cache

    check_project_folder(project)
    return project_cache(project)
