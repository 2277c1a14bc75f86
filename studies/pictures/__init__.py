"""The pictures of the README and of the documentation."""
