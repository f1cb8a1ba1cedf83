"""An administrator adds and removes a source on its page."""

import functools
import http.server
import shutil
import threading

from ringfence_server import CHECKOUT
from waiting import wait_until


CATALOG = """
sources:
  - {{name: trial-list, country: US, url: {url}, format: csv, region: US, every: 1d, weight: 4,
     ceiling: identify, complaints: 1, days: 1, rows: 3, license: CC0, about: Numbers of a test}}
  - {{name: with-a-key, country: world, url: {url}, format: csv, key: true, every: 6h, weight: 4,
     ceiling: identify, complaints: 1, days: 1, license: unknown, about: Numbers of a second test}}
"""


def test_a_list_of_the_catalog_is_added_with_its_effect_shown(make_server, visit, signed_in, tmp_path):
    lists = tmp_path / "lists"
    lists.mkdir()
    (lists / "list.csv").write_text("number\n2015550123\n2015550124\n2015550124\n2015550125\n")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=lists)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as files:
        threading.Thread(target=files.serve_forever, daemon=True).start()
        home = tmp_path / "home"
        home.mkdir()
        for name in ["Migrations", "Public"]:
            (home / name).symlink_to(CHECKOUT / name)
        shutil.copytree(CHECKOUT / "Resources", home / "Resources")
        url = f"http://127.0.0.1:{files.server_port}/list.csv"
        (home / "Resources/sources.yaml").write_text(CATALOG.format(url=url))
        server = make_server(RINGFENCE_HOME=str(home))
        window = visit(storage_state=signed_in(server, "administrator"), java_script_enabled=False)
        page = window.page
        window.open(server.address + "/moderation/sources")
        # A key is read from a file of the machine.
        assert page.get_by_text("ringfence sources add with-a-key --key-file FILE").count() == 1
        assert page.get_by_role("button", name="Add with-a-key").count() == 0
        for answer in ["Do not add it", "Add list"]:
            page.get_by_role("button", name="Add trial-list").click()
            page.get_by_role("heading", name="Add the list trial-list?").wait_for()
            tiles = page.get_by_role("form", name="Add the list trial-list?").locator(".tile").all_inner_texts()
            assert [text.split() for text in tiles][0][-1] == "3" and [text.split() for text in tiles][2][-1] == "3", tiles
            assert page.locator("#listed-ceiling").input_value() == "identify"
            page.get_by_role("link" if answer == "Do not add it" else "button", name=answer, exact=True).click()
            page.get_by_role("heading", name="Add a source").wait_for()
            count = server.query("SELECT count(*) FROM source_feeds")
            assert count == [["0" if answer == "Do not add it" else "1"]]
        assert "Source added." in page.get_by_role("status").first.inner_text()
        assert page.get_by_role("row", name="trial-list").last.get_by_text("✓ Added").count() == 1
        wait_until(lambda: server.query("SELECT entries FROM source_feeds") == [["3"]], 60, "the first download")
        server.run("publish")
        assert server.query("SELECT number, treatment FROM listings ORDER BY number") == [
            ["12015550123", "1"], ["12015550124", "1"], ["12015550125", "1"]]
        # A weight without effect is named in its row, with the page that changes it.
        server.run("sources", "set", "trial-list", "--weight", "1", "--reason", "Trial")
        window.open(server.address + "/moderation/sources")
        assert "never reaches the limits" in page.locator(".notice.warn").inner_text()
        page.get_by_role("link", name="Change the weight and limits of trial-list").click()
        page.get_by_text("trial-list").first.wait_for()
        # Posted again, from a page that is out of date.
        token = page.locator("input[name=csrf]").first.get_attribute("value")
        window.refused.add(404)
        for name, status in [("trial-list", 200), ("with-a-key", 404), ("none", 404)]:
            sent = page.request.post(
                server.address + "/moderation/sources/catalog", form={"csrf": token, "name": name, "ceiling": "block"},
                headers={"Origin": server.address})
            assert sent.status == status, (name, sent.text())
            assert status == 404 or "There is a source or an app with this name" in sent.text()
        assert server.query("SELECT name, ceiling FROM source_feeds") == [["trial-list", "identify"]]
        files.shutdown()
