"""``python -m lingbot_map.ask.demo``: see ``bot``."""

import sys

from lingbot_map.ask.demo.bot import main

sys.exit(main())
