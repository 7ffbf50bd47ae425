"""The sentence that a surprise adequacy compared with a sample of the references."""

from testimate.core.words import spaced


def sampled_words(count: int, size: int) -> str:
    """That only some references were compared with.

    >>> sampled_words(290, 345)
    'Each input was compared with 290 of 345 reference inputs, drawn at random within each predicted class.'
    """
    return (
        f"Each input was compared with {spaced(count)} of {spaced(size)} reference inputs, drawn at random within each "
        "predicted class."
    )
