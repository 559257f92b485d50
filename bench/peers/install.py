"""Installs the peers: packages of Debian into the system, packages of PyPI into a virtual
environment. What cannot be had gives an InstallError that says why.
"""

import os
import pathlib
import shutil
import subprocess
import sys


class InstallError(Exception):
    pass


def _run(command, what):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = [line for line in (done.stderr + done.stdout).splitlines() if line.strip()]
        wrong = [line for line in said if "rror" in line or line.startswith("E:")]
        reason = (wrong or said or ["it printed nothing"])[-1].strip().removeprefix("ERROR: ")
        raise InstallError(f"{what} cannot be installed: {reason}")
    return done.stdout.strip()


def _as_root():
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo"):
        return ["sudo", "-n"]
    raise InstallError("a Debian package cannot be installed: not root, and there is no sudo")


def debian_version(package):
    """The version that is installed, or None."""
    if not shutil.which("dpkg-query"):
        return None
    done = subprocess.run(["dpkg-query", "--show", "--showformat=${db:Status-Status} ${Version}",
                           package], capture_output=True, text=True, check=False)
    status, _, version = done.stdout.partition(" ")
    return version if done.returncode == 0 and status == "installed" else None


def debian(package):
    """Installs a package of Debian where it is missing; returns its version."""
    if not debian_version(package):
        if not shutil.which("apt-get"):
            raise InstallError(f"{package} is a Debian package, and there is no apt-get here")
        apt = [*_as_root(), "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
        # Where lists cannot be fetched, those at hand may still do.
        subprocess.run([*apt, "update", "-qq"], capture_output=True, check=False)
        _run([*apt, "install", "-qq", "--yes", "--no-install-recommends", package], package)
    return debian_version(package)


class Environment:
    """A virtual environment that is made when it is first needed."""

    def __init__(self, folder):
        self._folder = pathlib.Path(folder).resolve()
        self.python = str(self._folder / "bin" / "python")

    def _make(self):
        if self.version("pip"):
            return
        create = [sys.executable, "-m", "venv", "--clear", str(self._folder)]
        if subprocess.run(create, capture_output=True, check=False).returncode:
            debian("python3-venv")
            _run(create, "a virtual environment")

    def version(self, package):
        """The version that is installed, or None."""
        if not os.path.exists(self.python):
            return None
        code = "import sys, importlib.metadata as m; print(m.version(sys.argv[1]))"
        done = subprocess.run([self.python, "-c", code, package], capture_output=True, text=True,
                              check=False)
        return done.stdout.strip() if done.returncode == 0 else None

    def install(self, package, needs=None):
        """Installs a package with what it asks for, or with `needs` instead of that."""
        self._make()
        if not self.version(package):
            pip = [self.python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            if needs:
                _run([*pip, *needs], package)
                pip.append("--no-deps")
            _run([*pip, package], package)
        return self.version(package)
