"""A lost data folder comes back from a base backup and the archive of the write-ahead log."""

import json
import os
import re
import shutil
import signal
import subprocess
import time

import pytest

from load import Load
from ringfence_server import BINARY, RingfenceServer, environment
from waiting import wait_until

SEGMENT = re.compile(r"[0-9A-F]{24}\.gz")


def run(*arguments, code=0):
    done = subprocess.run(
        [BINARY, *map(str, arguments)], capture_output=True, text=True, env=environment(), timeout=300)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def archive_everything(server, archive):
    """Waits until everything that was written is in the archive."""
    # PostgreSQL never archives a segment that begins with housekeeping records only.
    [[name]] = server.query("SELECT pg_walfile_name(pg_current_wal_insert_lsn() - 256)")
    wait_until((archive / f"{name}.gz").exists, 60, f"{name} to be archived")


def clock(server):
    [[time]] = server.query(
        "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')")
    return time


def findings(server):
    done = subprocess.run(
        [BINARY, "doctor", "--json", "--data", server.data], capture_output=True, text=True, env=environment(),
        timeout=60)
    return {line["what"]: line for line in json.loads(done.stdout)}


def reports(server):
    return {report for [report] in server.query("SELECT report_id FROM reports")}


class Loss:
    """A server that loses its data folder under load, and the reports that its clients sent."""

    def __init__(self, make_server, folder):
        self.folder = folder
        self.archive, self.base = folder / "archive", folder / "base.tar"
        server = make_server("--no-limits", "--archive", str(self.archive), "--archive-timeout", "1")
        with Load(server) as load:
            self.said = run("backup", "--base", self.base, "--data", server.data)
            load.goes_on(reports=100)
            with load._lock:
                self.acknowledged_early = set(load.acknowledged)
            self.moment = clock(server)
            with load._lock:
                self.sent_early = set(load.sent)
            load.goes_on(reports=100)
            with load._lock:
                self.acknowledged_archived = set(load.acknowledged)
            archive_everything(server, self.archive)
            # Segments that the base backup does not contain itself.
            for _ in range(2):
                load.goes_on(reports=100)
                archive_everything(server, self.archive)
            load.goes_on(reports=100)
            self.killed = time.time()
            os.kill(server.postmaster(), signal.SIGKILL)
            server.signal(signal.SIGKILL)
            load.abandon()
        server.ended()
        server.close()
        shutil.rmtree(server.data)
        self.acknowledged, self.sent = set(load.acknowledged), set(load.sent)

    def restored(self, name, *arguments):
        server = RingfenceServer(self.folder / name, "--no-limits")
        (self.folder / name).mkdir()
        began = time.monotonic()
        said = run("restore", self.base, "--archive", self.archive, "--data", server.data, *arguments)
        return server, said, time.monotonic() - began


@pytest.fixture(scope="module")
def loss(make_server, tmp_path_factory):
    return Loss(make_server, tmp_path_factory.mktemp("loss"))


def test_a_lost_data_folder_loses_what_was_not_archived_and_says_so(loss):
    assert "a base backup" in loss.said and "needs the archive from segment 0000000100000000000000" in loss.said
    server, said, seconds = loss.restored("all")
    try:
        last = re.search(r"The last restored transaction was committed at (\S+Z)\. Later ones are lost\.", said)[1]
        server.start()
        there = reports(server)
        assert there <= loss.sent
        assert loss.acknowledged_archived <= there
        lost = loss.acknowledged - there
        assert loss.moment < last < time.strftime("%FT%TZ", time.gmtime(loss.killed + 1))
        assert "recounted: no differences" in server.run("recount")
        print(
            f"\n  {len(loss.acknowledged)} acknowledged before the kill, {len(loss.acknowledged & there)} restored, "
            f"{len(lost)} lost; restored in {seconds:.1f} s to {last}")
    finally:
        server.close()


def test_a_moment_is_restored(loss):
    server, said, _ = loss.restored("moment", "--to", loss.moment, "--no-recount")
    try:
        assert re.search(r"The last restored transaction was committed at (\S+Z)", said)[1] <= loss.moment
        server.start()
        there = reports(server)
        # Everything acknowledged before the moment, and nothing sent after it.
        assert loss.acknowledged_early <= there <= loss.sent_early
        assert loss.acknowledged_archived - loss.sent_early
    finally:
        server.close()


def test_a_time_outside_of_the_archive_is_refused(loss):
    data = loss.folder / "later"
    said = run("restore", loss.base, "--archive", loss.archive, "--data", loss.folder / "no", "--to", "2001-01-01T00:00:00Z",
               code=1)
    assert "is later than --to. Use an earlier one." in said
    said = run("restore", loss.base, "--archive", loss.archive, "--data", data, "--to", "2999-01-01T00:00:00Z", code=1)
    assert re.search(r"The archive ends before 2999-01-01T00:00:00Z: its last transaction was committed at 20\S+Z", said), said
    for arguments in (["--to", "yesterday"], ["--to", "2026-11-22"]):
        said = run("restore", loss.base, "--archive", loss.archive, "--data", loss.folder / "no", *arguments, code=2)
        assert "It must be a time such as" in said


def test_a_gap_and_a_damaged_segment_are_named(loss):
    segments = sorted(path for path in loss.archive.iterdir() if SEGMENT.fullmatch(path.name))
    assert len(segments) >= 3
    damaged, content = segments[-2], segments[-2].read_bytes()
    try:
        damaged.write_bytes(content[:1000])
        said = run("restore", loss.base, "--archive", loss.archive, "--data", loss.folder / "damaged", code=1)
        assert f"Segment {damaged.stem} of the archive is damaged" in said, said
        damaged.unlink()
        server, said, _ = loss.restored("gap", "--no-recount")
        assert f"The archive has no segment {damaged.stem}. Nothing after it can be restored." in said
    finally:
        damaged.write_bytes(content)
        shutil.chown(damaged, segments[0].stat().st_uid, segments[0].stat().st_gid)


def test_a_restored_server_needs_an_archive_of_its_own(loss):
    server, _, _ = loss.restored("again", "--no-recount")
    server.arguments = ("--no-limits", "--archive", str(loss.archive))
    try:
        server.launch()
        assert server.ended(60) == 3
        assert "it belongs to another data folder, or to this one before a restore" in server.log.read_text()
        server.arguments = ("--no-limits", "--archive", str(loss.folder / "second"), "--archive-timeout", "1")
        server.start()
        server.run("app", "create", "After")
        archive_everything(server, loss.folder / "second")
    finally:
        server.close()


def test_the_doctor_watches_the_archive(make_server, tmp_path):
    archive = tmp_path / "archive"
    server = make_server("--archive", str(archive), "--archive-timeout", "1")
    try:
        assert findings(server)["base backup"]["state"] == "warning"
        run("backup", "--base", tmp_path / "base.tar", "--data", server.data)
        server.run("app", "create", "First")
        archive_everything(server, archive)
        lines = findings(server)
        assert {lines[what]["state"] for what in ("archive", "archived segments", "base backup")} == {"ok"}, lines
        assert "0.0 days old" in lines["base backup"]["found"]

        newest = max(path for path in archive.iterdir() if SEGMENT.fullmatch(path.name))
        newest.rename(tmp_path / "away")
        assert "is missing" in findings(server)["archived segments"]["found"]
        (tmp_path / "away").rename(newest)

        os.chmod(archive, 0o500)
        server.run("app", "create", "More")
        wait_until(lambda: "failed, the last at" in findings(server)["archive"]["found"], 60, "a failed attempt")
        assert findings(server)["archive"]["state"] == "bad"
        os.chmod(archive, 0o700)

        def recovered():
            server.run("app", "create", f"App {time.time_ns()}")
            return findings(server)["archive"]["state"] == "ok"

        wait_until(recovered, 90, "the archive to go on")
        assert findings(server)["archived segments"]["state"] == "ok"
    finally:
        server.close()


def test_an_archive_is_for_the_private_postgresql(tmp_path):
    done = subprocess.run(
        [BINARY, "serve", "--archive", tmp_path / "archive", "--data", tmp_path / "data"], capture_output=True, text=True,
        env={**environment(), "DATABASE_URL": "host=/nowhere dbname=x"}, timeout=60)
    assert done.returncode == 1 and "--archive needs the private PostgreSQL" in done.stderr
