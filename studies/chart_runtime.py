"""Write what draws the charts of a page: Vega, Vega-Lite and Vega-Embed in one script.

vl-convert bundles them, which takes three seconds and 78 MB; the script is therefore kept beside
the page. ``python -m studies.chart_runtime`` writes it again. Licences are those of the packages
of the same versions.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import vl_convert

import properly

# Its types leave out the version, and that a bundle needs no code besides.
CONVERTER: Any = vl_convert

PATH = Path(properly.__file__).parent / "report" / "vega.js"


def runtime() -> str:
    """Bundle the script, below a line that says what it is."""
    lite = CONVERTER.get_vegalite_versions()[-1]
    versions = (
        f"Vega {CONVERTER.get_vega_version()}, Vega-Lite {lite}, Vega-Embed "
        f"{CONVERTER.get_vega_embed_version()}, bundled by vl-convert {CONVERTER.__version__}"
    )
    return f"/* {versions}; licences: vega.LICENSES.txt */\n{CONVERTER.javascript_bundle()}"


if __name__ == "__main__":
    PATH.write_text(runtime(), encoding="utf-8")
