"""Terms of samples, estimates and their intervals."""

from testimate.core.terms.term import Term

ESTIMATES = (
    Term(
        "operational set",
        "the unlabeled inputs the accuracy is asked for, N of them",
        source="DeepEST; DeepSample, section 3.1",
    ),
    Term(
        "loss",
        "what one input costs: 1 where the network is wrong and 0 where it is right; for a regression the squared error",
        r"z_i \in \{0, 1\} \quad\text{or}\quad z_i = (y_i - \hat y_i)^2",
        "DeepSample, equations 1 and 2",
    ),
    Term(
        "accuracy",
        "1 - mean loss over the whole set: the share classified right; for a regression 1 - mean squared error",
        r"A = 1 - \frac{1}{N} \sum_{i=1}^{N} z_i",
        "DeepSample, section 4.1",
    ),
    Term(
        "ordinary interval",
        "an interval that holds at a number of labels fixed beforehand, and not where one stops because it looks narrow",
        r"P(\mathrm{low}_n \le A \le \mathrm{high}_n) \approx 0.95",
        "Wilson 1927 with the effective n of Korn and Graubard 1998; docs/intervals.md says which design gets which",
    ),
    Term(
        "always-valid interval",
        "an interval that holds at all numbers of labels at once, so that one may watch and stop whenever one likes",
        r"P(\mathrm{low}_n \le A \le \mathrm{high}_n \text{ for all } n) \ge 0.95",
        "Waudby-Smith and Ramdas 2020",
        ("stop-safe interval",),
    ),
    Term(
        "Wilson interval",
        "score interval for a proportion; unlike the usual one it stays honest where few or none of the labels fail",
        r"\frac{\hat p + \frac{z^2}{2n} \pm z \sqrt{\frac{\hat p (1 - \hat p)}{n} + \frac{z^2}{4 n^2}}}{1 + \frac{z^2}{n}}",
        "Wilson 1927",
    ),
    Term(
        "effective n",
        "the size of a simple random sample with the same variance",
        r"n_{\mathrm{eff}} = \frac{\hat\theta (1 - \hat\theta)}{\widehat{\mathrm{Var}}(\hat\theta)}",
        "Korn and Graubard 1998",
    ),
    Term(
        "half-width",
        "half the distance between the ends of an interval: the number after ±",
        r"h = \frac{\mathrm{high} - \mathrm{low}}{2}",
    ),
    Term(
        "standard error",
        "how far the estimate would scatter if the same plan were drawn anew, again and again",
        r"\mathrm{SE} = \sqrt{\widehat{\mathrm{Var}}(\hat\theta)}",
        "Cochran 1977, chapter 2",
    ),
    Term(
        "RMSE",
        "root mean squared error: the typical distance between estimate and truth over R repeated campaigns",
        r"\sqrt{\frac{1}{R} \sum_{r=1}^{R} (\xi - \hat\xi_r)^2}",
        "DeepSample, equation 17",
    ),
    Term(
        "draw",
        "one input picked, with its chance, its stratum and the reason",
    ),
    Term(
        "design",
        "how the draws were made and so what their chances mean; it decides which estimator is honest",
    ),
    Term(
        "inclusion probability",
        "the chance that an input is in the sample; a drawn input stands for as many inputs as 1 over its chance",
        r"\pi_i = P(i \in S), \qquad \sum_{i=1}^{N} \pi_i = n",
        "Horvitz and Thompson 1952",
    ),
    Term(
        "budget",
        "n, how many inputs you will label",
    ),
    Term(
        "seed",
        "the number that chance starts from: the same seed picks the same inputs again",
    ),
    Term(
        "stratum",
        "a group of inputs drawn from apart, and counted by its size",
        r"\hat\theta = \sum_{h=1}^{H} \frac{N_h}{N} \, \bar z_h",
        "DeepSample, equation 12; SSOA, equation 5",
        ("strata",),
    ),
    Term(
        "Neyman allocation",
        "labels of a stratum in proportion to its size times its spread: the least variance for n labels",
        r"n_h = n \, \frac{N_h \sigma_h}{\sum_{g} N_g \sigma_g}",
        "Neyman 1934; SSOA, equation 6",
    ),
    Term(
        "Hansen-Hurwitz",
        "estimator of draws with replacement and unequal chances: each loss counts by 1 over its chance",
        r"\hat\theta = \frac{1}{n N} \sum_{i=1}^{n} \frac{z_i}{\pi_i}",
        "Hansen and Hurwitz 1943; DeepSample, equation 3",
    ),
    Term(
        "verdict",
        "a draw, settled: its loss, or None",
    ),
    Term(
        "cannot tell",
        "an answer of its own: the tester looked and does not know; counted as skipped, bounded, never dropped",
    ),
    Term(
        "balance",
        "an objective: random draws carry the estimate, exploit picks beside them meet more failures",
        source="this project",
    ),
    Term(
        "exploit pick",
        "an input picked because it is thought to fail; it stands for no other, and enters an estimate only as a known loss",
        source="this project",
        also=("exploit picks",),
    ),
    Term(
        "model-assisted estimate",
        "a guess of every input's loss, corrected by what the labels say of the guess",
        r"\hat\theta = \frac{1}{N} \sum_{i=1}^{N} \hat z_i + \frac{1}{N} \sum_{i \in S} \frac{z_i - \hat z_i}{\pi_i}",
        "Cassel, Särndal and Wretman 1976",
    ),
)
