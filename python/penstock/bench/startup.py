"""How long an import takes beyond NumPy's, in fresh processes, in turns."""

import statistics
import subprocess
import sys

_SCRIPT = "import numpy, time; t = time.perf_counter(); import {}; print(time.perf_counter() - t)"
_IMPORTS = {"penstock": "penstock.fn", "dali": "nvidia.dali.fn"}


def _once(library):
    command = [sys.executable, "-W", "ignore", "-c", _SCRIPT.format(_IMPORTS[library])]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def import_seconds(libraries, repeats):
    """library -> median seconds. The first import of each, whose files may still lie on the disk, does not count."""
    rounds = [{library: _once(library) for library in libraries} for _ in range(repeats + 1)]
    return {library: statistics.median(one[library] for one in rounds[1:]) for library in libraries}
