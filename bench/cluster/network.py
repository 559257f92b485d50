"""Two machines of one: network namespaces that a link of a chosen rate and delay joins."""

import os
import statistics
import subprocess
import sys
import time

from .runs import epochs_of

# Of the range for benchmarks (RFC 2544), which no network routes.
ADDRESSES, NET = ("198.18.0.1", "198.18.0.2"), "198.18.0.0/30"
LINK = "veth"
# name, how each end is shaped; a burst is what passes in a millisecond
LINKS = (("not shaped", None),
         ("10 Gbit", "tbf rate 10gbit burst 1250kb latency 20ms"),
         ("1 Gbit", "tbf rate 1gbit burst 125kb latency 20ms"),
         ("1 Gbit, 5 ms each way, 0.1% lost", "netem rate 1gbit delay 5ms loss 0.1% limit 20000"))
# Prints when how many bytes had been sent, until it is ended.
SAMPLER = ("import time\nwhile True:\n"
           f" with open('/sys/class/net/{LINK}/statistics/tx_bytes') as file: sent = file.read().strip()\n"
           " print(time.time(), sent, flush=True)\n time.sleep(0.02)\n")
# Open MPI calls it with a host and a command, as it would call ssh. The name of the machine differs, too.
AGENT = """#!/bin/sh
shift
exec ip netns exec {space} unshare --uts sh -c 'hostname {space}; exec sh -c "$0"' "$*"
"""


class Network:
    """The namespaces, from entering to leaving; nothing of it stays, also after an error."""

    def __init__(self, work):
        self.spaces = [f"cane-bench-{os.getpid()}-{i}" for i in range(2)]
        self.agent = work / "agent.sh"

    def __enter__(self):
        self.agent.write_text(AGENT.format(space=self.spaces[1]), encoding="utf-8")
        self.agent.chmod(0o755)
        try:
            for space in self.spaces:
                call("ip", "netns", "add", space)
            call("ip", "link", "add", LINK, "netns", self.spaces[0], "type", "veth",
                 "peer", "name", LINK, "netns", self.spaces[1])
            for space, address in zip(self.spaces, ADDRESSES):
                call("ip", "-n", space, "address", "add", f"{address}/30", "dev", LINK)
                for device in ("lo", LINK):
                    call("ip", "-n", space, "link", "set", device, "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for space in self.spaces:
            subprocess.run(["ip", "netns", "del", space], capture_output=True, check=False)

    def shape(self, discipline):
        """Shapes what each end sends. Raises CalledProcessError if the kernel cannot."""
        for space in self.spaces:
            subprocess.run(["tc", "-n", space, "qdisc", "del", "dev", LINK, "root"], capture_output=True,
                           check=False)
            if discipline:
                call("tc", "-n", space, "qdisc", "add", "dev", LINK, "root", *discipline.split())

    def launcher(self, mpirun):
        """What starts a rank in each namespace, joined by TCP."""
        settings = {"btl": "self,tcp", "btl_tcp_if_include": NET, "oob_tcp_if_include": NET,
                    "plm_rsh_agent": self.agent, "plm_rsh_no_tree_spawn": 1}
        return ["ip", "netns", "exec", self.spaces[0], mpirun, "--bind-to", "none", "-n", "2",
                "--host", ",".join(f"{address}:1" for address in ADDRESSES),
                *(str(word) for name, value in settings.items() for word in ("--mca", name, value))]

    def sampler(self, space):
        return subprocess.Popen(["ip", "netns", "exec", space, sys.executable, "-S", "-c", SAMPLER],
                                stdout=subprocess.PIPE, text=True)


def call(*command):
    subprocess.run(command, check=True, capture_output=True, text=True)


def sent_between(samples, begin, finish):
    """What a counter has grown from the last look before `begin` to the first after `finish`."""
    before = [sent for at, sent in samples if at <= begin]
    after = [sent for at, sent in samples if at >= finish]
    return (after or [samples[-1][1]])[0] - (before or [samples[0][1]])[-1]


def train_over(network, runs, data, mode, threads):
    """One training; bytes of both directions during the epochs and in all, seconds of the epochs."""
    samplers = [network.sampler(space) for space in network.spaces]
    try:
        time.sleep(0.2)
        events, problem = runs.train(data, mode, threads, network.launcher(runs.mpirun))
        time.sleep(0.1)
    finally:
        for sampler in samplers:
            sampler.terminate()
    texts = [sampler.communicate()[0] for sampler in samplers]
    if problem or not epochs_of(events):
        return {"problem": problem or f"no epoch within {runs.limit:g} s"}
    samples = [[(float(at), int(sent)) for at, sent in map(str.split, text.splitlines()[:-1])]
               for text in texts]
    epochs = epochs_of(events)
    finish = epochs[-1]["time"]
    begin = finish - epochs[-1]["seconds"]
    return {"seconds": epochs[-1]["seconds"], "epochs": len(epochs),
            "bytes": [sent_between(ones, begin, finish) for ones in samples],
            "bytes_of_all": [ones[-1][1] - ones[0][1] for ones in samples],
            "bytes_sent": events[-1].get("bytes_sent"), "accuracy": runs.accuracy(data)}


def measure(runs, sets, threads, rounds, note):
    """Trainings over every link, rounds interleaved. A link that the kernel cannot make is said to be so."""
    results = []
    with Network(runs.work) as network:
        for data in sets:
            for mode in ("data", "classes"):
                rows = [{"set": data.name, "mode": mode, "link": name, "discipline": discipline, "runs": []}
                        for name, discipline in LINKS]
                for _ in range(rounds):
                    for row in rows:
                        note(f"network: {data.name}, {mode}, {row['link']}")
                        try:
                            network.shape(row["discipline"])
                        except subprocess.CalledProcessError as error:
                            row["runs"].append({"problem": error.stderr.strip().splitlines()[0]})
                            continue
                        row["runs"].append(train_over(network, runs, data, mode, threads))
                results += rows
    return results


def size(count):
    return "unknown" if count is None else f"{count / 2**20:.2f} MiB"


def cells(row):
    """A row of the table: data, sharing, link, seconds, sent, reported, accuracy."""
    good = [run for run in row["runs"] if "problem" not in run]
    names = [row["set"], row["mode"], row["link"]]
    if not good:
        return [*names, row["runs"][0]["problem"], *["–"] * 4]
    seconds = [run["seconds"] for run in good]
    last = good[-1]
    reported = last["bytes_sent"]
    return [*names, f"{statistics.median(seconds):.2f} ({min(seconds):.2f} to {max(seconds):.2f})",
            size(statistics.median(run["bytes"][0] for run in good) / last["epochs"]),
            size(statistics.median(run["bytes"][1] for run in good) / last["epochs"]),
            size(reported and reported / last["epochs"]), f"{last['accuracy']:.2%}"]


HEAD = ["data", "shared", "link", "s of the epochs", "first rank, an epoch", "second",
        "reported by the first", "accuracy"]
