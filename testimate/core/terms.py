"""The terms of the field, explained once: the screens, the tour and docs/glossary.md take them from here."""

from dataclasses import dataclass

from testimate.core.errors import BadInput


@dataclass(frozen=True, slots=True)
class Term:
    """One term.

    Attributes
    ----------
    name : as in running text; for a technique, the name it is chosen by.
    meaning : one plain sentence, without its full stop.
    formula : LaTeX, with the letters of the glossary; empty if there is none.
    source : paper with section or equation; empty if it is common knowledge.
    also : other names for it on the screens.
    """

    name: str
    meaning: str
    formula: str = ""
    source: str = ""
    also: tuple[str, ...] = ()


_OPTIMUM = r"n_h = n \, \frac{N_h \sigma_h}{\sum_g N_g \sigma_g}"

TECHNIQUES = (
    Term(
        "shared",
        "one stratified sample for several models on the same inputs, drawn where any of them may fail: labeled once, it "
        "judges each of them",
        r"s_i = 0.7 \frac{r_i}{\bar r} + 0.3, \qquad r_i = \sqrt{\tfrac{1}{M} \sum_{j=1}^{M} p_{ij} (1 - p_{ij})}",
        "this project; after Neyman 1934",
    ),
    Term(
        "top-up",
        "a few more labels in addition to earlier plans, drawn where they make one number more precise: the accuracy of "
        "a new version, or its difference from the version before",
        source="this project; decision 74",
    ),
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
        "rrs-groups",
        "groups drawn as wholes, such as patients or conversations: each round draws one group of every stratum, and groups "
        "with more doubtful inputs come earlier",
        r"\hat\theta = \frac{\sum w_{ij} z_{ij}}{\sum w_{ij}}, \qquad w_{ij} = \frac{A_h}{a_h} \, \frac{M_i}{m_i}",
        "this project; Särndal, Swensson and Wretman 1992, chapters 4 and 8",
    ),
    Term(
        "srs-groups",
        "groups drawn as wholes, such as patients or conversations, every group with the same probability",
        r"\hat\theta = \frac{\sum M_i \, \bar z_i}{\sum M_i}",
        "Särndal, Swensson and Wretman 1992, chapters 4 and 8",
    ),
    Term(
        "ssrs",
        "stratified simple random sampling: ten clusters of the auxiliary variable, Neyman allocation by its spread",
        r"\hat\theta = \frac{1}{N} \sum_{p=1}^{P} N_p \, \hat\theta_p, \qquad n_p \propto N_p \, \sigma_p(\chi)",
        "DeepSample, section 3.4.2, equation 12",
    ),
    Term(
        "ssoa-r-p",
        "optimum allocation over the strata of a rule (10 / 10 / 80% by confidence), spread from a pre-sample",
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
        "optimum allocation over the strata of a rule (10 / 10 / 80% by confidence), spread from the training data",
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
        "confidence-stratified sampling: strata of 10 / 10 / 80% by confidence get 40 / 40 / 20% of the labels",
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
AUXILIARY_VARIABLES = (
    Term(
        "auxiliary variable",
        "one number per input that predicts failure; larger means more likely, so confidence enters as 1 - confidence",
        r"\chi_i, \text{ such as } \chi_i = 1 - c_i",
        "DeepSample, section 3.3",
        ("chi",),
    ),
    Term(
        "confidence",
        "the probability the network gives to the class it predicts; as a technique: the least sure inputs first",
        r"c_i = \max_k \, p_{ik}",
        "DeepSample, section 3.3; Weiss and Tonella 2022",
    ),
    Term(
        "disagreement",
        "the share of other models that predict something else for the input; for numbers the distance from their median, over "
        "the tolerance",
        r"a_i = \frac{1}{k} \sum_{j=1}^{k} [\hat y_{ij} \neq \hat y_i]",
    ),
    Term(
        "votes",
        "how sure the other models are, counted against the network where they disagree and for it where they agree",
        r"v_i = \frac{1}{k} \sum_{j=1}^{k} \pm \operatorname{logit} c_{ij}",
    ),
    Term(
        "combined",
        "the chance of failure from what other models predict together with the network's own confidence, before any label",
        r"p_i = \operatorname{expit}(0.16 + 0.32 x_i + 0.77 a_i + 0.35 v_i), \; x_i = \operatorname{logit}(1 - c_i)",
    ),
    Term(
        "Gini impurity",
        "how evenly the probabilities are spread over the classes; DeepGini's score",
        r"1 - \sum_{k=1}^{C} p_{ik}^2",
        "Feng et al. 2020 (DeepGini)",
        ("gini",),
    ),
    Term(
        "entropy",
        "how undecided the softmax is, as a share of the largest possible value; as a technique: the highest first",
        r"-\frac{1}{\ln C} \sum_{k=1}^{C} p_{ik} \ln p_{ik}",
        "Shannon 1948; Weiss and Tonella 2022",
    ),
    Term(
        "margin",
        "1 minus the lead of the most probable class over the second; as a technique: the smallest lead first",
        r"1 - \left(p_{i(1)} - p_{i(2)}\right)",
        "Scheffer, Decomain and Wrobel 2001",
    ),
    Term(
        "dsa",
        "distance-based surprise adequacy: the distance to the nearest training input of the predicted class, divided by the "
        "distance from there to the nearest one of another class; as a technique: the highest first",
        r"\frac{\lVert a(x) - a(x_a) \rVert}{\lVert a(x_a) - a(x_b) \rVert}",
        "Kim, Feldt and Yoo 2019, equations 3 to 5",
        ("DSA",),
    ),
    Term(
        "lsa",
        "likelihood-based surprise adequacy: how rare the input's activations are among training inputs of the predicted "
        "class; as a technique: the highest first",
        r"-\ln \hat f_{c}\bigl(a(x)\bigr)",
        "Kim, Feldt and Yoo 2019, equations 1 and 2",
        ("LSA",),
    ),
    Term(
        "sae",
        "reconstruction error of a small autoencoder trained on the training inputs: large for inputs unlike those",
        r"\lVert x - \mathrm{dec}(\mathrm{enc}(x)) \rVert^2",
        "DeepSample, section 3.3",
        ("SAE",),
    ),
    Term(
        "vae",
        "reconstruction error of a small variational autoencoder trained on the training inputs",
        r"\lVert x - \mathrm{dec}(\mathrm{enc}(x)) \rVert^2",
        "DeepSample, section 3.3",
        ("VAE",),
    ),
    Term("ORI", "the input itself, as a feature vector", source="PACE, section 4.2"),
    Term("FL", "output of the network's first weighted layer, as a feature vector", source="PACE, section 4.2"),
    Term("LHL", "input of the network's last dense layer, as a feature vector", source="PACE, section 4.2"),
    Term("CON", "the network's softmax output, as a feature vector", source="PACE, section 4.2"),
)
GROUPS = (
    Term(
        "cluster",
        "inputs that lie close together in the network's feature space, with sparser space around them (HDBSCAN)",
        source="Campello et al. 2013; PACE, section 3.2",
    ),
    Term(
        "mutual reachability distance",
        "the distance HDBSCAN works with: at least the distance to the k-th nearest neighbor of either input",
        r"\max\{\mathrm{core}_k(a), \mathrm{core}_k(b), d(a, b)\}",
        "PACE, equation 2; Campello et al. 2013",
    ),
    Term(
        "min_cluster_size",
        "the fewest inputs that form a cluster; smaller groups stay in the minority space",
        source="PACE, section 4.4 (80 there); Campello et al. 2013",
    ),
    Term(
        "min_samples",
        "k, the neighbor whose distance measures the density at an input; a larger k leaves more inputs outside",
        source="PACE, section 4.4 (4 there); Campello et al. 2013",
    ),
    Term(
        "minority space",
        "the inputs HDBSCAN puts in no cluster (noise): unlike the rest, and often where faults are",
        source="PACE, section 3.2",
    ),
    Term(
        "GLOSH",
        "HDBSCAN's outlier score, from 0 inside a dense group to 1: how much lower the density is at an input than where the "
        "nearest group is densest",
        r"1 - \frac{\lambda(x)}{\lambda_{\max}}, \qquad \lambda = \frac{1}{\text{distance}}",
        "Campello et al. 2015",
    ),
    Term(
        "condensed tree",
        "how clusters split as the required density rises, showing only splits that leave at least min_cluster_size "
        "inputs on both sides",
        r"\lambda = \frac{1}{\text{mutual reachability distance}}",
        "Campello et al. 2013; PACE, section 3.2",
    ),
    Term(
        "MMD-critic",
        "greedy choice of prototypes and criticisms by maximum mean discrepancy, a kernel's distance between two groups",
        r"\mathrm{MMD} = \sup_{f} \left( \mathbb{E}_{P} f(X) - \mathbb{E}_{G} f(Y) \right)",
        "Kim et al. 2016; PACE, equation 4",
    ),
    Term(
        "prototype",
        "an input that represents its cluster: chosen one by one so that the prototypes' mean in the kernel's space comes "
        "closest to the cluster's",
        r"\max_S \; \frac{2}{N \lvert S \rvert} \sum_{i} \sum_{j \in S} k(x_i, x_j) "
        r"- \frac{1}{\lvert S \rvert^2} \sum_{i, j \in S} k(x_i, x_j)",
        "Kim et al. 2016, section 3; PACE, section 3.3",
        ("prototypes",),
    ),
    Term(
        "criticism",
        "an input that the prototypes represent badly: chosen where the witness function is largest, and apart from "
        "each other; under-represented where the cluster holds more inputs like it than the prototypes suggest, else "
        "over-represented",
        r"\max_C \; \sum_{x \in C} \lvert w(x) \rvert + \log \det K_C",
        "Kim et al. 2016, section 3; PACE, section 3.3",
        ("criticisms",),
    ),
    Term(
        "witness function",
        "the difference between the density of the data and that of the prototypes S: above 0 there are too few prototypes",
        r"w(x) = \frac{1}{N} \sum_{i} k(x, x_i) - \frac{1}{\lvert S \rvert} \sum_{j \in S} k(x, x_j)",
        "Kim et al. 2016, section 2",
    ),
    Term(
        "kernel",
        "how similar two inputs are: 1 for equal ones, less the farther apart they are",
        r"k(x, y) = \exp\left(-\gamma \lVert x - y \rVert^2\right)",
        "Kim et al. 2016",
    ),
    Term(
        "FastICA",
        "reduction to fewer dimensions by independent components, those least like Gaussian noise",
        r"\left\{ \mathbb{E}[g(Y)] - \mathbb{E}[g(Y_{\mathrm{Gauss}})] \right\}^2",
        "PACE, equation 3; Hyvärinen and Oja 2000",
    ),
    Term("PCA", "reduction to fewer dimensions by the directions of largest variance", source="Pearson 1901"),
    Term(
        "validity",
        "how much farther apart the clusters are than they are sparse, -1 to 1, from the tree HDBSCAN makes: for comparing "
        "settings on the same features (relative validity, a stand-in for DBCV)",
        r"\frac{1}{N} \sum_C n_C\, \frac{s_C - d_C}{\max(s_C, d_C)}",
        "Moulavi et al. 2014",
    ),
    Term(
        "stability",
        "how far the clusters of samples of 80% of the inputs agree with these: the adjusted Rand index, 1 for the "
        "same groups and about 0 for groups by chance; the smallest and the largest value in brackets",
        source="Hubert and Arabie 1985; Ben-Hur et al. 2002",
    ),
    Term(
        "neighbor map",
        "a map on which inputs that are close in the features are close together (t-SNE); distances between groups, "
        "and their sizes, mean little",
        r"\min \sum_{i \ne j} p_{ij} \ln \frac{p_{ij}}{q_{ij}}",
        "van der Maaten and Hinton 2008; Linderman et al. 2019",
    ),
    Term(
        "neighbors kept",
        "the share of an input's 15 nearest inputs on a map that are among its 15 nearest in the features; 100% would be a "
        "map that can be trusted in every detail",
        source="as a measure: Lee and Verleysen 2009",
    ),
)


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
        "an interval that is valid at the planned number of labels, but not if you stop because it looks narrow",
        r"P(\mathrm{low}_n \le A \le \mathrm{high}_n) \approx 0.95",
        "Wilson 1927, and the score interval for strata and adaptive rounds; docs/intervals.md says which design gets which",
    ),
    Term(
        "always-valid interval",
        "an interval that is valid at every number of labels, so you may watch it and stop whenever you like",
        r"P(\mathrm{low}_n \le A \le \mathrm{high}_n \text{ for all } n) \ge 0.95",
        "Waudby-Smith and Ramdas 2020",
        ("stop-safe interval",),
    ),
    Term(
        "none of these",
        "the answer that an input is of no class that the network knows, with a name if the tester gives one; it makes the "
        "prediction wrong, and a later version that predicts that name right",
        source="this project",
        also=("outside the classes",),
    ),
    Term(
        "known label",
        "a label that was there before the plan: where a design draws it, it counts and nobody is asked; elsewhere it enters "
        "no estimate",
        source="this project",
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
        "can't tell",
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
        "the probability the network gave to its wrong class: low below 50%, moderate to 80%, severe from 80%",
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
        "mean accuracy of the compared models; below 50% a ranking without labels goes wrong",
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


__all__ = ["TERMS", "Term", "glossary", "term"]

TERMS: dict[str, Term] = {
    one.name: one for part in (ESTIMATES, AUXILIARY_VARIABLES, GROUPS, FAULTS, MODELS, TECHNIQUES) for one in part
}
"""Every term by its name."""

_BY_ANY_NAME = {name: one for one in TERMS.values() for name in (one.name, *one.also)}


def term(name: str) -> Term:
    """The term with this name or alias; BadInput where the glossary has none.

    >>> term("stop-safe interval").name
    'always-valid interval'
    """
    try:
        return _BY_ANY_NAME[name]
    except KeyError:
        raise BadInput(
            f"The glossary has no term {name!r:.60}. Use one of its terms, or add it in testimate/core/terms."
        ) from None


def glossary() -> str:
    """The text of docs/glossary.md: the letters, then every term in alphabetical order with meaning, formula and source."""
    lines = [
        "# Glossary",
        "",
        "Generated from `testimate/core/terms.py` by `docs/glossary_page.py`. The screens show the same words.",
        "",
        "Letters on array shapes: **N** inputs, **n** labels, **C** classes, **d** width of a feature, **H** strata, "
        "**M** models. In the formulas of orders (WFDR, SFDR, APFD, ...) **n** is the size of the set and **m** the number of "
        "faults, as in their paper.",
        "",
        "| term | meaning | formula | source |",
        "|---|---|---|---|",
    ]
    for one in sorted(TERMS.values(), key=lambda one: one.name.lower()):
        name = one.name + (f" ({', '.join(one.also)})" if one.also else "")
        formula = f"${one.formula}$" if one.formula else ""
        lines.append(f"| {name} | {one.meaning} | {formula} | {one.source} |")
    return "\n".join(lines) + "\n"
