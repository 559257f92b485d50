"""A layer as a `cane` model file, and back: for prediction on a CPU and for serving.

The features of the model are the hidden states, as dense rows. The method keeps its name; a `cane` layer
searches all classes (`exact`).
"""

import os

import numpy as np
import torch

from cane.torch._clusters import Clusters, cluster_size
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
    from cane import _core
    from cane._errors import library_errors

    with library_errors():
        model = _core.assemble_model(options, labels, layer.in_features, counts, *tree, tables)
        model.save(os.fspath(path))


def load_model(path: str | os.PathLike[str], **options) -> CaneOutput:
    """A layer with the weights of a model file whose features are dense rows.

    `options` are those of `CaneOutput`, where they shall differ from the file's. Sums along the paths
    of a tree become rows of classes. `layer.labels` are the names of the classes.
    """
    from cane import _core
    from cane._errors import library_errors

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


def _node_rows(clusters: Clusters, upper: np.ndarray, lower: np.ndarray):
    """The tree of two levels, and its rows: clusters, then their classes. A cluster of one class is a
    leaf, whose row is the cluster's."""
    order = clusters.order.cpu().numpy()
    order = np.arange(clusters.num_classes) if len(order) == 0 else order.astype(np.int64)
    parts = [order[begin : begin + clusters.size] for begin in range(0, len(order), clusters.size)]
    single = [part for part in parts if len(part) == 1]
    inner = [part for part in parts if len(part) > 1]
    child_counts = [len(parts), *(len(part) for part in inner), *([0] * len(single))]
    child_counts += [0] * sum(map(len, inner))
    leaves = np.concatenate([*single, *inner])
    rows = np.concatenate([upper, *(lower[part] for part in inner)])
    return (child_counts, leaves.tolist()), np.ascontiguousarray(rows)


def _parts_of(layer: CaneOutput):
    """Options, tree and tables, as `_core.assemble_model` takes them."""
    options = {"method": layer.method}
    if layer.clusters is not None:
        upper = _rows(layer.cluster_weight, layer.cluster_bias)
        tree, rows = _node_rows(layer.clusters, upper, _rows(layer.weight, layer.bias))
        return options, tree, {"weights": rows}
    classes = _rows(*layer.class_rows())
    if layer.selection is not None:
        options["noises"] = layer.selection.noises or layer.selection.slots_of(1024) or 1
        drawn = layer.selection.masses[layer.selection.masses > 0]
        is_uniform = drawn.numel() == 0 or bool((drawn == drawn[0]).all())
        options |= (
            {"noise": "uniform"}
            if is_uniform
            else {"noise": "unigram", "noise_power": layer.selection.noise_power}
        )
    if layer.facts.learns_ratio_to_noise:
        # The scores of a model file are those that are predicted by.
        classes[:, -1] += layer.selection.masses.log().cpu().numpy()
    if layer.facts.has_candidates:
        options |= {"scorer": "flat", "select": "exact"}
    return options, ([], []), {"weights": classes}


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
    """What a `CaneOutput` is made with to hold the model. The sizes of its lists are its own."""
    if model.is_quantized:
        raise ValueError(f"{path}: its weights are quantized; load the model it was made of")
    from cane import _core

    made = {
        "method": config["method"],
        "class_counts": torch.from_numpy(np.asarray(model.class_counts).astype(np.int64)),
    }
    if config["noise"] == "uniform":
        made["noise"] = "uniform"
    elif _core.noises()[config["noise"]]["uses_power"]:
        made |= {"noise": "counts", "noise_power": config["noise_power"]}
    if _core.methods()[config["method"]]["is_hierarchical"]:
        made["class_order"] = _order_of(path, tree, len(model.labels))
    elif config.get("select") and _core.selectors()[config["select"]]["proposal_is_prior"]:
        raise ValueError(
            f"{path}: a hierarchical softmax is part of every score, which a layer has not"
        )
    return made


def _fill(layer: CaneOutput, path, config, tables, tree) -> None:
    """Copies the tables into the layer's parameters."""
    weights = torch.from_numpy(np.asarray(tables["weights"]))
    if layer.clusters is not None:
        _fill_tree(layer, weights)
        return
    if config.get("scorer") == "path":
        weights = _path_sums(weights, *tree)
    rows, bias = weights[:, :-1], weights[:, -1]
    if layer.facts.learns_ratio_to_noise:
        bias = bias - layer.selection.masses.log().cpu()
    layer.weight.copy_(rows)
    if layer.bias is not None:
        layer.bias.copy_(bias)
    elif bias.any():
        raise ValueError(f"{path}: its classes have biases; take bias=True")


def _path_sums(rows: torch.Tensor, child_counts, leaves) -> torch.Tensor:
    """For each class the sum of the rows on its path; a node but the root has a row, the children
    of a node follow those of the nodes before it."""
    sums = torch.cat([torch.zeros_like(rows[:1]), rows])
    next_child, classes = 1, []
    for node, count in enumerate(child_counts):
        sums[next_child : next_child + count] += sums[node]
        next_child += count
        if count == 0:
            classes.append(node)
    result = torch.empty((len(leaves), rows.shape[1]))
    result[torch.tensor(leaves)] = sums[torch.tensor(classes)]
    return result


def _fill_tree(layer: CaneOutput, rows: torch.Tensor) -> None:
    """The inverse of _node_rows; a class that is a cluster alone has a row of zeros in it."""
    clusters = layer.clusters
    layer.cluster_weight.copy_(rows[: clusters.count, :-1])
    layer.cluster_bias.copy_(rows[: clusters.count, -1])
    order = clusters.order.long()
    order = torch.arange(clusters.num_classes) if len(order) == 0 else order
    inner = len(rows) - clusters.count
    layer.weight.zero_()
    layer.weight[order[:inner]] = rows[clusters.count :, :-1].to(layer.weight.dtype)
    if layer.bias is not None:
        layer.bias.zero_()
        layer.bias[order[:inner]] = rows[clusters.count :, -1]
