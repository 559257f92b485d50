"""LIBLINEAR: linear machines to the optimum, Crammer and Singer's or one class against the rest."""

from . import measure
from .peer import Peer

BYTES_OF_WEIGHT = 8


class Liblinear(Peer):
    system = "LIBLINEAR"
    model = "model.liblinear"

    def install(self):
        return self.shop.install_debian("liblinear-tools")

    def refusal(self):
        weights = len(self.shop.features) * len(self.shop.data.classes) * BYTES_OF_WEIGHT
        if weights > measure.memory_limit():
            return f"its weights, all kept, would take {weights / 1e9:,.0f} GB of memory"
        return ""

    def convert(self):
        return self.shop.svmlight()

    def train_command(self, train):
        return ["liblinear-train", *self.setting.split(), "-q", train, self.model]

    def predict_command(self, test):
        return ["liblinear-predict", "-q", test, self.model, self.PREDICTIONS]

    def label(self, line):
        return self.name_of_class(int(line) - 1)


def rows(shop, _):
    return [Liblinear(shop, "-s 4"), Liblinear(shop, "-s 7")]
