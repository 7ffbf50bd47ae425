"""From Python: what `import testimate` costs, and a million rows of a DataFrame from open_subject to the estimate."""

import statistics
import subprocess
import sys
import time

ROWS, BUDGET = 1_000_000, 1_000

IMPORT = "import time; begun = time.perf_counter(); import testimate; print(time.perf_counter() - begun)"


def main() -> None:
    """Prints the table."""
    print("## From Python\n")
    print(f"Wall seconds, each in a process of its own; {BUDGET:,} labels.\n")
    print("| what | seconds | target |\n|---|---:|---:|")
    print(
        f"| import testimate, median of 9 | {statistics.median(_printed('-c', IMPORT) for _ in range(9)):.4f} | 0.02 |"
    )
    million = _printed("-m", "benchmarks.python_verbs")
    print(f"| {ROWS:,} rows of a DataFrame through open_subject, select and estimate | {million:.1f} | 10 |")


def _printed(*arguments: str) -> float:
    """The number that a Python with these arguments prints last."""
    run = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)
    return float(run.stdout.split()[-1])


def million_rows() -> float:
    """Seconds from the DataFrame, of words and confidences, to the interval."""
    import numpy as np
    import pandas as pd

    from testimate import estimate, open_subject, select

    rng = np.random.default_rng(0)
    kinds = np.array([f"kind {place}" for place in range(50)])
    said, truth = rng.integers(0, 50, (2, ROWS))
    confidence = rng.beta(6, 2, ROWS)
    truth = np.where(rng.random(ROWS) < confidence, said, truth)
    frame = pd.DataFrame({"prediction": kinds[said], "confidence": confidence})
    begun = time.perf_counter()
    subject = open_subject(frame)
    plan = select(subject, budget=BUDGET, seed=1)
    found = estimate(plan, {row: kinds[truth[row]] for row in plan.rows}, subject=subject)
    seconds = time.perf_counter() - begun
    assert found.low is not None
    return seconds


if __name__ == "__main__":
    print(million_rows())
