"""``python -m lingbot_map.demo``: see ``bot``."""

import sys

from lingbot_map.demo.bot import main

sys.exit(main())
