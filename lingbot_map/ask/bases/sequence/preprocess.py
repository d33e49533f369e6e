"""PlantUML's preprocessor, as far as diagrams use it: variables, defines, conditions, procedures.

What needs a disk or a network (includes, themes) isn't read; the diagram keeps a remark. A loop of the preprocessor is
refused with its line: what it would draw is not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from lingbot_map.errors import BadInput

Lines = list[tuple[int, str]]
MOST = 200_000
"""Lines after procedures were expanded."""
_DEEPEST = 20

_SET = re.compile(r"!(?:(?:global|local)\s+)?(\$?\w+)\s*(\??=)\s*(.*)")
_DEFINE = re.compile(r"!define(?:long)?\s+(\w+)(\([^)]*\))?\s*(.*)")
_HEAD = re.compile(r"!(?:(?:unquoted|final)\s+)*(procedure|function)\s+(\$?\w+)\s*\(([^)]*)\)\s*(.*)")
_CALL = re.compile(r"(\$?\w+)\s*\((.*)\)\s*$")
_NAME = re.compile(r"\$\w+|\b[A-Za-z_]\w*\b")
_COMPARE = re.compile(r"(.*?)(==|!=|<=|>=|<|>)(.*)")
_SUM = re.compile(r"-?\d+(?:\s*[-+*/]\s*\d+)*")
_IGNORED = ("!pragma", "!theme", "!assert", "!log", "!dump_memory", "!startsub", "!endsub", "!option", "!undef")


@dataclass(slots=True)
class _Procedure:
    params: list[tuple[str, str]]
    body: Lines


@dataclass(slots=True)
class Preprocessor:
    """The lines that are drawn, each with its number in the file; ``remark`` hears of what isn't followed."""

    where: str
    remark: Callable[[str, int], None]
    values: dict[str, str] = field(default_factory=dict)
    _procedures: dict[str, _Procedure] = field(default_factory=dict)
    _made: int = 0

    def run(self, lines: Lines, depth: int = 0) -> Iterator[tuple[int, str]]:
        """Raises BadInput for a condition that isn't ended and for what can't be expanded."""
        taken: list[tuple[bool, bool, int]] = []  # (this branch counts, one has counted, line of the !if)
        at = 0
        while at < len(lines):
            number, line = lines[at]
            at += 1
            bare = line.strip()
            if not bare.startswith("!"):
                if not all(counts for counts, _, _ in taken):
                    continue
                yield from self._text(number, line, bare, depth)
                continue
            word = bare.split(None, 1)[0].split("(", 1)[0].lower()
            if word in ("!if", "!ifdef", "!ifndef"):
                true = self._holds(word, bare[len(word) :].strip(), number)
                taken.append((true, true, number))
            elif word in ("!else", "!elseif", "!endif"):
                if not taken:
                    raise BadInput(f"{self.where} line {number}", "an !if before it", bare)
                _, had, since = taken.pop()
                if word != "!endif":
                    now = not had and (word == "!else" or self._holds("!if", bare[7:].strip(), number))
                    taken.append((now, had or now, since))
            elif head := _HEAD.match(bare):
                at = self._defined(head, lines, at, number)
            elif all(counts for counts, _, _ in taken):
                self._order(number, bare, word)
        for true, _, since in taken:
            if true:  # whatever was meant to end it, all of it is drawn
                self.remark("no !endif for the !if that begins here", since)
        if any(not true for true, _, _ in taken):
            raise BadInput(f"{self.where} line {taken[-1][2]}", "an !endif for the !if that begins here", "none")

    def _defined(self, head: re.Match[str], lines: Lines, at: int, number: int) -> int:
        body: Lines = []
        end = f"!end{head[1]}"
        if head[4].startswith("return") or head[1] == "function":
            self.remark(f"function {head[2]} is not computed", number)
        if head[4].startswith("return"):
            return at
        while at < len(lines) and not lines[at][1].strip().lower().startswith((end, f"!end {head[1]}")):
            body.append(lines[at])
            at += 1
        if at >= len(lines):
            raise BadInput(f"{self.where} line {number}", f"an {end} for the {head[1]} that begins here", "none")
        params = []
        for each in filter(None, (part.strip() for part in head[3].split(","))):
            name, _, default = each.partition("=")
            params.append((name.strip(), _plain(default.strip())))
        if head[1] == "procedure":
            self._procedures[head[2]] = _Procedure(params, body)
        return at + 1

    def _order(self, number: int, bare: str, word: str) -> None:
        if word in ("!while", "!foreach"):
            raise BadInput(
                f"{self.where} line {number}", "lines that are drawn", f"a loop of the preprocessor ({bare})"
            )
        if define := _DEFINE.match(bare):
            if define[2]:
                self.remark(f"{define[1]} takes arguments and is not expanded", number)
            else:
                self.values[define[1]] = define[3]
        elif word.startswith(("!include", "!import")):
            self.remark(f"not read: {bare}", number)
        elif word in _IGNORED or word.startswith("!return"):
            pass
        elif assigned := _SET.match(bare):
            if assigned[2] == "=" or assigned[1] not in self.values:
                self.values[assigned[1]] = self._value(assigned[3])
        elif call := _CALL.match(bare[1:]):
            self.remark(f"not computed: {call[1]}", number)
        else:
            raise BadInput(f"{self.where} line {number}", "an order of PlantUML's preprocessor", bare)

    def _text(self, number: int, line: str, bare: str, depth: int) -> Iterator[tuple[int, str]]:
        if self._procedures and (call := _CALL.match(bare)) and call[1] in self._procedures:
            if depth >= _DEEPEST:
                raise BadInput(f"{self.where} line {number}", f"procedures at most {_DEEPEST} deep", bare)
            procedure = self._procedures[call[1]]
            given = [_plain(self.filled(part.strip())) for part in _parts(call[2])]
            before = dict(self.values)
            for index, (name, default) in enumerate(procedure.params):
                self.values[name] = given[index] if index < len(given) else default
            yield from self.run([(number, text) for _, text in procedure.body], depth + 1)
            for name, _ in procedure.params:
                self.values.pop(name)
                if name in before:
                    self.values[name] = before[name]
            return
        self._made += 1
        if self._made > MOST:
            raise BadInput(f"{self.where} line {number}", f"at most {MOST} lines", "more, after expansion")
        yield number, self.filled(line) if self.values else line

    def filled(self, text: str) -> str:
        """The text with each variable's value."""
        return _NAME.sub(lambda found: self.values.get(found[0], found[0]), text)

    def _value(self, text: str) -> str:
        filled = self.filled(text.strip())
        if _SUM.fullmatch(filled) and not filled.lstrip("-").isdigit():
            return str(_sum(filled))
        return "".join(_plain(part.strip()) for part in filled.split("+")) if '"' in filled else _plain(filled)

    def _holds(self, word: str, text: str, number: int) -> bool:
        if word != "!if":
            return (text.strip() in self.values) == (word == "!ifdef")
        return self._true(text.strip(), number, 0)

    def _true(self, text: str, number: int, depth: int) -> bool:
        while text.startswith("(") and _closes(text) == len(text) - 1:
            text = text[1:-1].strip()
        for joint, decide in (("||", any), ("&&", all)):
            if joint in text and depth < _DEEPEST:
                return decide(self._true(part.strip(), number, depth + 1) for part in text.split(joint))
        if text.startswith("!") or text.lower().startswith("not "):
            return not self._true(text.lstrip("!").removeprefix("not ").strip(), number, depth + 1)
        if asked := re.match(r"%(?:variable_exists|defined)\s*\((.*)\)", text):
            return _plain(asked[1].strip()) in self.values
        if compared := _COMPARE.match(text):
            left, right = (_plain(self.filled(side.strip())) for side in (compared[1], compared[3]))
            if compared[2] in ("==", "!="):
                return (left == right) == (compared[2] == "==")
            if left.lstrip("-").isdigit() and right.lstrip("-").isdigit():
                low, high = int(left), int(right)
                return {"<": low < high, ">": low > high, "<=": low <= high, ">=": low >= high}[compared[2]]
        value = self.filled(text)
        if value not in ("true", "false", "0", "1") and value == text:
            self.remark(f"taken as true: !if {text}", number)
        return value not in ("false", "0", '""', "")


def _plain(text: str) -> str:
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text


def _parts(text: str) -> Iterator[str]:
    if text.strip():
        yield from (part[0] for part in re.finditer(r'\s*(?:"[^"]*"|[^,])+', text))


def _closes(text: str) -> int:
    depth = 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if not depth:
            return at
    return -1


def _sum(text: str) -> int:
    """Whole numbers from left to right, products first; division rounds down as PlantUML's does, by 0 gives 0."""
    terms: list[int] = []
    sign = "+"
    for sign, digits in re.findall(r"([-+*/]?)\s*(\d+)", text):
        number = int(digits)
        if sign == "*" and terms:
            terms[-1] *= number
        elif sign == "/" and terms:
            terms[-1] = terms[-1] // number if number else 0
        else:
            terms.append(-number if sign == "-" else number)
    return sum(terms)
