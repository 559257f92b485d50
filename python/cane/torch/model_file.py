"""A layer as a `cane` model file, and back: for prediction on a CPU and for serving.

The features of the model are the hidden states, as dense rows. The method keeps its name; a proposal at
low rank becomes the selector `narrow`, one of two levels `tree`, a `beam` layer has path sums in its
tree, and a `cane` layer with other candidates searches all classes (`exact`).
"""

import os

import numpy as np
import torch

from cane import _core
from cane._errors import library_errors
from cane.torch._clusters import Clusters, cluster_size
from cane.torch._options import METHODS
from cane.torch.class_parallel import ClassParallelOutput
from cane.torch.layer import CaneOutput

__all__ = ["load_model", "save_model"]


def save_model(
    layer: CaneOutput, path: str | os.PathLike[str], labels=None, class_counts=None
) -> None:
    """Write the layer to `path`; `cane predict`, `cane.load` and servers read the file.

    `labels` are the names of the classes, by default their numbers. `class_counts`, how often each
    class occurred in training, is kept with the model.
    """
    if isinstance(layer, ClassParallelOutput):
        raise TypeError(
            "layer: its classes are on several ranks; load its full_state_dict() into a "
            "CaneOutput, and save that"
        )
    classes = layer.num_classes
    labels = (
        [str(number) for number in range(classes)] if labels is None else list(map(str, labels))
    )
    if len(labels) != classes:
        raise ValueError(f"labels: there are {len(labels)}, but the layer has {classes} classes")
    counts = [] if class_counts is None else [int(count) for count in class_counts]
    options, tree, tables = _parts_of(layer)
    with library_errors():
        model = _core.assemble_model(options, labels, layer.in_features, counts, *tree, tables)
        model.save(os.fspath(path))


def load_model(path: str | os.PathLike[str], **options) -> CaneOutput:
    """A layer with the weights of a model file whose features are dense rows.

    `options` are those of `CaneOutput`, where they shall differ from the file's. A proposal comes from
    the file where it has one at low rank (`narrow`), or one of two levels that `save_model` has
    written; else it starts anew. `layer.labels` are the names of the classes.
    """
    with library_errors():
        model = _core.Model.load(os.fspath(path))
        tables, tree = _core.model_tables(model), _core.model_tree(model)
    if model.takes_text:
        raise ValueError(f"{path}: its features are words; a layer takes rows of numbers")
    config = model.config
    made = _layer_options(path, config, model, tree)
    layer = CaneOutput(model.dimension, len(model.labels), **{**made, **options})
    with torch.no_grad():
        _fill(layer, path, config, tables, tree)
    layer.labels = tuple(model.labels)
    return layer


def _rows(weight, bias) -> np.ndarray:
    """Weights and, in the last column, the bias."""
    bias = torch.zeros(len(weight)) if bias is None else bias
    rows = torch.cat([weight.detach().float().cpu(), bias.detach().float().cpu().unsqueeze(1)], 1)
    return rows.numpy()


def _node_rows(clusters: Clusters, upper: np.ndarray, lower: np.ndarray, adds_up: bool):
    """The tree of two levels, and its rows: clusters, then their classes. A cluster of one class is a
    leaf, whose row is the cluster's, and the sum of both where scores are sums along a path."""
    order = clusters.order.cpu().numpy()
    order = np.arange(clusters.num_classes) if len(order) == 0 else order.astype(np.int64)
    parts = [order[begin : begin + clusters.size] for begin in range(0, len(order), clusters.size)]
    single = [part for part in parts if len(part) == 1]
    inner = [part for part in parts if len(part) > 1]
    upper = upper.copy()
    if adds_up and single:
        upper[-1] += lower[single[0][0]]
    child_counts = [len(parts), *(len(part) for part in inner), *([0] * len(single))]
    child_counts += [0] * sum(map(len, inner))
    leaves = np.concatenate([*single, *inner])
    rows = np.concatenate([upper, *(lower[part] for part in inner)])
    return (child_counts, leaves.tolist()), np.ascontiguousarray(rows)


def _parts_of(layer: CaneOutput):
    """Options, tree and tables, as `_core.assemble_model` takes them."""
    options = {"method": layer.method}
    if layer.clusters is not None:
        classes = _rows(layer.weight, layer.bias)
        upper = _rows(layer.cluster_weight, layer.cluster_bias)
        tree, rows = _node_rows(layer.clusters, upper, classes, adds_up=not layer.is_tree)
        if not layer.is_tree:
            options |= {
                "select": "beam",
                "scorer": "path",
                "candidates": layer.selection.own_candidates,
            }
        return options, tree, {"weights": rows}
    classes = _rows(*layer.class_rows())
    if layer.selection is not None:
        options["noises"] = layer.selection.noises
        is_uniform = bool((layer.selection.masses == layer.selection.masses[0]).all())
        options |= (
            {"noise": "uniform"}
            if is_uniform
            else {"noise": "unigram", "noise_power": layer.selection.noise_power}
        )
    if layer.is_ratio_to_noise:
        # The scores of a model file are those that are predicted by.
        classes[:, -1] += layer.selection.masses.log().cpu().numpy()
    if not METHODS[layer.method].has_candidates:
        return options, ([], []), {"weights": classes}
    options = {"method": layer.method, "scorer": "flat", "noises": layer.selection.noises}
    proposal = layer.selection.proposal
    if proposal is None:
        return {**options, "select": "exact"}, ([], []), {"weights": classes}
    options |= {
        "candidates": layer.selection.counts["proposal"],
        "rank": proposal.rows.shape[1],
        "select": "tree" if proposal.is_tree else "narrow",
    }
    tree, rows = ([], []), _rows(proposal.rows, proposal.bias)
    if proposal.is_tree:
        upper = _rows(proposal.cluster_weight, proposal.cluster_bias)
        tree, rows = _node_rows(proposal.clusters, upper, rows, adds_up=False)
    return (
        options,
        tree,
        {
            "weights": classes,
            "proposal.weights": rows,
            "proposal.projection": _rows(proposal.projection.t(), None),
        },
    )


def _order_of(path, tree, classes: int):
    """The order of the classes in a tree of two levels as `save_model` writes it."""
    child_counts, leaves = tree
    size = cluster_size(classes)
    sizes = [min(size, classes - begin) for begin in range(0, classes, size)]
    single = [1] if sizes[-1] == 1 else []
    expected = [len(sizes), *(s for s in sizes if s > 1), *([0] * len(single))]
    if child_counts != expected + [0] * (classes - len(single)):
        raise ValueError(
            f"{path}: its tree is not one of clusters of {size} classes, which a layer "
            "has; train a layer, or a model without a tree (select narrow)"
        )
    return torch.tensor(leaves[len(single) :] + leaves[: len(single)])


def _layer_options(path, config, model, tree) -> dict:
    """What a `CaneOutput` is made with to hold the model."""
    if model.is_quantized:
        raise ValueError(f"{path}: its weights are quantized; load the model it was made of")
    made = {
        "method": config["method"],
        "class_counts": torch.from_numpy(np.asarray(model.class_counts).astype(np.int64)),
    }
    method = _core.methods()[config["method"]]
    selector = _core.selectors()[config["select"]]
    if method["has_noises"] and config.get("noises"):
        made["noises"] = config["noises"]
    if config["noise"] == "uniform":
        made["noise"] = "uniform"
    elif _core.noises()[config["noise"]]["uses_power"]:
        made |= {"noise": "counts", "noise_power": config["noise_power"]}
    if method["is_hierarchical"]:
        return {**made, "class_order": _order_of(path, tree, len(model.labels))}
    if not method["has_candidates"]:
        return made
    made["candidates"] = config["candidates"]
    if config["select"] == "beam":
        return {**made, "select": "beam", "class_order": _order_of(path, tree, len(model.labels))}
    if config["scorer"] == "path":
        raise ValueError(
            f"{path}: its scores are sums along the paths of a tree; only those with "
            "select beam can be a layer"
        )
    if selector["proposal_is_prior"]:
        raise ValueError(
            f"{path}: a hierarchical softmax is part of every score, which a layer has not"
        )
    if not selector["has_proposal"]:
        return made
    made |= {"select": "proposal", "proposal": "low-rank", "rank": config["rank"]}
    if selector["proposes_by_tree"]:
        made |= {"proposal": "tree", "class_order": _order_of(path, tree, len(model.labels))}
    return made


def _fill(layer: CaneOutput, path, config, tables, tree) -> None:
    """Copies the tables into the layer's parameters."""
    weights = torch.from_numpy(np.asarray(tables["weights"]))
    if layer.clusters is not None:
        _fill_tree(
            layer.clusters,
            weights,
            layer.cluster_weight,
            layer.cluster_bias,
            layer.weight,
            layer.bias,
        )
        return
    _fill_proposal(layer, tables)
    rows, bias = weights[:, :-1], weights[:, -1]
    if layer.prior is not None:
        of_prior = layer.prior.folded()
        rows, bias = rows - of_prior[0].cpu(), bias - of_prior[1].cpu()
    if layer.is_ratio_to_noise:
        bias = bias - layer.selection.masses.log().cpu()
    layer.weight.copy_(rows)
    if layer.bias is not None:
        layer.bias.copy_(bias)
    elif bias.any():
        raise ValueError(f"{path}: its classes have biases; take bias=True")


def _fill_proposal(layer: CaneOutput, tables) -> None:
    proposal = None if layer.selection is None else layer.selection.proposal
    if proposal is None or "proposal.weights" not in tables:
        return
    projection = torch.from_numpy(np.asarray(tables["proposal.projection"]))
    rows = torch.from_numpy(np.asarray(tables["proposal.weights"]))
    # A projection with biases shifts every score of a row by what its weights make of them.
    shift = projection[:, -1]
    proposal.projection.copy_(projection[:, :-1].t())
    if proposal.is_tree:
        rows = torch.cat([rows[:, :-1], (rows[:, -1] + rows[:, :-1] @ shift).unsqueeze(1)], 1)
        _fill_tree(
            proposal.clusters,
            rows,
            proposal.cluster_weight,
            proposal.cluster_bias,
            proposal.rows,
            proposal.bias,
        )
        return
    proposal.rows.copy_(rows[:, :-1])
    proposal.bias.copy_(rows[:, -1] + rows[:, :-1] @ shift)


def _fill_tree(clusters, rows, upper_weight, upper_bias, lower_weight, lower_bias) -> None:
    """The inverse of _node_rows; a class that is a cluster alone has a row of zeros in it."""
    upper_weight.copy_(rows[: clusters.count, :-1])
    upper_bias.copy_(rows[: clusters.count, -1])
    order = clusters.order.long()
    order = torch.arange(clusters.num_classes) if len(order) == 0 else order
    inner = len(rows) - clusters.count
    lower_weight.zero_()
    lower_weight[order[:inner]] = rows[clusters.count :, :-1].to(lower_weight.dtype)
    if lower_bias is not None:
        lower_bias.zero_()
        lower_bias[order[:inner]] = rows[clusters.count :, -1]
