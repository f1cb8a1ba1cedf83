"""The library for Android on the JVM: numbers, outbox, updates, calls, and the example, with stubs of Android's classes."""
import hashlib
import io
import os
import re
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[2]
ANDROID = CHECKOUT / "Clients/android"
VECTORS = CHECKOUT / "Tests/Vectors"
BINARY = os.environ.get("RINGFENCE_BINARY", str(CHECKOUT / ".build/debug/ringfence"))
sys.path.insert(0, str(CHECKOUT / "Tests/Numbers"))

import attested_key  # noqa: E402
import phonenumbers  # noqa: E402
from number_strings import Strings, expected  # noqa: E402
from phonenumbers import re_util  # noqa: E402

re_util.enable_pattern_cache()


def passed(done, least):
    """The cases of a run, all of which have passed."""
    lines = done.stdout.decode().splitlines()
    assert done.returncode == 0 and not done.stderr, "\n".join(lines) + done.stderr.decode()
    assert len(lines) >= least and all(line.startswith("passed: ") for line in lines), lines
    return lines


def test_numbers_are_read_as_phonenumbers_reads_them(java, tmp_path):
    """The region of the phone is the default; strings of every region and kind."""
    strings = Strings(61)
    rows = [strings.draw() for _ in range(20_000)]
    wanted = ["\t".join(expected(region, text).split("\t")[:4]) for _, region, text in rows]

    def escaped(text):
        return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r")

    lines = [f"{region or ''}\t{escaped(text)}\n" for _, region, text in rows]
    # The plans of the library, and the same as a file that an app checks.
    for count, arguments in ((len(rows), []), (1_000, [CHECKOUT / "Resources/NumberingPlans/plans.txt"])):
        done = java("ringfence.numbers.NumberProbe", *arguments, input="".join(lines[:count]).encode())
        answers = done.stdout.decode().split("\n")[:-1]
        assert done.returncode == 0 and len(answers) == count, done.stderr
        assert [row for row in zip(rows, answers, wanted) if row[1] != row[2]] == []
    assert {region for _, region, _ in rows} >= set(phonenumbers.SUPPORTED_REGIONS)


def test_damaged_plans_are_refused(java, tmp_path):
    text = (CHECKOUT / "Resources/NumberingPlans/plans.txt").read_text()
    cases = {
        "cut": text[:len(text) // 2], "without an end": text.rpartition("\nend")[0] + "\n", "another form": text.replace("plans 1", "plans 2", 1),
        "a pattern": text.replace("\n[2-9]d{9}\n", "\n[2-9]d{9\n", 1), "a sign": text.replace("\n[2-9]d{9}\n", "\n.*\n", 1),
        "a field": text.replace("\nr US l=", "\nr US l:", 1), "a count": text.replace("patterns ", "patterns 9", 1), "nothing": ""}
    for name, content in cases.items():
        assert content != text
        (tmp_path / "plans").write_text(content)
        done = java("ringfence.numbers.NumberProbe", tmp_path / "plans", input=b"")
        assert done.returncode == 1 and b"java.io.IOException" in done.stderr, name


@pytest.mark.parametrize("program, arguments, least", [
    ("RunOutbox", [], 11), ("RunSending", [], 47), ("RunUpdates", [VECTORS / "publication", 1_795_000_000], 19), ("RunTransport", [], 14)])
def test_faults(java, program, arguments, least):
    passed(java(f"ringfence.client.{program}", *arguments), least)


def test_processes_share_an_outbox_and_one_is_killed(java, classes, tmp_path):
    """Each accepted report is there once, of the killed process too."""
    command = ["java", "-cp", classes, "ringfence.client.RunWriter", tmp_path]
    writers = [subprocess.Popen([*command, str(1_000 * i), "100000" if i == 0 else "150"], stdout=subprocess.PIPE, text=True) for i in range(3)]
    accepted = [writers[0].stdout.readline().strip() for _ in range(100)]
    writers[0].kill()
    for writer in writers:
        accepted += writer.stdout.read().split("\n")[:-1]
    assert [writer.wait(120) for writer in writers[1:]] == [0, 0]
    waiting = java("ringfence.client.RunWriter", tmp_path).stdout.decode().split()
    # One more may be on the disk without its line.
    assert len(waiting) == len(set(waiting)) and set(accepted) <= set(waiting) and len(waiting) - len(accepted) <= 1, (len(waiting), len(accepted))


@pytest.fixture(scope="module")
def pack(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pack")
    (folder / "list").write_text("493023125123\tScam\tblock\n493023125124\tA bank\n")
    subprocess.run([BINARY, "pack", "build", "--in", folder / "list", "--out", folder / "both.rfpack", "--kind", "both"], check=True,
                   capture_output=True, timeout=120)
    return folder / "both.rfpack"


def test_the_service_answers_calls(java, pack):
    passed(java("ringfence.android.RunScreening", pack, "493023125123", "493023125124", VECTORS / "publication/roots/1.root.json"), 15)


def test_a_lookup_in_two_million_numbers_takes_little_memory(java, tmp_path):
    assert java("ringfence.reader.MakePack", 1_999_999, tmp_path / "large.rfpack").returncode == 0
    done = java("ringfence.client.LargeLookup", tmp_path, "large", options=("-Xmx16m",))
    assert re.match(rb"1999999 entries, 0 mistakes, ", done.stdout), done.stdout + done.stderr


@pytest.fixture(scope="module")
def server(make_server):
    server = make_server()
    reason = ("--reason", "calls about a car's warranty", "--by-program", "Ada")
    server.run("decide", "+493023125123", "--block", *reason)
    server.run("decide", "+493023125124", "--identify", "A survey", *reason)
    server.run("publish")
    return server


def key(server, name, *scopes):
    return server.run("app", "create", name, "--scopes", ",".join(scopes)).splitlines()[-1].split()[-1]


def test_the_example_runs_with_a_server(java, server):
    """The example's own code rejects, labels, spares a contact, does without permissions, and reports."""
    app = key(server, "Example", "report", "fetch")
    passed(java("com.example.calls.RunExample", server.address, app, "493023125123", "493023125124"), 1)


def test_a_client_reports_withdraws_and_counts_with_a_server(java, server, tmp_path):
    app = key(server, "Client", "report", "fetch", "identify")
    done = java("ringfence.client.RunServer", f"{server.address}/v1", app, tmp_path, "blocklist", "update", "number:493023125123",
                "number:493023125125", "report:030 23125126:1", "report:030 23125127:2", "report:12:3", "count:030 23125126",
                *["match:blocklist"] * 12, "flush", "withdraw:2", "flush", "tomorrow", "flush", "update", "match:no such pack", "tomorrow", "flush")
    assert done.stdout.decode().splitlines() == [
        "update [blocklist]", "493023125123 blocked", "493023125125 none", "DROPPED number: too_short", "DELIVERED null", "DELIVERED null",
        "waiting 0", "WITHDRAWN null", "waiting 0", "COUNTED null", "waiting 0", "update []", "waiting 0"], done.stderr.decode()
    # The calls that the pack had: at most ten, and nothing of a pack that does not exist.
    assert server.query("SELECT class, value, installations, matched, blocked FROM remediation_sums ORDER BY class, value") == [
        ["", "", "1", "10", "10"], ["number_type", "mobile", "1", "10", "10"], ["pack", "blocklist", "1", "10", "10"],
        ["treatment", "block", "1", "10", "10"]]
    server.signal(signal.SIGTERM)
    server.ended()
    server.start()
    # The publication that each request for the manifest said to hold.
    rows = server.query("SELECT product, version, serial, sum(fetches) FROM client_fetches GROUP BY 1, 2, 3 ORDER BY 1, 3")
    assert rows == [["org.example.caller", "0", "0", "1"], ["ringfence-client", "0", "0", "1"], ["ringfence-client", "0", "1", "1"]]


PRIMITIVES = {"I": "int", "J": "long", "Z": "boolean", "B": "byte", "V": "void", "C": "char", "D": "double"}


def simple(name):
    """A type or a signature without packages and parameters of types."""
    return re.sub(r"(?:\w+[./])+(?=\w)", "", re.sub(r"<[^<>]*(?:<[^<>]*>[^<>]*)*>", "", name)).replace("$", ".").replace("...", "[]")


def types(descriptor):
    found = []
    for array, primitive, name in re.findall(r"(\[*)(?:([IJZBVCD])|L([^;]+);)", descriptor):
        found.append((PRIMITIVES.get(primitive) or simple(name)) + "[]" * len(array))
    return found


def short(member):
    """A member whose inner classes have their last name alone, as pages write some of them."""
    return re.sub(r"\b\w+\.(?=\w)", "", member)


def used_members(classes):
    """The members of Android's classes in the compiled library and example."""
    files = [file for folder in ("ringfence/android", "com/example") for file in (classes / folder).rglob("*.class")
             if not re.match(r"Run|R\b|R\$", file.name)]

    def read(*options):
        return subprocess.run(["javap", "-p", *options, *files], capture_output=True, text=True, check=True, timeout=120).stdout

    own = set(re.findall(r"(\w+)(?:\([^)]*\))?(?: throws .*)?;$", read(), re.MULTILINE))
    pattern = r'// (?:Interface)?(?:Method|Field) (?:([\w/$]+)\.)?("<init>"|\w+):(\S+)'
    for owner, name, descriptor in re.findall(pattern, read("-c")):
        # Members of the library's own classes may be inherited ones of Android's.
        is_own = "/R$" not in owner and (not owner or owner.startswith(("ringfence/android/", "com/example/")))
        if not owner.startswith(("android/", "androidx/")) and not (is_own and name not in own and name != '"<init>"'):
            continue
        result = types(descriptor.rpartition(")")[2])[0]
        parameters = f"({', '.join(types(descriptor[1:].partition(')')[0]))})" if descriptor.startswith("(") else ""
        yield (f"{simple(owner).rpartition('.')[2]}{parameters}" if name == '"<init>"' else f"{result} {name}{parameters}")


def test_the_page_of_stubs_has_every_member_that_the_library_uses(classes):
    page = (ANDROID / "stubs/README.md").read_text()
    rows = re.findall(r"^\| `([\w.]+)` \| (?:`(.+?)`|the class) \| ([\d.]+) \| \[([\w.]+)\]\((\S+)\) \|$", page, re.MULTILINE)
    assert len(rows) > 100 and len(rows) == page.count("\n| `")
    members = {short(member) for _, member, *_ in rows}
    # Constructors without parameters need no line, and a refusal is no class of Android.
    missing = sorted({member for member in used_members(classes) if short(member) not in members} - {
        "Activity()", "Application()", "CallScreeningService()", "String getMessage()"})
    assert missing == []
    stubs = [file for folder in ("android", "androidx") for file in (classes / folder).rglob("*.class")]
    text = subprocess.run(["javap", "-p", *stubs], capture_output=True, text=True, check=True, timeout=120).stdout
    declared = {re.search(r"(?:class|interface) ([\w.$]+)", part)[1].replace("$", "."): part for part in text.split("Compiled from")[1:]}
    for name, member, _, title, address in rows:
        package = re.match(r"(?:[a-z]\w*\.)+", name)[0]
        inner = name[len(package):]
        assert title == inner and address == f"https://developer.android.com/reference/{package.replace('.', '/')}{inner}", name
        found = {short(simple(line.strip().rstrip(";").partition(" throws ")[0])) for line in declared[name].splitlines()}
        found = {re.sub(r"\b(?:public|protected|static|final|abstract) ", "", line) for line in found}
        # The bounds of WorkManager's parameters of types.
        found |= {re.sub("^W ", "WorkRequest ", re.sub("^B ", "Builder ", line)) for line in found}
        assert not member or short(member) in found, (name, member, found)


@pytest.mark.parametrize("options", [["--without-documentation"], pytest.param([], marks=pytest.mark.slow)])
def test_the_archive_has_the_same_bytes_twice(tmp_path, classes, options):
    """The second run gets compiled stubs where it would get the classes of an SDK."""
    runs = [subprocess.Popen([CHECKOUT / "Scripts/make-android-archive", tmp_path / name, *options], env={**os.environ, **more},
                             stderr=subprocess.PIPE)
            for name, more in (("first", {}), ("second", {"ANDROID_CLASSES": str(classes)}))]
    assert [run.communicate(timeout=120)[1] for run in runs] == [b"", b""]
    first, second = (
        {str(file.relative_to(tmp_path / name)): file.read_bytes() for file in (tmp_path / name).rglob("*") if file.is_file()}
        for name in ("first", "second"))
    assert first == second
    sums = dict(reversed(line.split("  ")) for line in first["SHA256SUMS"].decode().splitlines())
    assert len(sums) == 8 and all(hashlib.sha256(first[name]).hexdigest() == value for name, value in sums.items())
    [aar] = [name for name in sums if name.endswith(".aar")]
    with zipfile.ZipFile(io.BytesIO(first[aar])) as archive:
        assert {"AndroidManifest.xml", "R.txt", "classes.jar", "res/values/strings.xml", "res/values-ru/strings.xml"} <= set(archive.namelist())
        with zipfile.ZipFile(io.BytesIO(archive.read("classes.jar"))) as inner:
            assert all(name.startswith(("ringfence/android/", "META-INF/")) and "/R" not in name.replace("/Ringfence", "") for name in inner.namelist())
        texts = {name: re.findall(r'<string name="(\w+)">[^<]+<', archive.read(name).decode()) for name in archive.namelist() if "strings" in name}
    assert len(texts) == 5 and len({tuple(names) for names in texts.values()}) == 1
    version = aar.split("/")[2]
    for name in ("Documentation/android.md", "Clients/android/example/app/build.gradle"):
        assert f"ringfence:ringfence-android:{version}" in (CHECKOUT / name).read_text(), name


def test_a_phone_attests_and_renews_with_a_server(java, make_server, tmp_path):
    """A phone with a root of the test: its reports are the installation's. Its clock moves on to the renewal."""
    files = tmp_path / "attestation"
    files.mkdir()
    key_file = attested_key.make_root(tmp_path, files / "android-roots.pem")
    server = make_server(RINGFENCE_ATTESTATION_FILES=str(files))
    app = key(server, "Attested", "report", "install")
    server.run("app", "attestation", "Attested", "--android", f"org.example.caller={attested_key.DIGEST}")
    program = f"{sys.executable} {attested_key.__file__} {key_file}"
    done = java("ringfence.android.RunAttestation", f"{server.address}/v1", app, tmp_path / "phone", program)
    assert done.stdout.decode().splitlines() == [
        "report 1 ok", "report 2 ok", "keys 1", "report 3 ok", "keys 1, renewed", "report 4 ok", "keys 2, the first one was lost",
        "report 5 null, no proof", "delivered 5"], done.stdout.decode() + done.stderr.decode()


def test_the_library_has_its_size():
    def lines(folder):
        return sum(len(file.read_text().splitlines()) for file in (ANDROID / folder).rglob("*") if file.is_file())

    assert lines("core/src") <= 5_000 and lines("android/src") <= 800 and lines("example") <= 500
