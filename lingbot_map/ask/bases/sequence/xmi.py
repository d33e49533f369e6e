"""Reads sequence diagrams from XMI: UML 2 interactions (Enterprise Architect, Papyrus, Eclipse UML2 write them) and
Umbrello's diagrams.

A document type declaration is refused: nothing in an XMI file needs one, and entities are a way to exhaust a reader.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element, ParseError

from lingbot_map.ask.bases.sequence import umbrello
from lingbot_map.ask.bases.sequence.building import Builder
from lingbot_map.ask.bases.sequence.ir import OUTSIDE, Diagram, Kind
from lingbot_map.errors import BadInput

LINE = "\x00line"
"""The attribute that carries an element's line."""
_DEEPEST = 200
_OPERATORS: dict[str, Kind] = {
    "alt": "alt", "opt": "opt", "loop": "loop", "par": "par", "break": "break", "critical": "critical",
}  # fmt: skip


def elements(text: str, where: str) -> Element:
    """The root element; each carries its line. Raises BadInput for what is no XML, for a document type declaration,
    and where ``defusedxml`` is not installed."""
    try:
        from defusedxml import DefusedXmlException
        from defusedxml.ElementTree import DefusedXMLParser
    except ImportError as why:
        raise BadInput(where, "defusedxml to read XML with", "none", "pip install 'lingbot-map[ask]'") from why
    parser: Any = DefusedXMLParser(forbid_dtd=True, forbid_entities=True, forbid_external=True)
    inner = parser.parser
    started = inner.StartElementHandler
    depth = 0

    def start(tag: str, attributes: Any) -> Any:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise BadInput(f"{where} line {inner.CurrentLineNumber}", f"at most {_DEEPEST} elements deep", "more")
        element = started(tag, attributes)
        element.set(LINE, str(inner.CurrentLineNumber))
        return element

    ended = inner.EndElementHandler

    def end(tag: str) -> Any:
        nonlocal depth
        depth -= 1
        return ended(tag)

    inner.StartElementHandler, inner.EndElementHandler = start, end
    try:
        parser.feed(text.encode())
        root: Element = parser.close()
    except ParseError as why:
        raise BadInput(f"{where} line {why.position[0]}", "XML", str(why)) from why
    except DefusedXmlException as why:
        place = f"{where} line {inner.CurrentLineNumber}"
        raise BadInput(place, "XML without a document type declaration", type(why).__name__, "take it out") from why
    return root


def attribute(element: Element, name: str) -> str:
    """The attribute ``name`` whatever its namespace; "" if there is none."""
    value = element.get(name)
    if value is not None:
        return value
    return next((value for key, value in element.items() if key.rpartition("}")[2] == name), "")


def tag(element: Element) -> str:
    """The element's name without its namespace."""
    return element.tag.rpartition("}")[2]


def line(element: Element) -> int:
    """The line where the element begins."""
    return int(element.get(LINE, "1"))


def _kind(element: Element) -> str:
    return next((value for key, value in element.items() if key.endswith("}type")), element.get("xmi:type", ""))


def read(text: str, where: str) -> list[Diagram]:
    """The sequence diagrams of the text. Raises BadInput with the line; for a file without any, with what it holds."""
    head = text.lstrip("\ufeff \t\r\n")
    if head.startswith("<?xml") and "?>" in head:
        declared = head.index("?>") + 2  # the text is decoded: what its declaration says of bytes no longer holds
        head = "\n" * head[:declared].count("\n") + head[declared:]
        text = "\n" * text[: text.index("<?xml")].count("\n") + head
    root = elements(text, where)
    names = {id: each for each in root.iter() if (id := attribute(each, "id"))}
    found = [_interaction(each, names, where) for each in root.iter() if _kind(each) == "uml:Interaction"]
    found = [diagram for diagram in found if diagram.messages or diagram.lifelines]
    if not found:
        found = umbrello.read(root, where)
    if not found:
        kinds = sorted({kind.removeprefix("uml:") for each in root.iter() if (kind := _kind(each))})
        what = f"XMI with {', '.join(kinds[:4])}" if kinds else f"XML with the root {tag(root)}"
        raise BadInput(where, "a sequence diagram", what)
    return found


class _Interaction:
    def __init__(self, names: dict[str, Element], where: str) -> None:
        self.built = Builder(where, "xmi")
        self.names = names
        self.messages: dict[str, Element] = {}
        self.covered: dict[str, str] = {}  # event -> lifeline
        self.ends: dict[str, tuple[str, bool]] = {}  # event -> (message, whether it sends)
        self.told: set[str] = set()

    def walk(self, parent: Element) -> None:
        for each in parent:
            if tag(each) != "fragment":
                continue
            kind = _kind(each).removeprefix("uml:")
            if kind in ("CombinedFragment", "ConsiderIgnoreFragment"):
                self._combined(each)
            elif kind == "InteractionUse":
                over = tuple(attribute(each, "covered").split())
                used = self.names.get(attribute(each, "refersTo"))
                text = attribute(each, "name") or (attribute(used, "name") if used is not None else "")
                self.built.reference(text, over, line(each))
            elif kind == "StateInvariant":
                text = " ".join(filter(None, (attribute(each, "name"), *_texts(each))))
                self.built.note(text, tuple(attribute(each, "covered").split()), line(each))
            elif kind.endswith("Specification"):
                self._event(attribute(each, "id"))
            else:
                self.built.fault(line(each), "a fragment of an interaction", kind or "one without a type")

    def _combined(self, fragment: Element) -> None:
        word = attribute(fragment, "interactionOperator") or "seq"
        operands = [each for each in fragment if tag(each) == "operand"]
        kind = _OPERATORS.get(word, "group")
        for number, operand in enumerate(operands or [fragment]):
            guard = "" if operand is fragment else _guard(operand)
            if kind == "group":
                guard = f"{word} {guard}".strip()
            if number == 0:
                self.built.open(kind, word, guard or attribute(fragment, "name"), line(fragment))
            else:
                self.built.operand(guard, line(operand))
            if operand is not fragment:
                self.walk(operand)
        self.built.close(line(fragment))

    def _event(self, event: str) -> None:
        message, sends = self.ends.get(event, ("", False))
        if message and message not in self.told:
            element = self.messages[message]
            if sends or not attribute(element, "sendEvent"):
                self.tell(message)

    def tell(self, message: str) -> None:
        self.told.add(message)
        element = self.messages[message]
        source, target = (self.covered.get(attribute(element, end), OUTSIDE) for end in ("sendEvent", "receiveEvent"))
        sort = attribute(element, "messageSort") or "synchCall"
        label = attribute(element, "name")
        arguments = [attribute(each, "name") or " ".join(_texts(each)) for each in element if tag(each) == "argument"]
        if arguments and "(" not in label:
            label = f"{label}({', '.join(arguments)})"
        if sort == "reply":
            self.built.reply(source, target, label, line(element))
        else:
            open_head = sort.startswith("asynch")
            self.built.message(source, target, label, line(element), dashed=False, open_head=open_head)


def _interaction(element: Element, names: dict[str, Element], where: str) -> Diagram:
    read = _Interaction(names, where)
    built = read.built
    built.name = built.title = attribute(element, "name")
    built.lines = sum(1 for _ in element.iter())
    for each in element:
        if tag(each) == "lifeline":
            part = names.get(attribute(each, "represents"))
            typed = names.get(attribute(part, "type")) if part is not None else None
            shown = [attribute(each, "name")] + [attribute(one, "name") for one in (part, typed) if one is not None]
            kind = "actor" if typed is not None and _kind(typed) == "uml:Actor" else "participant"
            built.lifeline(attribute(each, "id"), next(filter(None, shown), ""), kind, line(each))
            for event in attribute(each, "coveredBy").split():
                read.covered.setdefault(event, attribute(each, "id"))
        elif tag(each) == "message":
            id = attribute(each, "id")
            read.messages[id] = each
            for end in ("sendEvent", "receiveEvent"):
                if event := attribute(each, end):
                    read.ends[event] = (id, end == "sendEvent")
    for each in element.iter():
        if tag(each) == "fragment" and (lifelines := attribute(each, "covered").split()):
            read.covered[attribute(each, "id")] = lifelines[0]
        elif tag(each) == "fragment":
            for child in each:
                if tag(child) == "covered":
                    read.covered.setdefault(attribute(each, "id"), attribute(child, "idref"))
    read.walk(element)
    for id, message in read.messages.items():
        if id not in read.told:
            name = attribute(message, "name") or id
            built.fault(line(message), "an event of the interaction for each end of a message", f"none for {name}")
    for each in element.iter():
        if tag(each) == "ownedComment":
            about = tuple(id for id in attribute(each, "annotatedElement").split() if id in built.lifelines)
            built.note(attribute(each, "body") or " ".join(_texts(each)), about, line(each))
    return built.done()


def _texts(element: Element) -> Iterator[str]:
    for each in element.iter():
        if tag(each) in ("specification", "value", "guard") and (
            value := attribute(each, "value") or attribute(each, "body")
        ):
            yield value
        elif tag(each) == "body" and each.text:
            yield each.text.strip()


def _guard(operand: Element) -> str:
    guard = next((each for each in operand if tag(each) == "guard"), None)
    if guard is None:
        return attribute(operand, "name")
    text = " ".join(_texts(guard)) or attribute(guard, "name")
    return text.strip().removeprefix("[").removesuffix("]")
