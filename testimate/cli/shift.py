"""The verb that corrupts, patches or relights pictures, or attacks a network with them."""

from pathlib import Path
from typing import Annotated

import typer

from testimate.cli.options import Quiet, Seed
from testimate.cli.output import ShownProgress, are, check_output
from testimate.cli.tables import check_is_file
from testimate.core.words import counted

verbs = typer.Typer()


@verbs.command(epilog="Example: testimate shift pictures.npy --shift fog --severity 3 --seed 1 --out foggy.npy")
def shift(
    pictures: Annotated[
        Path, typer.Argument(metavar="PICTURES", help=".npy or .npz of pictures: 0 to 255 as bytes, or 0 to 1.")
    ],
    shift: Annotated[
        str, typer.Option(help="gaussian-noise, fog, jpeg, patch, light, fgsm, ...; a wrong name lists all.")
    ],
    seed: Seed,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where the shifted pictures go; the same kind of file.")],
    severity: Annotated[int, typer.Option(help="From 1, slight, to 5.")] = 3,
    array: Annotated[
        str | None, typer.Option(help="Which array of an .npz; the only one of pictures by default.")
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(metavar="WEIGHTS.pt", help="A network's state dict, for fgsm, bim and carlini-wagner."),
    ] = None,
    architecture: Annotated[
        str | None, typer.Option(help="Which known network, such as lenet-5, where the shapes fit several.")
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Shift pictures by a corruption, a patch or another light, so that models can be compared on both."""
    from testimate.selectors.base import check_seed
    from testimate.subjects.shifts.shifted import shift_file

    check_is_file(pictures, model)
    check_output(out, pictures, model)
    with ShownProgress(quiet) as progress:
        count = shift_file(
            pictures,
            out,
            shift,
            severity,
            seed=check_seed(seed),
            array=array,
            weights=model,
            architecture=architecture,
            progress=progress,
        )
    typer.echo(f"{counted(count, 'picture')} with {shift} of severity {severity} {are(count)} in {out}")
