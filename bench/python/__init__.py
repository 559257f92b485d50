"""The Python package beside the program, and beside other learners that are used from Python.

`make bench-python DATA=FOLDER` runs it; docs/performance.md says what it measures.
"""
