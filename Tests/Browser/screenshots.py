#!/usr/bin/env python3
"""Makes the three pictures of the README from a server with demo data: a queue, a phone, an appeal.

    RINGFENCE_HOME=$PWD .venv/bin/python Tests/Browser/screenshots.py [FOLDER]

It needs the debug build, or the program that RINGFENCE_BINARY names, and Chromium. All numbers of the demo data belong to
nobody. The phones are drawn; their texts are what `ringfence pack lookup` finds in the published packs.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from every_page import full_queue  # noqa: E402
from ringfence_server import BINARY, CHECKOUT, RingfenceServer, environment  # noqa: E402

CHROMIUM = os.environ.get("RINGFENCE_CHROMIUM") or shutil.which("chromium-headless-shell")
WIDTH, HEIGHT = 1280, 800
LARGEST = 250_000  # bytes of a picture
APPEALED = "12125550170"
STATEMENT = "This is the number of our insurance office. We call only our own customers. Please check it."
PHONES = """<!doctype html><meta charset="utf-8"><style>
body { margin: 0; height: 100vh; display: flex; gap: 7rem; justify-content: center; align-items: center;
  background: #eef1f4; font: 18px/1.4 system-ui, sans-serif }
figure { margin: 0; width: 340px; text-align: center } figcaption { margin-top: 20px; height: 3em; color: #39424c }
.phone { height: 560px; border: 12px solid #1b1f24; border-radius: 44px; background: #fff; padding: 40px 20px;
  box-sizing: border-box; display: flex; flex-direction: column; gap: 6px; text-align: left }
.phone > h2 { margin: 0 0 12px; font-size: 28px } .call { border-bottom: 1px solid #d8dee4; padding: 10px 0 }
.phone p { margin: 0; white-space: nowrap } .quiet { color: #57606a; font-size: 15px } .rejected { color: #a3261a }
.ring { background: #22303c; color: #fff; text-align: center; align-items: center } .ring .quiet { color: #c3ccd5 }
.ring .number { font-size: 27px; margin-top: 40px } .label { font-size: 22px; font-weight: 600; color: #ffd27a }
.buttons { margin-top: auto; display: flex; gap: 90px } .buttons p { width: 64px; height: 64px; border-radius: 50%%;
  background: #2e8b57; font-size: 30px; line-height: 64px } .buttons p:first-child { background: #c0392b }
</style>
<figure><div class="phone"><h2>Recents</h2>
%(rejected)s</div><figcaption>Blocked: the phone does not ring.</figcaption></figure>
<figure><div class="phone ring"><p class="number">%(named)s</p><p class="label">%(label)s</p>
<p class="quiet">Incoming call</p><div class="buttons"><p>✕</p><p>✓</p></div></div>
<figcaption>Identified: the phone rings and shows the label.</figcaption></figure>"""
CALL = '<div class="call"><p class="number">%s</p><p class="rejected">Call rejected</p><p class="quiet">%s, today %s</p></div>'


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else CHECKOUT / "Documentation/images")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ringfence-screenshots-") as data:
        server = RingfenceServer(data, "--demo")
        try:
            server.start()
            take(server, folder)
        finally:
            server.close()


def found(server, pack, number):
    """The entry of a number in the newest pack of a name."""
    files = (server.data / "publications/packs").glob(f"{pack}-*.rfpack")
    newest = max(files, key=lambda file: int(file.stem.rpartition("-")[2]))
    done = subprocess.run([BINARY, "pack", "lookup", newest, f"+{number}", "--json"], env=environment(), check=True,
                          capture_output=True, text=True, timeout=60)
    return json.loads(done.stdout)


def phones(server):
    """A page with two phones: one has rejected the listed numbers with the most heat, the other names the next one."""
    *rejected, named = [number for [number] in server.query(
        "SELECT number FROM listings JOIN numbers USING (number) WHERE cause = 0 AND treatment = 0 "
        f"AND number <> {APPEALED} ORDER BY heat DESC, number LIMIT 5")]
    blocked, label = [found(server, "blocklist", each) for each in rejected], found(server, "toxic", named)
    assert all(each["blocked"] for each in blocked) and label["listed"] and not label["blocked"] and label["label"], label
    labels = [found(server, "toxic", each)["label"] for each in rejected]

    def shown(number):
        return re.sub(r"1(\d{3})(\d{3})(\d{4})", r"+1 \1-\2-\3", number)

    times = ["14:02", "11:47", "10:15", "9:38"]
    calls = [CALL % (shown(each), html.escape(name), time) for each, name, time in zip(rejected, labels, times)]
    return PHONES % {"rejected": "\n".join(calls), "named": shown(named), "label": html.escape(label["label"])}


def file_appeal(page, server):
    page.goto(f"{server.address}/appeal")
    page.get_by_label("Phone number").fill(f"+{APPEALED}")
    page.get_by_label("What is wrong?").fill(STATEMENT)
    page.get_by_role("button", name="Send appeal").click()
    page.wait_for_url(re.compile(r"/appeal/[0-9A-Z-]{35}$"), timeout=60_000)


def take(server, folder):
    link = server.run("sign-in-link", "Ada", "--role", "moderator", "--url", server.address)
    flags = ["--disable-dev-shm-usage", "--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)

        def window():
            return browser.new_context(
                viewport={"width": WIDTH, "height": HEIGHT}, locale="en-US", timezone_id="UTC", color_scheme="light").new_page()

        moderator, owner, phone = window(), window(), window()
        moderator.goto(link)
        moderator.get_by_role("button", name="Sign in").click()
        moderator.wait_for_url("**/moderation**")
        moderator.goto(server.address + full_queue(server))
        moderator.wait_for_load_state("networkidle")
        phone.set_content(phones(server))
        file_appeal(owner, server)
        for name, page in [("queue", moderator), ("phone", phone), ("appeal", owner)]:
            file = folder / f"{name}.png"
            page.screenshot(path=file)
            size = file.stat().st_size
            if size > LARGEST:
                sys.exit(f"{file} has {size} bytes, more than {LARGEST}.")
            print(f"{file}: {size} bytes")
        browser.close()


if __name__ == "__main__":
    main()
