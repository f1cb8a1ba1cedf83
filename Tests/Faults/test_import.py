"""An import killed at any time is completed by the same command, which counts nothing twice."""

import signal
import subprocess

from ringfence_server import BINARY, START_SECONDS, environment
from waiting import wait_until

ROWS = 100_000
COMMAND = ["--format", "ftc-tsv"]
# Held until all rows are stored and all indexes are built.
STORING = "SELECT 1 FROM pg_locks WHERE relation = 'numbers'::regclass AND mode = 'AccessExclusiveLock' AND granted"


def start(server, path):
    return subprocess.Popen(
        [BINARY, "import", "complaints", str(path), *COMMAND, "--data", str(server.data)],
        env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=START_SECONDS)


def write(path):
    path.write_text("".join(
        f"2026-{row // 40_000 + 1:02}-{row % 28 + 1:02}\t201555{row % 9_000 + 1_000}\t201\n" for row in range(ROWS)))
    return path


def complete(server, path, other=0):
    print(server.run("import", "complaints", str(path), *COMMAND))
    everything = str(ROWS + other)
    assert server.query("SELECT count(*), count(DISTINCT report_id) FROM reports") == [[everything, everything]]
    server.run("recount")


def test_a_killed_first_import_leaves_nothing_and_is_completed(make_server, tmp_path):
    path, server = write(tmp_path / "complaints.tsv"), make_server()
    indexes = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename NOT LIKE 'reports\\_2%' ORDER BY 1"
    before = server.query(indexes)
    process = start(server, path)
    wait_until(lambda: server.query(STORING), START_SECONDS, "that moment of the import")
    kill(process)
    # Waits for the lock of the killed import.
    assert server.query("SELECT count(*) FROM reports") == [["0"]], "the import ended before it was killed"
    assert server.query("SELECT count(*) FROM numbers") == [["0"]]
    assert server.query(indexes) == before
    complete(server, path)
    assert server.query(indexes) == before


def test_a_killed_import_is_completed_by_the_same_command(make_server, tmp_path):
    path, server = write(tmp_path / "complaints.tsv"), make_server()
    first = tmp_path / "first.jsonl"
    first.write_text('{"number": "+33199000101", "category": "fraud", "reported_at": "2026-01-05T10:00:00Z"}\n')
    server.run("import", "complaints", str(first), "--format", "jsonl")
    process = start(server, path)
    wait_until(lambda: server.query("SELECT 1 FROM reports OFFSET 1 LIMIT 1"), START_SECONDS, "the first rows")
    kill(process)
    # PostgreSQL notices at the end of a statement that nobody waits for it.
    wait_until(lambda: not server.query(
        "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'COPY %'"
        " AND pid <> pg_backend_pid()"), START_SECONDS, "the last statement to end")
    (stored,), = server.query("SELECT count(*) FROM reports")
    assert 1 < int(stored) < ROWS, "the import ended before it was killed"
    server.run("recount")
    complete(server, path, other=1)


def test_the_next_start_makes_the_index_of_a_killed_import_of_names(make_server, tmp_path):
    path, server = tmp_path / "names.csv", make_server()
    path.write_text("phone,name\n" + "".join(f"+331990{row:05},Shop {row} of the street {row * 7}\n" for row in range(100_000)))
    process = subprocess.Popen(
        [BINARY, "import", "directory", str(path), "--source", "shops", "--data", str(server.data)],
        env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: server.query("SELECT 1 FROM directory_sources WHERE generation IS NOT NULL"), START_SECONDS, "the switch")
    kill(process)
    assert server.query("SELECT entries, searchable FROM directory_sources") == [["100000", ""]], "the import ended before it was killed"
    server.signal(signal.SIGKILL)
    server.ended()
    server.start()
    wait_until(lambda: server.query("SELECT 1 FROM directory_sources WHERE searchable = generation"), 90, "the index")
    assert server.query("SELECT count(*) FROM pg_indexes WHERE indexname LIKE 'directory_entries_g%_words'") == [["1"]]
