"""Files that mean harm, or are only broken, each with what is right to do with it. Made anew each time, never kept.

``python -m tests.torture.corpus FOLDER`` writes them all, ``--big`` also those of many megabytes.
"""

from __future__ import annotations

import gzip
import json
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tests.torture.hostile import STRINGS

Right = Literal["taken", "noted", "refused", "either"]
"""taken: without a word. noted: what is good in it is taken, and the place of what is not is told. refused: nothing is
taken, and the reason tells the place. either: taken, noted or refused, so long as nothing worse happens."""


@dataclass(frozen=True, slots=True)
class Hostile:
    """A file, what is right, and why it is here; of the big ones also how many nodes or sessions are in it."""

    name: str
    content: bytes
    right: Right
    why: str
    things: int = 0
    sessions: int = 0


def event(seq: int, **fields: Any) -> dict[str, Any]:
    """A line of a recording, as somebody may have written it by hand: without a checksum."""
    signal = {"kind": "slot_assigned", "slot": f"slot_{seq}", "value": "phone"}
    return {"seq": seq, "at": 1700000000.0 + seq, "source": "bot", "n": seq, "signal": signal, **fields}


def utterance(seq: int, text: str) -> dict[str, Any]:
    """A turn."""
    return event(
        seq, turn=seq, turn_id=f"t{seq}", signal={"kind": "turn_started", "turn": f"t{seq}", "utterance": text}
    )


def header(session: str) -> dict[str, Any]:
    """The first line of a recording."""
    return {"lingbot": "recording", "version": 1, "session": session}


def lines(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def recording(*records: dict[str, Any], session: str = "s1") -> str:
    return lines(header(session), *records)


GOOD = recording(*(event(seq) for seq in range(1, 11)))
ONE = recording(event(1))
AT, PHONE, SEQ = "1700000001.0", '"phone"', '"seq": 1,'


def one(old: str, new: str) -> str:
    """The recording of one event, changed."""
    assert old in ONE
    return ONE.replace(old, new)


def _json() -> Iterator[tuple[str, str, Right, str]]:
    yield "good.jsonl", GOOD, "taken", "ten plain events"
    yield "empty.jsonl", "", "refused", "nothing at all"
    yield "blank.jsonl", "\n\n \n", "refused", "blank lines only"
    yield "cut.jsonl", GOOD[:-30], "noted", "the last line is cut"
    yield "nan.jsonl", one(AT, "NaN"), "refused", "NaN is no JSON"
    yield "infinity.jsonl", one(AT, "-Infinity"), "refused", "nor is infinity"
    yield "1e999.jsonl", one(AT, "1e999"), "refused", "becomes infinity"
    yield "huge-int.jsonl", one(SEQ, f'"seq": {"9" * 5000},'), "refused", "5,000 digits"
    yield "seq-2^64.jsonl", one(SEQ, f'"seq": {2**64},'), "refused", "some readers make a fraction of it"
    yield "seq-2^53.jsonl", one(SEQ, f'"seq": {2**53 + 1},'), "refused", "a browser would round it"
    yield "seq-negative.jsonl", one(SEQ, '"seq": -1,'), "refused", "no place"
    yield "seq-float.jsonl", one(SEQ, '"seq": 1.5,'), "refused", "no whole number"
    yield "seq-bool.jsonl", one(SEQ, '"seq": true,'), "refused", "true counts as 1 in Python"
    yield "seq-string.jsonl", one(SEQ, '"seq": "1",'), "refused", "text"
    yield "time-huge.jsonl", one(AT, "1e300"), "either", "no calendar has it"
    yield "time-negative.jsonl", one(AT, "-1e10"), "either", "long ago"
    yield "lone-surrogate.jsonl", one(PHONE, '"\\ud800"'), "either", "half a character"
    yield "repeated-keys.jsonl", one(SEQ, '"seq": 7, "seq": 1,'), "either", "two values of one member"
    polluted = {"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}
    yield "proto-keys.jsonl", one(PHONE, json.dumps(polluted)), "taken", "members that mean something to JavaScript"
    for depth, right in ((100, "refused"), (300, "refused"), (2000, "refused")):
        nested = one(PHONE, "[" * depth + "]" * depth)
        yield f"depth-{depth}.jsonl", nested, right, "deeper than anybody needs"  # type: ignore[misc]
    objects = '{"a":' * 8000 + "1" + "}" * 8000
    yield "depth-8000.jsonl", one(PHONE, objects), "refused", "deep objects"
    yield "unclosed-30000.json", "[" * 30_000, "refused", "brackets that open only"
    yield "bom.jsonl", "\ufeff" + GOOD, "taken", "a byte-order mark"
    yield "comment.json", "// hi\n" + ONE, "noted", "a comment"
    yield "single-quotes.jsonl", "{'seq': 1}\n", "refused", "Python, not JSON"
    wrong = '{"seq": 1, "at": "now", "source": [], "n": null, "turn": "x", "signal": "x"}\n'
    yield "wrong-types.jsonl", lines(header("s1")) + wrong, "refused", "each member of another type"
    yield "missing-fields.jsonl", lines(header("s1")) + '{"seq": 1}\n', "refused", "members missing"
    yield "unknown-kind.jsonl", one("slot_assigned", "eval"), "either", "a signal of the future, or of nobody"
    yield (
        "own-kind.jsonl",
        one('"slot_assigned"', '"gap", "first": 1, "last": 9007199254740991'),
        "either",
        "a wide gap",
    )
    yield "null-line.jsonl", 'null\n1\n[]\n"x"\n', "refused", "JSON, but no objects"
    yield "control.jsonl", one(PHONE, '"\\u0000\\u001b[2J\\r\\n"'), "taken", "control characters, written as such"
    yield "raw-control.jsonl", one(PHONE, '"a\x01b"'), "refused", "a control character as it is"
    yield "crlf.jsonl", GOOD.replace("\n", "\r\n"), "taken", "ends of lines as Windows has them"
    yield "u2028.jsonl", one(PHONE, '"a\u2028b"'), "taken", "some would end the line here"
    yield "newer.jsonl", ONE.replace('"version": 1', '"version": 2'), "refused", "a format of the future"
    shuffled = recording(*(event(seq) for seq in (5, 3, 3, 1, 2, 4, 5, 1, 9, 8)))
    yield "dup-reorder.jsonl", shuffled, "taken", "repeats, disorder and a hole (6, 7)"
    other = event(2, signal={"kind": "slot_assigned", "slot": "other", "value": 1})
    yield "dup-differs.jsonl", recording(event(1), event(2), other), "noted", "one seq, two contents"
    texts = [event(i, signal={"kind": "slot_assigned", "slot": text or "empty", "value": {text: text}})
             for i, text in enumerate(STRINGS, 1)]  # fmt: skip
    yield "strings.jsonl", recording(*texts), "taken", "strings for pages, tables, queries, terminals and logs"
    yield "strings.json", json.dumps(STRINGS), "refused", "the same, but no recording"


def _names() -> Iterator[tuple[str, str, Right, str]]:
    """Sessions that are called like files, commands, or nothing."""
    hostile = ("../../owned", "/owned", "..\\owned", "a/../../owned", "CON", "x\x00y", ".", "..", "~/owned", "\x1b[2Jx")
    for i, name in enumerate(hostile):
        yield f"name-{i}.jsonl", recording(event(1), session=name), "taken", f"a session called {name!r}"
    said = "".join(
        json.dumps({"sender_id": name, "event": "user", "text": name, "timestamp": 1.0 + i}) + "\n"
        for i, name in enumerate(hostile)
    )
    yield "names-rasa.jsonl", said, "either", "the same as senders of Rasa"
    yield "name-long.jsonl", recording(event(1), session="n" * 100_000), "either", "a name of 100,000 characters"
    yield "name-none.jsonl", recording(event(1), session=""), "either", "no name"


def _bytes() -> Iterator[tuple[str, bytes, Right, str]]:
    good, eleventh = GOOD.encode(), json.dumps(event(11)).encode()
    for name, text, why in (
        ("not-utf8", b"\xff\xfe", "no UTF-8"),
        ("overlong", b"\xc0\xaf", "UTF-8 by a detour"),
        ("surrogate", b"\xed\xa0\x80", "half a character in UTF-8"),
    ):
        yield f"{name}.jsonl", good + eleventh.replace(b"phone", text) + b"\n", "noted", why
    yield "utf16.json", GOOD.encode("utf-16"), "refused", "UTF-16"
    yield "binary.jsonl", bytes(range(256)) * 16, "refused", "no text"
    yield "png.json", b"\x89PNG\r\n\x1a\n" + bytes(1000), "refused", "a picture"
    yield "sqlite.db", b"SQLite format 3\x00" + bytes(4096), "refused", "a database, or half of one"
    yield "bomb.jsonl.gz", gzip.compress(bytes(20_000_000), mtime=0), "refused", "20 MB of zeros in 20 kB"
    many = lines(header("s1")) + lines(event(1)) * 40_000
    yield "many.jsonl.gz", gzip.compress(many.encode(), mtime=0), "taken", "one event 40,000 times"
    yield "cut.jsonl.gz", gzip.compress(good, mtime=0)[:-20], "either", "packed, and cut"


def _msgpack() -> Iterator[tuple[str, bytes, Right, str]]:
    """A format of ours on the disk that nobody imports: still nothing may be allocated or unpickled for it."""
    million = struct.pack(">I", 100_000_000)
    sixty = struct.pack(">I", 60_000)
    pickled = b"\x80\x04\x95\x16\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94\x8c\x06system\x94\x93\x94."
    for name, content, why in (
        ("array-4g", b"\xdd\xff\xff\xff\xff", "says that 4 G items follow"),
        ("map-4g", b"\xdf\xff\xff\xff\xff", "4 G pairs"),
        ("bin-4g", b"\xc6\xff\xff\xff\xff", "4 GB"),
        ("str-4g", b"\xdb\xff\xff\xff\xff", "4 GB of text"),
        ("ext-4g", b"\xc9\xff\xff\xff\xff\x01", "an extension of 4 GB"),
        ("array-100m", b"\xdd" + million + b"\xc0" * 1000, "100 M items, of which 1,000 come"),
        ("deep", b"\x91" * 60_000 + b"\xc0", "60,000 levels"),
        ("empty-maps", b"\xdd" + sixty + b"\x80" * 60_000, "a byte in, 64 bytes of memory out"),
        ("ext", b"\xd4\x01\x00", "an extension"),
        ("ext-python", b"\xc7\x05\x2acos\nx", "one that somebody might unpickle"),
        ("timestamp-bad", b"\xd7\xff" + b"\xff" * 8, "more nanoseconds than a second has"),
        ("timestamp-far", b"\xc7\x0c\xff" + bytes(4) + b"\x7f" + b"\xff" * 7, "in 292 billion years"),
        ("int-key", b"\x81\x01\x02", "a member that has a number for a name"),
        ("array-key", b"\x81\x90\x02", "or a list"),
        ("same-keys", b"\x82\xa1a\x01\xa1a\x02", "a member twice"),
        ("not-utf8", b"\xa2\xff\xfe", "text that is none"),
        ("nan", b"\xcb\x7f\xf8" + bytes(6), "NaN"),
        ("uint64", b"\xcf" + b"\xff" * 8, "2^64 - 1"),
        ("reserved", b"\xc1", "the byte that is never used"),
        ("trailing", b"\xc0\xc0\xc0", "three values"),
        ("cut", b"\x93\x01", "cut"),
        ("pickle", pickled, "a pickle"),
    ):
        yield f"{name}.msgpack", content, "refused", why


def _xml(port: int) -> Iterator[tuple[str, str, Right, str]]:
    """Nobody here reads XML; nothing may be expanded, read or fetched for it. ``port`` is where somebody listens."""
    laughs = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    there = f"http://127.0.0.1:{port}"
    include = '<xi:include href="file:///etc/passwd" parse="text"/>'
    for name, text, why in (
        ("good", "<?xml version='1.0'?><a><b c='1'>x</b></a>", "plain, but no recording"),
        ("laughs", f'<!DOCTYPE a [<!ENTITY l0 "lol">{laughs}]><a>&l9;</a>', "a billion laughs"),
        ("quadratic", f'<!DOCTYPE a [<!ENTITY x "{"y" * 20000}">]><a>{"&x;" * 2000}</a>', "40 MB out of 26 kB"),
        ("xxe-file", '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>', "reads a file"),
        ("xxe-net", f'<!DOCTYPE a [<!ENTITY x SYSTEM "{there}/x">]><a>&x;</a>', "asks the network"),
        ("dtd-net", f'<!DOCTYPE a SYSTEM "{there}/x.dtd"><a/>', "fetches its grammar"),
        ("param-entity", f'<!DOCTYPE a [<!ENTITY % p SYSTEM "{there}/p">%p;]><a/>', "by a detour"),
        ("xinclude", f'<a xmlns:xi="http://www.w3.org/2001/XInclude">{include}</a>', "includes a file"),
        ("deep", "<a>" * 5000 + "</a>" * 5000, "5,000 levels"),
        ("long-attribute", f'<a b="{"x" * 60000}"/>', "a long attribute"),
        ("many-attributes", "<a " + " ".join(f'a{i}="1"' for i in range(5000)) + "/>", "5,000 of them"),
        ("utf7", '<?xml version="1.0" encoding="UTF-7"?><a/>', "an encoding that nobody should honour"),
        ("cut", "<a><b>", "cut"),
    ):
        yield f"{name}.xml", text, "refused", why


def _text() -> Iterator[tuple[str, str, Right, str]]:
    cells = "".join(f'{i},"{cell}"\n' for i, cell in enumerate(("=1+1", "+1", "-1", "@x", "\t=1"), 1))
    yield "formulas.csv", "seq,label\n" + cells, "refused", "formulas"
    yield "unclosed.csv", 'a,b\n1,"' + "x\n" * 1000, "refused", "a quote that never closes"
    yield "wide.csv", ",".join(f"c{i}" for i in range(8000)) + "\n", "refused", "8,000 columns"
    yield "nul.csv", "a,b\n1,\x002\n", "refused", "a zero byte"
    yield "field-limit.csv", "a\n" + "x" * 140_000 + "\n", "refused", "a long cell"
    yield "regex.txt", "\n".join(REPEATS), "refused", "lines that make a careless pattern take years"
    turns = [utterance(i, text[:4000]) for i, text in enumerate(REPEATS, 1)]
    yield "regex.jsonl", recording(*turns), "taken", "the same as what somebody said"
    yield "regex.chat", "user=a\nbot=b\n" + "".join(f"a: {text}\n" for text in REPEATS), "either", "and as a chat"


REPEATS = [
    piece * 4000 + end
    for piece, end in (
        ("a", "!"),
        (" ", "x"),
        ("(", ""),
        ("\\", ""),
        ('\\"', ""),
        ("1", "."),
        ("-", ""),
        ("a@", ""),
        ("2024-", ""),
        ("key=", ""),
        ("[[", ""),
        ("<", ""),
        ("x ", ""),
        ("\u0130", ""),
        ("://", ""),
        ("13800138000", "x"),
    )
]


def corpus(port: int = 9) -> list[Hostile]:
    """All but the big ones; those that try to fetch something ask for it at ``port`` of this machine."""
    texts = [*_json(), *_names(), *_xml(port), *_text()]
    encoded = [Hostile(name, text.encode("utf-8", "surrogatepass"), right, why) for name, text, right, why in texts]
    return encoded + [Hostile(*each) for each in (*_bytes(), *_msgpack())]


def big() -> Iterator[Hostile]:
    """Many megabytes each, one at a time. ``big-good`` and ``big-good-2`` are the yardstick for time."""
    for name, count in (("big-good.jsonl", 100_000), ("big-good-2.jsonl", 200_000)):
        text = recording(*(event(seq) for seq in range(1, count + 1)))
        yield Hostile(name, text.encode(), "taken", f"{count:,} events", things=count)
    for name, value, why in (
        ("big-string.jsonl", '"' + "y" * 10_000_000 + '"', "one string of 10 MB"),
        ("big-list.jsonl", "[" + "{}," * 3_000_000 + "{}]", "9 MB that would be 220 MB of objects"),
        ("big-keys.jsonl", "{" + ",".join(f'"{i}":0' for i in range(1_000_000)) + "}", "a million members"),
    ):
        yield Hostile(name, one(PHONE, value).encode(), "refused", why)
    said = ({"sender_id": f"s{i}", "event": "user", "text": "x", "timestamp": 1.0 + i} for i in range(5_000))
    yield Hostile("big-sessions.jsonl", lines(*said).encode(), "either", "5,000 conversations", sessions=5_000)
    maps = b"\xdd" + struct.pack(">I", 10_000_000) + b"\x80" * 10_000_000
    yield Hostile("big-maps.msgpack", maps, "refused", "10 MB that would be 720 MB")
    yield Hostile("big-bomb.jsonl.gz", gzip.compress(bytes(1 << 20), mtime=0) * 2000, "refused", "2 GB in 2 MB")


def main(arguments: list[str]) -> int:
    """Write them into a folder; the exit code."""
    folder = Path(arguments[-1])
    folder.mkdir(parents=True, exist_ok=True)
    made = corpus() + (list(big()) if "--big" in arguments else [])
    for each in made:
        (folder / each.name).write_bytes(each.content)
    print(f"{len(made)} files")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
