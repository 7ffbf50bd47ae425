"""What was found out of a tester's own model and data, kept so that they open again without the framework."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from testimate.subjects.datasets.preprocessing import Preprocessing
from testimate.subjects.models.facts import ModelFacts


@dataclass(frozen=True)
class OwnRecord:
    """What was found out of a model and its data; with it they open again without the framework being started.

    Attributes
    ----------
    kind, sha256, facts : of the model's file. fingerprint : of the model with these roles and settings.
    roles : the layers that play other roles than those found. settings : the other words for ``open_model_file``.
    needs_example : whether it can only be opened together with inputs. preprocessing : of the inputs, as chosen.
    tolerance : of a regression.
    """

    kind: str
    sha256: str
    facts: ModelFacts
    fingerprint: str
    roles: Mapping[str, str]
    settings: Mapping[str, Any]
    needs_example: bool
    preprocessing: Preprocessing
    tolerance: float | None

    def to_json(self) -> dict[str, Any]:
        """The record as what JSON can hold."""
        return asdict(self)

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> "OwnRecord":
        """The record from ``to_json``."""
        preprocessing: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in said["preprocessing"].items()
        }
        facts = ModelFacts.from_json(said["facts"])
        return cls(**{**said, "facts": facts, "preprocessing": Preprocessing(**preprocessing)})
