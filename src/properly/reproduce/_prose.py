"""Sentences for a terminal."""

from __future__ import annotations

import textwrap

WIDTH = 96


def prose(*sentences: str) -> str:
    """Fill lines with sentences, whatever numbers they contain."""
    return textwrap.fill(" ".join(sentences), WIDTH, break_on_hyphens=False)
