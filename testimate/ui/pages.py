"""The pages of the app, in one table: their addresses and titles, who may see them, and the help that each one has.

The entry, the server, the tour and every button that leads to a page read it. It imports nothing heavy, for the server reads
it before anything else.
"""

from dataclasses import dataclass
from typing import Literal

Audience = Literal["everyone", "leads", "leads of a team"]


@dataclass(frozen=True)
class Page:
    """One page.

    Attributes
    ----------
    address : below the server's own; also the name of the page's file.
    icon : one of Streamlit's Material symbols.
    help : what to look at here, in a few sentences.
    terms : the glossary's terms that occur on the page.
    audience : who may open it; a person who works without a team is the lead.
    """

    address: str
    title: str
    icon: str
    help: str
    terms: tuple[str, ...]
    audience: Audience = "leads"

    @property
    def file(self) -> str:
        """Where the page is, as Streamlit's navigation names it."""
        return f"pages/{self.address}.py"


SUBJECT = Page(
    "subject",
    "Subject",
    ":material/folder_open:",
    "What is tested: a trained network, and inputs that nobody has labeled. Look at the sample inputs and the "
    "mean confidence; networks are often more confident than accurate. Further down: which techniques can be used here.",
    ("operational set", "confidence", "accuracy", "auxiliary variable", "dsa", "lsa", "ORI", "FL", "LHL", "CON"),
)

CLUSTERS = Page(
    "clusters",
    "Clusters",
    ":material/bubble_chart:",
    "How the network sees the inputs: the map settles so that neighbours lie together, and what lies together looks alike "
    "to it. Point at one, click it, or draw a lasso. Prototypes represent a cluster, criticisms are what they leave out. "
    "Inputs in no cluster are the minority space; look there for faults.",
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
        "validity",
        "stability",
        "neighbour map",
        "neighbours kept",
        "FastICA",
        "PCA",
    ),
)

STRATA = Page(
    "strata",
    "Strata",
    ":material/stacked_bar_chart:",
    "The inputs divided into groups by how likely they are to fail. The last stratum shows what the network finds "
    "hard, and the chart shows how each technique spends the same number of labels.",
    ("auxiliary variable", "stratum", "Neyman allocation", "css", "ssrs", "rrs", "sups", "srs"),
)

PLAN = Page(
    "plan",
    "Plan",
    ":material/checklist:",
    "Say what you want from the labels: the advice names a technique, with reasons and evidence. The chart "
    "predicts how wide the interval will be for your budget. If there is no session yet, Next starts one as "
    "advised.",
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
)

LABEL = Page(
    "label",
    "Label",
    ":material/label:",
    "Say what each input is, by mouse or by the keys shown on the answers; the network's answer stays hidden "
    "until yours is in. The accuracy is updated beside it, and a line says when the stop-safe interval is as "
    "narrow as you asked.",
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
    audience="everyone",
)

RESULTS = Page(
    "results",
    "Results",
    ":material/monitoring:",
    "What the labels say, in a sentence, and what it rests on. Then the faults, the most severe first, and "
    "downloads: from the plan and the votes anybody can compute the estimate again.",
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
)

VERSIONS = Page(
    "versions",
    "Versions",
    ":material/history:",
    "One model after another on the same inputs, all judged by the same labels: a label says what an input is, whichever "
    "model is asked. Look at the difference to the version before, and at what got worse. A few more labels where they help "
    "most make either number more exact.",
    (
        "accuracy",
        "ordinary interval",
        "stop-safe interval",
        "standard error",
        "model-assisted estimate",
        "top-up",
    ),
)

COMPARE = Page(
    "compare",
    "Compare models",
    ":material/balance:",
    "Several networks on the same inputs, ranked without labels by how far the others confirm them. Read how far "
    "to trust the ranking, then label a few inputs on which the best ones disagree. This page has its own "
    "subjects; choose one here.",
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
)

STUDY = Page(
    "study",
    "Study",
    ":material/school:",
    "Techniques side by side where the truth is known: error against labels, failures found, how often intervals "
    "hold. In the race the known truth does the labeling, so you can see why a mean moves and an interval shrinks.",
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
)

TEAM = Page(
    "team",
    "Team",
    ":material/groups:",
    "Who labels, how fast, how well others agree with them, and what is before them now. Pause somebody, give their "
    "inputs to others, say who labels which session, write instructions, or tell everybody something.",
    ("verdict", "Krippendorff's alpha"),
    audience="leads of a team",
)

DISPUTES = Page(
    "disputes",
    "Disputes",
    ":material/gavel:",
    "Inputs on which the testers disagree. Your answer settles them; until then they count as unanswered.",
    ("verdict", "cannot tell", "Krippendorff's alpha"),
    audience="leads of a team",
)

PAGES = (SUBJECT, CLUSTERS, STRATA, PLAN, LABEL, RESULTS, DISPUTES, TEAM, VERSIONS, COMPARE, STUDY)
"""Every page, in the order of the navigation."""

TOUR = tuple(page for page in PAGES if page.audience != "leads of a team")
"""The pages of the guided tour, in its order."""
