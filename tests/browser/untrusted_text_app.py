"""Shows hostile texts in every kind of Streamlit element that reads Markdown; started by the browser tests.

``?raw=1`` shows them unescaped.
"""

import streamlit as st

from testimate.ui.components.untrusted_text import escape_markdown

HOSTILE = [
    "![picture](https://evil.example/leak.png)",
    "[link](https://evil.example) and <https://evil.example> and https://evil.example/a_b_c",
    "www.evil.example and mail@evil.example and http://127.0.0.1/x",
    "<img src=https://evil.example/x.png onerror=alert(1)><script>alert(1)</script><b>bold</b>",
    ":red[red] :blue-background[blue] :green-badge[badge] :small[small] :rainbow[many]",
    "$x^2$ and $$y^2$$ and \\(z\\) and \\[w\\]",
    ":smile: :+1: :material/delete: :streamlit: a:smile:b",
    "# heading",
    "- item",
    "1. item",
    "1) item",
    "> quote",
    "---",
    "    indented code",
    "a -> b <- c <-> d -- e >= f <= g ~= h",
    "*em* **strong** _em_ __strong__ ~~gone~~ `code` ``` fence",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "[^1] footnote\n\n[^1]: note",
    "[reference]\n\n[reference]: https://evil.example",
    "&lt;b&gt; &amp; &#58;smile&#58;",
    "12:30:45, 50%, C:\\Users\\x, snake_case_name, a*b*c",
    "two\nlines\twith tabs",
    "\\",
]


def main() -> None:
    raw = "raw" in st.query_params
    for place, text in enumerate(HOSTILE):
        safe = text if raw else escape_markdown(text)
        with st.container(key=f"text-{place}"):
            st.markdown(safe)
            st.caption(safe)
            st.button(safe, key=f"button {place}")
            st.error(f"Input 3: {safe}")
            st.checkbox(safe, key=f"box {place}")


if __name__ == "__main__":
    main()
