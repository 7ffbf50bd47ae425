"""Terms for auxiliary variables: numbers that predict whether the network fails on an input."""

from testimate.core.terms.term import Term

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
