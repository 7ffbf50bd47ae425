"""Terms for what comes out: estimates, faults and their order, the comparison of models, the agreement of testers."""

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
        "1 - mean loss over the whole set: the share classified correctly; of numbers the share within the tolerance, or "
        "1 - mean squared error where the tolerance is 0",
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
        "known answer",
        "an input whose answer is known in advance, slipped in among the others to see how often a tester errs; it is in no "
        "estimate, because it was not drawn",
        source="crowdsourcing's gold questions; the interval is Clopper and Pearson's, 1934",
        also=("honeypot", "gold question"),
    ),
    Term(
        "Wilson interval",
        "score interval for a proportion; unlike the textbook interval it holds even if few or none of the labels fail",
        r"\frac{\hat p + \frac{z^2}{2n} \pm z \sqrt{\frac{\hat p (1 - \hat p)}{n} + \frac{z^2}{4 n^2}}}{1 + \frac{z^2}{n}}",
        "Wilson 1927",
    ),
    Term(
        "score interval",
        "Wilson's interval carried over to strata and adaptive rounds: it holds the rates that fit the labels if "
        "the rates of all strata move together; so a stratum without a failure is not taken for one that cannot "
        "fail",
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
        "the tester looked and does not know; the input stays without an answer, and the interval allows for both "
        "outcomes",
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
_PAPER = "WFDR / SFDR paper (Al-Qadasi et al. 2023)"

FAULTS = (
    Term(
        "fault",
        "an input the network gets wrong; for a regression one it misses by more than the tolerance",
        source=f"{_PAPER}, section II",
        also=("failure", "faults"),
    ),
    Term(
        "precision",
        "of the boxes that a detector drew, or of the inputs predicted as a class, the share that is right",
        r"\frac{\text{right}}{\text{right} + \text{wrong}}",
    ),
    Term(
        "recall",
        "of the objects that are there, or of the inputs of a class, the share that is found",
        r"\frac{\text{found}}{\text{found} + \text{missed}}",
    ),
    Term(
        "severity",
        "the probability the network gave to its wrong class: low below 50 %, moderate to 80 %, high (severe) from 80 %",
        r"\text{level} = \min(10, \lfloor 10 p \rfloor + 1)",
        f"{_PAPER}, section III.D",
        ("severe",),
    ),
    Term(
        "WFDR",
        "weighted fault detection ratio, 0 to 1: the faults found in labeling order, each weighted by how hard it was "
        "to find by then; 1 if all m come first",
        r"\frac{\displaystyle \sum_{i=1}^{m} f(x_i) \left[1 - \frac{m - d_{i-1}}{n - (i - 1)}\right]}"
        r"{\displaystyle \sum_{i=1}^{m} \frac{n - m}{n - i + 1}}",
        f"{_PAPER}, equations 4 to 6",
    ),
    Term(
        "SFDR",
        "severe fault detection rate, 0 to 1: whether the labeling order has the severe faults first; an input that is "
        "classified correctly halves its step (gamma 0.5)",
        r"\frac{1}{m} \sum_{i=1}^{m} \gamma^{f(x_i)} \, \frac{\lvert A_{[0:i]} \cap B_{[0:i]} \rvert}{i}",
        f"{_PAPER}, equation 7",
    ),
    Term(
        "FDRO",
        "fault detection ratio: the share of all m faults that the first m labels find",
        r"\frac{d_m}{m}",
        f"{_PAPER}, section II.B",
    ),
    Term(
        "APFD",
        "average percentage of faults detected: how early an order of all inputs has the faults, whatever the "
        "budget; it flatters, as even a random order has about 0.5",
        r"1 - \frac{\sum_{i=1}^{m} TF_i}{m n} + \frac{1}{2 n}",
        f"{_PAPER}, equation 1",
    ),
    Term(
        "RAUC",
        "area under the curve of faults found, divided by that of the ideal order",
        r"\frac{\sum_{i=1}^{m} \text{practical}_i}{\sum_{i=1}^{m} \text{ideal}_i}",
        f"{_PAPER}, equation 2",
    ),
    Term(
        "ATRC",
        "average test relative coverage: faults found divided by those that could have been found, averaged over the steps",
        r"\frac{1}{m} \sum_{i=1}^{m} \frac{d_i}{\min(i, m)}",
        f"{_PAPER}, equation 3",
    ),
)
MODELS = (
    Term(
        "LaF",
        "ranks models without a label: each input has a difficulty and each model an ability, both inferred from the "
        "predictions; larger ability is better",
        r"P(\text{model } j \text{ right on } i) = \frac{1}{1 + e^{-\beta_j \, e^{\epsilon_i}}}",
        "Guo et al. (LaF), section 3.2, with the form of GLAD (Whitehill et al. 2009)",
    ),
    Term(
        "majority agreement",
        "the share of inputs on which a model predicts what most models predict",
        r"\frac{1}{N} \sum_{i=1}^{N} \left[\tilde y_{ij} = \mathrm{mode}(\tilde y_{i})\right]",
        "LaF, equation 1",
        ("Majority",),
    ),
    Term(
        "sds",
        "sample discrimination: labels the inputs on which models that agree with the majority differ most from the others",
        r"\text{agreement of the top 27 \%} - \text{of the bottom 27 \%}",
        "Meng et al. 2021; LaF, section 4.4",
        ("SDS",),
    ),
    Term(
        "tell-apart",
        "labels random inputs on which the remaining models disagree, until one is best at the requested confidence level",
        source="this project; Waudby-Smith and Ramdas 2020, section 5",
    ),
    Term(
        "quality",
        "mean accuracy of the compared models; below 50 % a ranking without labels goes wrong",
        r"\frac{1}{M} \sum_{j=1}^{M} A_j",
        "LaF, section 5.3",
    ),
    Term(
        "diversity",
        "standard deviation of the models' accuracies; above 18 points the paper's rankings were good",
        r"\sqrt{\frac{1}{M} \sum_{j=1}^{M} (A_j - \bar A)^2}",
        "LaF, section 5.3",
    ),
    Term(
        "Spearman",
        "correlation of two rankings, 1 for the same order and -1 for the reverse",
        r"\rho = \mathrm{corr}\left(r(f), r'(f)\right)",
        "LaF, section 4.5",
    ),
    Term(
        "Kendall",
        "pairs in the same order minus pairs in the other, over all pairs, ties accounted for (tau-b)",
        r"\tau = \frac{P - Q}{\sqrt{(P + Q + T)(P + Q + U)}}",
        "LaF, equation 4",
    ),
    Term(
        "Jaccard",
        "how far the first k models of two rankings are the same",
        r"J_k = \frac{\lvert R_k \cap R'_k \rvert}{\lvert R_k \cup R'_k \rvert}",
        "LaF, equation 5",
    ),
    Term(
        "Krippendorff's alpha",
        "how far testers agree beyond chance: 1 is full agreement, 0 is what chance would give",
        r"\alpha = 1 - \frac{D_{\text{observed}}}{D_{\text{expected}}}",
        "Krippendorff 2011",
        ("Alpha",),
    ),
    Term(
        "Cohen's kappa",
        "how far two testers agree beyond chance: 1 is full agreement, 0 is what chance would give",
        r"\kappa = \frac{p_o - p_e}{1 - p_e}",
        "Cohen 1960",
    ),
    Term(
        "Fleiss' kappa",
        "Cohen's kappa for more than two testers, over inputs with the same number of answers",
        r"\kappa = \frac{\bar P - \bar P_e}{1 - \bar P_e}",
        "Fleiss 1971",
    ),
    Term(
        "Dawid-Skene",
        "the most likely answers when each tester's error rates are estimated from all votes together",
        source="Dawid and Skene 1979",
    ),
)
