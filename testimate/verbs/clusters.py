"""The groups of inputs, the inputs that represent each, and the place of each input on a map."""

from typing import Any

from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.core.subject import Subject
from testimate.reports.clusters import Clustered, cluster_inputs
from testimate.structure.maps import Method
from testimate.verbs.known import known_inputs_of


def clusters(
    subject: Subject | Inputs,
    *,
    seed: int,
    features: str | None = None,
    min_cluster_size: int | None = None,
    min_samples: int | None = None,
    reduction: str | None = None,
    components: int | None = None,
    sampled: bool = False,
    map: Method = "neighbours",
    progress: Progress = silent,
) -> Clustered:
    """HDBSCAN's clusters of the features with MMD-critic's prototypes and criticisms, as the Clusters page shows them.

    Parameters
    ----------
    subject : the result of ``open_subject``, or inputs.
    seed : of FastICA, of the map, and of the sample of very large sets; same seed, same result.
    features : layers among ``subject.inputs.features``, several joined by "+"; by default the last hidden layer, or
        else what is available. A table gets its features by ``open_subject(table, features=array)``.
    min_cluster_size, min_samples, reduction, components : see ``find_clusters``; by default as the page suggests them.
    sampled : whether, of more than 20,000 inputs, as many are clustered and the others join them: quick for data of any kind.
    map : "neighbours" (t-SNE), "fastica" or "pca".

    Returns
    -------
    Clustered; ``to_frame()`` is a DataFrame with a row per input, ``to_json()`` the summary, ``write(path)`` a CSV and
    ``to_html()`` a report.

    Raises
    ------
    BadInput : no features, no such layer, or a setting outside its range.

    >>> import numpy as np
    >>> from testimate import open_subject
    >>> blobs = 9 * np.eye(3)[np.arange(180) % 3] + np.random.default_rng(0).normal(size=(180, 3))
    >>> subject = open_subject({"prediction": ["a", "b", "c"] * 60}, features=blobs)
    >>> found = clusters(subject, seed=1, map="pca")
    >>> found.to_json()["clusters"][0]["size"] > 40
    True
    """
    show: Any = None if isinstance(subject, Inputs) else subject.dataset.show
    return cluster_inputs(
        known_inputs_of(subject),
        seed=seed,
        features=features,
        min_cluster_size=min_cluster_size,
        min_samples=min_samples,
        reduction=reduction,
        components=components,
        sampled=sampled,
        map_method=map,
        show=show,
        progress=progress,
    )
