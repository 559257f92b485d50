"""`cane train --device cuda` against the full softmax of PyTorch, on the same rows.

Both start from the class means, over as many epochs; the rate of PyTorch's is chosen on held-out rows.
Accuracies are compared first: times count only where cane's is not below by more than half a point.
Run by `make bench-gpu DATA=FOLDER`; `--toy` runs all of it in seconds on small data, on any machine.
"""
