"""From sources to followers: intake, log, map, tick, snapshot, wake. The only room with tasks and a clock.

What belongs to one event happens in one go on the event loop: it is placed, logged (``write(2)``), mapped and made
ready for viewers, so nobody sees what was not logged and nothing changes places. What may take its time and disturbs
nobody's order (flushing, writing a packed snapshot, reading the past) runs in threads.

``run`` does that; ``shelf`` keeps the sessions in memory, ``live`` is one of them, ``tail`` and ``board`` are what
viewers see of one and of all, ``books`` counts, ``ingesting`` takes batches in, ``taking`` recordings,
``tracing`` spans. ``glance``
looks at a folder without any of that.
"""

from lingbot_map.pipeline.batches import Accepted, Batch, Refused
from lingbot_map.pipeline.glance import Glance
from lingbot_map.pipeline.live import Live
from lingbot_map.pipeline.run import Pipeline, Status
from lingbot_map.pipeline.tracing import Arrived, Traced

__all__ = ["Accepted", "Arrived", "Batch", "Glance", "Live", "Pipeline", "Refused", "Status", "Traced"]
