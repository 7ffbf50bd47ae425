"""Warnings on the terminal about scores that look as if they were made from the answers."""

from collections.abc import Sequence

import typer

from testimate.core.errors import NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.tasks.classification import Classification


def tell_leaks(inputs: Inputs, techniques: Sequence[str], auxiliaries: Sequence[str]) -> None:
    """Warns on stderr of each score these techniques take that was probably made from the true labels, where they are known.

    Scores made from the outputs alone cannot be; fewer than 20 failures cannot tell.
    """
    from testimate.auxiliary import AUXILIARY
    from testimate.auxiliary.leak import leaks_truth

    if inputs.losses is None or not isinstance(inputs.task, Classification) or inputs.predictions.ndim != 1:
        return
    for name in _taken(techniques, auxiliaries):
        if name not in inputs.scores or name in AUXILIARY:
            continue
        try:
            found = leaks_truth(inputs.scores[name], inputs.predictions, inputs.losses, name=f"The score {name}")
        except NotEnoughLabels:
            return
        if found.warning:
            typer.echo(found.warning, err=True)


def _taken(techniques: Sequence[str], auxiliaries: Sequence[str]) -> list[str]:
    """The scores that these techniques take, each once."""
    from testimate.planning.build import technique_named
    from testimate.planning.needs import uses_of

    taken: list[str] = []
    for technique in map(technique_named, techniques):
        arguments = (*technique.needs, *uses_of(technique))
        if "scores" in arguments:
            taken += [auxiliary.partition(":")[0] for auxiliary in auxiliaries]
        taken += arguments
    return list(dict.fromkeys(taken))
