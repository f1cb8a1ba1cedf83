"""The metrics for Prometheus, access to them, and the contents of the log."""

import http.client
import json
import os
import re
import shutil
import subprocess
import time
import uuid

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_openmetrics
from prometheus_client.parser import text_string_to_metric_families as parse

from ringfence_server import CHECKOUT
from waiting import wait_until

TOKEN = "metrics-token-5f0b1f5e7d3e"
NUMBER = "12015550147"
REPORTER = "planted-reporter-name"
COMMENT = "planted comment of a caller"


@pytest.fixture(scope="module")
def server(make_server):
    server = make_server(
        "--demo", "--log-format", "json", "--log-requests", RINGFENCE_METRICS_TOKEN=TOKEN)
    yield server
    server.close()


@pytest.fixture(scope="module")
def key(server):
    return server.run("app", "create", "Metrics phone").splitlines()[-1].split()[-1]


def ask(server, method, path, body=None, **headers):
    connection = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=60)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, answer.headers, text


def report(**changes):
    return json.dumps({
        "number": f"+{NUMBER}", "category": "fraud", "reporter": REPORTER, "report_id": str(uuid.uuid4()),
        "reported_at": time.strftime("%FT%TZ", time.gmtime(time.time() - 60)), "comment": COMMENT} | changes)


def send(server, key, body=None, **headers):
    return ask(server, "POST", "/v1/reports", body or report(), Authorization=f"Bearer {key}",
               Content_Type="application/json", **headers)


def samples(server):
    """Every value by name and labels."""
    status, headers, text = ask(server, "GET", "/metrics", Authorization=f"Bearer {TOKEN}")
    assert status == 200 and headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {
        (sample.name, *sorted(sample.labels.items())): sample.value
        for family in parse(text) for sample in family.samples}


def value(found, name, **labels):
    return found.get((name, *sorted(labels.items())), 0)


def test_what_happens_is_counted(server, key):
    before = samples(server)
    assert send(server, key)[0] == 201  # the normal path: the key is not yet in the cache
    again = report()
    assert [send(server, key, again)[0] for _ in range(3)] == [201, 200, 200]
    assert send(server, key, report(category="spam"))[0] == 422
    assert send(server, "rf_wrong")[0] == 401
    assert send(server, key, f"[{report()},{report(number='911')}]")[0] == 200
    after = samples(server)

    def more(name, **labels):
        return value(after, name, **labels) - value(before, name, **labels)

    route = {"route": "/v1/reports", "method": "POST"}
    assert more("ringfence_http_requests_total", status="2xx", **route) == 5
    assert more("ringfence_http_requests_total", status="4xx", **route) == 2
    assert more("ringfence_http_request_duration_seconds_count", **route) == 7
    assert more("ringfence_intake_reports_total", outcome="created") == 3
    assert more("ringfence_intake_reports_total", outcome="duplicate") == 2
    app = {"app": "Metrics phone"}
    assert more("ringfence_app_reports_total", **app) == 3
    assert more("ringfence_intake_rejects_total", reason="unknown_category", **app) == 1
    assert more("ringfence_intake_batch_items_sum", kind="reports") == 5
    assert more("ringfence_intake_commit_duration_seconds_count", kind="reports") >= 5
    assert value(after, "ringfence_database_up") == 1
    assert value(after, "ringfence_http_connections") >= 1
    assert value(after, "ringfence_publication_serial") == 2
    assert abs(value(after, "ringfence_publication_time_seconds") - time.time()) < 3_600
    assert value(after, "ringfence_publication_pack_entries", pack="toxic") > 0
    assert value(after, "process_resident_memory_bytes") > 1 << 20
    assert value(after, "process_cpu_seconds_total") > 0


def test_refusals_before_a_report_is_read_are_counted_by_known_apps_alone(server, key):
    asker = server.run("app", "create", "Asker", "--scopes", "lookup")
    evil, name = '{"number":"evil"}', "ringfence_intake_rejects_total"
    before = samples(server)
    assert [send(server, *one)[0] for one in [
        (key, "{"), (key, evil), (key, report(client_address="203.0.113.7")), (asker,), ("rf_wrong", evil), ("evil", evil),
        (key, f'[{report()},{evil}]')]] == [400, 400, 403, 403, 401, 401, 200]
    header = {"Authorization": f"Bearer {key}"}
    assert ask(server, "POST", "/v1/reports", report(), Content_Type="text/plain", **header)[0] == 415
    rating = '{"phone":"+33199000248","rating":"evil"}'
    assert ask(server, "POST", "/phoneblock/api/rate", rating, Content_Type="application/json", **header)[0] == 400
    after = samples(server)
    more = {labels: count - before.get(labels, 0) for labels, count in after.items() if labels[0] == name}
    counts = {(dict(labels)["app"], dict(labels)["reason"]): count for (_, *labels), count in more.items() if count}
    assert counts == {
        ("Metrics phone", "malformed"): 2, ("Metrics phone", "scope"): 1, ("Metrics phone", "missing"): 1,
        ("Metrics phone", "unsupported_media_type"): 1, ("Metrics phone", "request"): 1, ("Asker", "scope"): 1}


def test_openmetrics_is_read_too(server):
    _, headers, text = ask(
        server, "GET", "/metrics", Accept="application/openmetrics-text; version=1.0.0", Authorization=f"Bearer {TOKEN}")
    assert headers["Content-Type"].startswith("application/openmetrics-text")
    names = {family.name for family in parse_openmetrics(text)}
    assert {"ringfence_http_requests", "process_cpu_seconds"} <= names


def test_every_metric_of_ours_is_described(server):
    _, _, text = ask(server, "GET", "/metrics", Authorization=f"Bearer {TOKEN}")
    helps = {family.name: family.documentation for family in parse(text)}
    ours = {name: help for name, help in helps.items() if name.startswith(("ringfence_", "process_"))}
    assert len(ours) > 20
    assert [name for name, help in ours.items() if help in ("", "Measured by a library.")] == []


def test_only_the_token_reads_it(server):
    # A proxy without forwarding headers also connects from this machine.
    for headers in [{}, {"X_Forwarded_For": "198.51.100.7"}, {"Forwarded": "for=198.51.100.7"}, {"Via": "1.1 proxy"}]:
        assert ask(server, "GET", "/metrics", **headers)[0] == 401
        assert ask(server, "GET", "/metrics", Authorization="Bearer wrong-token-0123456789", **headers)[0] == 401
        assert ask(server, "GET", "/metrics", Authorization=f"Bearer {TOKEN}", **headers)[0] == 200


def test_the_first_start_makes_a_token(make_server):
    server = make_server()
    file = server.data / "metrics.token"
    assert file.stat().st_mode & 0o777 == 0o600
    token = file.read_text().strip()
    assert re.fullmatch("[0-9a-f]{64}", token)
    assert ask(server, "GET", "/metrics")[0] == 401
    assert ask(server, "GET", "/metrics", Authorization=f"Bearer {token}")[0] == 200


def test_callers_cannot_make_series(server, key):
    ask(server, "GET", "/nowhere/0")
    before = set(samples(server))
    for i in range(30):
        ask(server, "GET", f"/nowhere/{i}")
        ask(server, f"METHOD{i}", "/healthz")
        ask(server, "GET", f"/v1/numbers/%2B120155501{i:02}", Authorization=f"Bearer {key}")
    new = {name for name in set(samples(server)) - before if "/v1/numbers/" not in str(name)}
    assert not new


def test_a_request_has_a_name(server, key):
    for ask_once in [lambda **h: send(server, key, **h), lambda **h: ask(server, "GET", "/healthz", **h)]:
        assert ask_once(X_Request_Id="a-1_b.C")[1]["X-Request-Id"] == "a-1_b.C"
        made = {ask_once(X_Request_Id=bad)[1]["X-Request-Id"] for bad in ["<b>", "x" * 65, "a b"]}
        assert len(made) == 3 and all(re.fullmatch(r"[0-9a-f]+-[0-9a-f]+", name) for name in made)


def test_the_log_is_for_programs_and_keeps_secrets(server, key):
    link = server.run("sign-in-link", "Ada", "--url", server.address)
    token = link.partition("token=")[2]
    ask(server, "GET", f"/sign-in?token={token}")
    status, headers, _ = ask(
        server, "POST", "/sign-in", f"token={token}", Content_Type="application/x-www-form-urlencoded")
    cookie = re.search(r"ringfence_session=([^;]+)", headers["Set-Cookie"] or "")[1]
    for _ in range(50):
        send(server, key, X_Request_Id="busy-run")
    send(server, key, report(number=f"+{NUMBER}x"))
    ask(server, "GET", f"/v1/numbers/%2B{NUMBER}", Authorization=f"Bearer {key}")
    ask(server, "GET", f"/moderation/numbers/%2B{NUMBER}", Cookie=f"ringfence_session={cookie}")
    ask(server, "GET", f"/nowhere/{NUMBER}?key={key}")
    wait_until(lambda: "/v1/numbers/" in server.log.read_text(), 30, "the log")
    text = server.log.read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    busy = [line for line in lines if line.get("request_id") == "busy-run"]
    assert len(busy) == 50 and all(line["http.route"] == "/v1/reports" for line in busy)
    assert all({"time", "level", "message"} <= line.keys() for line in lines)
    secrets = [key, token, cookie, TOKEN, REPORTER, COMMENT, NUMBER]
    for file in ["pseudonym.key", "signing.key", "webhook.secret", "sample-app.key"]:
        if (server.data / file).exists():
            secrets.append((server.data / file).read_text().strip())
    assert len(secrets) >= 10
    found = [secret for secret in secrets if secret in text]
    assert not found


def names_in(text):
    for name in re.findall(r"\b(?:ringfence|process)_[a-z_]+", text):
        yield re.sub(r"_(bucket|sum|count)$", "", name)


def test_dashboard_and_alerts_name_metrics_that_exist(server, key):
    send(server, key, report(category="spam"))
    ask(server, "GET", "/metrics", Authorization=f"Bearer {TOKEN}")
    _, _, text = ask(server, "GET", "/metrics", Authorization=f"Bearer {TOKEN}")
    known = {re.sub(r"_(bucket|sum|count)$", "", line.split("{")[0].split(" ")[0])
             for line in text.splitlines() if not line.startswith("#")}
    known |= {line.split(" ")[2] for line in text.splitlines() if line.startswith("# TYPE")}
    # The nodes exist only on a cluster.
    known.add("ringfence_database_node_up")
    # The age of the oldest item exists only while something waits.
    known |= {f"{name}_oldest_time_seconds" for name in known}
    if "ringfence_review_queue_cases" not in known:
        print("SKIPPED: this schema has no queue; its metrics are not checked.")
        known |= {"ringfence_review_queue_cases", "ringfence_review_queue_cases_oldest_time_seconds"}
    alerts = (CHECKOUT / "Docker/Monitoring/alerts.yaml").read_text()
    dashboard = json.loads((CHECKOUT / "Docker/Monitoring/grafana-dashboard.json").read_text())
    wanted = {name for line in alerts.splitlines() for name in names_in(line)}
    wanted |= {name for panel in dashboard["panels"] for target in panel["targets"] for name in names_in(target["expr"])}
    assert len(wanted) > 20
    assert wanted - known == set()


def test_prometheus_reads_the_alerts():
    promtool = os.environ.get("RINGFENCE_PROMTOOL") or shutil.which("promtool")
    if not promtool:
        pytest.skip("promtool is not there (Debian: apt install prometheus): the alert rules are not checked")
    done = subprocess.run([promtool, "check", "rules", CHECKOUT / "Docker/Monitoring/alerts.yaml"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
