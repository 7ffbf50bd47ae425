"""Writes docs/glossary.md from the one source of terms; run it after a term was changed."""

from pathlib import Path

from testimate.core.terms import glossary

PAGE = Path(__file__).parent / "glossary.md"

if __name__ == "__main__":
    PAGE.write_text(glossary(), encoding="utf-8")
    print(f"{PAGE.name}: written")
