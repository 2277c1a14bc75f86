"""Run the notebooks of the documentation, each in a fresh kernel: ``make notebooks``."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "notebooks"
# What a kernel says of itself differs from one machine to the next.
METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "file_extension": ".py", "pygments_lexer": "ipython3"},
}


def read(path: Path) -> Any:
    """Read a notebook as it is stored."""
    return nbformat.read(path, as_version=4)


def executed(path: Path) -> Any:
    """Run all cells of a notebook in order, in a folder that is then removed."""
    notebook = read(path)
    with TemporaryDirectory() as folder:
        # What is printed comes in pieces, as the clock has it: they are put together.
        options = {"timeout": 300, "record_timing": False, "coalesce_streams": True}
        NotebookClient(notebook, resources={"metadata": {"path": folder}}, **options).execute()
    notebook.metadata = nbformat.from_dict(METADATA)
    return notebook


def texts(notebook: Any) -> list[str]:
    """Return what each cell of code printed and showed, a picture as the word for it."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return ["".join(_text(output) for output in cell.outputs) for cell in cells]


def _text(output: Any) -> str:
    if output.output_type == "stream":
        return f"{output.name}: {output.text}"
    if output.output_type == "error":
        return f"error: {output.ename}"
    return "picture\n" if "image/png" in output.data else f"{output.data['text/plain']}\n"


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.ipynb")):
        nbformat.write(executed(path), path)
