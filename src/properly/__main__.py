"""``python -m properly`` is the command ``properly``."""

from properly.cli import main

if __name__ == "__main__":
    main()
