"""The dialogues that are open, by session. A person may take one over from its scripted customer, who then leaves."""

from __future__ import annotations

import threading
from collections import OrderedDict

from lingbot_map.demo.assistant import LANGUAGES, Assistant
from lingbot_map.demo.channel import RestChannel
from lingbot_map.demo.dialogue import Dialogue, Reply
from lingbot_map.demo.probing import probe

KEPT = 50
"""So many dialogues are remembered; one that is older begins anew when somebody speaks to it."""


class Desk:
    """Where the assistant sits: one turn at a time, whoever speaks. ``lang`` is that of who comes unannounced."""

    def __init__(self, lang: str) -> None:
        self._lang = lang
        self._assistants = {each: Assistant(each) for each in LANGUAGES}
        self._dialogues: OrderedDict[str, Dialogue] = OrderedDict()
        self._taken: set[str] = set()
        self._turn = threading.Lock()
        self._channel: RestChannel | None = None

    def listen(self) -> None:
        """Open the REST channel; the sessions that begin from now on name it."""
        self._channel = RestChannel(self.hear)

    @property
    def reply_url(self) -> str:
        """The address of the channel; "" while there is none."""
        return self._channel.url if self._channel is not None else ""

    def open(self, session: str, lang: str) -> Dialogue:
        """A new dialogue."""
        dialogue = self._assistants[lang].open(session)
        self._dialogues[session] = dialogue
        while len(self._dialogues) > KEPT:
            self._taken.discard(self._dialogues.popitem(last=False)[0])
        return dialogue

    def turn(self, dialogue: Dialogue, text: str) -> Reply | None:
        """A turn of the scripted customer; ``None`` once a person has taken the dialogue over."""
        with self._turn:
            return None if dialogue.session in self._taken else dialogue.reply(text)

    def taken(self, session: str) -> bool:
        """Whether a person has taken the dialogue over."""
        return session in self._taken

    def hear(self, session: str, text: str) -> str:
        """A person speaks in ``session``; what the assistant answers."""
        with self._turn:
            dialogue = self._dialogues.get(session)
            known = dialogue is not None
            dialogue = dialogue or self.open(session, self._lang)
            self._dialogues.move_to_end(session)
            self._taken.add(session)
            with probe.session(session) if known else probe.session(session, reply=self.reply_url):
                return dialogue.reply(text).text

    def leave(self, session: str) -> None:
        """The person has gone; the session is ended by whoever opened it."""
        self._taken.discard(session)

    def close(self) -> None:
        """Everybody leaves."""
        if self._channel is not None:
            self._channel.close()
        for session in sorted(self._taken):
            probe.ended("stopped", session=session)
