"""Terms for clusters and the inputs that represent them."""

from testimate.core.terms.term import Term

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
)
