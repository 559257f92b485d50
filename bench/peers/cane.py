"""`cane` itself, with its own choices or with options that are given."""

import shlex
import shutil
import subprocess

from .peer import Peer


class Cane(Peer):
    system = "cane"
    model = "model.safetensors"
    reads_data_as_it_is = True

    CACHE = "cache"

    def __init__(self, shop, options):
        super().__init__(shop, options or "(defaults)")
        self._options = shlex.split(options)
        self.train_threads = self.predict_threads = shop.threads

    def install(self):
        printed = subprocess.run([self.shop.cane_program, "version"], capture_output=True, text=True,
                              check=True).stdout
        return printed.split("\n")[0].removeprefix("cane ")

    # The text is parsed anew each time, as by the others: the cache begins empty.
    def convert(self):
        shutil.rmtree(self.shop.folder / self.CACHE, ignore_errors=True)
        return self.shop.originals()

    def train_command(self, train):
        return [self.shop.cane_program, "train", train, "--model", self.model, "--cache", self.CACHE,
                "--threads", str(self.shop.threads), *self._options]

    def predict_command(self, test):
        return [self.shop.cane_program, "predict", test, "--model", self.model, "--no-cache",
                "--threads", str(self.shop.threads), "--output", self.PREDICTIONS, "--overwrite"]


def rows(shop, cane_options):
    return [Cane(shop, options) for options in ["", *cane_options]]
