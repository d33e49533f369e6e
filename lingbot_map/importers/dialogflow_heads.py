"""What tells where a record of Dialogflow CX belongs: read of it without building the rest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from lingbot_map.importers.records import BadRecord, members, parse
from lingbot_probes.adapters.dialogflow_fields import moment
from lingbot_probes.adapters.spelling import got, part, snake

LISTS = ("conversations", "testCases", "testCaseResults")
"""Lists of documents within a document."""
TURNS = ("testCaseConversationTurns", "conversationTurns")
HOLDING = (*LISTS, *TURNS, "interactions", "lastTestResult", "queryResult", "response")
"""Members of which a document of ours has one."""

Held = Raw | UnsetType


class _Request(msgspec.Struct):
    session: Any = None


class _Diagnosis(msgspec.Struct):
    session: Any = msgspec.field(name="Session Id", default=None)


class _Result(msgspec.Struct):
    diagnosticInfo: Any = None
    diagnostic_info: Any = None


class Interaction(msgspec.Struct):
    """When an interaction was made."""

    createTime: Any = None
    create_time: Any = None


class Head(msgspec.Struct):
    """The members that are asked for, in both spellings; others are passed over."""

    conversation_name: Any = None
    conversationName: Any = None
    turn_position: Any = None
    turnPosition: Any = None
    session_name: Any = msgspec.field(name="session", default=None)
    name: Any = None
    displayName: Any = None
    display_name: Any = None
    creationTime: Any = None
    creation_time: Any = None
    testTime: Any = None
    test_time: Any = None
    testResult: Any = None
    test_result: Any = None
    languageCode: Held = UNSET
    language_code: Held = UNSET
    type: Held = UNSET
    type_: Held = UNSET
    startTime: Held = UNSET
    start_time: Held = UNSET
    duration: Held = UNSET
    metrics: Held = UNSET
    flowVersions: Held = UNSET
    flow_versions: Held = UNSET
    flows: Held = UNSET
    environment: Held = UNSET
    tags: Held = UNSET
    notes: Held = UNSET
    testConfig: Held = UNSET
    test_config: Held = UNSET
    request: Held = UNSET
    response: Held = UNSET
    queryResult: Held = UNSET
    query_result: Held = UNSET
    userInput: Held = UNSET
    user_input: Held = UNSET
    virtualAgentOutput: Held = UNSET
    virtual_agent_output: Held = UNSET
    interactions: Held = UNSET
    testCaseConversationTurns: Held = UNSET
    test_case_conversation_turns: Held = UNSET
    conversationTurns: Held = UNSET
    conversation_turns: Held = UNSET
    lastTestResult: Held = UNSET
    last_test_result: Held = UNSET
    conversations: Held = UNSET
    testCases: Held = UNSET
    test_cases: Held = UNSET
    testCaseResults: Held = UNSET
    test_case_results: Held = UNSET

    def raw(self, field: str) -> bytes:
        """The text of a member; nothing where it is not there."""
        for name in (field, snake(field)):
            held = getattr(self, name, UNSET)
            if type(held) is Raw:
                return bytes(held)
        return b""

    def read(self, field: str) -> Any:
        """The value of a member; ``None`` where there is none that can be read."""
        held = self.raw(field)
        try:
            return parse(held) if held else None
        except BadRecord:
            return None

    def turns(self, *fields: str) -> bytes:
        """The text of the list of turns; nothing where there is none."""
        return next((held for field in fields if (held := self.raw(field))[:1] == b"["), b"")

    def list(self) -> tuple[str, bytes] | None:
        """(what one of them is called, the text) of the list of documents; ``None`` where there is none."""
        for field in LISTS:
            if (held := self.raw(field))[:1] == b"[":
                return "conversation" if field == "conversations" else "test case", held
        return None

    def result(self) -> bytes:
        """The text of a test case's last result; nothing where there is none."""
        held = self.raw("lastTestResult")
        return held if held[:1] == b"{" else b""

    def is_turn(self) -> bool:
        """Whether the record is a turn by itself."""
        return bool(self.raw("response") or self.raw("queryResult") or self.raw("virtualAgentOutput"))

    def holds(self) -> bool:
        """Whether the record is a document of ours."""
        return bool(
            self.list() or self.turns("interactions", *TURNS) or self.result() or self.is_turn() or self._bare()
        )

    def _bare(self) -> bool:
        return bool(self.raw("testConfig") or (self.raw("metrics") and "/conversations/" in text_of(self.name)))

    @property
    def display(self) -> str:
        """What a test case is called."""
        return text_of(self.displayName) or text_of(self.display_name)

    @property
    def outcome(self) -> str:
        """Whether a test passed."""
        held = self.test_result if self.testResult is None else self.testResult
        return {1: "PASSED", 2: "FAILED"}.get(held, "") if type(held) is int else text_of(held)

    @property
    def created(self) -> Any:
        """When a test case was made."""
        return self.creation_time if self.creationTime is None else self.creationTime

    @property
    def tested(self) -> Any:
        """When a test ran."""
        return self.test_time if self.testTime is None else self.testTime

    def session(self) -> str:
        """The name of the conversation that a turn belongs to; "" where it tells none."""
        named = text_of(self.conversation_name) or text_of(self.conversationName) or text_of(self.session_name)
        if named:
            return named
        for held in (self.raw("request"), self.raw("response")):
            if held[:1] == b"{" and b'"session"' in held and (name := _session(held)):
                return name
        held = self.raw("queryResult")
        return _diagnosed(held) if held[:1] == b"{" and b"Session Id" in held else ""


_head = msgspec.json.Decoder(Head)
_request = msgspec.json.Decoder(_Request)
_result = msgspec.json.Decoder(_Result)
_NAMES = {field.encode_name: field.name for field in msgspec.structs.fields(Head)}
_RAW = {field.name for field in msgspec.structs.fields(Head) if field.default is UNSET}


def head_of(raw: bytes, *, damaged: bool = True) -> Head | None:
    """The head of a record; ``None`` for what is no object. With ``damaged`` a cut one gives what is whole of it."""
    try:
        return _head.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        pass
    if not damaged:
        try:
            found = parse(raw)  # mends half a surrogate pair
        except BadRecord:
            return None
        try:
            return _head.decode(msgspec.json.encode(found)) if type(found) is dict else None
        except (msgspec.MsgspecError, RecursionError, UnicodeError):
            return None
    start = len(raw) - len(raw.lstrip())
    if raw[start : start + 1] != b"{":
        return None
    head = Head()
    for member in members(raw, start):
        name = _NAMES.get(member.name, "")
        text = raw[member.start : member.end]
        if not name or not text:
            continue
        if name in _RAW:
            setattr(head, name, Raw(text))
        elif not member.bad:
            try:
                setattr(head, name, parse(text))
            except BadRecord:
                continue
    return head


def _session(raw: bytes) -> str:
    try:
        return text_of(_request.decode(raw).session)
    except (msgspec.MsgspecError, RecursionError):
        return ""


def _diagnosed(raw: bytes) -> str:
    try:
        found = _result.decode(raw)
    except (msgspec.MsgspecError, RecursionError):
        return ""
    info = found.diagnostic_info if found.diagnosticInfo is None else found.diagnosticInfo
    return text_of(info.get("Session Id")) if type(info) is dict else ""


def known(sample: Any) -> str:
    """Why a record is none of Dialogflow CX; "" if it is."""
    if got(sample, "conversationName") is not None and got(sample, "turnPosition") is not None:
        return ""
    if type(got(sample, "interactions")) is list or got(sample, "virtualAgentOutput") is not None:
        return ""
    if any(type(got(sample, field)) is list for field in (*TURNS, *LISTS)) or got(sample, "lastTestResult"):
        return ""
    result = part(sample, "queryResult") or part(part(sample, "response"), "queryResult")
    if got(result, "queryText") is not None or got(result, "fulfillmentMessages") is not None:
        return "a response of Dialogflow ES; those of CX are read"
    if result and any(got(result, field) is not None for field in ("match", "responseMessages", "currentPage")):
        return ""
    return "no `conversation_name` with `turn_position`, no `interactions`, `queryResult` or test case"


def position_of(head: Head) -> int | None:
    """The place of a turn in its conversation, also where an export spelt it as a text; ``None`` where it has none."""
    held = head.turnPosition if head.turn_position is None else head.turn_position
    if type(held) is str and held.isascii() and held.isdigit() and len(held) < 10:
        held = int(held)
    return held if type(held) is int and 0 <= held < 2**31 else None


def time_of(*values: Any) -> float | None:
    """The first of them that is a time, in Unix seconds."""
    return next((at for value in values if (at := moment(value)) is not None), None)


def text_of(value: object) -> str:
    """A text; a number as its digits, anything else is ""."""
    if type(value) is int:
        return str(value)
    return value if type(value) is str else ""


def written(fields: Iterable[str]) -> list[str]:
    """Both spellings of each field."""
    return [name for field in fields for name in dict.fromkeys((field, snake(field)))]
