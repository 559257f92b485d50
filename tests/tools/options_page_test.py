#!/usr/bin/env python3
"""Checks that a page of options is the one that the program prints. Usage: options_page_test.py
PROGRAM PAGE"""

import pathlib
import subprocess
import sys

program, page = sys.argv[1], pathlib.Path(sys.argv[2])
printed = subprocess.run([program, "help", "--markdown"], check=True, capture_output=True,
                         encoding="utf-8").stdout
if not page.exists() or page.read_text(encoding="utf-8") != printed:
    sys.exit(f"{page} is not what the program prints; make it again: "
             f"{program} help --markdown > {page}")
