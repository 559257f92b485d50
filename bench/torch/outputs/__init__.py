"""Output layers of PyTorch models beside each other: shapes, quality, text."""
