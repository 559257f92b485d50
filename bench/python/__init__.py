"""The Python package compared with the program, and with other learners that are used from Python.

`make bench-python DATA=FOLDER` runs it; docs/performance.md says what it measures.
"""
