"""Decisions of moderators and operators on the command line."""

import json
from datetime import datetime, timedelta

import requests

from ringfence_server import CHECKOUT
from test_commands import run


def reported(data, number, count=6):
    """Complaints of different reporters on different days."""
    lines = [
        json.dumps({
            "number": number, "category": "robocall", "reporter": f"r{i}",
            "report_id": f"00000000-0000-4000-8000-{i:012d}", "reported_at": f"2026-11-{10 + i}T12:00:00Z"})
        for i in range(count)
    ]
    run("import", "complaints", "-", "--format", "jsonl", "--data", data, text="\n".join(lines))


def test_a_decision_is_made_explained_and_undone(tmp_path):
    data = tmp_path / "data"
    reported(data, "+33199000248")
    said = run("decide", "+33199000248", "--identify", "A shop", "--reason", "It is one.", "--by-program", "Ada", "--data", data)
    assert "+33199000248: identify" in said.stdout
    told = json.loads(run("explain", "+33199000248", "--json", "--data", data).stdout)
    assert told["verdict"] == "decided"
    words = run("explain", "01 99 00 02 48", "--region", "FR", "--data", data).stdout
    assert words.splitlines() == ["+33199000248", *(f"  {sentence}" for sentence in told["account"])]
    assert "Labeled “A shop”, and not blocked" in words and "Reason of the decision: It is one." in words
    assert [line["code"] for line in told["explanation"]][:3] == ["identified", "decision_reason", "not_published"]
    said = run("decide", "+33199000248", "--undo", "--by-program", "Bob", "--data", data)
    assert "identify is undone; its reports apply again." in said.stdout
    run("decide", "+33199000249", "--block", "--reason", "x", "--expires", "90", "--by-program", "Ada", "--data", data)
    [line] = run("decisions", "+33199000249", "--data", data).stdout.splitlines()
    start, end = (datetime.fromisoformat(line.split("\t")[place]) for place in (0, 8))
    assert end - start == timedelta(days=90)
    history = [line.split("\t") for line in run("decisions", "+33199000248", "--data", data).stdout.splitlines()]
    assert [(line[1], line[2].split()[0]) for line in history] == [("Ada", "identify"), ("Bob", "undo")]
    assert "There is no current decision on +33199000248." in run(
        "decide", "+33199000248", "--undo", "--by-program", "Bob", "--data", data, code=1).stderr


def test_a_file_is_decided_continued_and_undone(tmp_path):
    data, file = tmp_path / "data", tmp_path / "decisions.csv"
    reported(data, "+33199000248")
    head = "number,decision,category,reason\n"
    rows = "".join(f"+3319900{i:04d},block,robocall,Campaign.\n" for i in range(1000, 1200))
    file.write_text(head + rows + "+33199000248,ban,,x\n+33199001000,allow,,\n")
    for more in [], ["--dry-run"]:
        said = run("decide", "--file", file, "--by-program", "Ada", "--data", data, *more, code=0 if more else 1)
        assert 'decisions.csv, line 202: decision "ban": Unknown decision.' in said.stderr
        assert 'line 203: number "+33199001000": An earlier row has this number.' in said.stderr
        assert "(number_repeated)" in said.stderr and "200 rows can be decided, 2 are wrong." in said.stdout + said.stderr
        assert "Nothing was decided." in said.stdout + said.stderr
    assert run("decisions", "+33199001000", "--data", data).stdout == ""
    said = run("decide", "--file", file, "--by-program", "Ada", "--skip-invalid", "--data", data).stdout
    assert "200 decisions made" in said and f"ringfence decide --file {file} --undo" in said
    # The same file again: nothing is decided twice.
    assert "was decided before: 200 of 200" in run("decide", "--file", file, "--by-program", "Ada", "--data", data).stdout
    [line] = run("decisions", "+33199001000", "--data", data).stdout.splitlines()
    assert line.split("\t")[1:6] == ["Ada", "block", "", "robocall", "Campaign."]
    again = tmp_path / "again.jsonl"
    again.write_text('{"number":"+33199001000","decision":"allow","reason":"Wrong."}\n')
    refused = run("decide", "--file", again, "--by-program", "Bob", "--data", data, code=1).stderr
    assert "line 1: number" in refused and "(decision_in_force)" in refused
    assert "1 decision made" in run("decide", "--file", again, "--replace", "--by-program", "Bob", "--data", data).stdout
    assert "1 decision undone." in run("decide", "--file", again, "--undo", "--by-program", "Bob", "--data", data).stdout
    assert "200 decisions undone." in run("decide", "--file", file, "--undo", "--by-program", "Ada", "--data", data).stdout
    assert "are not in force" in run("decide", "--file", file, "--undo", "--by-program", "Ada", "--data", data, code=1).stderr
    # It can be decided again after it was undone.
    said = run("decide", "--file", file, "--by-program", "Ada", "--skip-invalid", "--data", data).stdout
    assert "200 decisions made" in said
    for arguments, words in [
        (["--block"], "With --file, the number and the decision are in the file."),
        (["+33199000248"], "With --file, the number and the decision are in the file."),
    ]:
        assert words in run("decide", "--file", file, "--by-program", "Ada", *arguments, "--data", data, code=2).stderr
    assert "need --file" in run("decide", "+33199000248", "--allow", "--dry-run", "--by-program", "Ada", "--data", data, code=2).stderr


def test_a_protected_number_is_not_decided(tmp_path):
    data, file = tmp_path / "data", tmp_path / "list.tsv"
    reported(data, "+33199000249")
    file.write_text("# hospitals\n+33199000248\tCity hospital\n\n+4930197*\n")
    said = run("protect", "add", "--file", file, "--reason", "Authorities", "--by-program", "Ada", "--data", data)
    assert "2 protected." in said.stdout
    listed = [line.split("\t")[:3] for line in run("protect", "list", "--data", data).stdout.splitlines()]
    assert listed == [["+4930197*", "Authorities", "Ada"], ["+33199000248", "City hospital", "Ada"]]
    refused = run("decide", "+33199000248", "--block", "--reason", "x", "--by-program", "Ada", "--data", data, code=1).stderr
    assert "The number is protected: City hospital." in refused
    run("protect", "remove", "+33199000248", "--data", data)
    run("decide", "+33199000248", "--block", "--reason", "x", "--by-program", "Ada", "--data", data)
    assert "There is no protection +1911" in run("protect", "remove", "+1911", "--data", data, code=1).stderr
    file.write_bytes(b"\xef\xbb\xbf+33199000301\tBank\r\n# more\r\n+33199000302\r\n\r\n+33199000303\r\n")
    assert "3 protected." in run("protect", "add", "--file", file, "--reason", "Shops", "--data", data).stdout
    listed = run("protect", "list", "--data", data).stdout
    assert "+33199000301\tBank\t" in listed and "+33199000303\tShops\t" in listed
    file.write_text("+33199000304\tBank\n+33199000305\tB\x1b[2J\n")
    assert "line 2: The reason must be one line" in run(
        "protect", "add", "--file", file, "--reason", "x", "--data", data, code=1).stderr
    file.write_text("+33199000248\n+49x\n")
    assert "line 2: A pattern must start with" in run(
        "protect", "add", "--file", file, "--reason", "x", "--data", data, code=1).stderr


def test_public_service_numbers_are_protected_by_country(tmp_path):
    """The catalog is data of institutions; the test names no number of its own."""
    data = tmp_path / "data"
    countries = dict(line.split("\t")[:2] for line in run("protect", "catalog", "--format", "tsv", "--data", data).stdout.splitlines()[1:])
    files = {file.stem: file.read_text() for file in (CHECKOUT / "Resources/protected").glob("*.txt")}
    assert countries == {code: str(sum(line[:1] == "+" for line in text.split("\n"))) for code, text in files.items()}
    for text in files.values():
        rows = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
        assert all(len(row) == 4 and all(row) for row in rows)
    reported(data, "+33199000249")
    first = json.loads(run("protect", "catalog", "us", "--format", "json", "--data", data).stdout)[0]
    run("protect", "add", first["number"], "--reason", "Ours", "--data", data)
    assert f"{int(countries['US']) - 1} protected, 1 were already." in run("protect", "add", "--catalog", "us", "--data", data).stdout
    assert "0 protected" in run("protect", "add", "--catalog", "US", "--data", data).stdout
    assert f"{first['number']}\tOurs\t" in run("protect", "list", "--data", data).stdout
    assert "has no numbers of ZZ. Use one of: AT, " in run("protect", "add", "--catalog", "ZZ", "--data", data, code=1).stderr
    assert "Leave PATTERN" in run("protect", "add", "--catalog", "US", "--reason", "x", "--data", data, code=2).stderr


def test_a_list_of_others_protects_for_a_time(tmp_path):
    data, file = tmp_path / "data", tmp_path / "banks.json"
    reported(data, "+33199000249")
    entries = ["+33199000248", "+3319900031x", "+33199*", "spam"]
    file.write_text(json.dumps({
        "name": "Banks", "version": 20260101, "description": "Numbers of banks", "type": "string",
        "matching_attributes": ["phone-number"], "list": entries}))
    said = run("protect", "import", file, "--preview", "--data", data).stdout
    assert 'Entry 3, "+33199*": A pattern of a list must have at least 7 digits' in said
    assert "2 numbers and patterns, 2 refused. Listed numbers that would no longer be listed: 0." in said and "Nothing was saved." in said
    assert "pass --yes" in run("protect", "import", file, "--data", data, code=1).stderr
    assert "+33199000248 is not protected." in run("protect", "check", "+33199000248", "--data", data, code=1).stderr
    # A mark at the beginning, as editors on Windows write it.
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    run("protect", "import", file, "--yes", "--until", "2099-01-31T00:00:00Z", "--by-program", "Ada", "--data", data)
    said = run("protect", "add", "+33199000248", "--reason", "City bank", "--data", data).stdout
    assert said.startswith("Replaces the protection +33199000248\tNumbers of banks\tlist:banks.json\t")
    assert "1 protected." in said
    # A list of a stranger does not end what a person protects.
    again = run("protect", "import", file, "--yes", "--until", "2098-01-31T00:00:00Z", "--data", data).stdout
    assert "2 protected. 2 of them were protected before and keep their reason and end" in again
    for number, lines in [
        ("+33199000248", [["+33199000248", "City bank", "command line", ""]]),
        ("+33199000315", [["+3319900031x", "Numbers of banks", "list:banks.json", "2099-01-31T00:00:00Z"]]),
    ]:
        found = [line.split("\t") for line in run("protect", "check", number, "--data", data).stdout.splitlines()]
        assert [[line[0], line[1], line[2], line[4]] for line in found] == lines
    assert "is not a later time" in run(
        "protect", "import", file, "--until", "2020-01-31T00:00:00Z", "--data", data, code=2).stderr
    file.write_text('{"name": "Hosts", "type": "hostname", "list": ["example.org"]}')
    assert "its type is not string" in run("protect", "import", file, "--data", data, code=1).stderr


def test_protections_are_read_as_numbers(tmp_path):
    """A text that is no number is refused with its line; --region reads national and short numbers."""
    data, file = tmp_path / "data", tmp_path / "list.txt"
    reported(data, "+33199000249")
    file.write_text("// hospitals\n202-555-0123\tCity hospital\n988\tCrisis line\n+1 201 555 012?\n")
    refused = run("protect", "import", file, "--data", data, code=1)
    assert 'Entry 2, "202-555-0123": A number in national form, or a short number, needs its country.' in refused.stdout
    assert 'Entry 3, "988": A number in national form, or a short number, needs its country.' in refused.stdout
    assert f"{file}, line 2: A number in national form" in run(
        "protect", "add", "--file", file, "--reason", "x", "--data", data, code=1).stderr
    said = run("protect", "import", file, "--region", "US", "--yes", "--data", data).stdout
    assert 'Entry 4, "+1 201 555 012?": This is not a number' in said and "2 protected." in said
    run("protect", "add", "202-555-01xx", "--region", "US", "--reason", "A street", "--data", data)
    listed = [line.split("\t")[:2] for line in run("protect", "list", "--data", data).stdout.splitlines()]
    assert listed == [["+120255501xx", "A street"], ["+1988", "Crisis line"], ["+12025550123", "City hospital"]]
    run("protect", "remove", "988", "--region", "US", "--data", data)
    assert "--region \"XX\" is not a country" in run("protect", "add", "112", "--region", "XX", "--reason", "x", code=2).stderr
    # The output of the list is a file for another server.
    file.write_text("\n".join("\t".join(line) for line in listed))
    assert "3 protected." in run("protect", "add", "--file", file, "--reason", "x", "--data", data).stdout


def test_wrong_usage_names_the_rule(tmp_path):
    data = tmp_path / "data"
    for arguments, words in [
        (["decide", "+33199000248", "--block", "--by-program", "Ada"], "A reason is required"),
        (["decide", "+33199000248", "--block", "--allow", "--by-program", "Ada"], "Pass one of"),
        (["decide", "+33199000248", "--identify", "\n", "--reason", "x", "--by-program", "Ada"], "The label must have 1 to 100"),
        (["decide", "12", "--allow", "--by-program", "Ada"], "NUMBER:"),
        (["decide", "+33199000248", "--block", "--reason", "x", "--category", "spam", "--by-program", "Ada"], "There is no category spam"),
        (["decide", "+33199000248", "--block", "--reason", "x", "--category", "legitimate", "--by-program", "Ada"],
         "A blocked number needs a nuisance category"),
        (["decide", "+33199000248", "--block", "--reason", "x", "--expires", "7", "--by-program", "Ada"],
         "A decision expires after 30, 90 or 365 days, or never."),
        (["decide", "+33199000248", "--undo", "--expires", "30", "--by-program", "Ada"], "--expires needs --block"),
        (["protect", "add", "+49*", "--reason", "x"], "4 digits before"),
        (["protect", "add", "+4930197*", "--reason", "a\u202eb"], "The --reason must be one line"),
        (["prefixes", "add", "+33199000248", "--reason", "x"], "The range “+33199000248” is one number."),
        (["prefixes", "add", "*", "--reason", "x"], "The range “*” would include most of a country's numbers"),
        (["prefixes", "add", "+1*", "--reason", "x"], "The range “+1*” would include most of a country's numbers"),
        (["prefixes", "add", "+99912*", "--reason", "x"], "is not in one country's numbering plan"),
        (["prefixes", "add", "+33199xxxxx", "--reason", "x"], "numbers of 10 digits, and valid numbers that begin so have 11"),
        (["prefixes", "add", "+4911x", "--reason", "x"], "emergency or short number +49110"),
        (["prefixes", "add", "+33199*"], "A reason is required"),
        (["prefixes", "add", "+33199*", "--reason", "x", "--until", "2020-01-01T00:00:00Z"], "--until is not after --from"),
        (["appeals", "answer", "+33199000248", "--by-program", "Ada"], "Pass either --uphold or --reject"),
    ]:
        assert words in run(*arguments, "--data", data, code=2).stderr


def test_appeals_ranges_holds_and_weights_are_looked_after(tmp_path):
    data = tmp_path / "data"
    reported(data, "+33199000248")
    run("appeals", "file", "+33199000248", "--statement", "It was\nnot me.", "--data", data)
    assert "It was not me." in run("appeals", "list", "--data", data).stdout
    run("appeals", "answer", "+33199000248", "--uphold", "--by-program", "Ada", "--reason", "True.", "--data", data)
    assert run("appeals", "list", "--data", data).stdout == ""
    assert "No new ranges." in run("ranges", "detect", "--data", data).stdout
    assert "There is no rule" in run("ranges", "approve", "+3319900024x", "--by-program", "Ada", "--data", data, code=1).stderr
    assert run("holds", "--data", data).stdout == ""
    assert "Numbers changed: 0." in run("reporters", "recount", "--data", data).stdout


def test_rules_for_ranges_are_added_imported_and_removed(tmp_path):
    data = tmp_path / "data"
    reported(data, "+33199000248")
    run("protect", "add", "+33199000500", "--reason", "A hospital", "--data", data)
    said = run("prefixes", "add", "+33199*", "--reason", "A regulator", "--category", "telemarketing", "--by-program", "Ada",
               "--dry-run", "--data", data).stdout
    assert "1 rule, 1000000 numbers: 1 with reports" in said and "1 protected" in said and "Nothing was saved." in said
    assert run("prefixes", "list", "--data", data).stdout == ""
    said = run("prefixes", "add", "+33199*", "--reason", "A regulator", "--by-program", "Ada", "--data", data).stdout
    assert "Saved." in said
    assert run("prefixes", "of", "+33199000248", "--data", data).stdout.startswith("+33199*\tapproved\tblock\tother\t\t1000000\t")
    assert "No rule contains" in run("prefixes", "of", "+33170000248", "--data", data).stdout
    explained = run("explain", "+33199000249", "--data", data).stdout
    assert "a rule for the range +33199* includes it" in explained and "Reason of the rule: A regulator" in explained
    # Prefixes of the regulator: 13,000,000 numbers need another account.
    said = run("prefixes", "import", "fr-arcep", "--category", "telemarketing", "--by-program", "Ada", "--data", data).stdout
    assert "22 rules, 13000000 numbers" in said and "Another account must approve them" in said
    refused = run("prefixes", "approve", "--proposed-by", "Ada", "--by-program", "Ada", "--data", data, code=1).stderr
    assert "Another account must approve these rules" in refused
    assert "approved" in run("prefixes", "approve", "--proposed-by", "Ada", "--by-program", "Bob", "--data", data).stdout
    assert run("prefixes", "list", "--state", "approved", "--data", data).stdout.count("\n") == 23
    wrong = tmp_path / "wrong.txt"
    wrong.write_text("# prefixes\n+33199*\n+33*\n")
    refused = run("prefixes", "import", wrong, "--reason", "x", "--data", data, code=1).stderr
    assert "wrong.txt, line 3: The range “+33*”" in refused and "Nothing was changed." in refused
    assert "23 removed." in run("prefixes", "remove", *[
        line.split("\t")[0] for line in run("prefixes", "list", "--data", data).stdout.splitlines()], "--data", data).stdout
    assert run("prefixes", "list", "--data", data).stdout == ""


def test_the_audit_log_has_the_role_of_the_account_and_the_way(make_server):
    server = make_server()
    decide = ["decide", "+33199000248", "--allow", "--reason", "Mine."]

    def refused(*author):
        done = server.run_unchecked(*decide, *author)
        return (done.returncode, done.stderr)

    assert refused() == (2, refused()[1]) and "Pass --by ACCOUNT, or --by-program NAME" in refused()[1]
    assert refused("--by", "Ada", "--by-program", "Sync")[0] == 2 and refused("--by-program", "system")[0] == 2
    assert refused("--by", "Ada") == (1, (
        "Error: --by Ada: there is no such account, and the audit log names accounts. Add it with: ringfence account add 'Ada'."
        " If a program runs the command, pass --by-program 'Ada'.\n"))
    server.run("account", "add", "Ada", "--role", "triage")
    key = server.run("app", "create", "Reader", "--scopes", "administer")
    server.run(*decide, "--by", "Ada")
    server.run("rights", "code", "+33199000248", "--by", "Ada")
    server.run("app", "create", "Another", "--by-program", "Key sync")
    server.run("decide", "+33199000249", "--block", "--reason", "Fraud.", "--urgent", "--by", "Ada")
    assert "this is an account. Pass --by 'Ada'" in refused("--by-program", "Ada")[1]
    server.run("account", "disable", "Ada")
    assert "account enable 'Ada'" in refused("--by", "Ada")[1]
    found = requests.get(
        server.address + "/v1/moderation/audit-log", headers={"Authorization": f"Bearer {key}"}, timeout=30)
    events = [json.loads(line) for line in reversed(found.text.splitlines())]
    assert {event["via"] for event in events} == {"command line"}
    assert [(event["action"], event["actor"], event["role"]) for event in events] == [
        ("account.add", "command line", "administrator"), ("app.create", "command line", "administrator"),
        ("decision.allow", "Ada", "triage"), ("right.code", "Ada", "triage"), ("app.create", "Key sync", "system"),
        ("decision.block", "Ada", "triage"), ("publication.add", "Ada", "triage"),
        ("account.disable", "command line", "administrator")]
