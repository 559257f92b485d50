"""The tests of cane.torch; without PyTorch there is nothing to test here."""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("torch") else ["*"]
