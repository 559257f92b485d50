"""`cane` and its peers on the same data and cores: one table of what each reaches and costs.

`make bench-peers DATA=FOLDER` runs it; docs/performance.md says what it measures.
"""
