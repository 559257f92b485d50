"""`cane` and its peers on the same data and the same cores: one table of what each reaches and costs.

`make bench-peers DATA=FOLDER` runs it; docs/performance.md says what it measures.
"""
