"""Two loaders in turns: one block of the first, two of the second, two of the first, ... each a process of its own."""

import importlib.util
import pathlib
import statistics
from dataclasses import dataclass, field

from .process import measured

_PACKAGES = {"dali": "nvidia.dali", "torchvision": "torchvision", "opencv": "cv2"}
_BLOCK = pathlib.Path(__file__).with_name("block.py")


def installed(library):
    """Whether a rival is there."""
    try:
        return importlib.util.find_spec(_PACKAGES[library]) is not None
    except ModuleNotFoundError:  # not even nvidia
        return False


def block(**settings):
    """Runs one block and returns what it measured. `RuntimeError` with the end of what it said when it fails."""
    return measured(["-P", str(_BLOCK)], settings, f"{settings['library']} failed in the job {settings['job']!r}")


@dataclass
class Contest:
    """One row of the table: blocks of Penstock and of a rival."""

    job: str
    data: str
    rival: str
    rival_settings: dict
    own: list = field(default_factory=list)
    other: list = field(default_factory=list)

    @property
    def ratios(self):
        """Penstock's rate over the rival's, one for each pair of blocks."""
        return [a["rate"] / b["rate"] for a, b in zip(self.own, self.other, strict=True)]

    def as_json(self):
        return {
            "job": self.job,
            "data": self.data,
            "rival": self.rival,
            "rival_settings": self.rival_settings,
            "ratio": statistics.median(self.ratios),
            "ratios": self.ratios,
            "penstock": self.own,
            "rival_blocks": self.other,
        }


def candidates(rival, effort):
    """Settings at which a rival is tried before it is measured at its best."""
    cores, sweep = effort.cores, effort.sweep
    if effort.gpu:
        loads = (0.0, 0.5, 0.75, 0.9, 1.0) if sweep else (0.5, 0.75, 0.9)
        counts = {max(1, cores // 2), cores} if sweep else {max(1, cores // 2)}
        return [{"threads": count, "hw_decoder_load": load} for count in sorted(counts) for load in loads]
    if rival == "torchvision":
        return [{"threads": cores, "variant": variant} for variant in ("pil", "tensor")]
    threads = {max(1, cores // 2), cores, cores + max(1, cores // 2), 2 * cores} if sweep else {cores}
    return [{"threads": count} for count in sorted(threads)]


def best_settings(rival, effort, common):
    """The fastest of the candidates: each is tried twice for half a block's time, and its better try counts.

    A single try takes what else the machine does for a setting's fault: DALI on MNIST once got 3 threads for 2, and was
    a quarter slower than it can be.
    """
    tried = candidates(rival, effort)
    if len(tried) == 1:
        return tried[0]
    tries = [
        [block(library=rival, seconds=effort.seconds / 2, **common, **one)["rate"] for one in tried] for _ in range(2)
    ]
    rates = [max(each) for each in zip(*tries, strict=True)]
    return tried[rates.index(max(rates))]


def hold(job, data, root, rival, effort, say):
    """Finds the rival's best settings, then measures both in turns. Returns a `Contest`."""
    common = {"job": job, "root": str(root), "batch": effort.batch_of(job)} | ({"gpu": True} if effort.gpu else {})
    contest = Contest(job, data, rival, best_settings(rival, effort, common))
    sides = [("penstock", contest.own, {"threads": effort.cores}), (rival, contest.other, contest.rival_settings)]
    for _ in range(effort.pairs):
        for library, blocks, settings in sides:
            blocks.append(block(library=library, seconds=effort.seconds, **common, **settings))
        sides.reverse()
        say(f"{job} {data} against {rival}: {contest.ratios[-1]:.2f}")
    return contest
