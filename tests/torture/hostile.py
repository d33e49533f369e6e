"""Strings that want to be more than text, and a dialogue that has them in every place where text can stand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lingbot_map.session import Session
from lingbot_map.store.files import FileStore
from lingbot_probes.signals import Doc, Failed, IntentRouted, Raw, Retrieved, SessionStarted
from tests.builders import Dialogue, answered, assigned, cleared, read, said

ACT = "document.title=`owned`"
"""What each of them would do. It needs no quotes, so that it fits into any attribute."""

STRINGS: tuple[str, ...] = (
    f"</script><script>{ACT}</script>",
    f"</ScRiPt ><script type=module>{ACT}</script>",
    "<!--<script>",
    "--><!-- ]]> <![CDATA[",
    f"<img src=x onerror={ACT}>",
    f"<svg/onload={ACT}>",
    f"<svg xmlns='http://www.w3.org/2000/svg'><script>{ACT}</script><foreignObject/></svg>",
    f'"><body onpageshow={ACT}>',
    f"' autofocus onfocus={ACT} x='",
    f"</title></textarea></style></noscript></template><iframe srcdoc='<script>parent.{ACT}</script>'>",
    f"<a href='javascript:{ACT}'>x</a>",
    f"javascript:{ACT}",
    f"data:text/html,<script>parent.{ACT}</script>",
    "<base href=//elsewhere.example/><link rel=stylesheet href=x.css>",
    f"<meta http-equiv=refresh content=0;url=javascript:{ACT}>",
    f"${{{ACT}}}",
    "{{constructor.constructor('document.title=`owned`')()}}",
    f"`-{ACT}-`",
    f"'-{ACT}-'",
    f"\u2028{ACT}\u2029",
    "\\u003c/script\\u003e\\x3cscript\\x3e",
    "&lt;b&gt;&amp;amp;&#60;script&#62;",
    "]]>&quot;<?xml version='1.0'?><!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>&e;",
    "url(#clip1);</style><style>*{background:url(//elsewhere.example/x)}",
    "expression(alert(1));@import '//elsewhere.example/x.css';",
    '=HYPERLINK("http://elsewhere.example","x")',
    "+1+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    'a"b\r\nc,d;e',
    "\x1b[2J\x1b]0;owned\x07",
    "\x00nul\x01\x08\x0b\x0c\x1f\x7f\x85",
    "\u202egnp.exe\u2066\u2067",
    "\u200b\u200c\u2060\ufeff",
    "\ufffe\uffff\ufffd",
    "e" + "\u0301" * 40,
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\U000e0041\U000e007f",
    "العربية עברית",
    "我要改套餐，流量没用完？",
    "%s%n%x{0.__class__}%00",
    "../../../etc/passwd\\..\\CON",
    "$(touch owned);`touch owned`|| owned",
    "{n|one|many} {title} {}",
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "null",
    "NaN",
    "[object Object]",
    "w=1_2&sel=node~1~1~x&t=owned#",
    "0",
)


def hostile(folder: Path, strings: Sequence[str] = STRINGS, session: str = STRINGS[0]) -> str:
    """Record a dialogue of one turn for each of ``strings`` into the data folder; the session's id."""
    dialogue = Dialogue(session)
    first = strings[0]
    dialogue.tell(SessionStarted(title=f"{first} title", meta={first: first, "channel": first}))
    for i, text in enumerate(strings):
        doc = Doc(
            id=text or "d",
            title=text,
            score=0.5,
            score_kind=text,
            rank=1,
            version=text,
            snippet=text,
            near=((text, 0.9),),
        )
        cut = Doc(id=f"{text} cut", title=text, score=0.25, rank=2, dropped_because=text or "x")
        again = strings[i - 1] or "empty"
        dialogue.tell(
            said(text, turn=f"{i} {text}"),
            IntentRouted(
                intent=text or "empty",
                label=text,
                confidence=0.5,
                candidates=((text, 0.5), (again, 0.4)),
                condition=text,
                required=(text or "empty", again),
                missing=(again,),
            ),
            assigned(text or "empty", text, scope=text, label=text),
            assigned(again, {text: [text, {text: text}]}),
            read(text or "empty", reader=text),
            cleared(again),
            Retrieved(query=text, stage="vector", docs=(doc, cut), params={text: text}),
            Retrieved(query=text, stage="prompt", docs=(doc,)),
            answered(text, text or "d"),
            Failed(where=text, error=text),
            Raw(name=text or "raw", data={text: text}),
            source=text or "bot",
        )
    session_ = Session.copy(FileStore(folder), dialogue.mapper.map.session, dialogue.events)
    session_.close(dialogue.now)
    return dialogue.mapper.map.session
