"""The label-tree learners of extreme classification, each through a small program of ours in the
virtual environment: napkinXC's PLT, Omikuji's Parabel and PECOS' XR-Linear, at their defaults.
"""

from .peer import Peer


class LabelTree(Peer):
    package = ""
    needs = None
    script = ""

    def __init__(self, shop, setting):
        super().__init__(shop, setting)
        self.train_threads = self.predict_threads = shop.threads

    def install(self):
        return self.shop.install_python(self.package, self.needs)

    def convert(self):
        return self.shop.extreme()

    def train_command(self, train):
        return self.runner(self.script, "train", train, self.model, self.shop.threads)

    def predict_command(self, test):
        return self.runner(self.script, "predict", test, self.model, self.shop.threads,
                           self.PREDICTIONS)

    def label(self, line):
        return self.name_of_class(int(line) if line.strip() else -1)


class NapkinXc(LabelTree):
    system = "napkinXC"
    package = "napkinxc"
    script = "run_napkinxc.py"


class Omikuji(LabelTree):
    system = "Omikuji"
    package = "omikuji"
    script = "run_omikuji.py"


class Pecos(LabelTree):
    system = "PECOS"
    package = "libpecos"
    # What XR-Linear needs; the package asks for gigabytes more, for its transformers.
    needs = ("numpy<2", "scipy<1.14", "scikit-learn")
    script = "run_pecos.py"

    def convert(self):
        return self.shop.svmlight()

    def train_command(self, train):
        return [*super().train_command(train), str(len(self.shop.features))]

    def predict_command(self, test):
        return [*super().predict_command(test), str(len(self.shop.features))]


def rows(shop, _):
    return [NapkinXc(shop, "PLT"), Omikuji(shop, "Parabel"), Pecos(shop, "XR-Linear")]
