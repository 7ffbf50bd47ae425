"""Takes the pictures of the README from the app as it is: starts it on a fresh project, labels the demo by its truth.

Run from the checkout: .venv/bin/python docs/pictures/take_pictures.py
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from testimate.sessions.project import Project

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
LABELS = 80


def main() -> None:
    """Serves the app, takes each picture in the light theme, and stops."""
    with tempfile.TemporaryDirectory() as folder, socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        listener.close()
        command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.port", str(port)]
        server = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "TESTIMATE_PROJECT": folder})
        try:
            wait_for(f"http://127.0.0.1:{port}/_stcore/health")
            with sync_playwright() as playwright:
                chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
                page = chromium.new_page(viewport={"width": 1280, "height": 820})
                pictures(page, f"http://127.0.0.1:{port}", Path(folder))
                chromium.close()
        finally:
            server.kill()


def wait_for(address: str) -> None:
    """Until the address answers; a minute at most."""
    for _ in range(300):
        try:
            urllib.request.urlopen(address, timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit(f"{address} did not answer within a minute. Start the app by hand and see what it says.")


def pictures(page: Page, address: str, folder: Path) -> None:
    """Label and Clusters, each as a tester sees it."""
    page.goto(address)
    page.locator(".st-key-demo-digits button").click(timeout=60_000)
    page.wait_for_selector(".surface:not([data-row=''])", timeout=60_000)
    truth = Project(folder).subject("digits").truth
    assert truth is not None
    for _ in range(LABELS):
        page.wait_for_selector(".surface:not([data-row=''])", timeout=60_000)
        row = int(page.locator(".surface").get_attribute("data-row") or 0)
        page.keyboard.press(str(truth[row]))
        page.wait_for_timeout(300)
    page.wait_for_timeout(4000)
    page.screenshot(path=HERE / "label.png")
    page.get_by_role("link", name="Clusters", exact=True).click()
    page.get_by_text("Prototypes", exact=True).wait_for(timeout=60_000)
    page.wait_for_timeout(3000)
    page.screenshot(path=HERE / "clusters.png")


if __name__ == "__main__":
    main()
