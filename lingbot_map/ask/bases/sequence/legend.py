"""Text as a reader sees it: the markup of PlantUML and Mermaid taken out, characters written as numbers put back."""

from __future__ import annotations

import html
import re

_TAGS = re.compile(
    r"</?(?:color|size|font|back|u|b|i|s|w|strike|sub|sup|plain|del|ins|code)\b(?!\+)[^<>]{0,200}>|<#[^<>]{0,200}>|"
    r"<&[\w-]+>|<\$\w{1,80}(?:\{[^}]{0,80}\})?>|<img[^<>]{0,200}>",
    re.IGNORECASE,
)
_PAIRS = re.compile(r"(\*\*|\"\"|(?<!:)//|__|~~|--)(?=\S)(.{1,200}?)(?<=\S)\1")
_WIDE = re.compile(r"\"\"(.{0,300}?)\"\"")
_RISKY = re.compile(r"[<*\"/_~\-\\&\[]")
_NUMBER = re.compile(r"<U\+([0-9A-Fa-f]{4,6})>|&#(\d{1,7});")
_LINK = re.compile(r"\[\[([^\s\[\]{}]{1,500})(?:\{[^}]{0,200}\})?(?:\s+([^\]]{1,300}))?\]\]")
_ESCAPED = re.compile(r"\\[\\t]")
_LINE = re.compile(r"[ \t]{0,8}(?:\n|<br\s{0,3}/?>|(?<!\\)\\[nlr])[ \t]{0,8}", re.IGNORECASE)
_MERMAID_NUMBER = re.compile(r"#(\d{1,7});|#([A-Za-z]\w{1,30});")


def _char(number: int, instead: str) -> str:
    return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else instead


def plantuml(text: str) -> str:
    r"""The text without creole and HTML markup, on one line; ``\n`` is a space."""
    text = text.strip()
    if not _RISKY.search(text):
        return text
    text = _LINE.sub(" ", text)
    if "[[" in text:
        text = _LINK.sub(lambda link: link[2] or link[1], text)
    if "\\" in text:
        text = _ESCAPED.sub(lambda found: "\\" if found[0] == "\\\\" else " ", text)
    if '""' in text:
        text = _WIDE.sub(r"\1", text)
    if "<" in text:
        text = _TAGS.sub("", text)
    text = _PAIRS.sub(r"\2", text)
    if "<" in text or "&#" in text:
        text = _NUMBER.sub(lambda found: _char(int(found[1], 16) if found[1] else int(found[2]), found[0]), text)
    return text.strip()


def mermaid(text: str) -> str:
    """The text without ``wrap:`` and line breaks, ``#35;`` and ``#amp;`` as characters."""
    text = text.strip()
    low = text[:7].lower()
    if low.startswith(("wrap:", "nowrap:")):
        text = text.partition(":")[2].strip()
    if "<" in text or "\\" in text:
        text = _LINE.sub(" ", text)
    if "&" in text:
        text = html.unescape(text)
    if "#" in text:
        text = _MERMAID_NUMBER.sub(_mermaid_char, text)
    return text.strip()


def _mermaid_char(found: re.Match[str]) -> str:
    if found[1]:
        return _char(int(found[1]), found[0])
    named = html.unescape(f"&{found[2]};")
    return found[0] if named.startswith("&") and len(named) > 1 else named
