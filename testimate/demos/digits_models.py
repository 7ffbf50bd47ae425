"""Ten models of different quality that read the demo's handwritten digits, for a comparison that needs no download."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from testimate.core.progress import Progress, silent
from testimate.demos.digits import bundled_digits, split_rows
from testimate.subjects.shifts import shifted

SHIFT_SEED = 1
"""Of the demo's shifts, so that what is shown is what the models saw."""


def digits_predictions(
    progress: Progress = silent, *, shift: tuple[str, int] | None = None
) -> tuple[Mapping[str, NDArray[np.intp]], NDArray[np.intp]]:
    """What each model predicts for the demo's 1,497 operational inputs, by name, and the true digits; (N,) each.

    ``shift`` : name and severity of a shift of the pictures, as they are shown, before the models see them.

    scikit-learn's, trained on the demo's 300 training digits or on a part of them; seeded, about two seconds.
    """
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    images, digits = bundled_digits()
    training, operational = split_rows(len(images))
    pixels = images.reshape(len(images), -1).astype(np.float64)
    asked = pixels[operational]
    if shift is not None:
        pictures = np.rint(255 * (1 - images[operational])).astype(np.uint8)
        asked = 1 - shifted(pictures, *shift, seed=SHIFT_SEED).reshape(len(asked), -1) / 255
    models = {
        "support vectors": (SVC(C=10, gamma=0.1), 300),
        "nearest neighbour": (KNeighborsClassifier(1), 300),
        "random forest": (RandomForestClassifier(60, random_state=0), 300),
        "logistic regression": (LogisticRegression(max_iter=2000), 300),
        "linear discriminants": (LinearDiscriminantAnalysis(shrinkage="auto", solver="lsqr"), 300),
        "15 nearest neighbours": (KNeighborsClassifier(15), 300),
        "logistic, 100 digits": (LogisticRegression(max_iter=2000), 100),
        "naive Bayes": (GaussianNB(var_smoothing=1e-2), 300),
        "decision tree": (DecisionTreeClassifier(random_state=0), 300),
        "tree, 60 digits": (DecisionTreeClassifier(max_depth=5, random_state=0), 60),
    }
    found = {}
    for done, (name, (model, count)) in enumerate(models.items()):
        progress(done, len(models), "training the models")
        rows = training[:count]
        found[name] = model.fit(pixels[rows], digits[rows]).predict(asked).astype(np.intp)
    return found, digits[operational]
