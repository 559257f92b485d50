"""A small Transformer that predicts the next word of a text, one class for each word.

    python transformer.py TRAIN VALID [--vocabulary 116000 --layers 6 --dim 512 --context 256
                                       --steps 50000 --batch 64 --device cuda]

TRAIN and VALID are texts, words between blanks, plain or compressed as .gz or .xz.
"""

import collections
import gzip
import lzma

import torch
from torch import nn

import comparison

OPENERS = {".gz": gzip.open, ".xz": lzma.open}
END, UNKNOWN = "</s>", "<unk>"


def words_of(path, most):
    """The first words of a text; a line ends with a word of its own."""
    opener = next((o for ending, o in OPENERS.items() if path.endswith(ending)), open)
    words = []
    with opener(path, "rt", encoding="utf-8") as text:
        for line in text:
            words += line.split()
            words.append(END)
            if len(words) >= most:
                break
    return words[:most]


def numbers_of(words, vocabulary):
    unknown = vocabulary[UNKNOWN]
    return torch.tensor([vocabulary.get(word, unknown) for word in words])


class Body(nn.Module):
    """Words in, a hidden state for each position out; a position sees those before it."""

    def __init__(self, words, given):
        super().__init__()
        self.words = nn.Embedding(words, given.dim)
        self.places = nn.Parameter(torch.randn(given.context, given.dim) * 0.02)
        nn.init.normal_(self.words.weight, std=0.02)
        layer = nn.TransformerEncoderLayer(
            given.dim,
            given.heads,
            4 * given.dim,
            given.dropout,
            "gelu",
            batch_first=True,
            norm_first=True,
        )
        self.layers = nn.TransformerEncoder(
            layer, given.layers, nn.LayerNorm(given.dim), enable_nested_tensor=False
        )
        future = torch.full((given.context, given.context), float("-inf")).triu(1)
        self.register_buffer("future", future)

    def forward(self, text):
        length = text.shape[1]
        hidden = self.words(text) + self.places[:length]
        return self.layers(hidden, mask=self.future[:length, :length])


def main(arguments=None):
    parser = comparison.options(__doc__, steps=60, batch=16, rate=1e-3)
    parser.add_argument("train", help="the text to learn from")
    parser.add_argument("valid", help="the text that is measured")
    parser.add_argument("--vocabulary", type=int, default=10000, help="most frequent words")
    parser.add_argument("--tokens", type=int, default=1000000, help="words that are read")
    parser.add_argument("--context", type=int, default=48, help="words that a prediction sees")
    parser.add_argument("--dim", type=int, default=96, help="dimensions of hidden states")
    parser.add_argument("--layers", type=int, default=2, help="layers of the Transformer")
    parser.add_argument("--heads", type=int, default=4, help="heads of its attention")
    parser.add_argument("--dropout", type=float, default=0.0, help="share of states left out")
    parser.add_argument("--tested", type=int, default=8000, help="words that are measured")
    given = parser.parse_args(arguments)
    words = words_of(given.train, given.tokens)
    common = collections.Counter(words).most_common(given.vocabulary - 1)
    vocabulary = {word: place for place, (word, _) in enumerate(common)}
    vocabulary.setdefault(UNKNOWN, len(vocabulary))
    train = numbers_of(words, vocabulary)
    valid = numbers_of(words_of(given.valid, given.tested + 1), vocabulary)
    counts = torch.bincount(train, minlength=len(vocabulary))
    for path, text in ((given.train, train), (given.valid, valid)):
        if len(text) <= given.context + 1:
            raise SystemExit(f"{path}: {len(text)} words are too few for --context {given.context}")

    def make_model(name):
        head = (
            comparison.Cane(given.dim, len(vocabulary), given, counts)
            if name == "CANE"
            else comparison.FullSoftmax(given.dim, len(vocabulary))
        )
        return comparison.Model(Body(len(vocabulary), given), _Flat(head))

    def windows(text, starts):
        chosen = text[starts.unsqueeze(1) + torch.arange(given.context + 1)].to(given.device)
        return chosen[:, :-1], chosen[:, 1:]

    def batches():
        generator = torch.Generator().manual_seed(given.seed)
        for _ in range(given.steps):
            yield windows(
                train,
                torch.randint(len(train) - given.context, (given.batch,), generator=generator),
            )

    def tests():
        starts = torch.arange(0, len(valid) - given.context, given.context)
        for part in starts.split(8):
            yield windows(valid, part)

    print(f"{len(train)} words, {len(vocabulary)} different ones, {given.device}")
    return comparison.compare(make_model, batches, tests, given)


class _Flat(nn.Module):
    """A head that is shown the positions of all texts of a batch as examples."""

    def __init__(self, head):
        super().__init__()
        self.head = head

    def forward(self, hidden, target):
        return self.head(hidden.flatten(0, 1), target.flatten())

    def scores(self, hidden):
        return self.head.scores(hidden)


if __name__ == "__main__":
    main()
