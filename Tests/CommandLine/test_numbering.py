"""Numbering plans: newer files replace the plans of the program, on every server, and reports wait for them."""

import http.client
import json
import subprocess
import threading
import uuid
from datetime import UTC, datetime

import pytest

from ringfence_server import BINARY, CHECKOUT, environment
from test_commands import run
from waiting import wait_until

PLANS = (CHECKOUT / "Resources/NumberingPlans/plans.txt").read_text()
NEW = "+15555550123"


def newer(version="99.0.1"):
    """The plans with the area code 555, which is not assigned."""
    head, rest = PLANS.split("\n", 1)
    words = head.split(" ")
    assert rest.count("(?:2(?:0[1-35-9]|") >= 1
    return " ".join([*words[:2], version, "2099-01-31"]) + "\n" + rest.replace("(?:2(?:0[1-35-9]|", "(?:555|2(?:0[1-35-9]|")


@pytest.mark.parametrize(("change", "said"), [
    (lambda text: text[: len(text) // 2], "The end of the file is missing"),
    (lambda text: text.replace("011\n", "0" * 1_000_000 + "\n", 1), "longer than any plan needs"),
    (lambda text: text.replace("numbering-plans 1 ", "numbering-plans 2 ", 1), "another form"),
    (lambda text: "<!DOCTYPE html>\n<title>404</title>\n", "has no numbering plans"),
    (lambda text: text * 40, "has more than"),
    (lambda text: "", "file has no numbering plans"),
], ids=["cut", "long-pattern", "other-form", "html", "too-large", "empty"])
def test_a_wrong_file_is_refused(tmp_path, change, said):
    file = tmp_path / "plans.txt"
    file.write_text(change(newer()))
    refused = run("numbering", "update", file, "--data", tmp_path / "data", code=1).stderr
    assert said in refused and "Nothing was changed" in refused, refused


def test_a_newer_plan_reaches_a_running_server(make_server, tmp_path):
    server = make_server()
    key = server.run("app", "create", "Phones").splitlines()[-1].split()[-1]

    def report(number, reporter):
        body = json.dumps({
            "number": number, "category": "fraud", "reporter": reporter, "report_id": str(uuid.uuid4()),
            "reported_at": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")})
        connection = http.client.HTTPConnection(server.address.removeprefix("http://"), timeout=60)
        connection.request("POST", "/v1/reports", body, {
            "Authorization": f"Bearer {key}", "Content-Type": "application/json"})
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())

    status, body = report(NEW, "one")
    assert status == 201 and body["unassigned"] is True, body
    assert report("+155555501", "one")[0] == 422
    shown = server.run("numbering", "show").splitlines()
    assert shown[0].split("\t")[1:] == shown[1].split("\t")[1:] == PLANS.split("\n")[0].split(" ")[2:4]
    checked = server.run_unchecked("numbering", "check")
    assert (checked.returncode, checked.stdout.split()) == (1, [NEW])
    told = json.loads(server.run("explain", NEW, "--json"))
    assert told["verdict"] == "held"

    old = tmp_path / "old"
    old.write_text(newer("8.13.0"))
    assert "and the program has" in server.run_unchecked("numbering", "update", str(old)).stderr

    # Of two updates at once one wins, and the newest plans stay.
    files = {}
    for version in ("99.0.1", "99.0.2"):
        files[version] = tmp_path / version
        files[version].write_text(newer(version))
    done = {}

    def update(version):
        done[version] = subprocess.run(
            [BINARY, "numbering", "update", str(files[version]), "--data", str(server.data)], capture_output=True,
            text=True, env=environment(), timeout=300)

    threads = [threading.Thread(target=update, args=[version]) for version in files]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done["99.0.2"].returncode == 0, done["99.0.2"].stderr
    assert server.run("numbering", "show").splitlines()[0].split("\t")[1] == "99.0.2"
    assert "not older than" in server.run_unchecked("numbering", "update", str(files["99.0.1"])).stderr
    assert server.run("numbering", "check") == ""
    assert server.query("SELECT count(*) FROM holds") == [["0"]]
    # The server reads the new plans within a minute.
    wait_until(lambda: "unassigned" not in report(NEW, str(uuid.uuid4()))[1], 60, "a report of an assigned number")
    server.close()
