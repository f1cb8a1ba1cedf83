import os
import sys
import tempfile
from pathlib import Path

import pytest

# Load and recount are those of the faults' tests.
sys.path.append(str(Path(__file__).resolve().parent.parent / "Faults"))


@pytest.fixture(scope="session")
def pseudonym_key():
    """Of all servers that share a database: reporters are the same people to each."""
    return os.urandom(32).hex()


@pytest.fixture
def open_folder():
    """A folder that the account of PostgreSQL can get through to; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory(prefix="ringfence-growing-") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)
