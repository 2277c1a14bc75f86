"""Pictures are written whole or not at all, and named in a way that a terminal can show."""

from __future__ import annotations

from pathlib import Path

import pytest
from reproductions.reproduction import prepare, save_all

from properly.errors import DataError
from properly.plots._axes import new_figure


def test_a_picture_that_cannot_be_drawn_leaves_no_debris(tmp_path: Path) -> None:
    def fail() -> None:
        message = "no ink"
        raise OSError(message)

    with pytest.raises(OSError, match="no ink"):
        save_all({"figure2": fail}, tmp_path, lambda _: None)  # type: ignore[dict-item]
    assert list(tmp_path.iterdir()) == []


def test_a_folder_is_made_with_its_pictures_or_not_at_all(tmp_path: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    folder = prepare(tmp_path / "new" / "figures")
    draw = {"figure1": lambda: new_figure(2, 2)}
    with pytest.raises(KeyboardInterrupt):
        save_all({**draw, "figure2": interrupt}, folder, lambda _: None)  # type: ignore[dict-item]
    assert list(tmp_path.iterdir()) == []
    assert save_all(draw, folder, lambda _: None) == (folder / "figure1.png",)


def test_a_picture_that_cannot_be_written_leaves_the_old_one_and_no_debris(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = tmp_path / "figure1.png"
    old.write_text("old", encoding="utf-8")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(DataError, match="there is no room left on the disk"):
        save_all({"figure1": lambda: new_figure(2, 2)}, tmp_path, lambda _: None)
    assert [(path.name, path.read_text(encoding="utf-8")) for path in tmp_path.iterdir()] == [
        ("figure1.png", "old")
    ]
