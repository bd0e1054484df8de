"""The command line with another plugin for ms-swift than the package's: ``with_plugin.py PLUGIN train RECIPE``.

It is for experiments on the engine (`faulty_plugin`): the launcher, its checks and its commands are the real ones.
"""

import sys
from pathlib import Path

from zoomground.cli.app import main
from zoomground.train import swift_args

if __name__ == "__main__":
    plugin = Path(sys.argv.pop(1)).resolve()
    swift_args.plugin_file = lambda: plugin
    main()
