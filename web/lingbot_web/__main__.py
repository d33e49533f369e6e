"""``python -m lingbot_web``: the command ``lingbot-map``."""

import sys

from lingbot_web.command import main

sys.exit(main())
