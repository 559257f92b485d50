"""Uses every part of an installed package once: tools/python-wheel runs it in an empty environment.

Each part stands for libraries that a wheel has to carry: numbers for the kernels, texts for the
splitting into words, a compressed file for the readers.
"""

import lzma

import numpy as np

import cane

animals = [
    ("cat", "it purrs and catches mice"),
    ("dog", "it barks and guards the house"),
    ("bee", "it hums and makes honey"),
    ("cow", "it moos, and Kühe geben Milch"),
]
labels = [label for label, _ in animals] * 50
texts = [text for _, text in animals] * 50


def check(model, inputs, wanted):
    accuracy = np.mean(model.predict(inputs) == np.asarray(wanted))
    assert accuracy > 0.9, f"accuracy {accuracy}"


generator = np.random.default_rng(0)
centres = generator.normal(size=(20, 16)).astype(np.float32)
places = np.arange(1000) % 20
rows = centres[places] + generator.normal(scale=0.1, size=(1000, 16)).astype(np.float32)
numbers = cane.Classifier(random_state=0).fit(rows, places)
check(numbers, rows, places)
classes, probabilities = numbers.predict_top_k(rows, 3)
assert classes.shape == probabilities.shape == (1000, 3)

words = cane.Classifier(random_state=0).fit(texts, labels)
check(words, texts, labels)
words.save("model.safetensors")
check(cane.load("model.safetensors"), texts, labels)

with lzma.open("train.ft.xz", "wt", encoding="utf-8") as file:
    file.writelines(f"__label__{label} {text}\n" for label, text in zip(labels, texts))
check(cane.Classifier(random_state=0).fit("train.ft.xz"), texts, labels)

print(f"cane {cane.__version__} works")
