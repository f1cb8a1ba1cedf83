"""An import killed at any time is completed by the same command, which counts nothing twice."""

import signal
import subprocess

from ringfence_server import BINARY, START_SECONDS, environment
from waiting import wait_until

ROWS = 100_000


def test_a_killed_import_is_completed_by_the_same_command(make_server, tmp_path):
    path = tmp_path / "complaints.tsv"
    path.write_text("".join(
        f"2026-{row // 40_000 + 1:02}-{row % 28 + 1:02}\t201555{row % 9_000 + 1_000}\t201\n" for row in range(ROWS)))
    server = make_server()
    process = subprocess.Popen(
        [BINARY, "import", "complaints", str(path), "--format", "ftc-tsv", "--data", str(server.data)],
        env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: server.query("SELECT 1 FROM reports LIMIT 1"), START_SECONDS, "the first rows")
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=START_SECONDS)
    # PostgreSQL notices at the end of a statement that nobody waits for it.
    wait_until(lambda: not server.query(
        "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%INSERT INTO reports%'"
        " AND pid <> pg_backend_pid()"), START_SECONDS, "the last statement to end")
    (stored,), = server.query("SELECT count(*) FROM reports")
    assert 0 < int(stored) < ROWS, "the import ended before it was killed"
    server.run("recount")

    print(server.run("import", "complaints", str(path), "--format", "ftc-tsv"))
    assert server.query("SELECT count(*), count(DISTINCT report_id) FROM reports") == [[str(ROWS), str(ROWS)]]
    server.run("recount")
