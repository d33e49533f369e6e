"""What the sender puts over passwords, tokens and what is a person's, before an event leaves the process.

A phone becomes ``[phone:3f9a1c]``: the same for the same phone, however it is written, so that one still sees "the
same phone again". The digits are an HMAC-SHA256 under a key, cut to 24 bits: many phones share them. Of a password,
a token or a code nothing is shown, since a part of a hash would help to guess it: ``[password]``.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import re
from fnmatch import translate

from lingbot_probes.capture import Room, captured
from lingbot_probes.finding import PLACEHOLDER, folded, found
from lingbot_probes.numbers import compact, digits, phone
from lingbot_probes.sensitive import SECRETS, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from lingbot_probes.ring import Parcel

FAILED = "[mask failed]"
VARIABLE = "LINGBOT_MASK_KEY"
_SHORT, _LONG = 6, 10  # hexadecimal digits of a pseudonym: of a value, and of a session's id, which must not be shared
_LEVELS = 32
_PATHS = 4_096
_FREE = ("meta", "params", "data", "facts")
_KEPT = ("kind", "stage", "scope", "score_kind")
_STARRED = re.compile("[*•·●×]{2}|[xX]{3}")  # the bot has masked it already
_PERSONAL = ("phone", "email", "id", "card", "iban")
_CUT_NUMBER = re.compile(r"(?:[0-9][ -]?){4,24}…\Z")
_KEY = re.compile(r"[0-9a-f]{32,128}\Z")


class Mask:
    """One probe's masks. ``rules`` are what ``Probe(mask=)`` was given; used by one thread at a time.

    ``lacks`` says that a pseudonym was needed before there was a key.
    """

    def __init__(self, rules: tuple[Any, ...]) -> None:
        self.lacks = False
        self._hide = _globs(rule for rule in rules if type(rule) is str and not rule.startswith("!"))
        self._show = _globs(rule[1:] for rule in rules if type(rule) is str and rule.startswith("!"))
        self._patterns = [rule for rule in rules if hasattr(rule, "finditer")]
        self._calls: list[Callable[[str, Any], Any]] = [rule for rule in rules if callable(rule)]
        self._known: dict[str, str] = {}
        self._count = 0
        self._given = os.environ.get(VARIABLE, "").encode("utf-8", "surrogateescape")
        self._key = self._given

    # -- the key -----------------------------------------------------------------------------------------------

    def take_key(self, key: Any) -> None:
        """The map's key; what is none leaves the probe with one of its own, for as long as the process lives."""
        if not self._given:
            self._key = key.encode() if type(key) is str and _KEY.match(key) else os.urandom(32)
        self.lacks = False

    def forget_key(self) -> None:
        """Another map is listening: it has a key of its own."""
        self._key = self._given

    def _tag(self, kind: str, value: str, size: int = _SHORT) -> str:
        if not self._key:
            self.lacks = True
            return f"[{kind}]"
        said = f"{kind}\0{value}".encode("utf-8", "surrogatepass")
        return f"[{kind}:{hmac.digest(self._key, said, hashlib.sha256).hex()[:size]}]"

    @property
    def key_name(self) -> str:
        """What the key is called, which gives nothing of it away; "" without one."""
        return key_id(self._key) if self._key else ""

    # -- what leaves -------------------------------------------------------------------------------------------

    def event(self, event: dict[str, Any]) -> None:
        """Mask an event as it stands in a batch; ``masked`` says how many values were. Where that goes wrong, nothing
        of what was said leaves."""
        self._count = 0
        try:
            event["signal"] = self._signal(event["signal"])
            if "turn" in event:
                event["turn"] = self.id(event["turn"])
        except Exception:
            event["signal"] = {"kind": "raw", "name": event["signal"]["kind"], "data": FAILED}
            event.pop("turn", None)
            self._count += 1
        if self._count:
            event["masked"] = self._count

    def free(self, name: str, value: Any) -> Any:
        """A single value that stands under ``name`` ("": under none that means anything) among free ones."""
        return self._value(value, name, "data", 0, free=True)

    def batch(self, batch: dict[str, Any], parcel: Parcel) -> None:
        """Mask the ids of the sessions, and say which key it was."""
        for id in parcel.sessions:
            shown = self.id(id)
            if shown != id:
                parcel.masked[id], parcel.shown[shown] = shown, id
        if parcel.masked:
            for event in batch["events"]:
                event["session"] = parcel.masked.get(event["session"], event["session"])
            batch["numbered"] = {parcel.masked.get(id, id): n for id, n in batch["numbered"].items()}
        if self._key and (parcel.masked or any("masked" in event for event in batch["events"])):
            batch["masked_with"] = self.key_name

    def id(self, id: str) -> str:
        """A session's or a turn's id, as it is told to the map: still another one for each."""
        before = self._count
        shown = self._over(id, found(id), _LONG) if len(id) > 5 else id
        self._count = before  # an id stands in every event
        return shown

    def _signal(self, signal: dict[str, Any]) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for field, value in signal.items():
            if field in _KEPT:
                out[field] = value
            elif field == "turn":
                out[field] = self.id(value)
            elif field == "value":
                slot, label = signal.get("slot", ""), signal.get("label", "")
                name = slot if kind_of(slot) or not kind_of(label) else label
                out[field] = self._value(value, name, f"slots.{slot}", 0, free=True)
            else:
                out[field] = self._value(value, "", field, 0, free=field in _FREE)
        return out

    def _value(self, value: Any, name: str, path: str, level: int, *, free: bool) -> Any:
        """``value``, which stands at ``path`` under ``name``. Not ``free``: its type is fixed, a number stays one."""
        cls = type(value)
        if value is None or cls is bool or not (free or cls is str or cls is list or cls is dict):
            return value
        if level > _LEVELS:
            raise RecursionError
        rule = self._rule(path)
        if rule == "show":
            return value
        if self._calls and (cls is str or cls is int or cls is float):
            value = self._called(path, value, free=free)
            cls = type(value)
        if rule == "hide":
            kind = kind_of(name) if free else ""
            return self._hidden(kind or "masked", value)
        if free and name and value not in ("", [], {}):
            kind = kind_of(name)
            if kind in SECRETS:
                return self._hidden(kind, value)
            if kind and (cls is str or cls is int) and (spelt := _spelt(kind, str(value))):
                return self._hidden(kind, value, spelt)
        if cls is str:
            return self._text(value, path, level)
        if cls is list:
            return [self._value(item, name, path, level + 1, free=free) for item in value]
        if cls is dict:
            return self._mapping(value, path, level, free=free)
        return self._number(value)

    def _mapping(self, mapping: dict[str, Any], path: str, level: int, *, free: bool) -> dict[str, Any]:
        out: dict[str, Any] = {}
        for key, value in mapping.items():
            shown = self._text(key, path, _LEVELS) if free else key
            number = 2
            while shown in out:
                shown, number = f"{shown} ({number})", number + 1
            out[shown] = self._value(value, key, f"{path}.{key}", level + 1, free=free)
        return out

    def _text(self, text: str, path: str, level: int) -> str:
        if len(text) < 5:
            return text
        if level < _LEVELS and text.lstrip()[:1] in ("{", "["):
            text = self._json(text, path, level)
        for pattern in self._patterns:
            text = pattern.sub(lambda match: self._hidden("masked", match[0]) if match[0] else "", text)
        text = self._over(text, found(text))
        if text.endswith("…"):  # a number that was cut is not known for what it was
            text = _CUT_NUMBER.sub(lambda match: self._hidden("number", match[0]) + "…", text)
        return text

    def _json(self, text: str, path: str, level: int) -> str:
        before = self._count
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return text
        try:
            masked = self._value(value, "", path, level + 1, free=True)
        except RecursionError:  # deeper than is looked: this text is not shown, and the rest of the event is
            self._count = before + 1
            return FAILED
        if self._count == before:
            return text
        return json.dumps(masked, ensure_ascii=False)

    def _number(self, value: int | float) -> Any:
        if -10_000_000 < value < 10_000_000 or value % 1:
            return value
        hits = found(str(int(value)))
        return self._over(str(int(value)), hits) if hits else value

    def _over(self, text: str, hits: list[tuple[int, int, str, str]], size: int = _SHORT) -> str:
        if not hits:
            return text
        parts, at = [], 0
        for start, end, kind, value in hits:
            self._count += 1
            nameless = kind in SECRETS and size == _SHORT
            parts += [text[at:start], f"[{kind}]" if nameless else self._tag(kind, value, size)]
            at = end
        return "".join([*parts, text[at:]])

    def _hidden(self, kind: str, value: Any, spelt: str = "") -> str:
        if type(value) is str and PLACEHOLDER.fullmatch(value):
            return value
        self._count += 1
        if kind in SECRETS or kind == "number":
            return f"[{kind}]"
        return self._tag(kind, spelt or (value if type(value) is str else json.dumps(value, sort_keys=True)))

    # -- what the bot's author said ----------------------------------------------------------------------------

    def _rule(self, path: str) -> str:
        """What the author said about ``path``: "hide", "show" or ""."""
        if self._hide is None and self._show is None:
            return ""
        rule = self._known.get(path)
        if rule is None:
            low = path.casefold()
            names = (low, low.rpartition(".")[2])
            shown = self._show is not None and any(map(self._show.fullmatch, names))
            hidden = self._hide is not None and any(map(self._hide.fullmatch, names))
            if len(self._known) >= _PATHS:
                self._known.clear()
            rule = self._known[path] = "show" if shown else "hide" if hidden else ""
        return rule

    def _called(self, path: str, value: Any, *, free: bool) -> Any:
        shown = value
        try:
            for call in self._calls:
                shown = captured(call(path, shown), Room())
        except BaseException:  # it is foreign code in a thread of ours: not even its SystemExit may show the value
            shown = FAILED
        if not free and type(shown) is not str:
            shown = FAILED
        if shown is not value and shown != value:
            self._count += 1
        return shown


def key_id(key: bytes) -> str:
    """Eight hexadecimal digits that name a key without giving it away."""
    return hashlib.sha256(b"lingbot mask key\0" + key).hexdigest()[:8]


def _globs(paths: Any) -> re.Pattern[str] | None:
    """One pattern for all ``paths``, or ``None`` for none. Case doesn't count; ``*`` stands for any characters."""
    told = [translate(path.strip().casefold()) for path in paths]
    return re.compile("|".join(told)) if told else None


def _spelt(kind: str, value: str) -> str:
    """What stands under a name like "phone", in one spelling; "" if it is none of the kind, or masked already."""
    plain, _ = folded(value)
    if kind not in _PERSONAL or len(plain) > 64 or _STARRED.search(plain):
        return ""
    count = len(digits(plain))
    if kind == "phone":
        return phone(plain) if count >= 7 else ""
    if kind == "email":
        return plain.strip().lower() if "@" in plain[1:-1] else ""
    return compact(plain.strip()) if count >= (8 if kind == "card" else 5) else ""
