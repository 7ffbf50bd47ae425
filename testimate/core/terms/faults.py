"""Terms for faults, their severity, and how well an order finds them; m faults among n inputs, as in the paper."""

from testimate.core.terms.term import Term

_PAPER = "WFDR / SFDR paper (Al-Qadasi et al. 2023)"

FAULTS = (
    Term(
        "fault",
        "an input the network gets wrong; for a regression one it misses by more than the tolerance",
        source=f"{_PAPER}, section II",
        also=("failure", "faults"),
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
