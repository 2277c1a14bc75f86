"""Our numbers beside those of other libraries."""
