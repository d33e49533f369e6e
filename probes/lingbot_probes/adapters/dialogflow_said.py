"""What a Dialogflow CX agent said in a turn, and the passages that it said it from."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

from lingbot_probes.adapters.dialogflow_fields import BUCKETS, DECISIONS, enum, plain
from lingbot_probes.adapters.fields import items, mapping
from lingbot_probes.adapters.spelling import Message, got, part, parts, word
from lingbot_probes.signals import Doc, Retrieved

_KINDS = {
    "payload": "payload",
    "conversationSuccess": "conversation_success",
    "outputAudioText": "output_audio_text",
    "liveAgentHandoff": "live_agent_handoff",
    "endInteraction": "end_interaction",
    "playAudio": "play_audio",
    "mixedAudio": "mixed_audio",
    "telephonyTransferCall": "telephony_transfer_call",
    "knowledgeInfoCard": "knowledge_info_card",
    "toolCall": "tool_call",
}
"""The messages beside text (response_message.proto), and how they are spelt here."""

_SHOWN = 8  # kinds of messages that are named where there is no text


@dataclass(slots=True)
class Said:
    """``text`` is all that was said; ``kept`` the other messages as (kind, content) in their order."""

    text: str = ""
    kept: list[tuple[str, Any]] = field(default_factory=list)
    ends: bool = False
    handed_off: bool = False

    @property
    def shown(self) -> str:
        """The text, or the kinds of messages where there is none."""
        kinds = dict.fromkeys(kind for kind, _ in self.kept if kind != "end_interaction")
        return self.text or (f"[{', '.join(list(kinds)[:_SHOWN])}]" if kinds else "")


def said_in(results: list[Message], told: str = "") -> Said:
    """What the results of one turn say, the partial ones first; ``told`` is the text where they hold none.

    A final response may repeat what the partial ones said; that counts once.
    """
    out = Said()
    lines: list[str] = []
    spoken: list[str] = []
    for result in results:
        mine: list[str] = []
        for message in parts(result, "responseMessages"):
            text = "\n".join(line for line in items(got(part(message, "text"), "text")) if type(line) is str and line)
            if text:
                mine.append(text)
            for name, kind in _KINDS.items():
                content = got(message, name)
                if type(content) is dict and (content or name in ("liveAgentHandoff", "endInteraction")):
                    _keep(out, kind, content, spoken)
        lines += mine[len(lines) :] if lines and mine[: len(lines)] == lines else mine
    out.text = "\n".join(lines) or "\n".join(spoken) or told
    return out


def _keep(out: Said, kind: str, content: dict[str, Any], spoken: list[str]) -> None:
    if kind == "end_interaction":
        out.ends = True
        return
    if kind == "live_agent_handoff":
        out.handed_off = True
        content = plain(got(content, "metadata"))
    elif kind == "payload":
        content = plain(content)
    elif kind == "output_audio_text":
        text = word(content, "text") or word(content, "ssml")
        if text:
            spoken.append(text)
    elif kind == "mixed_audio":
        uris = [word(item, "uri") for item in parts(content, "segments")]
        content = {"segments": len(uris), "uris": [uri for uri in uris if uri]}
    if (kind, content) not in out.kept:
        out.kept.append((kind, content))


@dataclass(slots=True)
class Found:
    """A search of a data store: the signal, the documents that the answer cites, and why it was not given."""

    retrieved: Retrieved
    cited: tuple[str, ...] = ()
    answer: str = ""
    rejected: str = ""


def found_in(signals: Message, utterance: str) -> Found | None:
    """What ``dataStoreConnectionSignals`` tell; ``None`` where they hold neither passages nor an answer.

    The passages are those "included in the answer generation prompt" (data_store_connection.proto): stage "prompt".
    They have no score; several of one document are one document here, with their texts.
    """
    snippets = parts(signals, "searchSnippets")
    answer = word(signals, "answer")
    query = word(signals, "rewrittenQuery")
    checked, reason = _checked(signals)
    if not snippets and not answer and not query and not checked:
        return None
    ids = [doc_of(snippet) for snippet in snippets]
    texts: dict[str, list[str]] = {}
    titles: dict[str, str] = {}
    told: dict[str, Any] = {}
    for doc, snippet in zip(ids, snippets, strict=True):
        texts.setdefault(doc, []).append(word(snippet, "text"))
        titles.setdefault(doc, word(snippet, "documentTitle"))
        if more := plain(got(snippet, "metadata")):
            told[doc] = more
    docs = tuple(
        Doc(id=doc, title=titles[doc], rank=rank, snippet="\n\n".join(filter(None, passages)))
        for rank, (doc, passages) in enumerate(texts.items(), 1)
    )
    params = {**checked, **({"metadata": told} if told else {})}
    retrieved = Retrieved(query=query or utterance, stage="prompt", docs=docs, params=params)
    return Found(retrieved, _cited(signals, ids), answer, reason)


def _cited(signals: Message, ids: list[str]) -> tuple[str, ...]:
    cited: dict[str, None] = {}
    places: list[object] = []
    for item in parts(signals, "citedSnippets"):
        snippet = part(item, "searchSnippet")
        index = got(item, "snippetIndex")
        if snippet and (word(snippet, "documentUri") or word(snippet, "documentTitle") or word(snippet, "text")):
            cited[doc_of(snippet)] = None
        else:
            places.append(index or 0)  # proto3 leaves a zero out
    if not cited and not places:
        for item in parts(signals, "answerParts"):
            places += items(got(item, "supportingIndices"))
    for place in places:
        if type(place) is int and 0 <= place < len(ids):
            cited[ids[place]] = None
    return tuple(cited)


def doc_of(snippet: Message) -> str:
    """A document's id: its address, else its title, else a hash of the passage."""
    named = word(snippet, "documentUri") or word(snippet, "documentTitle")
    return named or "passage " + hashlib.sha256(word(snippet, "text").encode("utf-8", "replace")).hexdigest()[:12]


def _checked(signals: Message) -> tuple[dict[str, Any], str]:
    """(what the checks of the answer said, the refusal in one line or "")."""
    grounding, safety = part(signals, "groundingSignals"), part(signals, "safetySignals")
    told: dict[str, Any] = {}
    reason = ""
    for name, suffix, check in (("grounding", "_BY_GROUNDING", grounding), ("safety", "_BY_SAFETY_CHECK", safety)):
        decision = got(check, "decision")
        said = enum(decision, DECISIONS).removesuffix(suffix)
        if not said:
            continue
        told[name] = said
        score = enum(got(check, "score"), BUCKETS) if name == "grounding" else word(check, "matchedBannedPhrase")
        if score:
            told["grounding_score" if name == "grounding" else "banned_phrase"] = score
        if said == "REJECTED" and not reason:
            reason = f"the answer was rejected by the {name} check" + (f" ({score})" if score else "")
    return told, reason


def knowledge_of(result: Message) -> Message:
    """The data store signals of a QueryResult."""
    return mapping(got(result, "dataStoreConnectionSignals"))
