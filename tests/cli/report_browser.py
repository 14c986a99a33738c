#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Opens a report in a browser: nothing is fetched, nothing goes wrong, all figures are to be seen, nothing is wider than the
screen, at the width of a desk and of a phone; figures are light on a light screen and dark on a dark one.

    report_browser.py PROGRAM

Skipped (exit 77) where there is no chromium or no gnuplot. The browser is spoken to by its DevTools protocol, through a pipe.
"""
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = os.path.abspath(sys.argv[1])
NET = "input 28 28 1\nconv 8 3 stride 2\nconv 8 3 stride 2\nconv 10 3 stride 2\ngap\n"
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--remote-debugging-pipe"]
FAILED = []

# What is to be seen: figures with their size, what sticks out of the page, how light things are.
LOOK = """(() => {
  const light = colour => { const c = colour.match(/[0-9.]+/g).map(Number); return (c[0] + c[1] + c[2]) / 765; };
  const box = e => { const r = e.getBoundingClientRect(); return [r.width, r.height]; };
  const inside = e => e.closest('.card, .scroll');
  const width = document.documentElement.clientWidth;
  return JSON.stringify({
    drawings: [...document.querySelectorAll('figure svg')].map(box),
    pictures: [...document.querySelectorAll('.samples img')].map(i => [i.naturalWidth, i.width]),
    overflow: document.documentElement.scrollWidth - width,
    sticking: [...document.querySelectorAll('body *')].filter(e => !inside(e) && !e.closest('svg') &&
      e.getBoundingClientRect().right > width + 1).map(e => e.tagName + '.' + e.className),
    letters: Math.min(...[...document.querySelectorAll('p, td, figcaption, li')].map(e => parseFloat(getComputedStyle(e).fontSize))),
    paper: light(getComputedStyle(document.body).backgroundColor), ink: light(getComputedStyle(document.body).color),
    card: light(getComputedStyle(document.querySelector('.card')).backgroundColor),
    inks: [...document.querySelectorAll('figure:not([id*=confusion]) svg text')].map(e => light(getComputedStyle(e).fill)),
    scrolls: [...document.querySelectorAll('.card, .scroll:has(.runs)')].filter(e => e.scrollWidth > e.clientWidth + 1)
      .map(e => e.className),
  });
})()"""


def check(good, what):
    print("ok   " if good else "FAIL ", " ".join(what.split()), flush=True)
    if not good:
        FAILED.append(what)


class Browser:
    """A browser at the other end of a pipe: JSON messages that end with a zero byte."""

    def __init__(self, program, profile):
        to_browser, self.out = os.pipe()
        self.answers, from_browser = os.pipe()
        keep = (os.dup(to_browser), os.dup(from_browser))  # high numbers, so that 3 and 4 can be set

        def connect():
            os.dup2(keep[0], 3)
            os.dup2(keep[1], 4)

        self.process = subprocess.Popen([program, *FLAGS, f"--user-data-dir={profile}", "about:blank"], preexec_fn=connect,
                                        pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, start_new_session=True)
        for descriptor in (to_browser, from_browser, *keep):
            os.close(descriptor)
        self.count, self.rest, self.events, self.session = 0, b"", [], None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def receive(self, seconds):
        """The next message; None if none comes in time."""
        end = time.monotonic() + seconds
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.answers], [], [], max(0, end - time.monotonic()))
            data = os.read(self.answers, 1 << 20) if ready else b""
            if not data:
                return None
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **parameters):
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive(60)
            if answer is None:
                raise RuntimeError(f"{method}: the browser does not answer")
            if answer.get("id") == self.count:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, url, width, scheme, media="screen"):
        self.events.clear()
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.ask("Page.navigate", url=url)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            event = self.receive(60)
            if event is None:
                raise RuntimeError(f"{url} is not loaded")
            self.events.append(event)
        return json.loads(self.ask("Runtime.evaluate", expression=LOOK)["result"]["value"])

    def complaints(self):
        names = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [event["params"] for event in self.events if event.get("method") in names]

    def requests(self):
        return [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]

    def end(self):
        os.close(self.out)
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        os.close(self.answers)


def test_page(browser, path, figures):
    url = "file://" + path
    for width, scheme in ((1280, "light"), (1280, "dark"), (360, "light"), (360, "dark")):
        what = f"{width} pixels, {scheme}"
        seen = browser.open(url, width, scheme)
        check(len(seen["drawings"]) == figures and all(w > 200 and h > 80 for w, h in seen["drawings"]),
              f"{what}: all {figures} figures are to be seen: {seen['drawings']}")
        check(seen["pictures"] and all(natural > 0 and shown > 0 for natural, shown in seen["pictures"]),
              f"{what}: and {len(seen['pictures'])} pictures")
        check(seen["overflow"] <= 0 and not seen["sticking"], f"{what}: nothing is too wide: {seen['overflow']} {seen['sticking'][:3]}")
        check(seen["letters"] >= 12, f"{what}: letters of {seen['letters']} pixels")
        check(abs(seen["paper"] - seen["ink"]) > 0.6 and (seen["paper"] < 0.3) == (scheme == "dark"), f"{what}: paper unlike ink")
        check((seen["card"] < 0.3) == (scheme == "dark"), f"{what}: figures as light or dark as the page ({seen['card']:.2f})")
        check(all(abs(seen["card"] - ink) > 0.25 for ink in seen["inks"]) and len(seen["inks"]) > 50,
              f"{what}: texts of figures can be read: {min(abs(seen['card'] - ink) for ink in seen['inks']):.2f}")
        check(seen["scrolls"] == [], f"{what}: figures and the table of runs do not scroll: {seen['scrolls']}")
        check(all(w >= 0.9 * min(width, 400) for w, _ in seen["drawings"]), f"{what}: figures have the width of the screen")
        check(not browser.complaints(), f"{what}: no complaints: {browser.complaints()[:2]}")
        others = [asked for asked in browser.requests() if asked != url and not asked.startswith("data:")]
        check(not others, f"{what}: nothing else is asked for: {others[:3]}")


def test_print(browser, path, figures):
    """On A4 paper, from a reader whose screen is dark."""
    seen = browser.open("file://" + path, 720, "dark", "print")
    check(len(seen["drawings"]) == figures and all(w > 200 and h > 80 for w, h in seen["drawings"]),
          f"print: all {figures} figures are to be seen")
    check(seen["overflow"] <= 0 and not seen["sticking"], f"print: nothing is too wide: {seen['overflow']} {seen['sticking'][:3]}")
    check(seen["paper"] > 0.9 and seen["ink"] < 0.3, f"print: dark on white ({seen['ink']:.2f} on {seen['paper']:.2f})")


def main():
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not program or not shutil.which("gnuplot"):
        print("skipped: no chromium, or no gnuplot (tools/install-deps --test)")
        sys.exit(77)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.chdir(folder)
        with open("small.net", "w") as file:
            file.write(NET)
        for objective in ("lda", "cce"):
            subprocess.run([PROGRAM, "train", "digits", "--net", "small.net", "--subset", "1000", "--batch", "100", "--epochs",
                            "3", "-q", "--objective", objective, "-o", objective], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([PROGRAM, "report", "lda", "cce", "-o", "both"], check=True, stdout=subprocess.DEVNULL)
        browser = Browser(program, os.path.join(folder, "profile"))
        try:
            path = os.path.join(os.path.realpath(folder), "both/report.html")
            test_page(browser, path, 14)
            test_print(browser, path, 14)
        finally:
            browser.end()
        os.chdir("/")
    sys.exit(1 if FAILED else 0)


if __name__ == "__main__":
    main()
