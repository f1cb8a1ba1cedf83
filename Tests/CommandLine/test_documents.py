"""Commands, options, paths and targets in the documents exist, and the walks of new users work."""

import importlib.util
import json
import re
import shlex
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

from ringfence_server import BENCHMARK, BINARY, CHECKOUT, environment

DOCUMENTS = [
    CHECKOUT / name for name in ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "Docker/README.md")
] + sorted((CHECKOUT / "Documentation").rglob("*.md"))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
TARGETS = set(re.findall(r"^([\w-]+):", (CHECKOUT / "Makefile").read_text(), re.MULTILINE))

# Documents whose commands run here, in the order of the page, on a server with demo data.
WALKS = ["README.md", "Documentation/getting-started.md", "Documentation/sources.md",
         "Documentation/moderation.md", "Documentation/publishing.md"]
# Lines of those that do not run here, and why.
LEFT_OUT = {
    "git clone https://git.example/ringfence": "the test runs in the checkout",
    "cd ringfence": "the test runs in the checkout",
    "make run": "the server of the test has started already",
}
# Documents whose commands do not run here, and why.
ELSEWHERE = {
    "Docker/README.md": "it needs root and a container engine; Tests/Docker and Scripts/check-image.py check it",
    "Documentation/android.md": "it needs a project for Android; Tests/Readers runs the code and the archive",
    "Documentation/api.md": "test_api.py runs it",
    "Documentation/attestation.md": "it needs phones; AttestationTests.swift attests with keys of its own",
    "Documentation/automation.md": "test_curation.py decides files, and ModerationAPITests.swift sends the requests",
    "Documentation/clients.md": "its command is for another machine; ListsTests.swift asks for every list",
    "Documentation/configuration.md": "it needs a file in /etc; test_settings.py checks files of settings",
    "Documentation/first-hour.md": "it needs a machine with systemd; Scripts/check-package.py boots one",
    "Documentation/kubernetes.md": "it needs a cluster; Tests/Packaging runs the commands of the pods",
    "Documentation/mirrors.md": "Tests/Mirrors runs its scripts",
    "Documentation/operations.md": "test_operations.py runs it",
    "Documentation/pipeline.md": "test_pipelines.py runs it",
    "Documentation/privacy.md": "test_rights.py has its commands",
    "Documentation/scaling.md": "its commands fill a disk",
    "Documentation/sign-on.md": "it needs an identity provider; Tests/Browser/test_sign_on.py has two",
    "Documentation/benchmarks": "they take hours, and some need lists that are not in the repository",
}


def name(file):
    return str(file.relative_to(CHECKOUT))


def shell(text):
    """The shell of a document: lines that end in a backslash are one."""
    return [re.sub(r"\\\n\s*", " ", block) for language, block in BLOCK.findall(text) if language in ("sh", "console")]


def inline(text):
    return re.findall(r"`([^`\n]+)`", BLOCK.sub("", text))


@cache
def commands(program):
    done = subprocess.run(
        [program, "--experimental-dump-help"], check=True, capture_output=True, text=True, env=environment(), timeout=60)
    return json.loads(done.stdout)["command"]


def invocations(code):
    """The program and the words of each call of a program of ours; quoted text is one word."""
    code = re.sub(r"(?<=\s)#.*", "", re.sub(r'"[^"]*"|\'[^\']*\'', "QUOTED", code))
    for program, words in re.findall(r"(?:^|[\s(/])(ringfence|\$R)((?:-benchmark)?(?: [^\n;|&()<>]*)?)(?=$|[\n;|&()<>])", code, re.M):
        extra, _, rest = words.partition(" ")
        words = rest.split()
        # The first name may name a service, a role or a database.
        for place, word in enumerate(rest.split()):
            is_value = place > 0 and re.match("-+[^-]", rest.split()[place - 1])
            if not is_value and (word == "ringfence" or word.endswith("/ringfence")):
                words = rest.split()[place + 1:]
        # A path after the program is what another command reads.
        if not (words and re.match(r"\.{0,2}/|\.build/", words[0])):
            yield BENCHMARK if extra else BINARY, words


def fault(program, words):
    """The reason why a call cannot work; None when it can."""
    command, path = commands(program), []
    while words and not words[0].startswith("-"):
        children = {child["commandName"]: child for child in command.get("subcommands", [])}
        if not children:
            break
        if words[0] not in children:
            if re.fullmatch(r"[A-Z_]+|…", words[0]) or command.get("defaultSubcommand"):
                return None
            return f"{' '.join(path) or Path(program).name} has no subcommand {words[0]}"
        command = children[words[0]]
        path.append(words.pop(0))
    known = {"--help", "--experimental-dump-help"} | {
        ("--" if option["kind"] == "long" else "-") + option["name"]
        for argument in command.get("arguments", []) for option in argument.get("names", [])}
    for word in words:
        option = word.partition("=")[0]
        if option.startswith("--") and option not in known:
            return f"{' '.join(path)} has no option {option}"
    return None


@pytest.mark.parametrize("code, expected", [
    ("ringfence publish --overrule churn --reason 'a --b' --by Ada", []),
    ("KEY=$(ringfence app create 'My app' --scopes report)", []),
    ("docker compose exec ringfence /usr/bin/ringfence publish --nonsense", ["publish has no option --nonsense"]),
    ("kubectl exec deployment/ringfence -- /usr/bin/ringfence publish --nonsense", ["publish has no option --nonsense"]),
    pytest.param("ringfence-benchmark intake --file x | tail", ["intake has no option --file"], marks=pytest.mark.slow),
    ("$R decide --by Ada; $R publsh", ["ringfence has no subcommand publsh"]),
    ("Scripts/measure.py .build/release/ringfence .build/release/ringfence-benchmark /var/tmp/large", []),
])
def test_faults_of_calls_are_found(code, expected):
    assert [found for program, words in invocations(code) if (found := fault(program, words))] == expected


@pytest.mark.parametrize("program", [
    pytest.param(BINARY, id="ringfence"), pytest.param(BENCHMARK, id="benchmark", marks=pytest.mark.slow)])
@pytest.mark.parametrize("file", DOCUMENTS, ids=name)
def test_subcommands_and_options_exist(file, program):
    text = file.read_text()
    pieces = shell(text) + inline(text)
    # In prose, `serve --option` is the same as `ringfence serve --option`.
    first = "|".join(child["commandName"] for child in commands(BINARY)["subcommands"])
    pieces += [f"ringfence {code}" for code in inline(text) if re.match(rf"(?:{first}) .*--", code)]
    faults = [
        found for piece in pieces for called, words in invocations(piece) if called == program and (found := fault(program, words))]
    assert not faults


def test_commands_in_messages_exist():
    texts = "".join(file.read_text() for file in sorted((CHECKOUT / "Resources/Localization/en").glob("*.json")))
    called = [call for code in inline(texts) for call in invocations(code)]
    assert len(called) >= 5 and [found for program, words in called if (found := fault(program, words))] == []


@pytest.mark.parametrize("file", DOCUMENTS, ids=name)
def test_make_targets_exist(file):
    text = file.read_text()
    for code in shell(text) + inline(text):
        for target in re.findall(r"(?:^|[;&|] ?)make ([a-z][\w-]*)", code, re.MULTILINE):
            assert target in TARGETS, f"The Makefile has no target {target}."


@pytest.mark.parametrize("file", DOCUMENTS, ids=name)
def test_paths_of_the_repository_exist(file):
    text = file.read_text()
    folders = "Sources|Tests|Documentation|Docker|Migrations|Public|Resources|Scripts"
    # SECURITY.md names tests by their path inside Tests. Docker/secrets is made by the operator.
    missing = [
        path for code in shell(text) + inline(text)
        for path in re.findall(rf"(?:^|(?<=[\s=]))(?:\./)?((?:{folders})/[\w./+-]*[\w])(?=$|[\s,:)])", code)
        if not (CHECKOUT / path).exists() and not (CHECKOUT / "Tests" / path).exists() and path != "Docker/secrets"]
    assert not missing


@pytest.mark.parametrize("file", DOCUMENTS, ids=name)
def test_every_document_with_commands_is_run_or_has_a_reason(file):
    if shell(file.read_text()):
        assert name(file) in WALKS or any(name(file).startswith(known) for known in ELSEWHERE), (
            f"Add {name(file)} to WALKS, or to ELSEWHERE with a reason.")


@pytest.mark.parametrize("document", WALKS)
def test_a_new_user_can_type_the_page(document, make_server, tmp_path):
    server = make_server("--demo")
    text = (CHECKOUT / document).read_text()
    lines = [line for block in shell(text) for line in block.splitlines() if line not in LEFT_OUT]
    assert len(lines) > 3
    # As a clone after `make run`.
    (tmp_path / ".build/release").mkdir(parents=True)
    (tmp_path / ".build/release/ringfence").symlink_to(BINARY)
    (tmp_path / ".ringfence").symlink_to(server.data)
    (tmp_path / "Resources").symlink_to(CHECKOUT / "Resources")
    script = "\n".join([
        "curl() { command curl --fail-with-body --silent --show-error \"$@\"; }",
        f"export PATH={shlex.quote(str(tmp_path / '.build/release'))}:\"$PATH\"", *lines])
    done = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", script.replace("http://127.0.0.1:8080", server.address)], cwd=tmp_path,
        env=environment(), capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    for language, block in BLOCK.findall(text):
        if not language:
            shown = server.said + done.stdout
            for line in block.splitlines():
                expected = line.partition("…")[0].rstrip().replace("http://127.0.0.1:8080", server.address)
                expected = re.sub(r"^(\s*)/home\S+/(packs/\S+):.*", r"\2", expected)
                expected = re.sub(r", \d+ bytes fetched$", "", expected)
                assert expected.strip() in shown, f"{document} shows {line!r}, which is not printed:\n{shown[-3000:]}"


@pytest.mark.parametrize("script, arguments", [("command-line-document.py", (BINARY,)), ("api-document.py", ())])
def test_generated_documents_are_current(script, arguments, monkeypatch):
    monkeypatch.setenv("RINGFENCE_HOME", environment()["RINGFENCE_HOME"])
    spec = importlib.util.spec_from_file_location(script.replace("-", "_").removesuffix(".py"), CHECKOUT / "Scripts" / script)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.document(*arguments) == module.DOCUMENT.read_text(), f"Run Scripts/{script}, and commit the document."


def test_swift_of_the_readme_compiles(tmp_path):
    """Against the modules that were built beside the program."""
    modules = Path(BINARY).parent / "Modules"
    if not (modules / "RingfenceClient.swiftmodule").exists() or not shutil.which("swiftc"):
        pytest.skip("It needs the modules of a build, and swiftc.")
    [source] = [block for language, block in BLOCK.findall((CHECKOUT / "README.md").read_text()) if language == "swift"]
    (tmp_path / "Readme.swift").write_text(source)
    done = subprocess.run(
        ["swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-I", modules, "-Xcc",
         f"-fmodule-map-file={CHECKOUT / 'Sources/CZlib/module.modulemap'}", "-module-cache-path", tmp_path / "cache",
         tmp_path / "Readme.swift"], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
