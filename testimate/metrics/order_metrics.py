"""All metrics of one labeling order at once."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

from numpy.typing import ArrayLike

from testimate.core.errors import NotEnoughLabels
from testimate.metrics.apfd import apfd
from testimate.metrics.atrc import atrc
from testimate.metrics.fdro import fdro
from testimate.metrics.order import checked_order
from testimate.metrics.rauc import rauc
from testimate.metrics.severe_faults import SeverityShares, fdro_by_severity
from testimate.metrics.severity import SeverityCounts, severity_counts
from testimate.metrics.sfdr import sfdr
from testimate.metrics.wfdr import wfdr

Metric = TypeVar("Metric")


@dataclass(frozen=True)
class OrderMetrics:
    """What the metrics say about one order; fractions, 0..1.

    Attributes
    ----------
    faults, size : in the whole set.
    fdro, rauc, atrc : over the first m inputs.
    apfd, sfdr : None where the order ends before the last fault.
    wfdr : None where every input is a fault.
    severity : the faults that the order shows, by band.
    fdro_by_severity : the share of the faults of each band within the first m; None where the order ends before the last
        fault.
    why : (metric, sentence) for every None.
    """

    faults: int
    size: int
    fdro: float
    apfd: float | None
    rauc: float
    atrc: float
    wfdr: float | None
    sfdr: float | None
    severity: SeverityCounts
    fdro_by_severity: SeverityShares | None = None
    why: tuple[tuple[str, str], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values, every field by its name but ``why``."""
        record = asdict(self)
        del record["why"]
        return record


def order_metrics(
    failed: ArrayLike,
    probability: ArrayLike,
    *,
    size: int | None = None,
    faults: int | None = None,
    budget: int | None = None,
    gamma: float = 0.5,
) -> OrderMetrics:
    """FDRO, APFD, RAUC, ATRC, WFDR, SFDR and the severity of an order, all inputs or its first ones.

    Parameters
    ----------
    failed : (n,) of 1 / 0 or bool, in labeling order.
    probability : (n,) probability of the predicted class, 0..1.
    size, faults, budget : as in `checked_order`.
    gamma : as in `sfdr`.

    Raises
    ------
    BadInput, NotEnoughLabels
        As `checked_order` does. A metric that alone is undefined is None, and ``why`` says so.

    >>> metrics = order_metrics([1, 1, 0, 0], [0.9, 0.4, 0.8, 0.99])
    >>> metrics.wfdr, metrics.apfd, metrics.severity
    (1.0, 0.75, SeverityCounts(low=1, moderate=0, high=1))
    """
    order = checked_order(failed, size=size, faults=faults, budget=budget)
    failed, size, faults, budget = order.failed, order.size, order.faults, order.budget
    why: list[tuple[str, str]] = []

    def known(name: str, metric: Callable[[], Metric]) -> Metric | None:
        try:
            return metric()
        except NotEnoughLabels as error:
            why.append((name, str(error)))
            return None

    return OrderMetrics(
        faults=faults,
        size=size,
        fdro=fdro(failed, size=size, faults=faults, budget=budget),
        apfd=known("apfd", lambda: apfd(failed, size=size, faults=faults)),
        rauc=rauc(failed, size=size, faults=faults, budget=budget),
        atrc=atrc(failed, size=size, faults=faults, budget=budget),
        wfdr=known("wfdr", lambda: wfdr(failed, size=size, faults=faults, budget=budget)),
        sfdr=known("sfdr", lambda: sfdr(failed, probability, size=size, faults=faults, budget=budget, gamma=gamma)),
        severity=severity_counts(failed, probability),
        fdro_by_severity=known(
            "fdro_by_severity", lambda: fdro_by_severity(failed, probability, size=size, faults=faults, budget=budget)
        ),
        why=tuple(why),
    )
