"""The verbs that turn pickles into arrays; the app has no such page."""

from pathlib import Path
from typing import Annotated

import typer

from testimate.cli.output import Quiet, ShownProgress, check_output
from testimate.core.errors import BadInput
from testimate.core.words import spaced

verbs = typer.Typer(
    name="convert", no_args_is_help=True, rich_markup_mode=None, help="Turn pickles into arrays that hold no code."
)


@verbs.callback()
def _group() -> None:
    """Keeps ``cifar`` a verb of its own; Typer would merge a single one into its group."""


@verbs.command(epilog="Example: testimate convert cifar cifar-10-batches-py --out cifar-10.npz")
def cifar(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="As published, or the .tar.gz itself.")],
    out: Annotated[Path, typer.Option(metavar="DATA.npz", help="The arrays to write.")],
    quiet: Quiet = False,
) -> None:
    """Write CIFAR-10 or CIFAR-100 as arrays; of its pickles only what data needs is read, and nothing is run."""
    from testimate.datasets.cifar import convert_cifar

    check_output(out, folder)
    if not folder.exists():
        raise BadInput(f"There is no {folder}; expected CIFAR's folder, or its .tar.gz. Check the path.")
    with ShownProgress(quiet) as progress:
        read = convert_cifar(folder.resolve(), out, progress=progress)  # "." has no name that could be told
    splits = (("training", read.training), ("test", read.test))
    counts = " and ".join(f"{spaced(len(split.images))} {name}" for name, split in splits if split is not None)
    typer.echo(f"{counts} pictures of {len(read.classes) or 'unnamed'} classes are in {out}")
