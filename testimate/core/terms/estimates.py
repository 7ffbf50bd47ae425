"""Terms for samples, estimates and their intervals."""

from testimate.core.terms.term import Term

ESTIMATES = (
    Term(
        "operational set",
        "the N unlabeled inputs whose accuracy is estimated",
        source="DeepEST; DeepSample, section 3.1",
    ),
    Term(
        "loss",
        "the cost of one input: 1 where the network is wrong and 0 where it is right; for a regression the squared error",
        r"z_i \in \{0, 1\} \quad\text{or}\quad z_i = (y_i - \hat y_i)^2",
        "DeepSample, equations 1 and 2",
    ),
    Term(
        "accuracy",
        "1 - mean loss over the whole set: the share classified correctly; for a regression 1 - mean squared error",
        r"A = 1 - \frac{1}{N} \sum_{i=1}^{N} z_i",
        "DeepSample, section 4.1",
    ),
    Term(
        "ordinary interval",
        "an interval that holds for a number of labels fixed in advance, but not if you stop because it looks narrow",
        r"P(\mathrm{low}_n \le A \le \mathrm{high}_n) \approx 0.95",
        "Wilson 1927, and the score interval for strata and adaptive rounds; docs/intervals.md says which design gets which",
    ),
    Term(
        "always-valid interval",
        "an interval that holds for all numbers of labels at once, so you may watch it and stop whenever you like",
        r"P(\mathrm{low}_n \le A \le \mathrm{high}_n \text{ for all } n) \ge 0.95",
        "Waudby-Smith and Ramdas 2020",
        ("stop-safe interval",),
    ),
    Term(
        "Wilson interval",
        "score interval for a proportion; unlike the textbook interval it holds even if few or none of the labels fail",
        r"\frac{\hat p + \frac{z^2}{2n} \pm z \sqrt{\frac{\hat p (1 - \hat p)}{n} + \frac{z^2}{4 n^2}}}{1 + \frac{z^2}{n}}",
        "Wilson 1927",
    ),
    Term(
        "score interval",
        "Wilson's question asked of strata and of adaptive rounds: which rates fit the labels, if the rates of all strata move "
        "with the rate asked about; so a stratum without a failure is not taken for one that cannot fail",
        r"(\mu - \hat\theta)^2 \le z^2 \sum_h W_h^2 (1 - n_h / N_h) \frac{p_h(\mu) (1 - p_h(\mu))}{n_h}",
        "Wilson 1927 for one stratum; decision 21",
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
        "how much the estimate would vary if the same plan were drawn again and again",
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
        "one selected input, with its probability, its stratum and the reason it was picked",
    ),
    Term(
        "design",
        "how the draws were made, and so what their probabilities mean; it decides which estimator is valid",
    ),
    Term(
        "inclusion probability",
        "the probability that an input is in the sample; a drawn input stands for 1 / probability inputs",
        r"\pi_i = P(i \in S), \qquad \sum_{i=1}^{N} \pi_i = n",
        "Horvitz and Thompson 1952",
    ),
    Term(
        "budget",
        "n, how many inputs you will label",
    ),
    Term(
        "seed",
        "the number that starts the random generator: the same seed picks the same inputs again",
    ),
    Term(
        "stratum",
        "a group of inputs that is sampled separately and weighted by its size",
        r"\hat\theta = \sum_{h=1}^{H} \frac{N_h}{N} \, \bar z_h",
        "DeepSample, equation 12; SSOA, equation 5",
        ("strata",),
    ),
    Term(
        "Neyman allocation",
        "labels for each stratum in proportion to its size times its standard deviation: the least variance for n labels",
        r"n_h = n \, \frac{N_h \sigma_h}{\sum_{g} N_g \sigma_g}",
        "Neyman 1934; SSOA, equation 6",
    ),
    Term(
        "Hansen-Hurwitz",
        "estimator for draws with replacement and unequal probabilities: each loss is weighted by 1 / probability",
        r"\hat\theta = \frac{1}{n N} \sum_{i=1}^{n} \frac{z_i}{\pi_i}",
        "Hansen and Hurwitz 1943; DeepSample, equation 3",
    ),
    Term(
        "verdict",
        "a draw once it is settled: its loss, or None where nobody could tell",
    ),
    Term(
        "cannot tell",
        "a word of its own: the tester looked and does not know; the input stays without an answer, and the interval allows "
        "for both outcomes",
    ),
    Term(
        "balance",
        "an objective: random draws give the estimate, exploit picks beside them find more failures",
        source="this project",
    ),
    Term(
        "exploit pick",
        "an input picked because it probably fails; it represents no other input, and enters an estimate only as a known loss",
        source="this project",
        also=("exploit picks",),
    ),
    Term(
        "model-assisted estimate",
        "a prediction of every input's loss, corrected by how far the labels show it to be wrong",
        r"\hat\theta = \frac{1}{N} \sum_{i=1}^{N} \hat z_i + \frac{1}{N} \sum_{i \in S} \frac{z_i - \hat z_i}{\pi_i}",
        "Cassel, Särndal and Wretman 1976",
    ),
)
