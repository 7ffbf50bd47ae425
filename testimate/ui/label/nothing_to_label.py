"""What a team's tester with nothing to label reads: who is on what, what waits for a lead, or that it is finished."""

from testimate.core.words import counted, spaced
from testimate.session.next_inputs import StillOpen

CHOOSING = "The next inputs are being chosen…"
DONE = "All inputs of the plan have been answered."


def standstill_words(left: StillOpen) -> str:
    """The sentence for what is left.

    >>> standstill_words(StillOpen(disputes=7, held=0, holders=0, answered=0, to_draw=40))
    'Stopped: 7 disputes wait for a lead.'
    >>> standstill_words(StillOpen(disputes=1, held=6, holders=2, answered=0, to_draw=0))
    '2 testers are on the last 6 inputs. What they give back comes to you.'
    >>> standstill_words(StillOpen(disputes=0, held=1, holders=1, answered=0, to_draw=0))
    'You are done: 1 tester is on the last input.'
    >>> standstill_words(StillOpen(disputes=1, held=0, holders=0, answered=3, to_draw=0))
    'You are done: 3 inputs need another tester; 1 dispute waits for a lead.'
    """
    waits = f"{counted(left.disputes, 'dispute')} {'waits' if left.disputes == 1 else 'wait'} for a lead"
    need = f"{counted(left.answered, 'input')} {'needs' if left.answered == 1 else 'need'} another tester"
    who = f"{counted(left.holders, 'tester')} {'is' if left.holders == 1 else 'are'}"
    on = f"{who} on the last {'input' if left.held == 1 else f'{spaced(left.held)} inputs'}"
    if left.over:
        parts = ((left.held, on), (left.answered, need), (left.disputes, waits))
        open_ones = [words for number, words in parts if number]
        return f"You are done: {'; '.join(open_ones)}." if open_ones else DONE
    if left.held:
        return f"{on}. {'The next are drawn after them.' if left.to_draw else 'What they give back comes to you.'}"
    if left.answered:
        return f"Waiting: {need} before the next are drawn."
    return f"Stopped: {waits}." if left.disputes else CHOOSING
