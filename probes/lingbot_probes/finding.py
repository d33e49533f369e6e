"""Where in a text something is that nobody else is to see. Every pattern takes linear time; numbers are checked.

A text is looked at as a reader would see it: full-width digits are digits, and what is invisible is not there.
"""

from __future__ import annotations

import re
from unicodedata import decimal

from lingbot_probes import numbers
from lingbot_probes.numbers import Hit
from lingbot_probes.sensitive import SECRETS, kind_of

_LOOKS_LIKE = {0xFF01 + i: 0x21 + i for i in range(94)}
_LOOKS_LIKE |= dict.fromkeys((0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000), 0x20)
_LOOKS_LIKE |= dict.fromkeys((*range(0x2010, 0x2016), 0x2212, 0xFE58, 0xFE63), 0x2D)
_DOUBTFUL = re.compile("[\xa0\u2000-\u205f\u2212\u3000\ufe58\ufe63\uff01-\uff5e]")
_FOREIGN_DIGIT = re.compile(r"[^\D0-9]")
_ESCAPE = re.compile(r"\\{1,8}(?:u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2})")
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)

_NAMES = (
    "pass", "pwd", "secret", "token", "key", "auth", "cookie", "creds", "credential", "cvv", "cvc", "otp", "pin",
    "code", "jwt", "captcha", "密码", "口令", "暗号", "验证码", "校验码", "令牌", "密钥", "私钥", "安全码", "动态码",
)  # fmt: skip
"""One of these stands in every text in which ``_assigned`` can find something."""
_SPOKEN = ("passw", "passc", "passp", "pin", "otp", "code", "cvv", "cvc", "密码", "口令", "暗号", "验证码", "校验码")

_ASSIGNED = re.compile(r"(?<![\w.-])([\w.-]++)[\"'`\\]{0,10}+[ \t]{0,8}+[:=]")
_OPENING = re.compile(r"[=>:]{0,2}[ \t]{0,8}(\\{0,8}[\"'`])?")
_BRACKETED = re.compile(r"[\[{][^\]}]{0,2048}[\]}]?")
_LINE = re.compile(r"[^\r\n\"'{}]{1,4096}")
_BARE = re.compile("[^\\s,;&\"'`<>{}\\[\\]()|，。；、！？”’」』）]{1,512}")
_NOTHING = frozenset(("null", "none", "nil", "true", "false", "undefined", "nan"))
PLACEHOLDER = re.compile(r"\[(?:mask failed|[a-z]{2,10}(?::[0-9a-f]{6,10})?)\]")
PSEUDONYM_IN_ID = re.compile(r"\[[a-z]{2,10}:[0-9a-f]{10}\]")
"""In the id of a session: its bot knows it by another one."""

_SAID = re.compile(
    "(?:password|passwd|passcode|passphrase|pin(?<!\\wpin)|otp(?<!\\wotp)|code|cv[vc](?<!\\wcv[vc])|密码|口令|暗号|验证码|校验码)"
    "[\"'”]?(?:[ \t]{0,3}(?:is|was|are)[ \t:]{1,4}|[ \t]{0,3}[是为][ \t:]{0,3}|[ \t]{1,3}|(?=[0-9]{4,8}(?![0-9])))"
    "[\"'“]?([^\\s,;!?\"'”，。；！？]{3,64})"
)
"""In a text of small letters: so its first letters are looked for quickly, which a pattern of any case can't."""

_PREFIXES = (
    "sk-", "sk_", "pk_", "rk_", "AKIA", "ASIA", "AKID", "LTAI", "gh", "glpat-", "xox", "AIza", "ya29.", "hf_", "npm_",
    "SG.", "eyJ",
)  # fmt: skip
_TOKEN = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"(?:sk[-_]|pk_|rk_)(?=[A-Za-z_-]{0,64}[0-9])[A-Za-z0-9_-]{16,512}"
    r"|A(?:KI|SI)A[A-Z0-9]{16}(?![A-Za-z0-9])|AKID[A-Za-z0-9]{13,64}|LTAI[A-Za-z0-9]{12,64}"
    r"|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}|glpat-[\w-]{16,255}"
    r"|xox[abeoprs]-[\w-]{10,255}|AIza[\w-]{30,64}|ya29\.[\w-]{20,512}|hf_[A-Za-z0-9]{20,128}|npm_[A-Za-z0-9]{30,64}"
    r"|SG\.[\w-]{16,64}\.[\w-]{16,128}|eyJ[\w-]{8,4096}\.[\w-]{4,4096}(?:\.[\w-]{0,4096}){0,3})",
    re.ASCII,
)
_BEARER = re.compile(r"\bbearer[ \t]{1,4}(?=[\w.~+/=-]{0,64}[0-9]|[\w.~+/=-]{24})([\w.~+/=-]{8,4096})", re.I | re.A)
_URL_PASSWORD = re.compile(r"://[^\s/:@]{0,256}:([^\s/]{1,256})@")
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)", re.DOTALL
)
_DOMAIN = re.compile(r"@((?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24})(?![A-Za-z0-9-])")
_LOCAL = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.!#$%&*+-_~"


def found(text: str) -> list[Hit]:
    """(start, end, kind, the value in one spelling) of what is to be masked, in order, apart from each other."""
    plain, places = folded(text)
    hits = _found(plain)
    if not hits:
        return hits
    hits.sort(key=lambda hit: (hit[0], -hit[1]))
    apart = [hits[0]]
    for hit in hits[1:]:
        start, end, kind, value = apart[-1]
        if hit[0] >= end:
            apart.append(hit)
        elif hit[1] > end:
            apart[-1] = (start, hit[1], kind, value)
    if places is None:
        return apart
    return [(places[start], places[end], kind, value) for start, end, kind, value in apart]


def folded(text: str) -> tuple[str, list[int] | None]:
    """The text as it looks, and where each of its characters and its end stand in ``text`` (``None``: there, too).

    What was written as an escape, as ``repr`` and JSON do, is the character that it stands for.
    """
    places = None
    if ("\\u" in text or "\\x" in text) and _ESCAPE.search(text):
        text, places = _unescaped(text)
    if not text.isascii():
        if _DOUBTFUL.search(text):
            text = text.translate(_LOOKS_LIKE)
        if _FOREIGN_DIGIT.search(text):
            text = _FOREIGN_DIGIT.sub(lambda digit: str(decimal(digit[0])), text)
    if text.isprintable() or not _INVISIBLE.search(text):
        return text, places
    gone = {match.start() for match in _INVISIBLE.finditer(text)}
    kept = [i for i in range(len(text) + 1) if i not in gone]
    return _INVISIBLE.sub("", text), kept if places is None else [places[i] for i in kept]


def _unescaped(text: str) -> tuple[str, list[int]]:
    out: list[str] = []
    places: list[int] = []
    at = 0
    for match in _ESCAPE.finditer(text):
        out.append(text[at : match.start()])
        out.append(chr(int(match[0].lstrip("\\")[1:], 16)))
        places += range(at, match.start() + 1)
        at = match.end()
    return "".join([*out, text[at:]]), [*places, *range(at, len(text) + 1)]


def _found(text: str) -> list[Hit]:
    hits: list[Hit] = []
    low = text.lower()
    if len(low) != len(text):  # one letter, İ, becomes two
        low = text.replace("İ", "i").lower()
    if any(name in low for name in _NAMES):
        _assigned(text, hits)
        if any(name in low for name in _SPOKEN):
            _said(text, low, hits)
        if "bearer" in low:
            hits += [(m.start(1), m.end(1), "token", m[1]) for m in _BEARER.finditer(text)]
        if "-----BEGIN" in text:
            hits += [(m.start(), m.end(), "key", "") for m in _PRIVATE_KEY.finditer(text)]
    if any(prefix in text for prefix in _PREFIXES):
        hits += [(m.start(), m.end(), "token", m[0]) for m in _TOKEN.finditer(text)]
    if "@" in text:
        _addresses(text, hits)
    numbers.find(text, hits)
    return hits


def _assigned(text: str, hits: list[Hit]) -> None:
    """``password=...``, ``"api_key": "..."``, ``Cookie: ...``: also in JSON and in the repr of a mapping."""
    if all(kind_of(name[-64:]) not in SECRETS for name in set(_ASSIGNED.findall(text))):
        return
    matches = _ASSIGNED.finditer(text)
    while (match := next(matches, None)) is not None:
        kind = kind_of(match[1][-64:])
        if kind not in SECRETS or _in_placeholder(text, match.start()):
            continue
        start, end = _value(text, match.end(), match[1], kind)
        if end > start:
            hits.append((start, end, kind, text[start:end]))
            matches = _ASSIGNED.finditer(text, end)


def _in_placeholder(text: str, start: int) -> bool:
    """Whether the name at ``start`` is the kind in "[phone:3f9a1c]"."""
    return text[start - 1 : start] == "[" and PLACEHOLDER.match(text, start - 1) is not None


def _value(text: str, at: int, key: str, kind: str) -> tuple[int, int]:
    """From where to where the value goes that is assigned at ``at``; nothing if it is none that anybody would hide."""
    opening = _OPENING.match(text, at)
    start = opening.end() if opening is not None else at
    if opening is not None and opening[1]:
        end = _closed(text, start, opening[1])
        value = text[start:end]
        return (start, end) if value.strip("*•· ") and not PLACEHOLDER.fullmatch(value) else (start, start)
    first = text[start : start + 1]
    if first == "[" and PLACEHOLDER.match(text, start):
        return start, start
    whole = key.lower().endswith(("authorization", "cookie"))
    rest = _BRACKETED.match(text, start) if first in ("[", "{") else None
    rest = rest or (_LINE if whole else _BARE).match(text, start)
    if rest is None:
        return start, start
    value = rest[0].rstrip(".") if not whole else rest[0]
    if value.lower() in _NOTHING or not any(map(str.isalnum, value)):
        return start, start
    if kind in ("token", "code") and not whole and len(value) < 16 and not any(map(str.isdigit, value)):
        return start, start  # "token: the smallest unit of a text"
    return start, start + len(value)


def _closed(text: str, start: int, quote: str) -> int:
    """Where the quotation ends that ``quote`` opened; at the end of the text if it doesn't."""
    at = start
    while (end := text.find(quote, at)) >= 0:
        if end == start or text[end - 1] != "\\" or text[end - 2 : end] == "\\\\":
            return end
        at = end + 1
    return len(text)


def _said(text: str, low: str, hits: list[Hit]) -> None:
    """ "my password is hunter2", "验证码是 4071": only what looks like one, so "password is required" stays.

    ``low`` is ``text`` in small letters, as long as it.
    """
    for match in _SAID.finditer(low):
        start = match.start(1)
        value = text[start : match.end(1)].rstrip(".")
        mixed = value[1:].lower() != value[1:] and value.upper() != value
        if (any(map(str.isdigit, value)) or mixed) and not PLACEHOLDER.match(text, start) and "_" not in value:
            hits.append((start, start + len(value), "password", value))


def _addresses(text: str, hits: list[Hit]) -> None:
    passwords = [(m.start(1), m.end(1)) for m in _URL_PASSWORD.finditer(text)] if "://" in text else []
    hits += [(start, end, "password", text[start:end]) for start, end in passwords]
    ends = {end for _, end in passwords}
    for match in _DOMAIN.finditer(text):
        at = match.start()
        head = text[max(0, at - 64) : at]
        local = head[len(head.rstrip(_LOCAL)) :].lstrip(".")
        if local and local != "git" and at not in ends:
            hits.append((at - len(local), match.end(), "email", f"{local}@{match[1]}".lower()))
