"""fastText, for text: the bag of word vectors that cane's own encoder is measured against."""

from . import source
from .peer import Peer

# A hierarchical softmax pays beyond this, and small sets need more epochs.
MOST_FOR_SOFTMAX = 1000
SMALL = 100_000
LARGE = 1_000_000


class FastText(Peer):
    system = "fastText"
    model = "fasttext.bin"
    prints_predictions = True
    reads_data_as_it_is = True

    def __init__(self, shop):
        loss = "softmax" if len(shop.data.classes) <= MOST_FOR_SOFTMAX else "hs"
        count = shop.data.train_examples
        epochs = 25 if count <= SMALL else 5 if count <= LARGE else 2
        super().__init__(shop, f"-loss {loss} -dim 100 -epoch {epochs} -lr 0.5 "
                               f"-minCount {shop.least_count}")
        self.train_threads = shop.threads

    def install(self):
        return self.shop.install_debian("fasttext")

    def refusal(self):
        return "" if self.shop.data.kind == "text" else "it reads words, not numbers"

    def convert(self):
        return self.shop.plain_text()

    def train_command(self, train):
        return ["fasttext", "supervised", "-input", train, "-output",
                self.model.removesuffix(".bin"), *self.setting.split(), "-thread",
                str(self.shop.threads)]

    def predict_command(self, test):
        return ["fasttext", "predict", self.model, test, "1"]

    def label(self, line):
        return line.removeprefix(source.LABEL)


def rows(shop, _):
    return [FastText(shop)]
