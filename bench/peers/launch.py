"""Runs a program and prints its measurement as JSON. A process of its own and as small as can be:
the kernel counts what the process that starts a program holds as the least of the program's peak.

launch.py LIMIT MEMORY LOG OUTPUT COMMAND...  (OUTPUT may be empty: all goes to LOG)
"""

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time

# ru_maxrss counts kibibytes on Linux.
MEMORY_UNIT = 1024


def stop(process):
    """Ends it and all that it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def launch(limit, log, output, command):
    late = threading.Event()

    def end():
        late.set()
        stop(process)

    with open(log, "wb") as log_file, open(output or os.devnull, "wb") as output_file:
        start = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                   stdout=output_file if output else log_file, stderr=log_file,
                                   start_new_session=True)
        timer = threading.Timer(limit, end)
        timer.start()
        try:
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.monotonic() - start
        except BaseException:
            stop(process)
            raise
        finally:
            timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    return {"seconds": seconds, "processor_seconds": usage.ru_utime + usage.ru_stime,
            "peak_bytes": usage.ru_maxrss * MEMORY_UNIT, "late": late.is_set(),
            "exit_code": process.returncode}


if __name__ == "__main__":
    most = int(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
    print(json.dumps(launch(float(sys.argv[1]), sys.argv[3], sys.argv[4], sys.argv[5:])))
