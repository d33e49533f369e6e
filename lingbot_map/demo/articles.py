"""The articles that the assistant knows, as they lie in ``data/articles.toml``."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import NamedTuple


class Article(NamedTuple):
    """``age`` is in days when the store is opened, ``hits`` how often it reached a prompt in the seven days before."""

    id: str
    category: str
    version: str
    age: int
    hits: int
    zh_title: str
    zh: str
    en_title: str
    en: str


def articles() -> list[Article]:
    """All of them."""
    text = (files("lingbot_map.demo") / "data" / "articles.toml").read_text("utf-8")
    return [Article(**fields) for fields in tomllib.loads(text)["article"]]
