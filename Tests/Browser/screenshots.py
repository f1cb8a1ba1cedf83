#!/usr/bin/env python3
"""Makes the screenshots of Documentation/images from a server with demo data.

    RINGFENCE_HOME=$PWD .venv/bin/python Tests/Browser/screenshots.py [FOLDER]

It needs the debug build, or the program that RINGFENCE_BINARY names, and Chromium.
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from every_page import richest_number  # noqa: E402
from ringfence_server import CHECKOUT, RingfenceServer  # noqa: E402

CHROMIUM = os.environ.get("RINGFENCE_CHROMIUM") or shutil.which("chromium")
WIDTH, HEIGHT = 1280, 800
LARGEST = 250_000  # bytes of a picture


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


def take(server, folder):
    link = server.run("sign-in-link", "Ada", "--role", "moderator", "--url", server.address)
    flags = ["--disable-dev-shm-usage", "--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        context = browser.new_context(
            viewport={"width": WIDTH, "height": HEIGHT}, locale="en-GB", timezone_id="UTC", color_scheme="light")
        page = context.new_page()
        page.goto(link)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url("**/moderation**")
        for name, path in [("queue", "/moderation/queue"), ("case", richest_number(server))]:
            page.goto(server.address + path)
            page.wait_for_load_state("networkidle")
            file = folder / f"{name}.png"
            page.screenshot(path=file)
            size = file.stat().st_size
            if size > LARGEST:
                sys.exit(f"{file} has {size} bytes, more than {LARGEST}.")
            print(f"{file}: {size} bytes")
        browser.close()


if __name__ == "__main__":
    main()
