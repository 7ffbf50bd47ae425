"""Writes docs/how-to/notebook.ipynb from the page of that name; run it after the page was changed."""

import json
import re
from pathlib import Path

PAGE = Path(__file__).parent / "how-to" / "notebook.md"
FILE = PAGE.with_suffix(".ipynb")
CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)


def notebook(page: str) -> str:
    """The page as a notebook: its Python blocks are the cells with code, what stands between them the others."""
    parts = CODE.split(re.sub(r"This page is also\n.*?\n\n", "\n\n", page, count=1, flags=re.DOTALL))
    cells = []
    for number, part in enumerate(parts):
        text = re.sub(r"\]\(\.\./[^)]*\)", "]", part).strip()
        lines = text.splitlines(keepends=True)
        if number % 2:
            code = {"cell_type": "code", "execution_count": None, "outputs": []}
            cells.append({**code, "id": f"cell-{number}", "metadata": {}, "source": lines})
        elif text:
            cells.append({"cell_type": "markdown", "id": f"cell-{number}", "metadata": {}, "source": lines})
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    record = {"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(notebook(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    print(f"{FILE.name}: written")
