"""Terms that are techniques: how each picks inputs, under the name it is chosen by."""

from testimate.core.terms.term import Term

_OPTIMUM = r"n_h = n \, \frac{N_h \sigma_h}{\sum_g N_g \sigma_g}"

TECHNIQUES = (
    Term(
        "rra",
        "adaptive rounds, the default for a live session: each round is drawn mostly where the labels so far leave the most "
        "doubt, and the weights keep the estimate exactly unbiased",
        r"X = \frac{1}{N} \Bigl( z_S + \sum_{i \in U} \mu_i \Bigr) + (z_i - \mu_i) \, \frac{B \, S_h}{N \, s_i}",
        "this project; after Cassel, Särndal and Wretman 1976",
    ),
    Term(
        "rrs",
        "round-robin defensive stratification, the default for an exported list: one input of each of ten strata per round, in "
        "an order fixed before the first label",
        r"\hat\theta = \sum_{h=1}^{H} \frac{N_h}{N} \, \bar z_h",
        "this project; after Neyman 1934",
    ),
    Term(
        "srs",
        "simple random sampling: every input has the same probability",
        r"\hat\theta = \frac{1}{n} \sum_{i=1}^{n} z_i",
        "DeepSample, equation 1; Cochran 1977, chapter 2",
    ),
    Term(
        "ssrs",
        "stratified simple random sampling: ten clusters of the auxiliary variable, Neyman allocation by its spread",
        r"\hat\theta = \frac{1}{N} \sum_{p=1}^{P} N_p \, \hat\theta_p, \qquad n_p \propto N_p \, \sigma_p(\chi)",
        "DeepSample, section 3.4.2, equation 12",
    ),
    Term(
        "ssoa-r-p",
        "optimum allocation over the strata of a rule (10 / 10 / 80 % by confidence), spread from a pre-sample",
        _OPTIMUM,
        "SSOA, sections 4.1 and 4.2, equation 6",
    ),
    Term(
        "ssoa-c-p",
        "optimum allocation over three clusters of confidence, spread from a pre-sample",
        _OPTIMUM,
        "SSOA, sections 4.1 and 4.2, equation 6",
    ),
    Term(
        "ssoa-r-t",
        "optimum allocation over the strata of a rule (10 / 10 / 80 % by confidence), spread from the training data",
        _OPTIMUM,
        "SSOA, sections 4.1 and 4.2, equation 6",
    ),
    Term(
        "ssoa-c-t",
        "optimum allocation over three clusters of confidence, spread from the training data",
        _OPTIMUM,
        "SSOA, sections 4.1 and 4.2, equation 6",
    ),
    Term(
        "css",
        "confidence-stratified sampling: strata of 10 / 10 / 80 % by confidence get 40 / 40 / 20 % of the labels",
        r"\hat\theta = \sum_{h=1}^{3} \frac{N_h}{N} \, \bar z_h",
        "Li et al. 2019; PACE, section 4.2",
    ),
    Term(
        "gbs",
        "gradient-based sampling: the next label goes to the stratum where it lowers the variance most",
        r"\max_p \; -\frac{\partial \mathrm{Var}(\hat\theta)}{\partial n_p}",
        "DeepSample, section 3.4.2",
    ),
    Term(
        "sups",
        "unequal probability sampling: draws with replacement, each with a probability in proportion to the auxiliary variable",
        r"\pi_i = \frac{\chi_i}{\sum_j \chi_j}, \qquad \hat\theta = \frac{1}{n N} \sum_{i=1}^{n} \frac{z_i}{\pi_i}",
        "DeepSample, section 3.4.1, equation 3",
    ),
    Term(
        "rhc-s",
        "Rao-Hartley-Cochran: all inputs are divided at random into n groups; one of each is drawn by its probability",
        r"\hat\theta = \frac{1}{N} \sum_{r=1}^{n} \frac{z_r}{\pi_r / q_r}",
        "Rao, Hartley and Cochran 1962; DeepSample, equation 5",
    ),
    Term(
        "2-ups",
        "two-stage unequal probability sampling: a cluster by its total probability, then one of its inputs at random",
        r"\hat\theta = \frac{1}{N n} \sum_{p=1}^{P} \sum_{i=1}^{Q_p} \frac{z_i N_p}{\psi_p}",
        "DeepSample, section 3.4.2, equations 14 and 15",
    ),
    Term(
        "deepest",
        "adaptive sampling: most draws are weighted among the inputs above a threshold of chi, the rest are uniform",
        r"\tilde\theta_k = \sum_{j \in s_k} z_j + \frac{z_i}{q_{k,i}}",
        "Guerriero et al. 2021; DeepSample, equations 7 to 10",
    ),
    Term(
        "ces",
        "cross-entropy sampling: batches that bring the neurons' histogram of the sample closest to the whole set's",
        r"\min_S \; \sum_{\text{neurons}} D\left(P_{\text{set}} \,\Vert\, P_S\right)",
        "Li et al. 2019; DeepSample, section 3.4.1",
    ),
    Term(
        "pace",
        "prototypes of every HDBSCAN cluster in proportion to its size, and far-apart inputs of the minority space",
        r"d = \max_{y \in U} \, \min_{x \in S} \lVert x - y \rVert",
        "PACE, sections 3.2 to 3.4, equations 4 and 5",
        ("PACE",),
    ),
    Term(
        "pace-rand-g",
        "PACE with random inputs of each cluster instead of prototypes",
        source="PACE, section 4.2",
    ),
    Term(
        "pace-rand-m",
        "PACE with random inputs of the minority space instead of far-apart ones",
        source="PACE, section 4.2",
    ),
    Term(
        "pace-mmd",
        "prototypes of the whole set by MMD-critic, without clusters",
        source="PACE, section 4.2; Kim et al. 2016",
    ),
    Term(
        "pace-art",
        "adaptive random testing: always the input farthest from those already chosen",
        r"d = \max_{y \in U} \, \min_{x \in S} \lVert x - y \rVert",
        "PACE, section 4.2, equation 5",
    ),
    Term(
        "severity-first",
        "probable faults on which the network is sure come first, by a probability of failure p learned from the labels",
        r"\text{of the } b \text{ largest } p_i \, c_i^{g}: \quad \max_i \; p_i^{1/8} \, c_i",
        "this project; asked for by Al-Qadasi et al. 2023, section VI",
    ),
    Term(
        "deepgini",
        "the inputs of highest Gini impurity first",
        r"1 - \sum_{k=1}^{C} p_{ik}^2",
        "Feng et al. 2020 (DeepGini)",
    ),
    Term(
        "neuron-pattern",
        "first the inputs whose neurons behave least as they do on training inputs of the predicted class",
        source="Yan et al. 2022; WFDR / SFDR paper, section V.B",
    ),
    Term(
        "deepabstraction",
        "first the inputs outside the boxes that hold the training inputs of the predicted class, then those in boxes "
        "of wrong ones",
        source="Al-Qadasi et al. 2022",
    ),
)
