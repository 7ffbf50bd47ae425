"""Terms of clusters and of the inputs that stand for them."""

from testimate.core.terms.term import Term

GROUPS = (
    Term(
        "cluster",
        "inputs that lie densely together in the network's features, with emptier space around them (HDBSCAN)",
        source="Campello et al. 2013; PACE, section 3.2",
    ),
    Term(
        "mutual reachability distance",
        "the distance HDBSCAN works with: at least as far as the k-th nearest neighbour of either input",
        r"\max\{\mathrm{core}_k(a), \mathrm{core}_k(b), d(a, b)\}",
        "PACE, equation 2; Campello et al. 2013",
    ),
    Term(
        "min_cluster_size",
        "fewest inputs that make a cluster; fewer stay in the minority space",
        source="PACE, section 4.4 (80 there); Campello et al. 2013",
    ),
    Term(
        "min_samples",
        "the neighbour whose distance tells how dense a place is, k; a larger one leaves more inputs outside",
        source="PACE, section 4.4 (4 there); Campello et al. 2013",
    ),
    Term(
        "minority space",
        "the inputs HDBSCAN puts in no cluster (noise): unlike the rest, and often where faults are",
        source="PACE, section 3.2",
    ),
    Term(
        "GLOSH",
        "HDBSCAN's outlier score, 0 in the thick of things to 1: how much thinner it is at an input than where the nearest "
        "group is densest",
        r"1 - \frac{\lambda(x)}{\lambda_{\max}}, \qquad \lambda = \frac{1}{\text{distance}}",
        "Campello et al. 2015",
    ),
    Term(
        "condensed tree",
        "how clusters split as the density asked for rises, with only the splits that leave both sides at least "
        "min_cluster_size inputs",
        r"\lambda = \frac{1}{\text{mutual reachability distance}}",
        "Campello et al. 2013; PACE, section 3.2",
    ),
    Term(
        "MMD-critic",
        "greedy choice of prototypes and criticisms by maximum mean discrepancy, how far two groups differ in a kernel's eyes",
        r"\mathrm{MMD} = \sup_{f} \left( \mathbb{E}_{P} f(X) - \mathbb{E}_{G} f(Y) \right)",
        "Kim et al. 2016; PACE, equation 4",
    ),
    Term(
        "prototype",
        "an input that stands for its cluster: chosen one by one so that the prototypes' mean comes closest to the cluster's "
        "in the kernel's space",
        r"\max_S \; \frac{2}{N \lvert S \rvert} \sum_{i} \sum_{j \in S} k(x_i, x_j) "
        r"- \frac{1}{\lvert S \rvert^2} \sum_{i, j \in S} k(x_i, x_j)",
        "Kim et al. 2016, section 3; PACE, section 3.3",
        ("prototypes",),
    ),
    Term(
        "criticism",
        "an input that the prototypes represent badly: where the witness function is largest, criticisms kept apart from each "
        "other; under-represented where the cluster holds more inputs like it than the prototypes say, else over-represented",
        r"\max_C \; \sum_{x \in C} \lvert w(x) \rvert + \log \det K_C",
        "Kim et al. 2016, section 3; PACE, section 3.3",
        ("criticisms",),
    ),
    Term(
        "witness function",
        "where the density of the data and that of the prototypes S differ: above 0 the prototypes say too little",
        r"w(x) = \frac{1}{N} \sum_{i} k(x, x_i) - \frac{1}{\lvert S \rvert} \sum_{j \in S} k(x, x_j)",
        "Kim et al. 2016, section 2",
    ),
    Term(
        "kernel",
        "how alike two inputs are, 1 for equal ones, falling with their distance",
        r"k(x, y) = \exp\left(-\gamma \lVert x - y \rVert^2\right)",
        "Kim et al. 2016",
    ),
    Term(
        "FastICA",
        "fewer dimensions by independent components, those least like normal noise",
        r"\left\{ \mathbb{E}[g(Y)] - \mathbb{E}[g(Y_{\mathrm{Gauss}})] \right\}^2",
        "PACE, equation 3; Hyvärinen and Oja 2000",
    ),
    Term("PCA", "fewer dimensions by the directions of largest variance", source="Pearson 1901"),
)
