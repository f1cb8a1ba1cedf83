"""The fast path of reports gives the same responses as the normal path for all requests."""

import pytest

import report_path_fuzz

PAIRS = 400


@pytest.fixture(scope="module")
def server(make_server):
    return make_server("--no-limits")


def test_both_paths_answer_alike(server):
    key = server.run("app", "create", "Fuzz")
    # The fast path is used only after the key is in the cache.
    report_path_fuzz.compare(server.address, key, 0)
    differences = report_path_fuzz.run(server.address, key, PAIRS)
    assert not differences, differences[:3]
    # A good part of the requests is fit to be stored.
    assert int(server.query("SELECT count(*) FROM reports")[0][0]) > PAIRS // 4
