"""Every package has a reviewed license, and the document names it."""

import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


def test_the_document_is_what_the_pins_say():
    done = subprocess.run([sys.executable, CHECKOUT / "Scripts/dependencies.py", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
