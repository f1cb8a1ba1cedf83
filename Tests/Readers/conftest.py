"""The classes of Clients/android and of its tests."""
import shutil
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
ANDROID = CHECKOUT / "Clients/android"
# Runs of seconds do not gain by the optimizing compiler.
SHORT = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")


@pytest.fixture(scope="session")
def classes(tmp_path_factory):
    """A class path: core, stubs, Android part, tests and example."""
    assert shutil.which("javac"), "There is no javac. Run Scripts/install-dependencies test, or install a JDK of version 17 or later."
    folder = tmp_path_factory.mktemp("classes")

    def compile(*folders):
        sources = [file for name in folders for file in (ANDROID / name).rglob("*.java")]
        subprocess.run(["javac", *(f"-J{option}" for option in SHORT), "--release", "11", "-encoding", "UTF-8", "-Xlint:all", "-Werror", "-cp", folder, "-d", folder, *sources],
                       check=True, timeout=120)

    # The core first and alone, so that it cannot use Android; then the library, which cannot use a class of its tests.
    compile("core/src")
    shutil.copy(CHECKOUT / "Resources/NumberingPlans/plans.txt", folder / "ringfence/numbers")
    compile("stubs", "android/src")
    compile("test", "example")
    return folder


@pytest.fixture(scope="session")
def java(classes, tmp_path_factory):
    """Runs a class, and returns what the run gave."""
    temporary = tmp_path_factory.mktemp("java")

    def run(program, *arguments, options=SHORT, **more):
        return subprocess.run(
            ["java", *options, f"-Djava.io.tmpdir={temporary}", "-cp", classes, program, *map(str, arguments)], capture_output=True,
            timeout=120, **more)

    return run
