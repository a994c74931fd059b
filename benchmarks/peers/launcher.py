"""Run a command under a limit and write down what it used, as a process too small to count.

The kernel's peak of a child begins with that of the process that started it, so a large one cannot
measure a small one: this one has 10 MB. A script for ``python -I -S``:

    launcher.py SECONDS IN OUT COMMAND...
"""

import json
import os
import signal
import subprocess
import sys
import threading
import time


def main() -> None:
    """Run the command, kill it at the limit, write its use as JSON."""
    limit, source, target, *command = sys.argv[1:]
    started = time.monotonic()
    with open(source) as given, open(target, "w") as taken:
        child = subprocess.Popen(command, stdin=given, stdout=taken)
        # Not its own kill(), which may reap it before the use is read.
        alarm = threading.Timer(float(limit), os.kill, (child.pid, signal.SIGKILL))
        alarm.start()
        _, status, used = os.wait4(child.pid, 0)
        alarm.cancel()
    use = {
        "exit": os.waitstatus_to_exitcode(status),
        "wall_seconds": time.monotonic() - started,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_mib": used.ru_maxrss / 1024,
    }
    sys.stdout.write(json.dumps(use))


if __name__ == "__main__":
    main()
