"""Directories, regions and recipes on the command line."""

import gzip
import os
import re
import signal
import subprocess

import pytest

from ringfence_server import BINARY, CHECKOUT, environment
from test_commands import run


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("directory") / "data"


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    path = tmp_path_factory.mktemp("names") / "names.tsv"
    run("simulate", "directory", "--seed", 3, "--rows", 5_000, "--out", path)
    return path


def test_a_directory_goes_in_and_is_replaced(directory, data, tmp_path):
    rejects = tmp_path / "rejects"
    said = run("import", "directory", directory, "--source", "sim", "--region", "US", "--rejects", rejects,
               "--data", data).stdout
    assert "5,000 rows in" in said and "replaced: 0" in said and "had several names" in said
    assert rejects.read_text().splitlines()[0].split("\t")[1] == "not_a_number"

    small = tmp_path / "small.csv.gz"
    small.write_bytes(gzip.compress(b"phone,name\n212-555-0123,Zo\xc3\xa9\n"))
    said = run("import", "directory", small, "--source", "sim", "--region", "US", "--data", data).stdout
    assert "1 entry stored; replaced: 4," in said or "1 entry stored; replaced: 5," in said


def test_what_cannot_be_read_says_why(data, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("nombre,numero\nx,1\n")
    failed = run("import", "directory", bad, "--source", "x", "--data", data, code=1)
    assert "no column “phone”" in failed.stderr
    run("import", "directory", bad, "--source", "x", "--region", "ZZZ", "--data", data, code=2)


def test_regions_are_loaded_listed_and_found(directory, data):
    run("import", "directory", directory, "--source", "regions", "--region", "US", "--data", data)
    said = run("regions", "load", CHECKOUT / "Resources/regions-us.tsv", "--data", data).stdout
    assert int(said.split()[0]) >= 108 and "packs of other names" in said
    assert run("regions", "of", "+1 646 555 0123", "--data", data).stdout == "us-212\n"
    assert run("regions", "of", "+33 1 99 00 02 48", "--data", data).stdout == "FR\n"
    assert "us-212\t1212 1332 1646 1917\tManhattan, New York\n" in run("regions", "list", "--data", data).stdout


def test_recipes_are_checked_with_their_lines(tmp_path):
    assert "There is no database in" in run("recipes", "show", "--data", tmp_path, code=3).stderr
    # Simulates a data folder.
    (tmp_path / "postgresql/data").mkdir(parents=True)
    (tmp_path / "postgresql/data/PG_VERSION").write_text("15\n")
    assert "blocklist" in run("recipes", "show", "--data", tmp_path).stdout
    bad = tmp_path / "recipes.yaml"
    bad.write_text("recipes:\n  - name: a\n    kind: blocking\n    top: 16777217\n")
    assert f"{bad}:4: top must be 1 to 16777216" in run("recipes", "check", bad, code=1).stderr
    # The data folder's own file is used, even if it is wrong.
    run("recipes", "show", "--data", tmp_path, code=1)
    # An explicit file needs no data folder.
    named = run("recipes", "show", "--data", tmp_path / "none", "--recipes", CHECKOUT / "Resources/recipes.yaml")
    assert "blocklist" in named.stdout
    run("recipes", "check", tmp_path / "missing.yaml", code=3)


def test_a_killed_import_leaves_all_old_names_or_all_new_ones(data, tmp_path):
    small = tmp_path / "small.csv"
    small.write_text("phone,name\n212-555-0123,One\n")
    large = tmp_path / "large.tsv"
    run("simulate", "directory", "--rows", 20_000, "--out", large)
    import_directory = ["import", "directory", "--source", "killed", "--region", "US", "--data", data]

    def replaced(path):
        said = run(*import_directory, path).stdout
        return re.search(r"replaced: ([\d,]+)\n", said)[1]

    run(*import_directory, large)
    new = replaced(small)
    assert int(new.replace(",", "")) > 19_500
    for moment in (0.4, 0.9, 1.5):
        process = subprocess.Popen(
            [BINARY, *import_directory, large], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment())
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
        # A kill after the commit leaves the new names.
        assert replaced(small) in ({new} if process.returncode == 0 else {"1", new})
