"""The next item of a user among very many: two towers that share the vectors of the items.

    python two_tower.py [--items 1000000 --steps 20000 --batch 4096 --dim 128 --device cuda]

The data is made up. A user likes one of a few hundred genres; the items of a genre are as popular as
Zipf's law says. One tower turns the items that a user has seen into a vector, the other has a vector
for each item; the score of an item is their product. No model can have a smaller log loss than the
entropy of Zipf's law within a genre, which is printed.
"""

import torch
from torch import nn

import comparison


class Market:
    """Users and items. Item z * genres + g is the z-th of genre g by popularity."""

    def __init__(self, items, genres, seen, device):
        self.items, self.genres, self.seen, self.device = items, genres, seen, device
        law = 1.0 / torch.arange(1, items // genres + 1, dtype=torch.float64)
        self.law = law / law.sum()
        self.cumulated = self.law.cumsum(0)

    def entropy(self):
        return -(self.law * self.law.log()).sum().item()

    def counts(self):
        """How often an item is expected in a million draws, by which noises are drawn."""
        return (self.law / self.genres * 1e6).ceil().long().repeat_interleave(self.genres)

    def batch(self, size, generator):
        genre = torch.randint(self.genres, (size, 1), generator=generator)
        draw = torch.rand((size, self.seen + 1), generator=generator, dtype=torch.float64)
        place = torch.searchsorted(self.cumulated, draw).clamp_max(len(self.law) - 1)
        items = (place * self.genres + genre).to(self.device)
        return items[:, :-1], items[:, -1]


class UserTower(nn.Module):
    """The mean of the vectors of the items seen, and a layer around it."""

    def __init__(self, items, dim):
        super().__init__()
        self.items = nn.EmbeddingBag(items, dim, mode="mean", sparse=True)
        nn.init.normal_(self.items.weight, std=dim**-0.5)
        self.layers = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim))

    def forward(self, seen):
        mean = self.items(seen)
        return mean + self.layers(mean)


def main(arguments=None):
    parser = comparison.options(__doc__, steps=300, batch=256, rate=1e-2)
    parser.add_argument("--items", type=int, default=20000, help="number of items")
    parser.add_argument("--genres", type=int, default=100, help="what a user may like")
    parser.add_argument("--seen", type=int, default=8, help="items that a user has seen")
    parser.add_argument("--dim", type=int, default=64, help="dimensions of the vectors")
    parser.add_argument("--tested", type=int, default=2000, help="users that are measured")
    given = parser.parse_args(arguments)
    items = given.items // given.genres * given.genres
    market = Market(items, given.genres, given.seen, given.device)

    def make_model(name):
        tower = UserTower(items, given.dim)
        if name == "CANE":
            head = comparison.Cane(given.dim, items, given, market.counts(), tower.items.weight)
            tower.items.sparse = not given.compile  # compiled code has no sparse gradients
        else:
            # A weight of a full softmax has a dense gradient, to which a sparse one cannot be added.
            tower.items.sparse = False
            head = comparison.FullSoftmax(given.dim, items, tower.items.weight)
        return comparison.Model(tower, head)

    def batches():
        generator = torch.Generator().manual_seed(given.seed)
        for _ in range(given.steps):
            yield market.batch(given.batch, generator)

    def tests():
        generator = torch.Generator().manual_seed(given.seed + 1)
        for _ in range(max(1, given.tested // 200)):
            yield market.batch(200, generator)

    print(f"{items} items, {given.device}; the best possible log loss is {market.entropy():.4f}")
    return comparison.compare(make_model, batches, tests, given)


if __name__ == "__main__":
    main()
