"""A sequence as the text of a diagram: Mermaid's and PlantUML's sequence diagrams.

Both tools read markup, directives and calls out of the very texts that they show (``%getenv()`` in PlantUML, ``%%{}%%``
in Mermaid), so every character that means something to them is written as its number.

Both say in a comment that they are recorded: held against a session as a design, all that they draw must have happened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from lingbot_web.export_sequence import UNFIT, Block, Divider, Message, Note, Sequence, Step

MERMAID_LIMIT = 50_000
"""Characters that Mermaid draws where nobody raised its ``maxTextSize`` (its documentation, "Configuration")."""

# `wrap:` before a message is an order; `end` alone ends a block.
_MERMAID = re.compile(r"[#;%<>{}\"`&\\$]|^(?:no)?wrap:|\bend\b", re.IGNORECASE)
# What PlantUML's creole takes for markup when it is doubled (**bold**, //italic//, --struck--, ""mono"", ==, ..), and
# what begins and ends a comment of several lines.
_PLANTUML = re.compile(r"[<>{}\[\]|\\~%$&#*@`!\"]|([-/'=._])(?=\1)|/(?=')|'(?=/)")


def mermaid(sequence: Sequence) -> str:
    """The text of a ``sequenceDiagram``."""
    lines = ["sequenceDiagram", "  %% lingbot: recorded", f"  accTitle: {_for_mermaid(sequence.title)}"]
    for party in sequence.parties:
        word = "actor" if party.kind == "actor" else "participant"
        lines.append(f"  {word} {party.id} as {_for_mermaid(party.name)}")
    everybody = f"{sequence.parties[0].id},{sequence.parties[-1].id}"

    def told(step: Message | Note | Divider) -> str:
        match step:
            case Message():
                return f"{step.source}{'-->>' if step.reply else '->>'}{step.target}: {_for_mermaid(step.text)}"
            case Note():
                return f"Note over {','.join(step.over)}: {'⚠ ' if step.wrong else ''}{_for_mermaid(step.text)}"
            case Divider():
                return f"Note over {everybody}: {_for_mermaid(step.text)}"

    lines.extend(f"  {line}" for line in _lines(sequence.steps, told, _for_mermaid, "%%"))
    return "\n".join(lines) + "\n"


def plantuml(sequence: Sequence) -> str:
    """The text of a diagram between ``@startuml`` and ``@enduml``."""
    lines = ["@startuml", "' lingbot: recorded", f"title {_for_plantuml(sequence.title)}"]
    lines.extend(f'{party.kind} "{_for_plantuml(party.name)}" as {party.id}' for party in sequence.parties)

    def told(step: Message | Note | Divider) -> str:
        match step:
            case Message():
                return f"{step.source} {'-->' if step.reply else '->'} {step.target}: {_for_plantuml(step.text)}"
            case Note():
                colour = " #FFE0E0" if step.wrong else ""
                return f"note over {','.join(step.over)}{colour}: {_for_plantuml(step.text)}"
            case Divider():
                return f"== {_for_plantuml(step.text)} =="

    lines.extend(_lines(sequence.steps, told, _for_plantuml, "'"))
    return "\n".join([*lines, "@enduml"]) + "\n"


def _lines(
    steps: list[Step], told: Callable[[Message | Note | Divider], str], fit: Callable[[str], str], comment: str
) -> Iterator[str]:
    for step in steps:
        if isinstance(step, Block):
            yield f"{step.kind} {fit(step.label)}"
            yield from (f"  {line}" for line in _lines(step.steps, told, fit, comment))
            yield "end"
        else:
            if isinstance(step, Message) and step.hint:
                yield f"{comment} lingbot: {step.hint}"
            yield told(step)


def _for_mermaid(text: str) -> str:
    text = UNFIT.sub("\ufffd", text).strip()
    return _MERMAID.sub(lambda found: "".join(f"#{ord(char)};" for char in found[0]), text) or "#8230;"


def _for_plantuml(text: str) -> str:
    text = UNFIT.sub("\ufffd", text).strip()
    return _PLANTUML.sub(lambda found: f"<U+{ord(found[0]):04X}>", text) or "…"
