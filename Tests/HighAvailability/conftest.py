import os
import sys
import tempfile
from pathlib import Path

import pytest

# Uses Load and recount of the fault tests.
sys.path.append(str(Path(__file__).resolve().parent.parent / "Faults"))


@pytest.fixture(scope="session")
def pseudonym_key():
    """The key of all servers that share a database, so that each computes the same pseudonyms."""
    return os.urandom(32).hex()


@pytest.fixture
def open_folder():
    """A folder that the account of PostgreSQL can access; pytest's own folders are closed to others."""
    with tempfile.TemporaryDirectory(prefix="ringfence-growing-") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)
