"""Terms for choosing inputs: auxiliary variables, which predict failure, groups of inputs, and the techniques by name."""

from testimate.core.terms.term import Term

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
        "the distance HDBSCAN works with: at least the distance to the k-th nearest neighbour of either input",
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
        "k, the neighbour whose distance measures the density at an input; a larger k leaves more inputs outside",
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
        "how far the clusters of samples of 80 % of the inputs agree with these: the adjusted Rand index, 1 for the "
        "same groups and about 0 for groups by chance; the smallest and the largest value in brackets",
        source="Hubert and Arabie 1985; Ben-Hur et al. 2002",
    ),
    Term(
        "neighbour map",
        "a map on which inputs that are close in the features are close together (t-SNE); distances between groups, "
        "and their sizes, mean little",
        r"\min \sum_{i \ne j} p_{ij} \ln \frac{p_{ij}}{q_{ij}}",
        "van der Maaten and Hinton 2008; Linderman et al. 2019",
    ),
    Term(
        "neighbours kept",
        "the share of an input's 15 nearest inputs on a map that are among its 15 nearest in the features; 100 % would be a "
        "map that can be trusted in every detail",
        source="as a measure: Lee and Verleysen 2009",
    ),
)
