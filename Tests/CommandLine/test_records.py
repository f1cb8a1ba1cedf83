"""An erasure journal or a file of the audit log that cannot be written is noticed before a right needs it."""

import json
import subprocess

import pytest
import requests

from ringfence_server import BINARY, environment
from test_rights import signed


@pytest.mark.parametrize("variable, name", [
    ("RINGFENCE_ERASURE_JOURNAL", "erasure journal"), ("RINGFENCE_AUDIT_OUT", "file of the audit log")])
def test_a_server_does_not_start_without_its_records(tmp_path, variable, name):
    done = subprocess.run(
        [BINARY, "serve", "--data", str(tmp_path / "data"), "--port", "0"], capture_output=True, text=True, timeout=300,
        env=environment() | {variable: str(tmp_path)})
    assert done.returncode != 0 and f"Cannot write the {name} {tmp_path}: Is a directory" in done.stderr


def test_a_journal_that_cannot_be_written_any_more_refuses_rights(make_server, tmp_path):
    journal = tmp_path / "erasures.jsonl"
    server = make_server(RINGFENCE_ERASURE_JOURNAL=str(journal))
    key = server.run("app", "create", "App", "--scopes", "report,vouch")

    def doctor():
        done = server.run_unchecked("doctor", "--json", RINGFENCE_ERASURE_JOURNAL=str(journal))
        return next(one for one in json.loads(done.stdout) if one["what"] == "erasure journal")["state"]

    def writable():
        token = (server.data / "metrics.token").read_text().strip()
        text = requests.get(server.address + "/metrics", headers={"Authorization": f"Bearer {token}"}, timeout=30).text
        return 'ringfence_record_writable{record="erasure_journal"} 1' in text

    assert signed(server, key, "erase", "user-17")().json() == {"found": 0}
    assert journal.read_text().count("\n") == 1 and doctor() == "ok" and writable()
    journal.unlink()
    journal.mkdir()
    assert requests.get(server.address + "/readyz", timeout=30).status_code == 503
    assert doctor() == "bad" and not writable()
    for right in ["erase", "restrict", "release"]:
        refused = signed(server, key, right, "user-17")()
        assert refused.status_code == 503 and "nothing was done" in refused.json()["detail"], refused.text
    assert server.query("SELECT count(*) FROM audit_events WHERE action LIKE 'right.%'") == [["1"]]
    journal.rmdir()
    assert requests.get(server.address + "/readyz", timeout=30).status_code == 200
    server.close()
