"""The tool of build machines, and the shell of the pages about release pipelines."""

import contextlib
import http.server
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import time
from functools import partial
from pathlib import Path

import pytest
import yaml

from ringfence_server import BINARY, CHECKOUT, environment

TOOL = Path(BINARY).with_name("ringfence-packs")
PAGE = (CHECKOUT / "Documentation/pipeline.md").read_text()
ACTION = yaml.safe_load((CHECKOUT / "action.yml").read_text())
VERSION = re.search(r'ringfenceVersion = "(.*)"', (CHECKOUT / "Sources/PackCommands/PackTool.swift").read_text())[1]
NAME = f"ringfence-packs-{VERSION}-linux-{platform.machine()}"


def section(heading, language="sh"):
    """The first block of a language under a heading."""
    return re.search(rf"^## {heading}\n.*?^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)[1]


UPDATE = section("A script for every service")


@contextlib.contextmanager
def site(folder):
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def publisher(make_server, tmp_path_factory):
    server = make_server()
    complaints = tmp_path_factory.mktemp("complaints") / "list.jsonl"
    subprocess.run([BINARY, "simulate", "--seed", "5", "--complaints", "60000", "--out", complaints], check=True, env=environment())
    server.run("import", "complaints", str(complaints), "--format", "jsonl")
    server.run("publish")
    return server


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    """A release with the program of this build: the variables of the page."""
    folder = tmp_path_factory.mktemp("release")
    with tarfile.open(folder / f"{NAME}.tar.gz", "w:gz") as archive:
        archive.add(TOOL, f"{NAME}/ringfence-packs")
    total = subprocess.run(["sha256sum", folder / f"{NAME}.tar.gz"], capture_output=True, text=True).stdout.split()[0]
    with site(folder) as address:
        yield {"RINGFENCE_RELEASE": address, "RINGFENCE_VERSION": VERSION, "RINGFENCE_PACKS_SHA256": total}


@pytest.fixture
def repository(publisher, tmp_path):
    """The repository of an app, and programs in the place of the services' programs."""
    (tmp_path / "App/Packs").mkdir(parents=True)
    (tmp_path / "update-packs.sh").write_text(UPDATE)
    shutil.copy(publisher.data / "publications/root.json", tmp_path / "ringfence-root.json")
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in {
        "apt-get": "exit 0", "git": 'if [ "$1" = clone ]; then mkdir -p "$3"; fi',
        "swift": f'case "$*" in *"--disable-default-traits --traits Tools --configuration release --product ringfence-packs"*) ;; *) exit 1;; esac\n'
                 f'mkdir -p "$3/.build/release" && cp {TOOL} "$3/.build/release"',
        "docker": f'while [ "$1" != ringfence ]; do shift; done; shift; exec {BINARY} "$@"',
    }.items():
        (programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (programs / name).chmod(0o755)
    return tmp_path


def run(script, folder, publisher, shell=("sh", "-eu"), code=0, **variables):
    done = subprocess.run(
        [*shell, "-c", script], cwd=folder, capture_output=True, text=True, timeout=120,
        env=environment() | {"PATH": f"{folder}/bin:{os.environ['PATH']}", "TMPDIR": str(folder / "tmp"),
                             "RINGFENCE_URL": f"{publisher.address}/v1"} | variables)
    assert done.returncode == code, (done.stdout, done.stderr)
    return done.stdout + done.stderr


def gitlab():
    job = yaml.safe_load(section("GitLab", "yaml"))["packs"]
    return "\n".join(job["before_script"] + job["script"])


@pytest.mark.parametrize("script", [
    section("Install the tool") + "sh update-packs.sh", gitlab(), section("Xcode Cloud"),
    section("Install the tool") + re.search(r'sh\("cd \.\. && (.*)"\)', section("fastlane", "ruby"))[1],
    section("Install the tool") + " ".join(re.findall(r'"([^"]+)"', re.search(r"commandLine\((.*)\)", PAGE)[1]))],
    ids=["plain", "GitLab", "Xcode Cloud", "fastlane", "Gradle"])
def test_the_shell_of_a_service_ships_new_packs_once(script, repository, release, publisher):
    more = release | {"CI_PRIMARY_REPOSITORY_PATH": str(repository)}
    assert "New packs: publication 1" in run(script, repository, publisher, **more)
    verified = subprocess.run([TOOL, "verify", repository / "App/Packs/toxic.rfpack"], capture_output=True, text=True)
    assert verified.returncode == 0 and "valid" in verified.stdout
    assert "Nothing new since publication 1" in run(script, repository, publisher, **more)
    (repository / "ringfence-root.json").write_text("{}")
    run(script, repository, publisher, code=2, **more)


def test_an_archive_with_another_sum_is_refused(repository, release, publisher):
    said = run(section("Install the tool"), repository, publisher, code=1, **release | {"RINGFENCE_PACKS_SHA256": "0" * 64})
    assert "did NOT match" in said and not (repository / "ringfence-packs").exists()


def test_docker(repository, publisher):
    run(section("Docker"), repository, publisher)
    assert (repository / "packs/current/toxic.rfpack").exists()


def action_step(index, inputs, folder, publisher, **variables):
    step = ACTION["runs"]["steps"][index]
    values = {name: details.get("default", "") for name, details in ACTION["inputs"].items()} | inputs
    filled = {name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: values[found[1]], text)
              .replace("${{ github.action_path }}", str(CHECKOUT)) for name, text in step["env"].items()}
    return run(step["run"], folder, publisher, shell=("bash", "--noprofile", "--norc", "-eo", "pipefail"),
               **filled | variables)


@pytest.mark.parametrize("system", ["Linux", "macOS"])
def test_the_action(system, repository, release, publisher):
    job = yaml.safe_load(section("GitHub Actions", "yaml"))["jobs"]["packs"]["steps"]
    inputs = next(step["with"] for step in job if step.get("id") == "fetch")
    assert set(inputs) <= ACTION["inputs"].keys()
    inputs |= {"url": f"{publisher.address}/v1", "release": release["RINGFENCE_RELEASE"], "sha256": release["RINGFENCE_PACKS_SHA256"]}
    outputs = repository / "outputs"
    variables = {"RUNNER_OS": system, "RUNNER_TEMP": str(repository / "temp"), "GITHUB_OUTPUT": str(outputs)}
    if system == "macOS":
        # The build has a folder of its own.
        (repository / "bin/swift").write_text(f'#!/bin/sh\nmkdir -p "$5/release" && cp {TOOL} "$5/release"\n')
    for index in (0, 1):
        action_step(index, inputs, repository, publisher, **variables)
    facts = dict(line.split("=", 1) for line in outputs.read_text().splitlines())
    assert facts["changed"] == "true" and (repository / "packs/current/toxic.rfpack").exists()
    for name, output in ACTION["outputs"].items():
        assert name in facts and output["value"] == f"${{{{ steps.fetch.outputs.{name} }}}}"


def test_the_tool_and_the_program_have_the_same_commands(publisher, tmp_path):
    """Help and answers, for packs of a real publication."""
    pack = publisher.data / "publications/packs"
    file = str(next(pack.glob("*toxic*.rfpack")))

    def said(*words):
        done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=environment())
        return done.returncode, done.stdout, done.stderr
    for words in (["info", file], ["info", "--json", file], ["lookup", file, "+33199000248", "--json"], ["verify", file],
                  ["dump", file, "--format", "csv"], ["dump", file, "--format", "jsonl"], ["info", tmp_path / "none"]):
        assert said(TOOL, *words) == said(BINARY, "pack", *words)
    assert said(TOOL, "dump", file, "--format", "sqlite")[0] == 2
    shared = re.findall(r"^  (\w+) ", said(TOOL, "--help")[1], re.MULTILINE)
    assert {"fetch", "verify", "info", "lookup", "dump", "diff", "apply", "build"} <= set(shared)
    lines = tmp_path / "list.tsv"
    lines.write_text("33199000248\n33199000249\tA name\tblock\n")
    assert said(TOOL, "build", "--in", lines, "--out", tmp_path / "a.rfpack", "--kind", "both")[0] == 0
    assert said(TOOL, "diff", file, file, "--out", tmp_path / "d")[1] == said(BINARY, "pack", "diff", file, file, "--out", tmp_path / "d")[1]


# Modules that Linux alone has, or that bring libraries.
FORBIDDEN = {"FoundationNetworking", "CCurl", "CLibPQ", "CSQLite", "CSpawn", "CQRCode"}


def test_the_tool_imports_nothing_that_macos_lacks():
    """The sources of its targets: system modules behind a condition, and no Foundation where FoundationEssentials is."""
    dump = subprocess.run(["swift", "package", "dump-package"], cwd=CHECKOUT, capture_output=True, check=True).stdout
    import json

    targets = {target["name"]: target for target in json.loads(dump)["targets"]}
    needed, waiting = set(), ["ringfence-packs"]
    while waiting:
        name = waiting.pop()
        if name in targets and name not in needed:
            needed.add(name)
            waiting += [next(iter(dependency.values()))[0] for dependency in targets[name]["dependencies"]]
    assert {"PackCommands", "PackFormats", "Fetching", "OutboundHTTP", "CallerPack"} <= needed
    wrong = []
    # For macOS alone.
    for name in needed - {"RingfenceClient", "CZlib"}:
        for file in (CHECKOUT / "Sources" / name).rglob("*.swift"):
            depth = 0
            for line in file.read_text().splitlines():
                depth += line.strip().startswith("#if")
                depth -= line.strip() == "#endif"
                module = re.match(r"\s*(?:public |package |internal )?import (\w+)", line)
                if module and (module[1] in FORBIDDEN or depth == 0 and module[1] in {"Foundation", "FoundationEssentials", "Glibc", "Darwin"}):
                    wrong.append(f"{file}: {module[1]}")
    assert not wrong, wrong


def test_the_transport_of_macos_compiles(tmp_path):
    """URLSession is on Linux too; the tool does not use it there."""
    modules = Path(BINARY).parent / "Modules"
    source = (CHECKOUT / "Sources/PackCommands/Transports/SessionTransport.swift").read_text()
    (tmp_path / "SessionTransport.swift").write_text(source.replace("#if canImport(Darwin)", "#if true"))
    done = subprocess.run(
        ["swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-package-name", "main", "-I", modules, "-Xcc",
         f"-fmodule-map-file={CHECKOUT / 'Sources/CZlib/module.modulemap'}", "-module-cache-path", tmp_path / "cache",
         *(word for feature in ("ExistentialAny", "MemberImportVisibility", "InternalImportsByDefault")
           for word in ("-enable-upcoming-feature", feature)), tmp_path / "SessionTransport.swift"],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


MOST_BYTES = 30_000_000
LIBRARIES = {"linux-vdso", "libc", "libm", "libstdc++", "libgcc_s", "libz", "ld-linux-x86-64", "ld-linux-aarch64"}


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """The program as `make tools` builds it."""
    if archive := os.environ.get("RINGFENCE_TOOL_ARCHIVE"):
        return Path(archive)
    out = tmp_path_factory.mktemp("tools")
    begin = time.monotonic()
    subprocess.run(["make", "tools", f"RELEASE={out}"], cwd=CHECKOUT, check=True)
    print(f"make tools: {time.monotonic() - begin:.0f} s")
    [archive] = out.glob("*.tar.gz")
    return archive


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("suite", ["bookworm", "trixie"])
def test_the_released_tool_runs_in_a_bare_root(suite, released, publisher, tmp_path):
    if os.geteuid() != 0 or not shutil.which("debootstrap"):
        pytest.skip("a root of Debian needs root and debootstrap")
    sys.path.insert(0, str(CHECKOUT / "Scripts"))
    import bare_root

    root = bare_root.copy(bare_root.make(Path(f"/var/tmp/ringfence-root-{suite}"), suite), tmp_path / "root")
    with bare_root.mounted(root):
        bare_root.inside(root, "sh", "-c", "apt-get update -q=2 && apt-get install -q=2 --yes --no-install-recommends curl")
        shutil.copy(released, root / "root/tool.tar.gz")
        shutil.copy(publisher.data / "publications/root.json", root / "root/root.json")
        bare_root.inside(root, "sh", "-c", "cd /root && tar --extract --gzip --file tool.tar.gz --strip-components 1")
        assert (root / "root/ringfence-packs").stat().st_size <= MOST_BYTES
        needs = {line.split()[0].split("/")[-1].split(".so")[0] for line in bare_root.inside(root, "ldd", "/root/ringfence-packs").splitlines()}
        assert needs <= LIBRARIES, needs
        said = bare_root.inside(root, "sh", "-c", f"cd /root && ./ringfence-packs fetch {publisher.address}/v1 --key root.json --out packs "
                                "&& ./ringfence-packs verify packs/current/*.rfpack && ./ringfence-packs lookup packs/current/toxic.rfpack +33199000248")
        print(said)
        assert "Publication 1" in said and "valid" in said and "+33199000248: " in said


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_the_plugin(publisher, tmp_path):
    (tmp_path / "Sources/App/Packs").mkdir(parents=True)
    (tmp_path / "Sources/App/App.swift").write_text("let answer = 42\n")
    shutil.copy(publisher.data / "publications/root.json", tmp_path / "root.json")
    (tmp_path / "Package.swift").write_text(f"""// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "App", platforms: [.macOS(.v15)],
  dependencies: [.package(name: "ringfence", path: "{CHECKOUT}", traits: ["Tools"])],
  targets: [.target(name: "App", resources: [.copy("Packs")])])
""")
    done = subprocess.run(
        ["swift", "package", "--package-path", tmp_path, "--allow-network-connections", "all",
         "--allow-writing-to-package-directory", "update-packs", f"{publisher.address}/v1", "--key", "root.json", "--pack",
         "toxic", "--into", "Sources/App/Packs"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "Sources/App/Packs/toxic.rfpack").stat().st_size > 0
