"""Names that come from a model or a dataset, made safe to be shown: Plotly renders some HTML in every text."""

import html


def safe_text(name: object, *, limit: int = 40) -> str:
    """The name as Plotly shows it letter for letter, shortened to ``limit`` characters.

    Plotly takes ``<b>``, ``<a href=...>`` and the like for markup, ``$...$`` for a formula and ``%{...}`` in a hover
    template for a variable; here they all stay plain text. Quotes need no escape, as no text becomes an attribute.

    >>> safe_text("<b>cat</b> & $dog$")
    '&lt;b&gt;cat&lt;/b&gt; &amp; &#36;dog&#36;'
    >>> safe_text("%{y}")
    '%&#123;y}'
    """
    text = " ".join(str(name).split())
    if len(text) > limit:
        text = text[: limit - 1] + "…"
    return html.escape(text, quote=False).replace("$", "&#36;").replace("%{", "%&#123;")
