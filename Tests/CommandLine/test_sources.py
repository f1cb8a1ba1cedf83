"""Subscriptions to lists: downloads, conditional requests, changes, failures."""

import contextlib
import gzip
import http.server
import json
import lzma
import subprocess
import threading
import zlib
from urllib.parse import parse_qs, urlsplit

import pytest

from hostile_server import WAYS, HostileServer, bomb, run_measured
from ringfence_server import BINARY, environment
from waiting import wait_until

# A flood that is read up to the limit of a file, and the growth of the process meanwhile.
MOST_SENT = 96 << 20
MOST_GROWTH = 96 << 20
# Each is refused at another place: the head, the framing, the body, the file.
FLOODS = [
    "chunked", "until-close", "length", "gzip", "deflate", "gzip-as-transfer", "fields", "trailers", "long-status",
    "chunk-extension", "redirect", "error", "small-chunks", "endless-chunk", "http-0.9", "no-content", "nested-arrays",
]
NUMBERS = ["12015550123", "12015550124", "33199000248"]
# Not due, and within the day that a right clock can give: a time beyond it counts as due.
LATER = "now() + interval '20 hours'"


class Site:
    """A server whose answers a test sets, by path; it keeps the requests."""

    def __init__(self):
        site = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                parts = urlsplit(self.path)
                site.requests.append((parts.path, parse_qs(parts.query), dict(self.headers)))
                status, fields, body = site.answers.get(parts.path, (404, {}, b""))
                if status == 200 and fields.get("ETag") and self.headers["If-None-Match"] == fields["ETag"]:
                    status, body = 304, b""
                self.send_response(status)
                for name, value in fields.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.answers, self.requests = {}, []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def give(self, path, body, status=200, **fields):
        body = body.encode() if isinstance(body, str) else body
        self.answers[path] = (status, {name.replace("_", "-"): value for name, value in fields.items()}, body)
        return f"{self.address}{path}"


@pytest.fixture(scope="module")
def server(make_server):
    # The server itself downloads nothing within these tests: each source is due in hours after its first download.
    return make_server()


@pytest.fixture(scope="module")
def site():
    site = Site()
    yield site
    site.server.shutdown()


def call(server, *arguments):
    done = subprocess.run(
        [BINARY, *arguments, "--data", str(server.data)], env=environment(), capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


def status(server, name):
    rows = json.loads(server.run("sources", "status", "--format", "json"))
    return next(row for row in rows if row["name"] == name)


def wait_for_first(server, name):
    """The server downloads a new source within seconds."""
    wait_until(lambda: status(server, name).get("refreshed_at") or status(server, name)["failures"], 60, f"{name} to be read")


def refresh(server, name, *options):
    """Waits while the server reads the source."""
    return list(call(server, "sources", "refresh", name, *options))


def complaints(server, name):
    return server.query(
        "SELECT s.number FROM number_sources s JOIN apps a USING (app_id) "
        f"WHERE a.name = '{name}' AND s.complaints > 0 ORDER BY number")


def test_a_server_downloads_a_new_source(server, site):
    url = site.give("/new.csv", "number\n" + "\n".join(NUMBERS) + "\n", ETag='"1"')
    server.run("sources", "add", "new", "--url", url, "--format", "csv", "--every", "6h", "--license", "CC0")
    wait_for_first(server, "new")
    row = status(server, "new")
    assert (row["entries"], row["ceiling"], row["license"], row["failures"]) == (3, "review", "CC0", 0)
    assert [number for number, in complaints(server, "new")] == NUMBERS
    assert server.query("SELECT action FROM audit_events WHERE subject = 'new'") == [["source.add"]]
    # One entry is sufficient for its list.
    rules = [line.split() for line in server.run("sources", "list").splitlines()]
    assert ["new", "1", "1", "1", "1", "1", "1", "no"] in rules


def test_a_list_of_the_catalog_needs_no_option_and_its_numbers_are_published(make_server, site):
    server = make_server()
    catalog = json.loads(server.run("sources", "catalog", "--format", "json"))
    assert [row["country"] for row in catalog][:4] == ["US", "DE", "FR", "ES"]
    assert all(row["license"] and row["every"] for row in catalog) and catalog[0]["rows"] > 100_000
    assert "ftc-rolling" in server.run("sources", "catalog")

    # Numbers with three complaints are blocked, others labeled; so are numbers of no place, such as toll-free ones.
    rows = ["2015550123", "2015550124", *["2015550125", "8005550123"] * 3]
    url = site.give("/catalog.csv", "\n".join(["pattern", *rows, ""]))
    added = server.run("sources", "add", "ftc-rolling", "--url", url)
    assert "Note:" not in added and "with the ceiling block" in added, added
    wait_for_first(server, "ftc-rolling")
    assert ["ftc-rolling", "4", "1", "1", "1", "1", "3", "no"] in [line.split() for line in server.run("sources", "list").splitlines()]
    server.run("publish")
    listed = server.query("SELECT number, treatment FROM listings ORDER BY number")
    shared = ["18005550123", "1"]
    assert listed == [["12015550123", "1"], ["12015550124", "1"], ["12015550125", "0"], shared], listed
    assert "alone only labels this number" in server.run("explain", "+18005550123")
    assert "alone labels" not in server.run("explain", "+12015550125")
    server.run("sources", "set", "ftc-rolling", "--block-shared", "yes", "--reason", "A trial", "--by-program", "Ada")
    server.run("publish")
    assert server.query("SELECT treatment FROM listings WHERE number = 18005550123") == [["0"]]
    code, said = call(server, "sources", "add", "phoneblock")
    assert code == 2 and "--key-file" in said, said


def test_a_weight_without_effect_is_named_with_a_sufficient_one(server, site):
    url = site.give("/light.csv", "number\n" + "\n".join(NUMBERS) + "\n")
    add = ["sources", "add", "light", "--url", url, "--format", "csv", "--ceiling", "identify"]
    said = server.run(*add, "--complaints", "3", "--days", "2", "--yes")
    assert "Note: The limits list no number. Entries of a number on one day: at most 1." in said, said
    assert "Note: An entry of weight 1.00 never reaches the limits of the category “Nuisance caller” alone. Use a weight of 3.20" in said, said
    server.run("sources", "remove", "light")


def test_an_unchanged_file_is_not_sent_again(server, site):
    url = site.give("/etag.csv", "number\n" + "\n".join(NUMBERS) + "\n", ETag='"7"', Last_Modified="Sun, 22 Nov 2026 10:00:00 GMT")
    server.run("sources", "add", "etag", "--url", url, "--format", "csv")
    wait_for_first(server, "etag")
    assert refresh(server, "etag") == [0, "Unchanged.\n"]
    fields = [fields for path, _, fields in site.requests if path == "/etag.csv"][-1]
    assert fields["If-None-Match"] == '"7"' and fields["If-Modified-Since"] == "Sun, 22 Nov 2026 10:00:00 GMT"
    assert status(server, "etag")["entries"] == 3


def test_rejected_rows_are_counted_and_named(make_server, site):
    server = make_server()
    bad = "unknown", "<b>\u202e\x1b[2J" + "9" * 100
    url = site.give("/bad.csv", "number\n" + "\n".join([*NUMBERS, *bad]) + "\n")
    said = server.run("sources", "add", "bad", "--url", url, "--format", "csv")
    report = "2 of 5 rows rejected: not_a_number 2\n  row 5, not_a_number: unknown\n  row 6, not_a_number: <b>\\u{202E}\\u{1B}[2J999"
    assert f"Note: {report}" in said and "More than a third of the rows is rejected." in said, said
    wait_for_first(server, "bad")
    row = status(server, "bad")
    assert row["state"] == "many_rejected" and row["rejected"]["reasons"] == {"not_a_number": 2}, row
    assert (row["rejected"]["rows"], row["rejected"]["count"], row["rejected"]["examples"][0]) == (
        5, 2, {"row": 5, "text": "unknown", "reason": "not_a_number"})
    text = server.run("sources", "status")
    assert f"bad: {report}" in text and "more than a third of the rows rejected" in text and "\x1b" not in text, text
    assert "more than a third of the rows is rejected: bad" in call(server, "doctor")[1]

    # A file that is refused for its rejected rows names them, too.
    site.give("/bad.csv", "number\n12015550123\nx\ny\n")
    code, said = refresh(server, "bad")
    assert code == 1 and "2 of 3 rows cannot be read" in said, said
    row = status(server, "bad")
    assert row["entries"] == 3 and [example["text"] for example in row["rejected"]["examples"]] == ["x", "y"], row
    site.give("/bad.csv", "number\n" + "\n".join(NUMBERS) + "\n")
    assert refresh(server, "bad")[0] == 0
    row = status(server, "bad")
    assert row["state"] == "active" and row["rejected"] == {"rows": 3, "count": 0, "reasons": {}, "examples": []}, row

    # A publication in the meantime waits for the source.
    server.query("UPDATE source_feeds SET progress = 1, progress_goal = 3, next_at = " + LATER)
    said = server.run("publish")
    assert "The source bad is still being read or stored." in said and "There is no app" not in said, said
    assert "Note: The list cannot be read now. The server answered with status 404." in server.run(
        "sources", "add", "gone", "--url", f"{site.address}/gone", "--format", "csv")


def test_a_preview_stores_nothing_and_decisions_suspend_a_source(server, site):
    numbers = [str(33199100000 + index) for index in range(10)]
    url = site.give("/judged.csv", "number\n" + "\n".join(numbers) + "\n")
    add = ["sources", "add", "judged", "--url", url, "--format", "csv", "--weight", "5", "--ceiling"]
    assert "10 would be listed to identify" in server.run(*add, "identify", "--preview")
    assert json.loads(server.run(*add, "review", "--preview", "--json"))["review"] == 10
    assert "judged" not in server.run("sources", "status") + server.run("sources", "list")
    assert "There is no source named judged" in call(server, "sources", "add", "judged", "--preview")[1]
    server.run(*add, "block")
    wait_for_first(server, "judged")
    assert "10 would no longer be listed" in server.run("sources", "add", "judged", "--ceiling", "review", "--preview")

    for number in numbers:
        server.run("decide", f"+{number}", "--allow", "--by-program", "Ada", "--reason", "A shop.")
    refresh(server, "judged")
    row = status(server, "judged")
    assert (row["confirmed"], row["wrong"], row["precision"]) == (0, 10, 0) and row["suspended_at"]
    assert "suspended, because" in call(server, "doctor")[1] or "suspended: judged" in call(server, "doctor")[1]
    assert server.query("SELECT actor FROM audit_events WHERE action = 'source.suspend'") == [["ringfence"]]
    assert server.run("sources", "resume", "judged") == "Resumed judged."
    assert "not suspended" in call(server, "sources", "resume", "judged")[1]
    refresh(server, "judged")
    assert "suspended_at" not in status(server, "judged")


def test_a_source_that_is_added_again_counts_at_once_by_the_rule_for_all_lists(server, site):
    url = site.give("/again.csv", "number\n" + "\n".join(NUMBERS) + "\n")
    server.run("sources", "add", "again", "--url", url, "--format", "csv", "--weight", "5", "--ceiling", "block")
    wait_for_first(server, "again")
    server.run("sources", "remove", "again")
    assert complaints(server, "again") == []
    rows = "\n".join(
        json.dumps({"number": f"+{number}", "category": "fraud", "reported_at": "2026-11-01T00:00:00Z"})
        for number in NUMBERS)
    dated = site.give("/again.jsonl", rows)
    code, said = call(
        server, "sources", "add", "again", "--url", dated, "--format", "jsonl", "--region", "US")
    assert code != 0 and "whose fields are fixed" in said, said
    server.run("sources", "add", "again", "--url", url, "--format", "csv", "--ceiling", "block")
    wait_for_first(server, "again")
    assert status(server, "again")["entries"] == 3
    assert [number for number, in complaints(server, "again")] == NUMBERS
    rules = [line.split() for line in server.run("sources", "list").splitlines()]
    assert ["again", "1", "1", "1", "1", "1", "1", "no"] in rules
    # One entry of a list is sufficient; complaints of a file are not one entry each.
    server.run("sources", "remove", "again")
    server.run("sources", "add", "again", "--url", dated, "--format", "jsonl", "--ceiling", "block")
    wait_for_first(server, "again")
    rules = {line.split()[0]: line.split()[1:] for line in server.run("sources", "list").splitlines()}
    assert rules["again"] == rules["default"], rules


def test_files_are_not_imported_under_the_name_of_a_source(server, site, tmp_path):
    url = site.give("/named.csv", "number\n" + "\n".join(NUMBERS) + "\n")
    server.run("sources", "add", "named", "--url", url, "--format", "csv", "--weight", "5", "--ceiling", "block")
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"number":"+33199300046","category":"fraud","reported_at":"2026-11-01T00:00:00Z"}\n')
    for _ in range(2):
        code, said = call(server, "import", "complaints", str(rows), "--format", "jsonl", "--source", "named")
        assert code == 1 and "Choose another name with --source" in said, said
        assert server.query("SELECT count(*) FROM reports WHERE number = 33199300046") == [["0"]]
        call(server, "sources", "remove", "named")
    code, said = call(server, "import", "complaints", str(rows), "--format", "jsonl", "--source", "default")
    assert code == 1 and "rule for all lists" in said, said
    code, said = call(server, "sources", "add", "default", "--url", url, "--format", "csv")
    assert code != 0 and "rule for all lists" in said, said


def test_the_next_refresh_after_any_kill_stores_exactly_the_list(server, site):
    # Three lists that differ in all numbers or categories, so that each refresh has several transactions.
    def give(turn):
        category, first = ["fraud", "survey", "robocall"][turn % 3], 33199200000 + turn % 2 * 3_000
        numbers = [str(first + index) for index in range(6_000)]
        return site.give("/killed.csv", "number,category\n" + "".join(f"{number},{category}\n" for number in numbers)), numbers

    def live():
        return server.query(
            "SELECT number, count(*) FROM reports WHERE number BETWEEN 33199200000 AND 33199299999 GROUP BY number ORDER BY number")

    def progress(moment):
        """Whether the refresh has stored so many entries of its file."""
        return server.query(f"SELECT 1 FROM source_feeds WHERE name = 'killed' AND progress >= {moment}")

    url, numbers = give(0)
    server.run(
        "sources", "add", "killed", "--url", url, "--format", "csv", "--category-column", "category", "--max-change",
        "1000", *[word for slug in ("fraud", "survey", "robocall") for word in ("--category", f"{slug}={slug}")])
    wait_for_first(server, "killed")
    server.query(f"UPDATE source_feeds SET next_at = {LATER} WHERE name = 'killed'")
    killed = 0
    for turn, moment in enumerate([0, 1, 3_000, 5_000], 1):
        give(turn)
        process = subprocess.Popen(
            [BINARY, "sources", "refresh", "killed", "--data", str(server.data)], env=environment(),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: progress(moment) or process.poll() is not None, 60, "the moment")
        process.kill()
        killed += process.wait() < 0
        # The lease of the killed process would expire.
        server.query("DELETE FROM job_leases WHERE job LIKE 'source %' RETURNING job")
        _, numbers = give(turn + 1)
        code, said = refresh(server, "killed")
        assert code == 0 and said.startswith("6000 entries"), said
        assert live() == [[number, "1"] for number in numbers]
        assert status(server, "killed")["entries"] == 6_000 and "stored_entries" not in status(server, "killed")
    assert killed > 0
    assert "no difference" in server.run("recount").lower()


def test_after_a_killed_removal_the_complete_list_is_read_again(server, site):
    numbers = [str(33199400000 + index) for index in range(30_000)]
    url = site.give("/removed.csv", "number\n" + "\n".join(numbers) + "\n", ETag='"1"')
    server.run("sources", "add", "removed", "--url", url, "--format", "csv")
    wait_for_first(server, "removed")

    def live():
        return int(server.query("SELECT count(*) FROM reports WHERE number BETWEEN 33199400000 AND 33199499999")[0][0])

    # The last transaction waits for a lock, so that the kill comes before it.
    def hold():
        with contextlib.suppress(AssertionError):
            server.query(f"BEGIN; SELECT FROM numbers WHERE number = {numbers[-1]} FOR UPDATE; SELECT pg_sleep(600)")

    lock = threading.Thread(target=hold)
    lock.start()
    holders = "FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
    wait_until(lambda: server.query("SELECT pid " + holders), 60, "the lock")
    process = subprocess.Popen(
        [BINARY, "sources", "remove", "removed", "--data", str(server.data)], env=environment(),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    wait_until(lambda: live() < 30_000, 60, "the first transaction")
    process.kill()
    process.wait()
    assert 0 < live() < 30_000
    server.query("SELECT pg_terminate_backend(pid) " + holders)
    lock.join()
    # The lease of the killed process would expire.
    server.query("DELETE FROM job_leases WHERE job LIKE 'source %' RETURNING job")
    code, said = refresh(server, "removed")
    assert code == 0 and said.startswith("30000 entries"), said
    assert live() == 30_000 == status(server, "removed")["entries"]
    server.run("sources", "remove", "removed")
    assert live() == 0
    # A server removes files of killed processes after an hour.
    for path in (server.data / "downloads").iterdir():
        path.unlink()
    assert "no difference" in server.run("recount").lower()


def test_a_list_with_imported_complaints_is_not_taken_over(server, site, tmp_path):
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"number":"+33199300001","category":"fraud","reported_at":"2026-11-01T00:00:00Z"}\n')
    server.run("import", "complaints", rows, "--format", "jsonl", "--source", "by hand")
    rules = [line for line in server.run("sources", "list").splitlines() if line.startswith("by hand")]
    url = site.give("/own.csv", "number\n33199300002\n")
    code, said = call(server, "sources", "add", "by hand", "--url", url, "--format", "csv", "--ceiling", "block")
    assert code == 1 and "by hand" in said, said
    assert "by hand" not in server.run("sources", "status")
    assert [line for line in server.run("sources", "list").splitlines() if line.startswith("by hand")] == rules


def test_a_rule_is_saved_before_its_source_and_not_for_one_that_is_there(server, site):
    url = site.give("/ruled.csv", "number\n" + "\n".join(NUMBERS) + "\n")
    server.run("sources", "add", "ruled", "--url", url, "--format", "csv", "--weight", "2")
    actions = server.query("SELECT action FROM audit_events ORDER BY xmin::text::bigint DESC LIMIT 2")
    assert actions == [["source.add"], ["thresholds.set"]]
    code, said = call(server, "sources", "add", "ruled", "--url", url, "--format", "csv", "--weight", "9")
    assert code == 1 and "There is a source named ruled" in said
    assert ["ruled", "2", "1", "1", "1", "1", "1", "no"] in [line.split() for line in server.run("sources", "list").splitlines()]


@pytest.mark.parametrize("name, compress", [("gz", gzip.compress), ("xz", lzma.compress)])
def test_compressed_lists_and_removals(server, site, name, compress):
    url = site.give(f"/{name}", compress(("pattern\n2015550123\n2015550124\n").encode()))
    server.run("sources", "add", name, "--url", url, "--format", "ftc-rolling")
    wait_for_first(server, name)
    assert [number for number, in complaints(server, name)] == NUMBERS[:2]
    site.give(f"/{name}", compress("pattern\n2015550124\n".encode()))
    assert refresh(server, name) == [0, "1 entry: 0 added, 0 renewed, 1 removed.\n"]
    assert [number for number, in complaints(server, name)] == NUMBERS[1:2]
    assert server.run("recount").endswith("no differences.")
    server.run("sources", "remove", name)
    assert complaints(server, name) == []
    assert name not in server.run("sources", "status")


def test_changes_of_phoneblock(server, site, tmp_path):
    key = tmp_path / "key"
    key.write_text("pbt_secret\n")

    def give(version, *numbers):
        members = [{"phone": f"+{number}", "votes": votes, "rating": "G_FRAUD"} for number, votes in numbers]
        return site.give("/blocklist", json.dumps({"numbers": members, "version": version}, separators=(",", ":")))

    url = give(812, (NUMBERS[0], 20), (NUMBERS[1], 10))
    server.run("sources", "add", "pb", "--url", f"{url}?format=json", "--format", "phoneblock", "--key-file", str(key))
    wait_for_first(server, "pb")
    assert status(server, "pb")["entries"] == 2
    give(813, (NUMBERS[0], 0), (NUMBERS[2], 10))
    assert refresh(server, "pb") == [0, "2 entries: 1 added, 0 renewed, 1 removed.\n"]
    assert [number for number, in complaints(server, "pb")] == NUMBERS[1:]
    asked = [(query, fields) for path, query, fields in site.requests if path == "/blocklist"]
    assert asked[0][0] == {"format": ["json"]} and asked[-1][0] == {"format": ["json"], "since": ["812"]}
    assert asked[0][1]["Authorization"] == "Bearer pbt_secret"
    # A version that is older than ours comes from a restored backup: the complete list is read.
    give(5, (NUMBERS[0], 10))
    assert refresh(server, "pb") == [0, "1 entry: 1 added, 0 renewed, 2 removed.\n"] or complaints(server, "pb") == []
    assert "pbt_secret" not in server.log.read_text()


# Files are made when they are asked for: a parameter is part of a test's name.
WRONG_FILES = {
    "page": (lambda: b"<html><p>Not here</p></html>", {"Content_Type": "text/html"}, "which is not a list"),
    "long-row": (lambda: b"number\n" + b"1" * (50 << 20), {}, "cannot be read"),
    "left-out": (lambda: b"number\n+447911123456\n", {}, "no entry"),
    "part": (lambda: b"number\n12015550123\n", {"status": 206}, "status 206"),
    "cut-gzip": (lambda: gzip.compress(b"number\n12015550123\n")[:-6], {}, "damaged"),
    "cut-xz": (lambda: lzma.compress(b"number\n12015550123\n")[:-6], {}, "damaged"),
    "gzip-of-gzip": (lambda: gzip.compress(gzip.compress(b"number\n12015550123\n")), {}, "compressed twice"),
    "zip": (lambda: b"PK\x03\x04" + bytes(100), {}, "zip archive"),
}


@pytest.mark.parametrize("kind", WRONG_FILES)
def test_a_wrong_file_leaves_the_former_entries(server, site, kind):
    make, fields, message = WRONG_FILES[kind]
    if not any(row["name"] == "wrong" for row in json.loads(server.run("sources", "status", "--format", "json"))):
        url = site.give("/wrong", "number\n" + "\n".join(NUMBERS) + "\n")
        server.run("sources", "add", "wrong", "--url", url, "--format", "csv", "--country", "US", "--country", "FR")
        wait_for_first(server, "wrong")
    site.give("/wrong", make(), **fields)
    code, said = refresh(server, "wrong")
    assert code == 1 and message in said, said
    assert len(complaints(server, "wrong")) == 3
    row = status(server, "wrong")
    assert row["entries"] == 3 and row["failures"] > 0 and row["error"]["code"]
    assert list((server.data / "downloads").iterdir()) == []


def test_a_redirect_within_the_origin_is_followed_and_another_one_is_not(server, site):
    site.give("/target.csv", "number\n12015550123\n")
    url = site.give("/here", "", 302, Location="/target.csv")
    server.run("sources", "add", "redirect", "--url", url, "--format", "csv")
    wait_for_first(server, "redirect")
    assert status(server, "redirect")["entries"] == 1
    site.give("/here", "", 302, Location=f"http://localhost:{site.server.server_address[1]}/target.csv")
    code, said = refresh(server, "redirect")
    assert code == 1 and "redirects to another server" in said
    assert len(complaints(server, "redirect")) == 1


@pytest.mark.parametrize("arguments, message", [
    (["--url", "ftp://a/b", "--format", "csv"], "--url is not valid"),
    (["--url", "http://u:p@a/b", "--format", "csv"], "--url is not valid"),
    (["--url", "http://a/b", "--format", "csv", "--every", "1m"], "--every 1m is not a time"),
    (["--url", "http://a/b", "--format", "csv", "--category", "x=y"], "There is no category y"),
    (["--url", "http://a/b", "--format", "csv", "--category", "x=legitimate"], "There is no category legitimate"),
    (["--url", "http://a/b", "--format", "csv", "--key-file", "key"], "Use an https address"),
    (["--url", "http://a/b", "--format", "csv", "--country", "XX"], "XX is not a country"),
    (["--url", "http://a/b", "--format", "csv", "--weight", "11"], "--weight is 11"),
    (["--url", "http://a/b", "--format", "csv", "--max-change", "0"], "--max-change is 0"),
    (["--url", "http://a/b"], "Set --url and --format"),
    (["--format", "csv"], "Set --url and --format"),
    ([], "Set --url and --format"),
])
def test_wrong_options_are_refused(server, arguments, message):
    code, said = call(server, "sources", "add", "bad", *arguments)
    assert code == 2 and message in said, said
    assert call(server, "sources", "refresh", "absent")[0] == 1


def refresh_measured(server, name):
    """The exit code, the peak memory and the text of a refresh."""
    with subprocess.Popen(
            [BINARY, "sources", "refresh", name, "--data", str(server.data)], env=environment(),
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        code, peak = run_measured(process, 120)
        return code, peak, process.stderr.read()


@pytest.fixture(scope="module")
def flooded(server, site):
    """A source that was read once, and the peak memory of a usual refresh."""
    url = site.give("/usual.csv", "number\n" + "\n".join(NUMBERS) + "\n")
    server.run("sources", "add", "flooded", "--url", url, "--format", "csv")
    wait_for_first(server, "flooded")
    code, peak, said = refresh_measured(server, "flooded")
    assert code == 0, said
    return peak


def move(server, name, url):
    """Later downloads of the source are made by the tests."""
    server.query(f"UPDATE source_feeds SET url = '{url}', next_at = {LATER} WHERE name = '{name}'")


@pytest.mark.parametrize("way", FLOODS)
def test_a_hostile_source_is_refused(server, flooded, way):
    # Made before anything waits for it.
    WAYS[way]()
    hostile = HostileServer()
    move(server, "flooded", f"{hostile.address}/{way}/list.csv")
    code, peak, said = refresh_measured(server, "flooded")
    assert code == 1 and "Cannot refresh flooded: " in said and "NIO" not in said, said
    assert peak - flooded <= MOST_GROWTH, f"{(peak - flooded) >> 20} MiB more than usual"
    wait_until(lambda: all(answer["ended"] or answer["sent"] for answer in hostile.answers), 30, "the end")
    assert max(answer["sent"] for answer in hostile.answers) <= MOST_SENT
    assert len(complaints(server, "flooded")) == 3
    assert list((server.data / "downloads").iterdir()) == []
    server.query(f"UPDATE source_feeds SET next_at = {LATER} WHERE name = 'flooded'")
    hostile.close()


def test_the_memory_of_xz_is_bounded(server, site, flooded):
    """A list whose header asks for a dictionary of 4 GiB (the .xz file format, 5.3.1)."""
    body = bytearray(lzma.compress("".join(f"{line}\n" for line in ["number", *NUMBERS]).encode()))
    # The header of the first block: its length in words less one, flags, the filter LZMA2, the dictionary, a checksum.
    end = 12 + 4 * body[12]
    assert body[14:16] == b"\x21\x01"
    body[16] = 40
    body[end:end + 4] = zlib.crc32(body[12:end]).to_bytes(4, "little")
    move(server, "flooded", site.give("/greedy.xz", bytes(body)))
    code, peak, said = refresh_measured(server, "flooded")
    assert code == 1 and "damaged" in said, said
    assert peak - flooded <= MOST_GROWTH, f"{(peak - flooded) >> 20} MiB more than usual"


def test_the_next_refresh_removes_the_files_of_a_killed_one(server, site, flooded):
    hostile = HostileServer()
    move(server, "flooded", f"{hostile.address}/drip/list.csv")
    process = subprocess.Popen(
        [BINARY, "sources", "refresh", "flooded", "--data", str(server.data)], env=environment(),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    [left] = wait_until(lambda: list((server.data / "downloads").iterdir()), 60, "a temporary file")
    process.kill()
    process.wait()
    hostile.close()
    assert left.exists()
    # The lease of the killed process would expire.
    server.query("DELETE FROM job_leases WHERE job LIKE 'source %' RETURNING job")
    move(server, "flooded", f"{site.address}/usual.csv")
    code, said = refresh(server, "flooded")
    assert code == 0, said
    assert list((server.data / "downloads").iterdir()) == []


def test_a_file_that_unpacks_to_too_much_is_refused(server, site, flooded):
    # Members of a gzip file follow each other: 768 MiB in all.
    move(server, "flooded", site.give("/bomb.gz", bomb() * 3))
    code, peak, said = refresh_measured(server, "flooded")
    assert code == 1 and "after decompression" in said, said
    assert peak - flooded <= MOST_GROWTH
    assert len(complaints(server, "flooded")) == 3
    assert list((server.data / "downloads").iterdir()) == []


def test_a_source_protects_numbers_and_frees_them_when_it_is_removed(server, site):
    url = site.give("/banks.json", json.dumps({
        "name": "Banks", "description": "Numbers of banks", "type": "string", "list": ["+33199000320", "+3319900033x"]}))
    options = ["--url", url, "--format", "misp-warninglist"]
    preview = json.loads(server.run("sources", "add", "banks", *options, "--preview", "--json"))
    assert preview["entries"] == 2 and preview["lost"] == 0
    assert "Listed numbers that would no longer be listed: 0." in server.run("sources", "add", "banks", *options)
    wait_for_first(server, "banks")
    assert status(server, "banks")["entries"] == 2
    found = server.run("protect", "check", "+33199000320")
    assert "+33199000320\tNumbers of banks\tlist:banks\t" in found
    server.run("sources", "remove", "banks")
    assert call(server, "protect", "check", "+33199000320")[0] == 1
