"""The environment of the label-tree learners. One that cannot be installed, for want of a wheel for
this Python say, is left out, and the reason is kept.
"""

import pathlib
import re
import subprocess
import sys

PINS = pathlib.Path(__file__).resolve().parent / "requirements-peers.txt"


class Environment:
    def __init__(self, folder):
        self._folder = pathlib.Path(folder).resolve()
        self.python = str(self._folder / "bin" / "python")
        self._problems = None

    def problem(self, package):
        """Why a package is not there; empty where it is."""
        if self._problems is None:
            self._problems = self._install()
        return self._problems.get(package, "")

    def _install(self):
        lines = [line.strip() for line in PINS.read_text(encoding="utf-8").splitlines()]
        pins = [line for line in lines if line and not line.startswith("#")]
        if not pathlib.Path(self.python).exists():
            subprocess.run([sys.executable, "-m", "venv", self._folder], check=True)
        if not self._pip(pins):
            return {}
        # One of them is not to be had: the others are.
        reasons = {re.match(r"[\w-]+", pin).group(): self._pip([pin]) for pin in pins}
        return {package: reason for package, reason in reasons.items() if reason}

    def _pip(self, pins):
        """Installs; returns what went wrong."""
        done = subprocess.run(
            [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
             "--no-deps", "--only-binary", ":all:", *pins],
            capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return ""
        said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        return "it cannot be installed: " + (said or ["?"])[-1].removeprefix("ERROR: ")
