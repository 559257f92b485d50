"""Numbers of several rounds in a few."""

import statistics


def of(values):
    """The median, with the least and the most."""
    return {"median": statistics.median(values), "least": min(values), "most": max(values),
            "rounds": len(values)}


def ratios(values, references):
    """Of pairs from the same round, so that what disturbs a round disturbs both."""
    return of([value / reference for value, reference in zip(values, references)])


def differences(values, references):
    """Likewise."""
    return of([value - reference for value, reference in zip(values, references)])
