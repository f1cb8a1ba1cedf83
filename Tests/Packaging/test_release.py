"""The files of a release: two runs write the same bytes, and the bills name everything that the programs contain."""

import fnmatch
import json
import os
import re
import shutil
import subprocess
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from ringfence_server import BINARY, CHECKOUT

PROGRAMS = [Path(BINARY), Path(BINARY).with_name("ringfence-packs")]
PYTHON = CHECKOUT / ".build/python"
PACKAGE = (CHECKOUT / "Package.swift").read_text()
NEEDED_BY_TOOL = {*re.findall(r'tool\("\w+", "([\w-]+)"\)', PACKAGE), "swift-crypto"}
NEEDED_BY_SERVER = {name.lower() for name in re.findall(r'= server\("\w+", "([\w-]+)"\)', PACKAGE)} | NEEDED_BY_TOOL
VALIDATION = """import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
sys.exit(JsonStrictValidator(SchemaVersion.V1_6).validate_str(sys.stdin.read()) and "not valid")"""


def output(*command):
    return subprocess.run(command, cwd=CHECKOUT, check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    """Two folders with the files of a release. The accounts that made them differ in their time zone and in the rights of new files."""
    subprocess.run([CHECKOUT / "Scripts/prepare-python", PYTHON, "Packaging/requirements.txt"], check=True)
    packages = tmp_path_factory.mktemp("packages") / "packages.json"
    packages.write_text(output("swift", "package", "--scratch-path", Path(BINARY).parents[1], "show-dependencies", "--format", "json"))

    def make(folder, zone, umask):
        # The server's archive has the tool in its place, which is smaller.
        for command in (["make-bill-of-materials", packages, folder, *PROGRAMS], ["make-archive", PROGRAMS[1], folder],
                        ["make-tool-archive", PROGRAMS[1], folder], ["make-source-archives", folder, "--without-documentation"]):
            python = [PYTHON / "bin/python"] if command[0] == "make-bill-of-materials" else []
            done = subprocess.run([*python, CHECKOUT / "Scripts" / command[0], *command[1:]], capture_output=True, text=True, umask=umask,
                                  env={**os.environ, "TZ": zone, "XZ_OPT": "-0"})
            assert done.returncode == 0, done.stdout + done.stderr
        return {file.name: file for file in folder.iterdir()}
    with ThreadPoolExecutor() as pool:
        folders = [tmp_path_factory.mktemp(name) for name in ("first", "second")]
        return list(pool.map(make, folders, ["UTC", "Asia/Tokyo"], [0o022, 0o077]))


def names(file):
    with tarfile.open(file) as archive:
        return {member.name for member in archive if not member.isdir()}


def test_two_runs_write_the_same_bytes(releases):
    first, second = releases
    assert len(first) == 7 and first.keys() == second.keys()
    assert [name for name in first if first[name].read_bytes() != second[name].read_bytes()] == []


def test_the_archives_have_the_commit(releases):
    files = {end: names(file) for name, file in releases[0].items() for end in ("source", "image-context", "maven") if end in name}
    tracked = set(output("git", "ls-tree", "-r", "-z", "--name-only", "HEAD").split("\0")) - {""}
    resolved = {"Package.resolved"} if (CHECKOUT / "Package.resolved").exists() else set()
    assert {name.split("/", 1)[1] for name in files["source"]} == tracked | resolved
    ignored = [line for line in (CHECKOUT / "Docker/Dockerfile.dockerignore").read_text().splitlines() if line[0] != "#"]
    assert files["image-context"] == resolved | {"Docker/Dockerfile"} | {
        name for name in tracked if not any(fnmatch.fnmatch(f"/{name}", f"/{part.replace('**/', '*/')}") or name.startswith(f"{part}/") for part in ignored)}
    assert {Path(name).suffix for name in files["maven"]} >= {".aar", ".jar", ".pom", ".sha256"}


@pytest.mark.parametrize("program, needed", zip(PROGRAMS, [NEEDED_BY_SERVER, NEEDED_BY_TOOL]), ids=["server", "tool"])
def test_the_bill_names_what_the_program_contains_and_loads(releases, program, needed):
    [file] = [file for name, file in releases[0].items() if name.endswith(".json") and re.match(rf"{program.name}-\d", name)]
    subprocess.run([PYTHON / "bin/python", "-c", VALIDATION], input=file.read_text(), text=True, check=True)
    bill = json.loads(file.read_text())
    found = {kind: {part["name"].lower(): part["version"] for part in bill["components"] if part["purl"].startswith(f"pkg:{kind}/")}
             for kind in ("swift", "deb")}
    pins = json.loads((CHECKOUT / "Package.resolved").read_text())["pins"]
    versions = {pin["identity"]: pin["state"]["version"] for pin in pins}
    assert needed <= found["swift"].keys() <= versions.keys() | {"swift"}
    assert all(version == versions[name] for name, version in found["swift"].items() if name != "swift")
    # They are resolved, but other products of the packages use them.
    assert not {"async-http-client", "swift-nio-ssl"} & found["swift"].keys()
    assert found["deb"] == {name: output("dpkg-query", "--show", "--showformat=${Version}", name) for name in found["deb"]}
    libraries = {Path(line).name for name in found["deb"] for line in output("dpkg", "--listfiles", name).splitlines()}
    toolchain = Path(shutil.which("swift")).resolve().parents[1] / "lib/swift/linux"
    loaded = set(re.findall(r"NEEDED +(\S+)", output("objdump", "-p", program)))
    assert [name for name in loaded - libraries if not (toolchain / name).exists()] == []
    referenced = {reference for entry in bill["dependencies"] for reference in entry.get("dependsOn", [])}
    assert {part["bom-ref"] for part in bill["components"]} == referenced
