"""Terms for comparing several models, and for the agreement of several testers."""

from testimate.core.terms.term import Term

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
