"""What every peer must be able to do, so that all are run and measured alike."""

import pathlib

RUNNERS = pathlib.Path(__file__).resolve().parent / "runners"


class Peer:
    """One row of the table: a program with its settings. All names of files are relative to the
    workshop's folder.
    """

    system = ""
    train_threads = 1
    predict_threads = 1
    # The file or folder that training leaves and prediction reads.
    model = "model"
    # Whether predictions are what the program prints; or else it writes them to PREDICTIONS.
    prints_predictions = False
    # Whether it read the data as it is, or only numbers that we made of it.
    reads_data_as_it_is = False

    PREDICTIONS = "predictions"

    def __init__(self, shop, setting=""):
        self.shop = shop
        self.setting = setting

    @property
    def name(self):
        return f"{self.system} {self.setting}".strip()

    def install(self):
        """Returns the version; throws InstallError where it cannot be had."""
        raise NotImplementedError

    def refusal(self):
        """Why it is of no use on this data; empty where it is."""
        return ""

    def convert(self):
        """Makes the files that it reads: names of the training and of the test data."""
        raise NotImplementedError

    def train_command(self, train):
        raise NotImplementedError

    def predict_command(self, test):
        raise NotImplementedError

    def label(self, line):
        """The name of the class that a line of the predictions stands for."""
        return line

    def name_of_class(self, number):
        names = self.shop.data.names
        return names[number] if 0 <= number < len(names) else ""

    def runner(self, script, *arguments):
        """A call of one of our small programs inside the virtual environment."""
        return [self.shop.environment.python, str(RUNNERS / script), *map(str, arguments)]
