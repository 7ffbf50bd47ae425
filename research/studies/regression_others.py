"""What other models' predictions save on a regression: the table of decision 60.

``python -m research.studies.regression_others`` trains two other models on the road demo's training pictures and prints the
exact errors of 200 labels over simple random sampling's, of the mean loss and of the share within the tolerance.
"""

import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.neural_network import MLPRegressor

from research.methods.exact import exact_error
from testimate.core.inputs import Inputs, OtherModel
from testimate.core.selector import Request
from testimate.demos.road import open_road
from testimate.feature_cache import FeatureCache
from testimate.planning.known_inputs import known_inputs
from testimate.planning.needs import DISAGREEMENT
from testimate.planning.other_models import with_others
from testimate.tasks.regression import Regression

LABELS, SEEN = 200, 3000


def road() -> tuple[Inputs, dict[str, OtherModel]]:
    """The demo's inputs with their truth, and two other models: ridge regression and a dense network on the same pixels."""
    with tempfile.TemporaryDirectory() as folder:
        subject = open_road(Path(folder))
        inputs = known_inputs(subject, FeatureCache(Path(folder)), roles=(), auxiliary=())
        training = subject.training
        assert training is not None
        assert subject.training_truth is not None
        rows = np.arange(len(training))[:SEEN]
        seen = training.batch(rows).reshape(len(rows), -1)
        all_of_them = np.concatenate(
            [subject.dataset.batch(part).reshape(len(part), -1) for part in np.array_split(np.arange(len(inputs)), 20)]
        )
        angles = np.asarray(subject.training_truth, dtype=np.float64)[rows]
    models = {
        "a linear model": Ridge(alpha=10.0),
        "a dense network": MLPRegressor(hidden_layer_sizes=(60,), max_iter=60, random_state=1, alpha=0.01),
    }
    found = {name: np.asarray(model.fit(seen, angles).predict(all_of_them)) for name, model in models.items()}
    return inputs, {name: OtherModel(name, said, None) for name, said in found.items()}


def main() -> None:
    """Prints a row for each set of other models and kind of loss."""
    inputs, others = road()
    assert inputs.losses is not None
    assert inputs.truth is not None
    assert isinstance(inputs.task, Regression)
    tolerance = inputs.task.tolerance or 0.0
    truth = np.asarray(inputs.truth, dtype=np.float64)
    beyond = (np.abs(np.asarray(inputs.predictions, dtype=np.float64) - truth) > tolerance).astype(np.float64)
    print(
        "| others | off by (RMSE) | rank correlation of disagreement and error | mean loss | share within tolerance |"
    )
    print("|---|---|---|---|---|")
    for names in (["a linear model"], ["a dense network"], list(others)):
        helped = with_others(inputs, [others[name] for name in names])
        off = ", ".join(f"{np.sqrt(((others[name].predictions - truth) ** 2).mean()):.1f}" for name in names)
        order, error = (np.argsort(np.argsort(one)) for one in (helped.scores[DISAGREEMENT], np.asarray(inputs.losses)))
        cells = []
        for losses in (inputs.losses, beyond):
            one = replace(helped, losses=losses)
            srs, rrs = (exact_error(one, Request(name, LABELS, 1, DISAGREEMENT)) for name in ("srs", "rrs"))
            assert srs
            assert rrs
            cells.append(f"{rrs / srs:.3f}")
        print(
            f"| {' and '.join(names)} | {off} | {np.corrcoef(order, error)[0, 1]:.2f} | {' | '.join(cells)} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
