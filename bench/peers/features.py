"""Sparse features for the peers that take nothing else: rows of (number from 0, value), of length
one. Words become tf-idf weights; numbers stay what they are, but for the length.
"""

import collections
import math

from . import source


class Words:
    """The words of the training data that occur in at least `least` of its examples."""

    def __init__(self, data, least):
        counts = collections.Counter()
        for _, text in source.examples(data.train):
            counts.update(set(text.split()))
        kept = [(word, count) for word, count in counts.items() if count >= least]
        total = data.train_examples
        self._entries = {word: (number, math.log(1 + total / count))
                         for number, (word, count) in enumerate(kept)}

    def __len__(self):
        return len(self._entries)

    def row(self, text):
        values = {}
        for word in text.split():
            entry = self._entries.get(word)
            if entry:
                values[entry[0]] = values.get(entry[0], 0.0) + entry[1]
        return unit(sorted(values.items()))


class Numbers:
    """Features as they stand in svmlight text, whose first is 0 or 1."""

    def __init__(self, data):
        low, high = math.inf, -1
        for _, text in source.examples(data.train):
            pairs = text.split()
            if pairs:
                low = min(low, _index(pairs[0]))
                high = max(high, _index(pairs[-1]))
        self._first = 0 if low == 0 else 1
        self._size = high + 1 - self._first

    def __len__(self):
        return self._size

    def row(self, text):
        pairs = []
        for pair in text.split():
            index, _, value = pair.partition(":")
            number = int(index) - self._first
            if 0 <= number < self._size:
                pairs.append((number, float(value)))
        return unit(pairs)


def _index(pair):
    return int(pair.partition(":")[0])


def unit(pairs):
    """The same direction, of length one."""
    length = math.sqrt(sum(value * value for _, value in pairs))
    return [(number, value / length) for number, value in pairs if value] if length else []


def of(data, least):
    return Words(data, least) if data.kind == "text" else Numbers(data)
