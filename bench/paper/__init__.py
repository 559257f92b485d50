"""The experiments of Han, Huang and Zhang, "Candidates vs. Noises Estimation for Large Multi-Class
Classification Problem" (ICML 2018), run again: a plan of commands that anybody could type, a runner
that keeps what is complete, and a report with the paper's figures and ours side by side.

`make paper DATA=FOLDER OUT=REPORT`; docs/paper.md describes it.
"""
