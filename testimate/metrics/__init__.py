"""FDRO, APFD, RAUC, ATRC, WFDR and SFDR of a labeling order, exact or running, and the severity of its faults.

Al-Qadasi et al. 2023: H. Al-Qadasi, Y. Falcone, S. Bensalem, Difficulty and Severity-Oriented Metrics for Test
Prioritization in Deep Learning Systems, AITest 2023.
"""

from testimate.metrics.order_metrics import (
    FoundCurve,
    LiveMetrics,
    OrderMetrics,
    WfdrCurve,
    apfd,
    atrc,
    fdro,
    found_curve,
    live_metrics,
    order_metrics,
    rauc,
    sfdr,
    sfdr_curve,
    trc_curve,
    wfdr,
    wfdr_curve,
)
from testimate.metrics.severity import (
    ErrorBands,
    SeverityCounts,
    SeverityShares,
    error_bands,
    error_severity,
    error_severity_counts,
    fault_severity,
    fdro_by_severity,
    found_by_severity,
    severity_band,
    severity_counts,
    severity_level,
)

__all__ = [
    "ErrorBands",
    "FoundCurve",
    "LiveMetrics",
    "OrderMetrics",
    "SeverityCounts",
    "SeverityShares",
    "WfdrCurve",
    "apfd",
    "atrc",
    "error_bands",
    "error_severity",
    "error_severity_counts",
    "fault_severity",
    "fdro",
    "fdro_by_severity",
    "found_by_severity",
    "found_curve",
    "live_metrics",
    "order_metrics",
    "rauc",
    "severity_band",
    "severity_counts",
    "severity_level",
    "sfdr",
    "sfdr_curve",
    "trc_curve",
    "wfdr",
    "wfdr_curve",
]
