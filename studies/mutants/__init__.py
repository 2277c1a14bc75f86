"""Small mistakes are made in the arithmetic, one at a time, to see which of them tests notice."""
