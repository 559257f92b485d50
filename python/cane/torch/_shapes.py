"""The shapes of what the operators return, for torch.compile and the device "meta"."""

import torch

_library: torch.library.Library | None = None


def vectors(columns):
    """The columns rounded up to whole vectors of 8."""
    return (columns + 7) // 8 * 8


def _blocks(rows, block):
    return (rows.shape[0] + block - 1) // block


def _draw_noises(cells, outcomes, seed, step, examples, noises):
    shape = (noises,) if examples is None else (examples.shape[0], noises)
    return outcomes.new_empty(shape)


def _batch_classes(target, column_of_class, first_column):
    classes = column_of_class.new_empty((target.shape[0],))
    return classes, torch.empty_like(classes), torch.empty_like(column_of_class)


def _proposal_blocks(features, rows, bias, block):
    high = features.new_empty((_blocks(rows, block), features.shape[0])).t()
    return high, torch.empty_like(high)


def _proposal_outside(
    features, rows, bias, order, places, log_mass, block, conditional, candidates
):
    return log_mass.new_empty(log_mass.shape)


def _proposal_noises(
    features,
    rows,
    bias,
    order,
    places,
    outside,
    block,
    candidates,
    target,
    noises,
    seed,
    step,
    others=None,
):
    examples = features.shape[0]
    return candidates.new_empty((examples, noises)), features.new_empty((examples, 1 + noises))


def _shortlist(
    target,
    own_candidates,
    shared_candidates,
    visible_after,
    own_noises,
    shared_noises,
    column_of_class,
    masses,
    log_q,
    method,
):
    examples = target.shape[0]
    own = own_candidates.shape[1] + 1 + own_noises.shape[1]
    shared = shared_candidates.shape[0] + 1 + shared_noises.shape[0]
    noises = own_noises.shape[1] + shared_noises.shape[0]
    return (
        own_candidates.new_empty((examples, own)),
        own_candidates.new_empty((shared,)),
        masses.new_empty((examples, 1 + noises)),
        own_candidates.new_empty((examples,)),
        own_candidates.new_empty((examples,)),
    )


def _class_scores(
    hidden,
    weight,
    bias,
    own_classes,
    shared_classes,
    own_noises,
    shared_noises,
    row_ids,
    row_values,
    row_count,
):
    columns = own_classes.shape[1] + shared_classes.shape[0] - 1
    return hidden.new_empty((hidden.shape[0], vectors(columns)))


def row_places(examples, own, shared, own_noises, classes):
    """How many rows a backward pass may leave: one for each entry of the shortlists, or class."""
    columns = vectors(own + shared - 1) - (own - 1 - own_noises)
    entries = 0 if shared == 1 else columns if own_noises == 0 else shared
    return min(entries + examples * own, classes)


def _class_scores_backward(
    gradient, hidden, weight, bias, own_classes, shared_classes, own_noises, shared_noises
):
    rows = row_places(
        own_classes.shape[0],
        own_classes.shape[1],
        shared_classes.shape[0],
        own_noises,
        weight.shape[0],
    )
    return (
        torch.empty_like(hidden),
        own_classes.new_empty((rows,), dtype=torch.int64),
        hidden.new_empty((rows, vectors(hidden.shape[1] + 1))),
    )


def _record_rows(row_ids, row_values, row_count, rows, values):
    return None


def _shortlist_loss(
    scores, visible_after, log_q, label_at, drawn, own_candidates, fixed, classes, method
):
    return scores.new_empty((scores.shape[0],)), torch.empty_like(scores)


def _softmax_loss(hidden, weight, bias, target, smoothing):
    losses = hidden.new_empty((hidden.shape[0],))
    return losses, torch.empty_like(losses)


def _softmax_loss_backward(gradient, hidden, weight, bias, target, log_normalizer, smoothing):
    return torch.empty_like(hidden), torch.empty_like(weight), torch.empty_like(bias)


def register() -> None:
    """Registers the shapes, once."""
    global _library
    if _library is not None:
        return
    _library = torch.library.Library("cane", "IMPL", "Meta")
    for function in (
        _draw_noises,
        _batch_classes,
        _proposal_blocks,
        _proposal_outside,
        _proposal_noises,
        _shortlist,
        _class_scores,
        _class_scores_backward,
        _record_rows,
        _shortlist_loss,
        _softmax_loss,
        _softmax_loss_backward,
    ):
        _library.impl(function.__name__[1:], function)
