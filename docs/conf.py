"""How the documentation is built: ``make docs``. Nothing is fetched from elsewhere."""

from __future__ import annotations

import properly
from properly import rules

project = "properly"
author = "the properly developers"
project_copyright = author
version = release = properly.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "myst_parser",
    "sphinx_copybutton",
]
exclude_patterns = ["_build"]
templates_path = ["_templates"]
default_role = "autolink"

autosummary_generate = True
# A function and the class it returns differ by a capital only, which some file systems ignore.
autosummary_filename_map = {
    "properly.Reliability": "properly.Reliability-class",
    "properly.Tally": "properly.Tally-class",
    "properly.datasets.Crash": "properly.datasets.Crash-class",
}
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False

myst_enable_extensions = ["attrs_block", "colon_fence", "deflist", "dollarmath", "substitution"]
myst_heading_anchors = 3
copybutton_exclude = ".linenos, .gp, .go"

html_theme = "pydata_sphinx_theme"
html_title = "properly"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "vs",
}
# Only the reference has pages below pages; elsewhere the sidebar would be empty.
html_sidebars: dict[str, list[str]] = {
    "index": [],
    "how-it-works": [],
    "conventions": [],
    "example-data": [],
    "benchmarks": [],
    "contributing": [],
    "changelog": [],
}


def facts_of_rules() -> str:
    """Lay out what rules say of themselves, so that the page cannot disagree with the code."""
    examples = (
        rules.Brier(),
        rules.Log(),
        rules.Spherical(),
        rules.Misclassification(),
        rules.Elementary(0.1),
        rules.Bounded(rules.Brier(), (0.05, 0.2)),
        rules.Bounded(rules.Log(), (0.05, 0.2)),
        rules.Mixture([(1, rules.Brier()), (0.5, rules.Elementary(0.1))]),
    )
    lines = ["| rule | propriety | losses | name in tables |", "| --- | --- | --- | --- |"]
    for rule in examples:
        losses = f"0 to {rule.range[1]:.4g}".replace("inf", "∞").replace(" ", "&nbsp;")
        lines.append(f"| `{rule}` | {rule.propriety.value} | {losses} | `{rule.name}` |")
    return "\n".join(lines)


myst_substitutions = {"facts_of_rules": facts_of_rules()}
