"""Files of forecasts: CSV, Parquet, Arrow and JSON lines, read through duckdb."""

from properly.engines._files._read import Files, open_files, read

__all__ = ["Files", "open_files", "read"]
