"""One Spark for all tests that need one; it takes seconds to start, and a process has only one."""

from __future__ import annotations

import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

# A machine of Java that runs for seconds is quickest if it compiles little.
SWIFT = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def require_java() -> None:
    """Skip where there is no Java, which pip does not install."""
    home = os.environ.get("JAVA_HOME")
    if shutil.which("java" if home is None else os.path.join(home, "bin", "java")) is None:  # noqa: PTH118
        pytest.skip("Spark needs Java 17 or later, which is not installed")


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """Start Spark on two cores of this machine."""
    reason = "pyspark is not installed; `make test-integrations` installs it"
    with warnings.catch_warnings():
        # It says that it does not know pandas 3 yet, and leaves a pipe to Java open.
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", ResourceWarning)
        sql = pytest.importorskip("pyspark.sql", reason=reason)
        require_java()
        os.environ["PYSPARK_PYTHON"] = sys.executable
        settings = {
            "spark.driver.extraJavaOptions": SWIFT,
            "spark.ui.enabled": "false",
            "spark.ui.showConsoleProgress": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": "2",
            "spark.log.level": "OFF",
        }
        session = sql.SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    yield session
    session.stop()
