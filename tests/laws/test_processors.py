"""No number and no warning depends on the kernel that BLAS picks, or on its threads."""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[2]
KERNELS = {
    "x86_64": ["Haswell", "SkylakeX", "Prescott"],
    "aarch64": ["ARMV8", "NEOVERSEN1", "CORTEXA57"],
}
# As Linux calls them, instructions without which a kernel is no choice.
NEEDED = {"Haswell": "avx2", "SkylakeX": "avx512f"}


def settings() -> list[Any]:
    """Name the variables of the environment under which the same numbers are to come out."""
    kernels = KERNELS.get(platform.machine(), [])
    names = [{"OPENBLAS_NUM_THREADS": "1"}, *({"OPENBLAS_CORETYPE": kernel} for kernel in kernels)]
    return [pytest.param(x, id="=".join(*x.items())) for x in names]


def instructions() -> str:
    """Return what the processor can do, as far as the system tells."""
    about = Path("/proc/cpuinfo")
    return about.read_text(encoding="utf-8") if about.exists() else ""


def computed(script: list[str], folder: Path, **variables: str) -> str:
    """Run a script with warnings as errors; return what it prints."""
    inherited = {name: x for name, x in os.environ.items() if not name.startswith("OPENBLAS_")}
    path = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    run = subprocess.run(  # noqa: S603
        [sys.executable, "-W", "error", *script],
        env=inherited | {"PYTHONPATH": path} | variables,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""
    return run.stdout


def leaves(x: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """Walk through what was read from JSON."""
    if isinstance(x, dict | list):
        for name, entry in x.items() if isinstance(x, dict) else enumerate(x):
            yield from leaves(entry, f"{place}/{name}")
    else:
        yield place, x


# Sums are added up in another order, and limits of bands go through the eigenvectors of a matrix
# that is nearly singular: this multiplies the last bit by some thousands. Numbers are about 1 in
# size, or differences of such.
SAME = 1e-12


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Compute with the kernel and the threads that BLAS picks itself."""
    printed = computed(["-m", "tests.laws.hot_paths"], tmp_path_factory.mktemp("usual"))
    return dict(leaves(json.loads(printed)))


@pytest.mark.slow
@pytest.mark.parametrize("variables", settings())
def test_numbers_do_not_depend_on_the_kernel(
    variables: dict[str, str], usual: dict[str, Any], tmp_path: Path
) -> None:
    needed = NEEDED.get(variables.get("OPENBLAS_CORETYPE", ""), "")
    if needed not in instructions():
        pytest.skip(f"this processor has no {needed}")
    printed = computed(["-m", "tests.laws.hot_paths"], tmp_path, **variables)
    found = dict(leaves(json.loads(printed)))
    assert list(found) == list(usual)
    for place, number in found.items():
        expected = usual[place]
        if isinstance(number, float) and isinstance(expected, float):
            assert math.isclose(number, expected, rel_tol=SAME, abs_tol=SAME), place
        else:
            assert number == expected, place


@pytest.mark.slow
@pytest.mark.parametrize("variables", [{}, {"OPENBLAS_NUM_THREADS": "1"}])
def test_what_the_readme_shows_first_warns_of_nothing(
    variables: dict[str, str], tmp_path: Path
) -> None:
    code = (ROOT / "README.md").read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    script = tmp_path / "ten_lines.py"
    script.write_text(code, encoding="utf-8")
    computed([str(script)], tmp_path, **variables)
    assert (tmp_path / "crash.html").stat().st_size > 100_000


@pytest.mark.slow
def test_the_demonstration_warns_of_nothing(tmp_path: Path) -> None:
    computed(["-m", "properly", "demo", "--output", "report.html"], tmp_path)
    assert (tmp_path / "report.html").stat().st_size > 100_000
