"""Vowpal Wabbit: its trees of classifiers, and one classifier against the rest for few classes."""

from .peer import Peer

MOST_FOR_ONE_AGAINST_ALL = 2000
LARGE = 1_000_000


class VowpalWabbit(Peer):
    system = "Vowpal Wabbit"
    model = "model.vw"
    reads_data_as_it_is = True

    def install(self):
        return self.shop.install_python("vowpalwabbit")

    def refusal(self):
        classes = len(self.shop.data.classes)
        if self.setting.startswith("--oaa") and classes > MOST_FOR_ONE_AGAINST_ALL:
            return f"the time of each example grows with the classes, and there are {classes:,}"
        return ""

    def convert(self):
        return self.shop.vowpal_wabbit()

    def _vw(self, *arguments):
        return [self.shop.environment.python, "-m", "vowpalwabbit", *arguments, "--quiet"]

    def train_command(self, train):
        cache = ["-k", "--cache_file", "train.vwcache"] if "--passes" in self.setting else []
        return self._vw("-d", train, *self.setting.split(), *cache, "-f", self.model)

    def predict_command(self, test):
        return self._vw("-d", test, "-t", "-i", self.model, "-p", self.PREDICTIONS)

    def label(self, line):
        return self.name_of_class(int(float(line.split()[0])) - 1 if line.strip() else -1)


def rows(shop, _):
    classes = len(shop.data.classes)
    passes = 10 if shop.data.train_examples < LARGE else 3
    return [VowpalWabbit(shop, setting) for setting in (
        f"--recall_tree {classes} -b 24 --passes {passes} -l 1",
        f"--log_multi {classes} -b 24 --passes {passes} -l 1",
        f"--oaa {classes} --loss_function logistic -b 24")]
