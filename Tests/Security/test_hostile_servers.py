"""Servers that ours connects to cannot exhaust its memory or time: sources of `fetch`, receivers of webhooks."""

import contextlib
import http.server
import shutil
import socket
import ssl
import subprocess
import threading

import pytest

from hostile_server import SLOW_WAYS, WAYS, WHOLE_ANSWERS, HostileServer, Memory, run_measured
from ringfence_server import BINARY, environment
from waiting import wait_until

# The maximum growth of a process's resident memory during a flood, and the maximum bytes that a flood can send.
MOST_GROWTH = 96 << 20
MOST_SENT = 32 << 20

# Exit codes of `fetch` for a refusal: the network, or a file that differs from the manifest.
REFUSALS = {13, 14}

# The most seconds that `fetch` runs beyond its --timeout: its start and end, on a busy machine.
MOST_EXTRA = 8


@pytest.fixture(scope="module")
def server(make_server):
    return make_server("--demo")


@pytest.fixture(scope="module")
def key(server):
    return server.data / "publications/root.json"


def fetch(url, key, out, timeout=20):
    """The exit code of a fetch, its peak memory, and its output."""
    with subprocess.Popen(
            [BINARY, "fetch", url, "--key", str(key), "--out", str(out), "--retries", "0", "--timeout", str(timeout)],
            env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        code, peak = run_measured(process, timeout + MOST_EXTRA)
        return code, peak, process.stderr.read()


@pytest.fixture(scope="module")
def usual_peak(server, key, tmp_path_factory):
    """The peak memory of a successful fetch."""
    code, peak, said = fetch(f"{server.address}/v1", key, tmp_path_factory.mktemp("usual"))
    assert code == 0, said
    return peak


@pytest.fixture(scope="module")
def growth():
    """The growth that each way adds to the peak of a process; a table with `pytest -s`."""
    growth = {}
    yield growth
    print("\n\nMiB over the usual peak:")
    for name, size in sorted(growth.items(), key=lambda item: -item[1]):
        print(f"{size / (1 << 20):8.1f}  {name}")


def check(site, code, peak, usual_peak, said):
    assert code in REFUSALS, (code, said)
    assert "Optional(" not in said and "NIO" not in said, said
    assert peak - usual_peak <= MOST_GROWTH, f"{(peak - usual_peak) >> 20} MiB more than usual"
    assert site.answers
    wait_until(lambda: all(answer["ended"] for answer in site.answers), 30, lambda: f"the end of {site.answers}")
    assert max(answer["sent"] for answer in site.answers) <= MOST_SENT, site.answers


@pytest.mark.parametrize("way", WAYS)
def test_a_hostile_source_of_documents_is_refused(key, usual_peak, growth, tmp_path, way):
    # Made before anything waits for it.
    WAYS[way]()
    site = HostileServer()
    code, peak, said = fetch(f"{site.address}/{way}", key, tmp_path / "out")
    growth[f"{way} (document)"] = peak - usual_peak
    check(site, code, peak, usual_peak, said)
    site.close()


@pytest.mark.parametrize("way", WAYS)
def test_a_hostile_source_of_packs_is_refused(server, key, usual_peak, growth, tmp_path, way):
    """The manifest is correct; every pack, of a few kilobytes according to it, is a flood."""
    WAYS[way]()
    site = HostileServer(server.data / "publications", lambda path: path.startswith("packs/"))
    code, peak, said = fetch(f"{site.address}/{way}", key, tmp_path / "out")
    growth[f"{way} (pack)"] = peak - usual_peak
    check(site, code, peak, usual_peak, said)
    assert not (tmp_path / "out/current").exists()
    held = sum(file.stat().st_size for file in (tmp_path / "out").rglob("*") if file.is_file())
    assert held < 8 << 20
    site.close()


@pytest.mark.parametrize("way", SLOW_WAYS)
def test_a_source_that_drips_is_left(key, usual_peak, growth, tmp_path, way):
    site = HostileServer()
    code, peak, said = fetch(f"{site.address}/{way}", key, tmp_path / "out", timeout=2)
    growth[f"{way} (document)"] = peak - usual_peak
    check(site, code, peak, usual_peak, said)
    site.close()


def test_a_source_that_accepts_no_connection_is_left_in_time(key, tmp_path):
    """An attempt to connect takes 10 s, longer than the time limit of the fetch."""
    with socket.create_server(("127.0.0.1", 0), backlog=0) as site, contextlib.ExitStack() as clients:
        # These fill the queue of the listener, and the system ignores further clients.
        for _ in range(3):
            client = clients.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(site.getsockname())
        code, _, said = fetch(f"http://127.0.0.1:{site.getsockname()[1]}", key, tmp_path / "out", timeout=1)
    assert code == 13 and "took longer than 1 s." in said, said


@pytest.mark.parametrize("way", SLOW_WAYS)
def test_a_server_that_drips_is_not_well(way):
    """Every byte arrives in time, but the response as a whole does not."""
    site = HostileServer()
    with subprocess.Popen(
            [BINARY, "healthcheck", "--url", f"{site.address}/{way}", "--seconds", "1"], env=environment(),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        code, _ = run_measured(process, 60)
    assert code == 1
    wait_until(lambda: all(answer["ended"] for answer in site.answers), 30, lambda: f"the end of {site.answers}")
    site.close()


def test_proxies_of_the_environment_are_not_used(server):
    absent = "http://127.0.0.1:9"
    done = subprocess.run(
        [BINARY, "healthcheck", "--url", f"{server.address}/healthz"], capture_output=True, text=True,
        env=environment() | {"http_proxy": absent, "all_proxy": absent, "no_proxy": ""}, timeout=60)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("ways", [
    pytest.param(["chunked", "gzip", "fields", "drip"], id="some"),
    pytest.param([way for way in [*WAYS, *SLOW_WAYS] if way not in WHOLE_ANSWERS], id="all", marks=pytest.mark.slow)])
def test_hostile_receivers_of_webhooks_do_not_take_the_servers_memory(server, growth, ways):
    server.query("DELETE FROM outbox")
    site = HostileServer()
    memory = Memory(server.process.pid)
    before = memory.now
    memory.forget_peak()
    server.run("publish", *(word for way in ways for word in ("--webhook", f"{site.address}/{way}/hook")))

    def tried():
        rows = server.query("SELECT receiver, last_error FROM outbox WHERE attempts > 0 AND last_error IS NOT NULL")
        return len(rows) == len(ways) and dict(rows)

    reasons = wait_until(tried, 180, lambda: f"attempts: {site.answers}")
    growth[f"{len(ways)} receivers of webhooks together (server)"] = memory.peak - before
    assert memory.peak - before <= MOST_GROWTH, f"{(memory.peak - before) >> 20} MiB more than before"
    assert server.query("SELECT count(*) FROM outbox WHERE delivered_at IS NOT NULL") == [["0"]]
    wait_until(lambda: {answer["way"] for answer in site.answers} == set(ways), 180, lambda: f"answers: {site.answers}")
    assert max(answer["sent"] for answer in site.answers) <= MOST_SENT, site.answers
    assert all("Optional(" not in reason and "NIO" not in reason for reason in reasons.values()), reasons
    site.close()


@pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed: there is no certificate")
def test_a_certificate_that_nobody_signed_is_refused(key, tmp_path):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-addext", "subjectAltName=DNS:localhost", "-keyout", "key.pem", "-out", "cert.pem"],
        cwd=tmp_path, check=True, capture_output=True)
    asked = []

    class Site(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            super().do_GET()

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert.pem", tmp_path / "key.pem")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site) as site:
        site.socket = context.wrap_socket(site.socket, server_side=True)
        threading.Thread(target=site.serve_forever, daemon=True).start()
        code, _, said = fetch(f"https://localhost:{site.server_address[1]}", key, tmp_path / "out")
        site.shutdown()
    assert code == 13 and "certificate" in said, said
    assert not asked
