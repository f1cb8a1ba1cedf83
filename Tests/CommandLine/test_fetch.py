"""`ringfence fetch` with the real server, and with all failures of the connection."""

import base64
import hashlib
import http.server
import json
import os
import random
import shutil
import signal
import subprocess
import threading
import time
import urllib.request
from functools import partial
from pathlib import Path

import jsonschema
import pytest

import publications
from cutting_proxy import CuttingProxy
from ringfence_server import BINARY, CHECKOUT, environment
from waiting import wait_until


def fetch(url, key, out, *arguments, code=0, **more):
    done = subprocess.run(
        [BINARY, "fetch", url, "--key", str(key), "--out", str(out), *map(str, arguments)], capture_output=True,
        text=True, env=environment(), timeout=120, **more)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done


def facts(path):
    return dict(line.split("=", 1) for line in Path(path).read_text().splitlines())


def check_whole(out):
    """Checks every pack of the current set against its manifest; returns the serial."""
    current = Path(out) / "current"
    manifest = publications.manifest(current)
    for pack in manifest["packs"]:
        held = (current / f"{pack['name']}.rfpack").read_bytes()
        assert hashlib.sha256(held).hexdigest() == pack["sha256"]
    return manifest["serial"]


def fill(server, folder):
    complaints = folder / "complaints.jsonl"
    subprocess.run(
        [BINARY, "simulate", "--seed", "5", "--complaints", "60000", "--out", str(complaints)], check=True,
        env=environment())
    server.run("import", "complaints", str(complaints), "--format", "jsonl")


@pytest.fixture(scope="module")
def server(make_server, tmp_path_factory):
    server = make_server()
    fill(server, tmp_path_factory.mktemp("complaints"))
    server.run("publish")
    return server


@pytest.fixture
def proxy(server):
    proxy = CuttingProxy(server.port)
    yield proxy
    proxy.close()


def a_quarter(server):
    """Cuts responses with a pack after their head and about a quarter of the largest pack."""
    sizes = [pack["bytes"] for pack in publications.manifest(server.data / "publications")["packs"]]
    address = f"{server.address}/v1/{publications.manifest(server.data / 'publications')['packs'][0]['path']}"
    with urllib.request.urlopen(address) as answer:
        head = len(str(answer.headers)) + 20
    return lambda path: head + max(sizes) // 4 if "/packs/" in path else None


@pytest.fixture
def key(server):
    return server.data / "publications/root.json"


def add_complaints(server, tmp_path, seed):
    path = tmp_path / f"{seed}.jsonl"
    subprocess.run(
        [BINARY, "simulate", "--seed", str(seed), "--complaints", "2000", "--out", str(path)], check=True,
        env=environment())
    server.run("import", "complaints", str(path), "--format", "jsonl")


@pytest.mark.parametrize("kind", ["manifest", "root", "bin", "pack", "envelope"])
def test_the_schemas_of_the_documents_are_served(server, kind):
    with urllib.request.urlopen(f"{server.address}/schemas/{kind}.schema.json") as answer:
        assert answer.headers.get_content_type() == "application/json"
        assert answer.read() == (Path(CHECKOUT) / f"Public/schemas/{kind}.schema.json").read_bytes()


def test_the_publication_has_the_form_of_the_schemas(server):
    def check(kind, document):
        schema = json.loads((Path(CHECKOUT) / f"Public/schemas/{kind}.schema.json").read_text())
        jsonschema.validate(document, schema, cls=jsonschema.Draft202012Validator)
    folder = server.data / "publications"
    for kind, file in [("manifest", "manifest.json"), ("root", "root.json")]:
        envelope = json.loads((folder / file).read_text())
        check("envelope", envelope)
        check(kind, json.loads(base64.b64decode(envelope["payload"])))
    for kind, part in [("bin", "bins"), ("pack", "descriptions")]:
        files = list((folder / part).glob("*.json"))
        assert files
        for file in files:
            check(kind, json.loads(file.read_text()))


def test_first_all_then_nothing_then_what_is_new(server, key, tmp_path):
    out, summary = tmp_path / "out", tmp_path / "summary"
    url = f"{server.address}/v1"
    # A change that no summary could name is not made.
    said = fetch(url, key, out, "--summary", tmp_path / "none" / "summary", code=3)
    assert "Cannot write the summary" in said.stderr and not (out / "current").exists()
    other = tmp_path / "other.json"
    other.write_text("no key")
    assert f"--key {other} has neither a public key nor a root" in fetch(url, other, out, code=2).stderr
    first = fetch(url, key, out, "--summary", summary)
    assert "numbers" in first.stdout and facts(summary)["changed"] == "true"
    serial = check_whole(out)
    assert facts(summary)["serial"] == str(serial)
    toxic = next(pack for pack in publications.manifest(out / "current")["packs"] if pack["name"] == "toxic")
    assert facts(summary)["toxic_entries"] == str(toxic["entries"])

    summary.unlink()
    fetch(url, key, out, "--summary", summary, "--exit-code", code=5)
    assert facts(summary)["changed"] == "false"

    add_complaints(server, tmp_path, 6)
    server.run("publish")
    summary.unlink()
    fetch(f"{url}/manifest.json", key, out, "--summary", summary, "--exit-code")
    assert facts(summary)["previous_serial"] == str(serial)
    assert check_whole(out) > serial


def test_a_folder_is_a_site_of_its_own(server, key, tmp_path):
    """The folder is served unchanged by another server, and read from the disk."""
    folder = server.data / "publications"
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        fetch(f"http://127.0.0.1:{site.server_address[1]}", key, tmp_path / "a")
        site.shutdown()
    fetch(f"file://{folder}", key, tmp_path / "b")
    assert check_whole(tmp_path / "a") == check_whole(tmp_path / "b")


@pytest.mark.skipif(not shutil.which("nginx"), reason="nginx is not installed: the folder is not served by it")
def test_nginx_serves_the_folder_unchanged(server, key, tmp_path):
    text = (CHECKOUT / "Tests/nginx.conf").read_text()
    port = 18_080 + os.getpid() % 1_000
    for name, value in [("@FOLDER@", server.data / "publications"), ("@PORT@", port), ("@STATE@", tmp_path)]:
        text = text.replace(name, str(value))
    config = tmp_path / "nginx.conf"
    # nginx's workers give up root and could not read the test's folder.
    config.write_text("user root;\n" * (os.getuid() == 0) + text)
    nginx = subprocess.Popen(["nginx", "-p", str(tmp_path), "-c", str(config), "-g", "daemon off;"])
    try:
        fetch(f"http://127.0.0.1:{port}", key, tmp_path / "out")
        check_whole(tmp_path / "out")
    finally:
        nginx.terminate()
        nginx.wait(timeout=30)


def test_a_broken_download_goes_on_where_it_broke_off(server, proxy, key, tmp_path):
    proxy.cut = a_quarter(server)
    summary = tmp_path / "summary"
    fetch(f"{proxy.address}/v1", key, tmp_path / "out", "--summary", summary)
    check_whole(tmp_path / "out")
    ranges = [(path, found[1]) for path, found in proxy.requests if found]
    assert ranges and all("/packs/" in path and asked.startswith("bytes=") for path, asked in ranges)
    whole = sum(pack["bytes"] for pack in publications.manifest(tmp_path / "out/current")["packs"])
    manifest = sum(path.stat().st_size for path in (tmp_path / "out/current").rglob("*.json"))
    # Nothing was downloaded twice; roots are downloaded too.
    assert whole + manifest <= int(facts(summary)["fetched_bytes"]) < whole + manifest + 10_000


def test_a_run_goes_on_where_the_last_one_broke_off(server, proxy, key, tmp_path):
    def held():
        return sum(file.stat().st_size for file in (tmp_path / "out/partial").iterdir())

    proxy.cut = a_quarter(server)
    # Bytes that arrive together with the end of the connection may be lost.
    proxy.before_cut = lambda: wait_until(held, 30, "bytes of the download")
    failed = fetch(f"{proxy.address}/v1", key, tmp_path / "out", "--retries", 0, code=13)
    assert "fetch again" in failed.stderr
    before = held()
    assert before > 0
    proxy.cut = lambda path: None
    proxy.requests.clear()
    fetch(f"{proxy.address}/v1", key, tmp_path / "out")
    assert [found[1] for _, found in proxy.requests if found] == [f"bytes={before}-"]
    check_whole(tmp_path / "out")


def test_a_busy_server_is_asked_again(server, key, tmp_path):
    answers = []

    class Busy(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            answers.append(self.path)
            if len(answers) % 3:
                self.send_response(503 if len(answers) % 3 == 1 else 429)
                self.send_header("Content-Length", "0")
                self.send_header("Retry-After", "0")
                self.end_headers()
            else:
                super().do_GET()

    handler = partial(Busy, directory=str(server.data / "publications"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        fetch(f"http://127.0.0.1:{site.server_address[1]}", key, tmp_path / "out")
        answers.clear()
        fetch(f"http://127.0.0.1:{site.server_address[1]}", key, tmp_path / "other", "--retries", 0, code=13)
        site.shutdown()
    check_whole(tmp_path / "out")


def test_redirects_to_another_host_are_not_followed(server, key, tmp_path):
    class Redirect(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            where = self.path.removeprefix("/near") if self.path.startswith("/near") else None
            self.send_response(302)
            self.send_header("Location", f"{server.address}/v1{where or self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Redirect) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        said = fetch(f"http://127.0.0.1:{site.server_address[1]}", key, tmp_path / "out", "--retries", 0, code=13)
        site.shutdown()
    assert "redirect" in said.stderr


def app_key(server, tmp_path, scopes):
    """A file with the key of a new app."""
    path = tmp_path / f"{scopes}.key"
    path.write_text(server.run("app", "create", f"Pipeline {scopes}", "--scopes", scopes) + "\n")
    return path


def test_a_server_that_wants_a_key_gets_one_and_nobody_else(make_server, tmp_path):
    server = make_server("--fetch-needs-key")
    fill(server, tmp_path)
    server.run("publish")
    root, url, out = server.data / "publications/root.json", f"{server.address}/v1", tmp_path / "out"
    asked = []

    class Elsewhere(http.server.BaseHTTPRequestHandler):
        """Redirects to its own /v1, and from there to another origin."""

        def do_GET(self):
            asked.append((self.path, self.headers.get("Authorization")))
            near = not self.path.startswith("/v1")
            self.send_response(302)
            self.send_header("Location", f"/v1{self.path}" if near else f"{server.address}{self.path}")
            self.send_header("Content-Length", "0")
            self.end_headers()

    may, may_not = app_key(server, tmp_path, "fetch"), app_key(server, tmp_path, "report,lookup")
    assert "--app-key-file" in fetch(url, root, out, code=13).stderr
    assert "scope fetch" in fetch(url, root, out, "--app-key-file", may_not, code=13).stderr
    unknown = tmp_path / "unknown.key"
    unknown.write_text("rf_0000000000000000")
    assert "unknown or revoked" in fetch(url, root, out, "--app-key-file", unknown, code=13).stderr
    assert not (out / "current").exists()

    said = fetch(url, root, out, "--app-key-file", may)
    check_whole(out)
    secret = may.read_text().strip()
    kept = b"".join(file.read_bytes() for file in out.rglob("*") if file.is_file())
    assert secret not in said.stdout + said.stderr + server.log.read_text() and secret.encode() not in kept

    def by_variable(address, code, **variables):
        done = subprocess.run(
            [BINARY, "fetch", address, "--key", str(root), "--out", str(tmp_path / "other"), "--retries", "0"],
            capture_output=True, text=True, env=environment() | {"RINGFENCE_APP_KEY": secret} | variables, timeout=120)
        assert done.returncode == code and secret not in done.stderr, done.stderr
        return done.stderr

    # The key in a variable needs a second variable with its server.
    assert "RINGFENCE_APP_ORIGIN" in by_variable(url, 1)
    assert "RINGFENCE_APP_ORIGIN" in by_variable(url, 1, RINGFENCE_APP_ORIGIN="ringfence.example")
    assert "because RINGFENCE_APP_ORIGIN is https://ringfence.example." in by_variable(
        url, 13, RINGFENCE_APP_ORIGIN="https://Ringfence.example:443/")
    by_variable(url, 0, RINGFENCE_APP_ORIGIN=server.address)
    by_variable(f"file://{server.data}/publications", 0)

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        origin = f"http://127.0.0.1:{site.server_address[1]}"
        failed = fetch(origin, root, tmp_path / "far", "--app-key-file", may, "--retries", 0, code=13)
        given, asked[:] = list(asked), []
        by_variable(origin, 13, RINGFENCE_APP_ORIGIN=server.address)
        site.shutdown()
    assert asked and {key for _, key in asked} == {None}
    # The key is sent to the given origin, even after a redirect within it, but not to the server behind it.
    assert [path.startswith("/v1/") for path, _ in given] == [False, True]
    assert {key for _, key in given} == {f"Bearer {secret}"}
    assert "redirect" in failed.stderr and secret not in failed.stderr

    # The key is not sent unencrypted to another machine.
    assert "https" in fetch("http://192.0.2.1/v1", root, out, "--app-key-file", may, code=1).stderr
    empty = tmp_path / "empty.key"
    empty.write_text("\n")
    fetch(url, root, out, "--app-key-file", empty, code=3)


def test_every_refusal_has_its_exit_code_and_leaves_what_was_there(server, key, tmp_path):
    folder, out = tmp_path / "publications", tmp_path / "out"
    shutil.copytree(server.data / "publications", folder)
    url = f"file://{folder}"
    fetch(url, key, out)
    serial = check_whole(out)
    older = (folder / "manifest.json").read_bytes()

    envelope = json.loads(older)
    signature = envelope["signatures"][0]["sig"]
    other = ("A" if signature[0] != "A" else "B") + signature[1:]
    (folder / "manifest.json").write_bytes(older.replace(signature.encode(), other.encode()))
    assert "changed" in fetch(url, key, out, code=10).stderr

    add_complaints(server, tmp_path, random.randrange(100, 10_000))
    server.run("publish")
    shutil.rmtree(folder)
    shutil.copytree(server.data / "publications", folder)
    newest = publications.manifest(folder)
    for pack in newest["packs"]:
        for path in [pack["path"], *(delta["path"] for delta in pack.get("deltas", []))]:
            content = bytearray((folder / path).read_bytes())
            content[len(content) // 2] ^= 1
            (folder / path).write_bytes(content)
    fetch(url, key, out, code=14)
    assert check_whole(out) == serial

    fetch(f"{server.address}/v1", key, out)
    assert check_whole(out) == newest["serial"] > serial
    (folder / "manifest.json").write_bytes(older)
    assert "older" in fetch(url, key, out, code=12).stderr
    fetch(f"{server.address}/v2", key, out, code=13)
    fetch("http://127.0.0.1:9", key, out, "--retries", 0, code=13)
    fetch(f"{server.address}/v1", "A" * 43 + "=", tmp_path / "none", code=10)
    fetch(f"{server.address}/v1", tmp_path / "absent", tmp_path / "none", code=3)
    names = ", ".join(sorted(pack["name"] for pack in publications.manifest(server.data / "publications")["packs"]))
    assert fetch(f"{server.address}/v1", key, tmp_path / "none", "--pack", "none", code=2).stderr == (
        f"Error: There is no pack none. Use one of: {names}.\n")
    fetch("ftp://127.0.0.1/", key, out, code=2)
    assert check_whole(out) == newest["serial"]


@pytest.mark.parametrize("requests", [[1, 4], pytest.param([1, 2, 3, 4, 5, 6], marks=pytest.mark.slow)], ids=["some", "all"])
def test_killed_at_any_moment_the_old_set_is_whole(server, proxy, key, tmp_path, requests):
    out = tmp_path / "out"
    fetch(f"{server.address}/v1", key, out)
    for last in requests:
        add_complaints(server, tmp_path, 1_000 + last)
        server.run("publish")
        before = check_whole(out)
        wanted = publications.manifest(server.data / "publications")["serial"]
        # Killed in one of its first requests.
        proxy.requests.clear()
        proxy.cut = lambda path: time.sleep(0.05)
        process = subprocess.Popen(
            [BINARY, "fetch", f"{proxy.address}/v1", "--key", str(key), "--out", str(out)], env=environment(),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: len(proxy.requests) >= last or process.poll() is not None, 60, "requests")
        process.send_signal(signal.SIGKILL)
        process.wait(timeout=30)
        assert check_whole(out) in (before, wanted)
        assert not [name for name in os.listdir(out) if name not in (
            "current", ".current", "sets", "partial", "state.json", "state.json.new", ".lock")]
    proxy.cut = lambda path: None
    fetch(f"{proxy.address}/v1", key, out)
    assert check_whole(out) == wanted
    assert len(list((out / "sets").iterdir())) <= 2
