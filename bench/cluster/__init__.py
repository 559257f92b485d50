"""Trainings of `cane` on several ranks of MPI: how much faster they are, what they send, what they hold.

`PYTHONPATH=bench python3 -m cluster DATA --out FOLDER` measures three things and writes cluster.md and
cluster.json: `efficiency` of ranks on one machine, traffic and time over a `network` that is shaped (two
network namespaces; needs root and iproute2), and `memory` of ranks that may hold less than the model takes
(control groups; without root, limits of data). docs/cluster.md says how ranks work.
"""
