"""`penstock view --live`: a page, for this machine alone, with the batches of a pipeline as they come.

- `_player.py`: runs the pipeline, on the main thread, as the page asks for it.
- `_samples.py`: batches as pictures, and samples as facts. `_plan.py`: the graph as SVG. `_timeline.py`: traces.
- `_server.py`: the page and its figures, given for the token alone. `page.html`, `page.css`, `page.js`, `timeline.js`.
"""

from ._player import Player
from ._server import Server


def add_arguments(parser):
    live = parser.add_argument_group("live")
    live.add_argument("--live", action="store_true", help="show a page instead: its address is printed")
    live.add_argument("--port", type=int, default=0, help="of the page (default: any that is free)")
    live.add_argument(
        "--step", type=float, default=0, metavar="MS",
        help="milliseconds that a training step takes, which is pretended after each batch (default: 0, full speed)",
    )  # fmt: skip
    live.add_argument("--paused", action="store_true", help="begin with one batch, and wait")


def run(options, load, draw):
    """Serves until Ctrl-C.

    `load` gives (pipeline, marks, names), and `draw` pictures and captions of outputs with the latter two.
    """
    if options.step < 0:
        raise ValueError(f"--step must be 0 ms or more, got {options.step:g}")
    if not 0 <= options.port < 65536:
        raise ValueError(f"--port must be 0 to 65535, got {options.port}")
    player = Player(options.what, load, draw, options.step / 1000, options.paused)
    with Server(player, options.port) as server:
        print(f"{options.what} is shown at {server.url}\nCtrl-C ends it.", flush=True)
        try:
            player.play()
        except KeyboardInterrupt:
            return 0
        finally:
            player.stop()
    return 0
