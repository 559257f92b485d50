"""Output layers of PyTorch models compared: shapes, quality, text."""
