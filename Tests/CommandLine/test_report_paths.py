"""The fast path of reports answers as the other path does, whatever a request looks like."""

import pytest

import report_path_fuzz

PAIRS = 400


@pytest.fixture(scope="module")
def server(make_server):
    return make_server("--no-limits")


def test_both_paths_answer_alike(server):
    key = server.run("app", "create", "Fuzz")
    # Nothing is taken on the fast path before the key is known.
    report_path_fuzz.compare(server.address, key, 0)
    differences = report_path_fuzz.run(server.address, key, PAIRS)
    assert not differences, differences[:3]
