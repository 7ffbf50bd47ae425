"""SSOA's RQ6: how many clusters."""

from research.studies.jobs import CLASSIFICATION, CLUSTERS, FEWER_BUDGETS
from research.studies.lenets import MODELS
from research.studies.page_text import table
from research.studies.results import Results
from research.studies.ssoa_errors import base, exact, gain, oracle


def clusters(results: Results) -> str:
    """RQ6: k from 2 to 6."""
    rows, most = [], {}
    for subject in CLASSIFICATION:
        by_k = {}
        for k in CLUSTERS:
            options = () if k == 3 else (("clusters", k),)
            own = [results.phases[subject, "ssoa-c-p", None, n, options]["rmse"] for n in FEWER_BUDGETS]
            best = [oracle(subject, "c", budget, k) for budget in FEWER_BUDGETS]
            by_k[k] = gain(own, base(subject, FEWER_BUDGETS))
            trained = "–"
            if subject in MODELS:
                errors = [exact(subject, "ssoa-c-t", budget, k) for budget in FEWER_BUDGETS]
                trained = f"{gain(errors, base(subject, FEWER_BUDGETS)):.1f}"
            oracle_gain = f"{gain(best, base(subject, FEWER_BUDGETS)):.1f}"
            rows.append([f"{subject}, k = {k}", f"{by_k[k]:.1f}", trained, oracle_gain])
        most[subject] = max(by_k, key=lambda k: by_k[k])
    largest = ", ".join(f"k = {k} on {subject}" for subject, k in most.items())
    return f"""## RQ6: how many clusters?

Gain over srs in percent, mean over budgets {", ".join(map(str, FEWER_BUDGETS))}; exact to k = 3, from 4 on ssoa-c-p's
over 3,000 pre-samples, each with its exact mean and variance (a gain carries about 0.5 points):

{table(["clusters", "ssoa-c-p", "ssoa-c-t", "oracle"], rows)}
ssoa-c-p's gain is largest at {largest}; the oracle and ssoa-c-t gain with every cluster more. The paper takes 3 and
finds fewer clusters better, as each costs a pre-sample of 10. That cost shows on D and G, where from 4 or 5 clusters on
nothing is gained; on the others more clusters still gain.
"""
