"""How the inputs are clustered, as a reviewer chooses it: the settings name the clustering, so notes find it again."""

import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from testimate.core.errors import BadInput
from testimate.core.fingerprint import of_bytes
from testimate.core.inputs import Inputs


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


SMALLEST = {"min_cluster_size": 2, "min_samples": 1, "components": 1, "seed": 0}


def suited_settings(inputs: Inputs) -> ClusterSettings:
    """PACE's own settings (section 4.4), its min_cluster_size lowered for small sets; the last hidden layer if known."""
    features = "LHL" if "LHL" in inputs.features else next(iter(inputs.features), "LHL")
    return ClusterSettings(features, min(80, max(2, len(inputs) // 10)))


def settings_of(stored: Mapping[str, Any]) -> ClusterSettings:
    """The settings as they were stored or written into an address; BadInput where they are not settings.

    >>> settings_of({"features": "CON", "min_samples": "7"}) == ClusterSettings("CON", min_samples=7)
    True
    """
    known: dict[str, Callable[[Any], Any]] = {
        field.name: int if isinstance(field.default, int) else str for field in fields(ClusterSettings)
    }
    try:
        settings = ClusterSettings(**{name: known[name](value) for name, value in stored.items()})
        for name, least in SMALLEST.items():
            if getattr(settings, name) < least:
                raise ValueError(f"{name} is {getattr(settings, name)}, at least {least} is needed")
        return settings
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(
            f"The settings of the clusters cannot be read ({error!s:.60}); expected {', '.join(known)}. "
            "Choose them on the Clusters page."
        ) from None
