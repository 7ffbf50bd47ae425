"""What of SSOA agrees with its paper, what does not, and why."""

import numpy as np

from research.studies.jobs import CLASSIFICATION, SSOA, SSOA_BUDGETS
from research.studies.lenets import MODELS
from research.studies.results import Results
from research.studies.ssoa_errors import TRAINED, base, exact, gain, oracle, phase_biases, phase_errors
from research.studies.ssoa_published import PUBLISHED_GAINS, S2, S2_SHARES, S2_SPREADS


def beyond(published: float, limit: float) -> float:
    """Standard errors by which a published gain exceeds a limit, both percent, where two RMSEs carry 10 % each."""
    return float(np.log((1 - limit / 100) / (1 - published / 100)) / np.hypot(0.1, 0.1))


def oracle_of_s2() -> float:
    """The gain of the best allocation on the paper's own strata of S2, percent."""
    shares, spreads = np.array(S2_SHARES), np.array(S2_SPREADS)
    failures = shares @ (0.5 - np.sqrt(0.25 - spreads**2))  # the smaller root of p (1 - p) = spread^2
    return float(100 * (1 - shares @ spreads / np.sqrt(failures * (1 - failures))))


def agreement(results: Results) -> str:
    """What agrees, what does not, and why."""
    limits = {kind: gain([oracle("CN12", kind, budget) for budget in SSOA_BUDGETS], base("CN12")) for kind in "rc"}
    own = {name: gain(phase_errors(results, "CN12", name), base("CN12")) for name in SSOA}
    loose = {name: gain(phase_errors(results, "CN12", name, "as published"), base("CN12")) for name in SSOA}
    css = ", ".join(
        f"{gain([exact(subject, 'css', n) for n in SSOA_BUDGETS], base(subject)):.0f} % on {subject}"
        for subject in CLASSIFICATION
    )
    biases = {
        variant: [
            bias
            for subject in CLASSIFICATION
            for name in SSOA
            for bias in phase_biases(results, subject, name, variant)
        ]
        for variant in (None, "as published")
    }
    ranges = {variant: f"{min(found):+.2f} to {max(found):+.2f}" for variant, found in biases.items()}
    trained = ", ".join(
        f"{gain([exact(model, name, n) for n in SSOA_BUDGETS], base(model)):.1f} % {name} on {model}"
        for model in MODELS
        for name in TRAINED
    )
    return f"""## What agrees, what does not, and why

Agrees:

- Optimum allocation beats css's fixed shares on css's own strata of D, G and CN12 (RQ2).
- Sampling's errors fall with every label, pace's do not (RQ4).
- Half the inputs shifted, the strata of confidence still help (RQ5), and so do clusters of LSA in regression.
- With training images the T variants gain {trained}, as with a pre-sample.

Does not agree:

- **Gains beyond the oracle.** On CN12 the strata by rule can gain {limits["r"]:.1f} % over srs at most, those by
  clusters {limits["c"]:.1f} %, when every spread is known. Published for S1, a network of nearly the same accuracy:
  ssoa-r-p {PUBLISHED_GAINS["ssoa-r-p"]:.1f} %, ssoa-r-t {PUBLISHED_GAINS["ssoa-r-t"]:.1f} %, ssoa-c-t
  {PUBLISHED_GAINS["ssoa-c-t"]:.1f} %, ssoa-c-p {PUBLISHED_GAINS["ssoa-c-p"]:.1f} %. Exact here: ssoa-r-p
  {own["ssoa-r-p"]:.1f} %, ssoa-c-p {own["ssoa-c-p"]:.1f} %. S2 needs no other network: from the strata's spreads that
  the paper prints (0.49, 0.34, 0.09) the best allocation gains {oracle_of_s2():.0f} %; published are
  {S2["ssoa-r-t"]:.1f} % for ssoa-r-t and {S2["ssoa-r-p"]:.1f} % for ssoa-r-p. So the published gains are larger than
  SSOA can have on its own strata. Chance explains a part: an RMSE of 50 repetitions carries 10 %, srs's as well, and
  where the 16 budgets share their draws the mean over them carries nearly as much. ssoa-r-p is then
  {beyond(PUBLISHED_GAINS["ssoa-r-p"], limits["r"]):.1f} standard errors above the limit on S1,
  {beyond(S2["ssoa-r-p"], oracle_of_s2()):.1f} on S2.
- **The plain standard deviation** of a pre-sample makes SSOA worse than srs on the tables: {loose["ssoa-r-p"]:.0f} %
  and {loose["ssoa-c-p"]:.0f} % on CN12 (ssoa-r-p, ssoa-c-p). A stratum of 80 % of the inputs that shows no failure
  among 10 keeps its 10 labels. On the LeNets, where such a stratum nearly has none, it does well: better than with
  smoothed spreads, at the price of a bias. The default smooths, because no one knows in advance which case it is.
- **CSS against srs.** Published, CSS is worse than srs on S1 by the same measure. So it is on the tables, exactly; on
  the LeNets it is better: its gain is {css}.
- **Optimum allocation against css.** The paper finds ssoa-r better at all budgets; after a pre-sample it is worse on
  the LeNets (RQ2).
- **The variance test** could not have found a difference (RQ3).
- **Bias.** The paper calls SSOA unbiased. An allocation that follows the labels biases the plain stratified mean: as
  published by {ranges["as published"]} points over the subjects and budgets of RQ1; with the spreads smoothed by
  {ranges[None]}, all exact.
- **Few clusters.** The paper prefers 3; ssoa-c-p gains most with 4 to 6 here (RQ6).
"""
