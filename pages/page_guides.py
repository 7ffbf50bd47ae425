"""What to look at on each page, in the order of the tour, and the terms that stand on it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class PageGuide:
    """One page: its file's name, its title, what to look at in a few sentences, and its terms by name."""

    page: str
    title: str
    look: str
    words: tuple[str, ...]


TOUR = (
    PageGuide(
        "subject",
        "Subject",
        "What is tested: a trained network, and inputs that nobody has labeled. Look at the sample inputs and at the mean "
        "confidence; a network is often surer than it is right. Below, which techniques can be used here.",
        ("operational set", "confidence", "accuracy", "auxiliary variable", "dsa", "lsa", "ORI", "FL", "LHL", "CON"),
    ),
    PageGuide(
        "clusters",
        "Clusters",
        "How the network sees the inputs: near points look alike to it. Point at one, click it, or draw a lasso. Prototypes "
        "stand for a cluster, criticisms are what they leave out. Outside of all clusters lies the minority space; look there "
        "for faults.",
        (
            "cluster",
            "minority space",
            "GLOSH",
            "prototype",
            "criticism",
            "witness function",
            "kernel",
            "MMD-critic",
            "condensed tree",
            "mutual reachability distance",
            "min_cluster_size",
            "min_samples",
            "FastICA",
            "PCA",
        ),
    ),
    PageGuide(
        "strata",
        "Strata",
        "The inputs cut into groups by how likely they are to fail. The last stratum shows what the network finds hard, the "
        "chart how each technique shares out the same number of labels.",
        ("auxiliary variable", "stratum", "Neyman allocation", "css", "ssrs", "rrs", "sups", "srs"),
    ),
    PageGuide(
        "plan",
        "Plan",
        "Say what you want from the labels: the advice names a technique, why, and on what evidence. The chart foretells how "
        "wide the interval will be for your budget. Next starts a session by the first advice, where there is none yet.",
        (
            "budget",
            "seed",
            "stop-safe interval",
            "ordinary interval",
            "half-width",
            "auxiliary variable",
            "inclusion probability",
            "balance",
            "exploit pick",
            "RMSE",
            "rra",
            "rrs",
            "ssrs",
            "sups",
            "deepest",
            "severity-first",
        ),
    ),
    PageGuide(
        "label",
        "Label",
        "Say what each input is, by mouse or by the keys shown on the answers; the network's answer stays hidden until yours "
        "is in. Beside it the accuracy runs along, and a line says when the stop-safe interval is as narrow as you asked.",
        (
            "accuracy",
            "ordinary interval",
            "stop-safe interval",
            "fault",
            "severity",
            "WFDR",
            "SFDR",
            "stratum",
            "exploit pick",
            "cannot tell",
        ),
    ),
    PageGuide(
        "results",
        "Results",
        "What the labels say, in a sentence, and what that rests on. Then the faults, the most severe first, and files to take "
        "away: from the plan and the votes anybody can compute the estimate again.",
        (
            "accuracy",
            "ordinary interval",
            "stop-safe interval",
            "standard error",
            "design",
            "inclusion probability",
            "model-assisted estimate",
            "fault",
            "severity",
            "WFDR",
            "SFDR",
            "Krippendorff's alpha",
            "Cohen's kappa",
            "Fleiss' kappa",
            "Dawid-Skene",
        ),
    ),
    PageGuide(
        "compare",
        "Compare models",
        "Several networks on the same inputs, ranked without a label by whom the others confirm. Read how far to trust the "
        "ranking, then label a few inputs on which the best disagree. It has subjects of its own, which you choose here.",
        (
            "LaF",
            "majority agreement",
            "quality",
            "diversity",
            "Spearman",
            "Kendall",
            "tell-apart",
            "sds",
        ),
    ),
    PageGuide(
        "study",
        "Study",
        "Where the truth is known, techniques side by side: error against labels, failures found, how often intervals hold. "
        "In the race an oracle labels by itself, so that one sees why a mean moves and an interval shrinks.",
        (
            "RMSE",
            "srs",
            "rrs",
            "rra",
            "sups",
            "pace",
            "ordinary interval",
            "stop-safe interval",
            "WFDR",
            "SFDR",
            "APFD",
        ),
    ),
)
"""The pages of the tour."""

DISPUTES = PageGuide(
    "disputes",
    "Disputes",
    "Inputs on which the testers disagree. Your word settles them; what is not settled counts as skipped.",
    ("verdict", "cannot tell", "Krippendorff's alpha"),
)

GUIDES = {guide.page: guide for guide in (*TOUR, DISPUTES)}
"""Every page that has a guide, by its file's name."""
