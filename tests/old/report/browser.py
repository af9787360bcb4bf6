"""A browser without a window, which is told what to do over two pipes: the DevTools protocol."""

import json
import os
import shutil
import subprocess
import sys

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
OPTIONS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe")
LAUNCH = """
import fcntl, os, sys
questions, answers = (fcntl.fcntl(int(each), fcntl.F_DUPFD, 5) for each in sys.argv[1:3])
os.dup2(questions, 3)
os.dup2(answers, 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""
"""The browser reads questions from descriptor 3 and writes answers to 4."""
WIDEST_PHONE = 700
LABELS = """
[...document.querySelectorAll('.plot text.x, .plot text.y')]
  .map(each => each.getBoundingClientRect()).filter(box => box.width)
  .map(box => [box.left, box.right, box.top, box.bottom])
"""
"""A script for the boxes of the labels of a picture's axes."""


class Browser:
    """One page, and what it has asked the network and said on its console since it was opened."""

    def __init__(self, folder):
        program = next(filter(None, map(shutil.which, NAMES)), None)
        if program is None:
            pytest.skip(f"there is no browser: {', '.join(NAMES)}")
        answers, its_answers = os.pipe()
        its_questions, questions = os.pipe()

        self._process = subprocess.Popen(
            [sys.executable, "-c", LAUNCH, str(its_questions), str(its_answers), program, *OPTIONS,
             f"--user-data-dir={folder}"],
            pass_fds=(its_questions, its_answers), stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(its_questions)
        os.close(its_answers)
        self._answers, self._questions = os.fdopen(answers, "rb"), os.fdopen(questions, "wb")
        self._asked, self._session, self.events = 0, {}, []
        page = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        self._session = {"sessionId": session}
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.ask(f"{domain}.enable")

    def ask(self, method, **parameters):
        """Return what the browser answers to a command."""
        self._asked += 1
        question = {"id": self._asked, "method": method, "params": parameters, **self._session}
        self._questions.write(json.dumps(question).encode() + b"\0")
        self._questions.flush()
        while (answer := self._read()).get("id") != self._asked:
            self.events.append(answer)
        assert "error" not in answer, (method, answer)
        return answer["result"]

    def _read(self):
        text = bytearray()
        while (byte := self._answers.read(1)) != b"\0":
            assert byte, "the browser has ended"
            text += byte
        return json.loads(text)

    def open(self, path, width=1200, mode="light"):
        """Open a file, as wide as that, and wait until it is there."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=800,
                 deviceScaleFactor=1, mobile=width <= WIDEST_PHONE)  # fmt: skip
        self.show("screen", mode)
        self.events.clear()
        self.ask("Page.navigate", url=path.as_uri())
        while not self.methods("Page.loadEventFired"):
            self.events.append(self._read())

    def show(self, media, mode="light"):
        self.ask("Emulation.setEmulatedMedia", media=media,
                 features=[{"name": "prefers-color-scheme", "value": mode}])  # fmt: skip

    def value(self, script):
        """Return what a script finds in the page, whatever the page itself may run."""
        found = self.ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def methods(self, *names):
        return [event["params"] for event in self.events if event["method"] in names]

    @property
    def requested(self):
        """The addresses that the page has asked for, without its own."""
        urls = [event["request"]["url"] for event in self.methods("Network.requestWillBeSent")]
        return urls[1:]

    @property
    def complaints(self):
        """What stands on the console."""
        return self.methods("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")

    def close(self):
        self._session = {}
        self.ask("Browser.close")
        self._process.wait()
        self._answers.close()
        self._questions.close()
