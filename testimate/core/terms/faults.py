"""Terms of faults, their severity, and how well an order finds them; m faults among n inputs, as in the paper."""

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
        "weighted fault detection ratio, 0 to 1: the faults found in the order labeled, each weighed by how hard to find "
        "it was by then; 1 where all m come first",
        r"\frac{\displaystyle \sum_{i=1}^{m} f(x_i) \left[1 - \frac{m - d_{i-1}}{n - (i - 1)}\right]}"
        r"{\displaystyle \sum_{i=1}^{m} \frac{n - m}{n - i + 1}}",
        f"{_PAPER}, equations 4 to 6",
    ),
    Term(
        "SFDR",
        "severe fault detection rate, 0 to 1: whether the order labeled shows the severe faults first; a right input on the "
        "way halves its step (gamma 0.5)",
        r"\frac{1}{m} \sum_{i=1}^{m} \gamma^{f(x_i)} \, \frac{\lvert A_{[0:i]} \cap B_{[0:i]} \rvert}{i}",
        f"{_PAPER}, equation 7",
    ),
    Term(
        "FDRO",
        "fault detection ratio: the faults found over the faults there are, with as many labels as faults",
        r"\frac{d_m}{m}",
        f"{_PAPER}, section II.B",
    ),
    Term(
        "APFD",
        "average percentage of faults detected: how early an order of all inputs shows the faults, whatever the "
        "budget; it flatters",
        r"1 - \frac{\sum_{i=1}^{m} TF_i}{m n} + \frac{1}{2 n}",
        f"{_PAPER}, equation 1",
    ),
    Term(
        "RAUC",
        "area under the curve of faults found, over that of the ideal order",
        r"\frac{\sum_{i=1}^{m} \text{practical}_i}{\sum_{i=1}^{m} \text{ideal}_i}",
        f"{_PAPER}, equation 2",
    ),
    Term(
        "ATRC",
        "average test relative coverage: the share found of what could have been found, averaged over the steps",
        r"\frac{1}{m} \sum_{i=1}^{m} \frac{d_i}{\min(i, m)}",
        f"{_PAPER}, equation 3",
    ),
)
