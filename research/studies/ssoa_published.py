"""Figures of SSOA's paper to set beside ours."""

PUBLISHED_GAINS = {"ssoa-r-t": 16.10, "ssoa-c-t": 13.87, "ssoa-r-p": 28.71, "ssoa-c-p": 11.06}
"""SSOA, tables 2 and 3: S1 (CN-12 on CIFAR-10), mean improvement over SRS at budgets from 50 to 200, percent."""

PUBLISHED_OVER_CSS = {"ssoa-r-t": 38.73, "ssoa-c-t": 37.69, "ssoa-r-p": 47.78, "ssoa-c-p": 35.50}
"""The same over CSS, S1."""

S2 = {"ssoa-r-t": 45.91, "ssoa-r-p": 58.20}
"""SSOA, section 6.1: mean improvement over SRS on S2, percent."""

S2_SHARES, S2_SPREADS = (0.1, 0.1, 0.8), (0.49, 0.34, 0.09)
"""The same section: shares of S2's strata by rule, and their "true variances" (above 1/4, so standard deviations)."""

PUBLISHED_DO = {
    "srs": (2.894, 3.215, 2.812, 2.136, 3.941, 2.011, 0.834, 0.822, 1.440, 0.820, 1.384, 1.746, 1.563, 1.353),
    "ces": (1.599, 1.344, 1.220, 1.195, 1.101, 1.013, 1.066, 1.082, 1.022, 0.975, 1.011, 1.022, 0.949, 0.879),
    "ssoa-c-p": (1.066, 1.656, 0.864, 1.140, 0.672, 0.607, 0.702, 0.749, 0.852, 0.663, 0.756, 0.357, 0.726, 0.653),
}
"""SSOA, table 5: Dave-orig, 50 to 180 inputs in steps of 10."""
