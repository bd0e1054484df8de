"""``python -m zoomground`` is the command ``zoomground``."""

from zoomground.cli.app import main

if __name__ == "__main__":
    main()
