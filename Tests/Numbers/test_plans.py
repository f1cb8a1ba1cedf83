"""The files of the numbering plans are those that the pinned package gives."""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RESOURCE = ROOT / "Resources/NumberingPlans/plans.txt"
SOURCE = ROOT / "Sources/PhoneNumbers/BuiltInPlans.swift"
SCRIPT = ROOT / "Scripts/make-numbering-plans"


def test_the_plans_are_made_again(tmp_path):
    made = [tmp_path / "plans.txt", tmp_path / "BuiltInPlans.swift"]
    subprocess.run([sys.executable, SCRIPT, *made], check=True)
    for file, kept in zip(made, (RESOURCE, SOURCE), strict=True):
        assert file.read_bytes() == kept.read_bytes(), f"{kept} differs; run {SCRIPT}"
    assert RESOURCE.stat().st_size <= 150_000


def test_the_version_is_pinned():
    version = RESOURCE.read_text(encoding="utf-8").split()[2]
    assert f"phonenumbers=={version}\n" in (ROOT / "Tests/requirements.txt").read_text()
