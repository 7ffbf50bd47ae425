"""How the inputs are clustered, as a reviewer chooses it: the settings name the clustering, so notes find it again."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from testimate.core.fingerprint import of_bytes
from testimate.core.inputs import Inputs
from testimate.core.selector import Option, check_options, defaults_of, read_options


@dataclass(frozen=True)
class ClusterSettings:
    """What a clustering depends on, besides the inputs.

    Attributes
    ----------
    features : one role (ORI, FL, LHL, CON), or several joined with "+".
    min_cluster_size, min_samples, reduction, components, exactness : see ``find_clusters``.
    seed : of the reduction's start.
    """

    features: str = "LHL"
    min_cluster_size: int = 80
    min_samples: int = 4
    reduction: str = "auto"
    components: int = 2
    exactness: str = "exact"
    seed: int = 0

    def fingerprint(self, inputs: Inputs) -> str:
        """Names the clustering: of these inputs with these settings; the same on every machine."""
        return of_bytes(inputs.fingerprint.encode(), json.dumps(asdict(self), sort_keys=True).encode())


def suited_settings(inputs: Inputs, **chosen: Any) -> ClusterSettings:
    """PACE's own settings (section 4.4), its min_cluster_size lowered for small sets; the last hidden layer if known.

    ``chosen`` : settings that were chosen instead; None is not.
    """
    features = "LHL" if "LHL" in inputs.features else next(iter(inputs.features), "LHL")
    suited = ClusterSettings(features, min(80, max(2, len(inputs) // 10)))
    return replace(suited, **{name: value for name, value in chosen.items() if value is not None})


def settings_of(stored: Mapping[str, Any]) -> ClusterSettings:
    """The settings as they were stored or written into an address; BadInput where they are not settings.

    >>> settings_of({"features": "CON", "min_samples": "7"}) == ClusterSettings("CON", min_samples=7)
    True
    """
    from testimate.structure.density_clusters import CLUSTERING  # SciPy, which screens without clusters do without

    features = Option("features", ClusterSettings.features, "One role, or several joined with +.")
    seed = Option("seed", ClusterSettings.seed, "Of the reduction's start.", low=0)
    options = (features, *CLUSTERING, seed)
    found = read_options(options, stored, "The clustering")
    check_options(options, **{**defaults_of(options), **found})
    return ClusterSettings(**found)
