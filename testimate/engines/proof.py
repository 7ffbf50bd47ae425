"""What a machine of a cluster proves before it works: the same program, the same libraries, and the same values."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Proof:
    """What a machine says about itself, by the name of each thing that has to be the same everywhere."""

    says: Mapping[str, str]

    def differences(self, other: "Proof") -> str:
        """What the other machine has and this one, in words; empty where it may work.

        >>> Proof({"Python": "3.12.1", "the device": "cpu"}).differences(Proof({"Python": "3.11.7", "the device": "cpu"}))
        'Python: 3.11.7 there, 3.12.1 here'
        """
        names = dict.fromkeys((*self.says, *other.says))
        return "; ".join(
            f"{name}: {other.says.get(name, 'none'):.40} there, {self.says.get(name, 'none'):.40} here"
            for name in names
            if self.says.get(name) != other.says.get(name)
        )


@dataclass(frozen=True)
class Ready:
    """A worker that is ready.

    ``proof`` : see above. ``where`` : a sentence on where it runs; "" where there is nothing to say. ``lacks`` : what it cannot
    see and is given step by step, as its worker names it; "" where it works alone.
    """

    proof: Proof
    where: str = ""
    lacks: str = ""
