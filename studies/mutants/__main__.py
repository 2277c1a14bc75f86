"""``python -m studies.mutants``: make small mistakes, and see which of them tests notice."""

import os
import sys

# Set before anything is loaded: a process with threads of its own cannot be forked.
os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

if __name__ == "__main__":
    from studies.mutants.run import main

    sys.exit(main())
