r"""Reads PlantUML's sequence diagrams, line by line (its Language Reference Guide, chapter "Sequence Diagram").

Every line is a message, a lifeline, a fragment, a note, an activation, layout, or the text of a block; any other is an
error with its number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from lingbot_map.ask.bases.sequence import legend
from lingbot_map.ask.bases.sequence.building import Builder
from lingbot_map.ask.bases.sequence.ir import OUTSIDE, Diagram, Kind
from lingbot_map.ask.bases.sequence.preprocess import Lines, Preprocessor

_NAME = r'(?:"[^"]*"|[\w.@$%~^]+(?:/[\w.@$]+)*)'
_HEADS = r"(?:>>|>|<<|<|//|/|\\\\|\\)"
_ARROW = rf"[oxX]?{_HEADS}?-+(?:\[[^\]]*\]-*)?{_HEADS}?[oxX]?(?![\w])|[oxX]?{_HEADS}?-+(?:\[[^\]]*\]-*)?{_HEADS}?[oxX]?"
_SLANT = r"(?:\(-?\d+\))?"
_TINTED = r"[oxX]?<{1,2}\[[^\]]*\]-+[oxX]?"
_MESSAGE = re.compile(
    rf"(?P<a>{_NAME}(?:\s+as\s+{_NAME})?|\[|\?)?\s*{_SLANT}(?P<arrow>{_TINTED}|{_ARROW}){_SLANT}\s*"
    rf"(?P<b>{_NAME}(?:\s+as\s+{_NAME})?(?:\s*&\s*{_NAME})*|\]|\?)?\s*(?:<<[^>]*>>\s*)?"
    r"(?P<act>(?:\+\+|--|\*\*|!!)?(?:\s*(?:\+\+|--|\*\*|!!))*)\s*(?:#[\w/|\\-]+\s*)?"
    r"(?:\[\[[^\]]*\]\]\s*)?(?::(?P<label>.*))?",
    re.DOTALL,
)
_ARROWS = re.compile(  # an arrow with a head where a word's argument would stand: the word names a lifeline
    rf"\s*{_SLANT}(?:{_TINTED}|[oxX]?<{{1,2}}-+(?:\[[^\]]*\]-*)?{_HEADS}?[oxX]?|"
    rf"[oxX]?-+(?:\[[^\]]*\]-*)?>{{1,2}}[oxX]?){_SLANT}\s*[\w\"\[\]?]"
)
_LIFELINE = re.compile(
    r'(?P<name>"[^"]*"|[^\s"<#\[]+(?:[ \t]+(?!as\b|order\b)[^\s"<#\[]+)*)?\s*(?:<<[^>]*>>\s*)?'
    r'(?:as\s+(?P<alias>"[^"]*"|[^\s<#\[]+))?.*',
    re.IGNORECASE | re.DOTALL,
)
_WORD = re.compile(r"[A-Za-z]+(?:_[a-z]+)?2?")
_COLOUR = re.compile(r"^(?:#[\w#/|\\-]+\s*)+")
_NOTE = re.compile(
    r"(?:(?:left|right|top|bottom|over|across|on)\b\s*(?:of\b|link\b)?\s*)?"
    r"(?P<over>(?:\"[^\"]*\"|[\w.@$]+)(?:\s*,\s*(?:\"[^\"]*\"|[\w.@$]+))*)?\s*(?:<<[^>]*>>\s*)?(?:#[\w/|\\;:.-]+?\s*)?(?::(?P<text>.*))?",
    re.IGNORECASE | re.DOTALL,
)
_TAG = re.compile(r"\{[\w ]+\}\s*(?=\S)")
_CONTINUED = re.compile(r"\\[ \t]*$")
_KINDS: dict[str, Kind] = {
    "alt": "alt", "opt": "opt", "loop": "loop", "par": "par", "par2": "par", "break": "break",
    "critical": "critical", "group": "group", "partition": "group",
}  # fmt: skip
_LIFE = ("participant", "actor", "boundary", "control", "entity", "database", "collections", "queue")
_LAYOUT = (
    "skinparam", "hide", "show", "scale", "autonumber", "newpage", "mainframe", "left", "top", "allow_mixing",
    "allowmixing", "caption", "footbox", "ignore", "skin", "url", "autoactivate", "rotate", "together", "remove",
    "restore", "set", "page", "minwidth", "participants", "order",
)  # fmt: skip
_BLOCKS = ("legend", "title", "header", "footer")


class _Reader:
    def __init__(self, source: str) -> None:
        self.built = Builder(source, "plantuml")
        self._until: Callable[[str], bool] | None = None
        self._ended: Callable[[list[str], int], None] = _nothing
        self._text: list[str] = []
        self._began = 0
        self._depth = 0
        self._auto = False
        self._calls: list[tuple[str, str]] = []  # (caller, callee) of activations that last
        self._last: tuple[str, str] | None = None
        self._words: dict[str, Callable[[str, str, int], None]] = {
            **dict.fromkeys(_KINDS, self._open),
            **dict.fromkeys(_LIFE, self._lifeline),
            **dict.fromkeys(_LAYOUT, self._layout),
            **dict.fromkeys(_BLOCKS, self._block),
            **dict.fromkeys(("note", "hnote", "rnote"), self._note),
            **dict.fromkeys(("else", "also"), self._else),
            "end": self._end,
            "endbox": self._end,
            "endlegend": self._layout,
            "box": self._box,
            "ref": self._ref,
            "create": self._create,
            "activate": self._activate,
            "deactivate": self._deactivate,
            "destroy": self._deactivate,
            "return": self._return,
            "sprite": self._sprite,
        }

    def read(self, lines: Iterable[tuple[int, str]]) -> None:
        for number, raw in lines:
            line = raw.strip()
            if not line:
                continue
            self.built.lines += 1
            if self._until is not None:
                if self._until(line):
                    self._until = None
                    self._ended(self._text, self._began)
                else:
                    self._text.append(line)
                continue
            if line[0] != "'":
                self._line(line, number)
        if self._until is not None:
            self.built.fault(self._began, "an end of the block that begins here", "none")

    def _line(self, line: str, number: int) -> None:
        first = line[0]
        if first in "&/{" and (first != "{" or _TAG.match(line)):
            line = (_TAG.sub("", line, count=1) if first == "{" else line[1:]).strip()
            if not line:
                return self._unknown(first, number)
            if first == "{":
                return self._line(line, number)
        word = _WORD.match(line)
        if word is not None:
            key = word[0].lower()
            handler = self._words.get(key)
            if handler is not None:
                rest = line[word.end() :]
                if not (rest and (rest[0].isalnum() or rest[0] in "_.@")) and not _ARROWS.match(rest):
                    handler(key, rest.strip(), number)
                    return None
        elif line.startswith(("==", "...", "||", "@", "<style>", "%")):
            self._sign(line, number)
            return None
        self._message(line, number)
        return None

    def _sign(self, line: str, number: int) -> None:
        if line.startswith("="):
            self.built.section(legend.plantuml(line.strip("=")), number)
        elif line.startswith("..."):
            if text := legend.plantuml(line.strip(". ")):
                self.built.note(text, (), number)
        elif line.startswith("<style>"):
            if "</style>" not in line:
                self._collect(lambda end: end.lower().startswith("</style>"), _nothing, number)
        elif line.startswith("@startuml"):
            self.built.name = self.built.name or line[9:].strip()

    def _collect(self, until: Callable[[str], bool], ended: Callable[[list[str], int], None], number: int) -> None:
        self._until, self._ended, self._text, self._began = until, ended, [], number

    def _message(self, line: str, number: int) -> None:
        found = _MESSAGE.fullmatch(line)
        if found is None or not (found["a"] or found["b"]) or found["arrow"] in ("-", "--", "/", "\\"):
            return self._unknown(line, number)
        arrow = found["arrow"]
        if "[" in arrow:
            arrow, _, tail = arrow.partition("[")
            style, _, tail = tail.partition("]")
            arrow += tail
            if "hidden" in style:
                return None
        source = self._name(found["a"] or OUTSIDE, number)
        targets = [self._name(each, number) for each in _targets(found["b"] or OUTSIDE)]
        backwards = "<" in arrow and ">" not in arrow
        if not backwards and ">" not in arrow:
            backwards = arrow.lstrip("oxX")[0] in "/\\" or (arrow[0] in "oxX" and arrow[-1] == "-")
        dashed = "--" in arrow
        open_head = ">>" in arrow or "<<" in arrow or "/" in arrow or "\\" in arrow
        label = legend.plantuml(found["label"] or "")
        for target in targets:
            ends = (target, source) if backwards else (source, target)
            self.built.message(*ends, label, number, dashed=dashed, open_head=open_head)
            self._last = ends
        self._activations(found["act"], number)
        return None

    def _activations(self, signs: str, number: int) -> None:
        last = self._last
        if last is None:
            return
        if "++" in signs or (self._auto and self.built.messages[-1].arrow != "reply" and "--" not in signs):
            self._calls.append(last)
        if "--" in signs:
            self._over(last[0])

    def _over(self, id: str) -> None:
        for at in range(len(self._calls) - 1, -1, -1):
            if self._calls[at][1] == id:
                del self._calls[at]
                return

    def _name(self, text: str, number: int) -> str:
        if text in ("[", "]", "?"):
            return OUTSIDE
        name, joint, alias = text.partition(" as ")
        if joint:
            name, alias = name.strip(), alias.strip()
            if alias.startswith('"'):
                name, alias = alias, name
            self.built.lifeline(alias, legend.plantuml(_bare(name)), "participant", number)
            return alias
        bare = _bare(text)
        if bare is not text and bare not in self.built.lifelines:
            shown = legend.plantuml(bare)
            if shown != bare:
                self.built.lifeline(bare, shown, "participant", number)
        return bare

    def _lifeline(self, word: str, rest: str, number: int) -> None:
        found = _LIFELINE.fullmatch(rest)
        name = _bare(found["name"]) if found and found["name"] else ""
        alias = _bare(found["alias"]) if found and found["alias"] else ""
        if found and found["alias"] and found["alias"].startswith('"') and not found["name"].startswith('"'):
            name, alias = alias, name  # participant A as "Long name"
        if not name:
            return self._unknown(f"{word} {rest}", number)
        self.built.lifeline(alias or name, legend.plantuml(name), word, number)
        if rest.endswith("[") and "]" not in rest:
            self._collect(lambda end: end == "]", _nothing, number)
        return None

    def _create(self, word: str, rest: str, number: int) -> None:
        kind = rest.split(None, 1)[0].lower() if rest else ""
        if kind in _LIFE and " " in rest:
            return self._lifeline(kind, rest[len(kind) :].strip(), number)
        return self._lifeline("participant", rest, number)

    def _open(self, word: str, rest: str, number: int) -> None:
        condition = legend.plantuml(_COLOUR.sub("", rest))
        self.built.open(_KINDS[word], word, condition, number)

    def _else(self, word: str, rest: str, number: int) -> None:
        if not self.built.operand(legend.plantuml(_COLOUR.sub("", rest)), number):
            self.built.fault(number, "an open fragment before it", f"{word} {rest}".strip())

    def _end(self, word: str, rest: str, number: int) -> None:
        what = rest.lower()
        if word == "endbox" or what.startswith("box"):
            return
        if what.startswith(("note", "ref", "legend", "title", "header", "footer")):
            self._unknown(f"end {rest}", number)
        if not self.built.close(number):
            self.built.fault(number, "an open fragment before it", f"end {rest}".strip())

    def _box(self, word: str, rest: str, number: int) -> None:
        return

    def _layout(self, word: str, rest: str, number: int) -> None:
        if word == "autoactivate":
            self._auto = rest.lower() != "off"
        if word == "skinparam" and rest.endswith("{"):
            self._depth = 1
            self._collect(self._brace, _nothing, number)

    def _brace(self, line: str) -> bool:
        self._depth += line.count("{") - line.count("}")
        return self._depth <= 0

    def _sprite(self, word: str, rest: str, number: int) -> None:
        if rest.endswith("{"):
            self._depth = 1
            self._collect(self._brace, _nothing, number)
        elif "<svg" in rest and "</svg>" not in rest:
            self._collect(lambda end: end.endswith("</svg>"), _nothing, number)

    def _block(self, word: str, rest: str, number: int) -> None:
        if rest and word != "legend":
            if word == "title":
                self.built.title = legend.plantuml(rest)
            return
        ends = (f"end{word}", f"end {word}")

        def ended(text: list[str], began: int) -> None:
            if word == "title":
                self.built.title = legend.plantuml(" ".join(text))

        self._collect(lambda end: end.lower().startswith(ends), ended, number)

    def _note(self, word: str, rest: str, number: int) -> None:
        found = _NOTE.fullmatch(rest)
        over: tuple[str, ...] = ()
        text = None
        if rest.startswith('"') and " as " in rest:
            text = _bare(rest.rpartition(" as ")[0].strip())
        elif found is not None:
            over = tuple(_bare(each.strip()) for each in (found["over"] or "").split(",") if each.strip())
            text = found["text"]
        elif not rest.lower().startswith(("left", "right", "over", "across", "as ", "top", "bottom", "on ")):
            return self._unknown(f"{word} {rest}", number)
        if text is not None:
            self.built.note(legend.plantuml(text), over, number)
            return None
        ends = ("end note", "endnote", f"end{word}", f"end {word}")

        def ended(lines: list[str], began: int) -> None:
            self.built.note(legend.plantuml(" ".join(lines)), over, began)

        self._collect(lambda end: end.lower().startswith(ends), ended, number)
        return None

    def _ref(self, word: str, rest: str, number: int) -> None:
        if not rest.lower().startswith("over"):
            return self._unknown(f"{word} {rest}", number)
        names, colon, text = rest[4:].partition(":")
        over = tuple(_bare(_COLOUR.sub("", each.strip())) for each in names.split(",") if each.strip())
        if colon:
            self.built.reference(legend.plantuml(text), over, number)
            return None

        def ended(lines: list[str], began: int) -> None:
            self.built.reference(legend.plantuml(" ".join(lines)), over, began)

        self._collect(lambda end: end.lower().startswith(("end ref", "endref")), ended, number)
        return None

    def _activate(self, word: str, rest: str, number: int) -> None:
        id = _bare(_COLOUR.sub("", rest).split("#", 1)[0].strip())
        if not id:
            return self._unknown(word, number)
        caller = self._last[0] if self._last and self._last[1] == id else OUTSIDE
        self._calls.append((caller, id))
        return None

    def _deactivate(self, word: str, rest: str, number: int) -> None:
        if not rest:
            return self._unknown(word, number)
        self._over(_bare(rest.split("#", 1)[0].strip()))
        return None

    def _return(self, word: str, rest: str, number: int) -> None:
        call = self._calls.pop() if self._calls else self._last
        if call is None:
            self.built.fault(number, "a message before it", f"return {rest}".strip())
            return
        self.built.reply(call[1], call[0], legend.plantuml(rest.lstrip(":")), number)
        self._last = (call[1], call[0])

    def _unknown(self, line: str, number: int) -> None:
        self.built.fault(number, "a line of a sequence diagram", line[:120])


def _nothing(text: list[str], began: int) -> None:
    return


def _bare(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == '"' == text[-1] else text


def _targets(text: str) -> list[str]:
    return [each.strip() for each in text.split("&")] if "&" in text and not text.startswith('"') else [text]


def _joined(lines: Lines) -> Lines:
    """Lines without block comments; one that ends in a backslash goes on in the next."""
    kept: Lines = []
    comment = 0
    going = False
    for number, line in lines:
        if comment:
            if "'/" not in line:
                continue
            line, comment = line.partition("'/")[2], 0
        while "/'" in line:
            before, _, after = line.partition("/'")
            if "'/" in after:
                line = before + after.partition("'/")[2]
            else:
                line, comment = before, number
        more = line.rstrip().endswith("\\") and not line.rstrip().endswith("\\\\")
        text = _CONTINUED.sub("", line.rstrip()) if more else line
        if going:
            kept[-1] = (kept[-1][0], kept[-1][1] + text.lstrip())
        else:
            kept.append((number, text))
        going = more
    return kept


def built(lines: Lines, source: str) -> Builder:
    """What ``lines`` build, each with its number in the file ``source``; its ``faults`` are the lines that are none of
    the language. Raises BadInput for what the preprocessor can't follow."""
    reader = _Reader(source)
    kept = _joined(lines)
    if any(line.lstrip().startswith("!") for _, line in kept):
        kept = list(Preprocessor(source, reader.built.remark).run(kept))
    reader.read(kept)
    return reader.built


def read(lines: Lines, source: str) -> Diagram:
    """The diagram of ``lines``. Raises BadInput with the line."""
    return built(lines, source).done()
