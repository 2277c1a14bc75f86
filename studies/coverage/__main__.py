"""``python -m studies.coverage``: simulate coverage, or write the page about it."""

import sys

from studies.coverage.study import main

if __name__ == "__main__":
    sys.exit(main())
