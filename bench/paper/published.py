"""The figures that the paper prints, each typed in once. Its Figures 2 and 3 are pictures without
numbers, so that only what the text says of them is in `claims`."""

MINUTE, HOUR, DAY = 60.0, 3600.0, 86400.0

# Table 1: seconds of training and of testing. The paper marks those with ~ as estimated.
TIMES = {
    "sector": {"NCE-10": (0.4 * MINUTE, 0.8), "BlackOut-10": (0.4 * MINUTE, 0.8),
               "CANE-1v9": (1 * MINUTE, 0.1), "CANE-5v5": (1.8 * MINUTE, 0.1),
               "CANE-9v1": (2.3 * MINUTE, 0.2), "Softmax": (6.1 * MINUTE, 0.9)},
    "aloi": {"NCE-10": (3 * MINUTE, 6), "BlackOut-10": (3 * MINUTE, 6),
             "CANE-1v9": (4 * MINUTE, 0.1), "CANE-5v5": (7 * MINUTE, 0.3),
             "CANE-9v1": (8 * MINUTE, 0.5), "Softmax": (28 * MINUTE, 7)},
    "imagenet-2010": {"NCE-20": (3.5 * HOUR, 8 * MINUTE), "BlackOut-20": (3.5 * HOUR, 8 * MINUTE),
                      "CANE-5v15": (4 * HOUR, 0.4 * MINUTE), "CANE-10v10": (5.8 * HOUR, 0.7 * MINUTE),
                      "CANE-15v5": (6.4 * HOUR, 0.9 * MINUTE), "Softmax": (96 * HOUR, 8.7 * MINUTE)},
    # Testing of NCE and BlackOut and both times of the softmax are estimates of the paper's.
    "imagenet-10k": {"NCE-20": (13 * HOUR, 5 * DAY), "BlackOut-20": (12 * HOUR, 5 * DAY),
                     "CANE-5v15": (20 * HOUR, 1 * HOUR), "CANE-10v10": (33 * HOUR, 1.5 * HOUR),
                     "CANE-15v5": (39 * HOUR, 2 * HOUR), "Softmax": (140 * DAY, 5 * DAY)},
}

# Table 2: accuracy, seconds of training and of testing.
TREES = {
    "sector": {"HSM": (0.9136, 0.5 * MINUTE, 0.1), "Filter Tree": (0.8467, 0.4 * MINUTE, 0.4),
               "LOMTree": (0.8491, 0.5 * MINUTE, 0.2), "Recall Tree": (0.8689, 0.7 * MINUTE, 0.2)},
    "aloi": {"HSM": (0.6569, 1 * MINUTE, 0.4), "Filter Tree": (0.2007, 1 * MINUTE, 0.2),
             "LOMTree": (0.8270, 3.3 * MINUTE, 1), "Recall Tree": (0.8303, 2.5 * MINUTE, 0.2)},
    "imagenet-2010": {"HSM": (0.4768, 4.7 * HOUR, 0.5 * MINUTE),
                      "Filter Tree": (0.4829, 6.8 * HOUR, 0.1 * MINUTE),
                      "LOMTree": (0.4987, 17.8 * HOUR, 0.3 * MINUTE),
                      "Recall Tree": (0.6128, 32 * HOUR, 0.5 * MINUTE)},
    "imagenet-10k": {"HSM": (0.1731, 14 * HOUR, 1 * HOUR), "Filter Tree": (0.0449, 22 * HOUR, 0.3 * HOUR),
                     "LOMTree": (0.0972, 23 * HOUR, 0.3 * HOUR),
                     "Recall Tree": (0.2274, 68 * HOUR, 1.2 * HOUR)},
}

# Table 3: the share of test examples whose label is among this many candidates.
COVERAGE = {
    "sector": {1: 0.6889, 5: 0.9657, 9: 0.9792},
    "aloi": {1: 0.4484, 5: 0.8647, 9: 0.9359},
    "imagenet-2010": {5: 0.7659, 10: 0.8729, 15: 0.9117},
    "imagenet-10k": {5: 0.3959, 10: 0.5328, 15: 0.6022},
}
