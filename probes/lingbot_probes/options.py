"""What the probe's methods may be given. What can't be used is refused at the call, by name, while the author looks.

Only what a bot's author writes down is looked at here. What a bot hands over while it works (ids, texts, results,
errors) is taken whatever it is.
"""

from __future__ import annotations

from lingbot_probes.wrapping import Misused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MAPPING = ("__getitem__", "__setitem__", "__delitem__", "__iter__", "__len__", "keys", "items")


def misused(call: str, takes: str, given: Any) -> Misused:
    """The error: ``call`` names method and parameter, ``takes`` says what it can use."""
    shown = f" {given[:40]!r}" if type(given) is str else ""
    return Misused(f"{call} takes {takes}, not {type(given).__name__}{shown}")


def a_callable(given: Any, call: str, takes: str = "a function") -> None:
    """Refuse what can't be called; ``None`` means that nothing was said."""
    if given is not None and not callable(given):
        raise misused(call, takes, given)


def a_text(given: Any, call: str, takes: str = "a text") -> None:
    """Refuse what is no text."""
    if not isinstance(given, str):
        raise misused(call, takes, given)


def texts_by_slot(given: Any, call: str, takes: str = "a mapping of slots to texts") -> None:
    """Refuse what is no mapping from names to texts; ``None`` means that nothing was said."""
    if given is None:
        return
    if not hasattr(given, "items") or not hasattr(given, "get") or isinstance(given, type):
        raise misused(call, takes, given)
    for key, value in given.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise Misused(f"{call} takes {takes}; of {key!r:.40} it says {value!r:.40}")


def a_scope(given: Any, call: str) -> None:
    """Refuse what is neither the scope of all slots nor one for each."""
    if not isinstance(given, str):
        texts_by_slot(given if given is not None else 0, call, "a text, or a mapping of slots to texts")


def a_store(given: Any, call: str) -> None:
    """Refuse what can't hold slots. Told from the type: a store of the bot's own need not be a ``dict``."""
    if isinstance(given, type) or not all(hasattr(type(given), name) for name in _MAPPING):
        raise misused(call, "a dict or another mutable mapping", given)


def a_sink(given: Any, call: str) -> None:
    """Refuse what can't be given batches; ``None`` means that nothing was said."""
    if given is not None and (isinstance(given, type) or not callable(getattr(given, "deliver", None))):
        raise misused(call, "an object with a method deliver(batch)", given)


def seconds(given: Any, call: str) -> None:
    """Refuse what is no number of seconds."""
    if not (type(given) is int or type(given) is float) or given != given:
        raise misused(call, "a number of seconds", given)


def names(given: Any, call: str) -> tuple[str, ...]:
    """The names of parameters that were given; one may stand alone."""
    if isinstance(given, str):
        return (given,)
    try:
        found = tuple(given)
    except TypeError:
        raise misused(call, "names of parameters", given) from None
    for name in found:
        if not isinstance(name, str):
            raise misused(call, "names of parameters", name)
    return found


def a_token(given: Any, call: str) -> str:
    """The token of a map server, as it may stand in a header."""
    if given is None:
        return ""
    if type(given) is not str:
        raise misused(call, "the token of a map server, a text", given)
    word = given.strip()
    if not word.isascii() or not word.isprintable() or " " in word:
        raise ValueError(f"{call}: expected one word of ASCII; give the token that the map server prints after #t=")
    return word


def warned(why: str) -> None:
    """Log one warning. Never raises, also where the bot's own handlers do; ``logging`` is loaded for this alone."""
    try:
        import logging

        logging.getLogger("lingbot_probes").warning("%s", why)
    except Exception:
        return


def mask_rules(given: Any, call: str) -> tuple[Any, ...] | None:
    """What is masked beside what always is: key paths, compiled patterns, functions; ``None`` for "nothing at all"."""
    takes = "True, False, key paths like 'slots.member_no', compiled patterns, functions, or a list of these"
    if given is True or given is False:
        return () if given else None
    alone = type(given) is str or callable(given) or hasattr(given, "finditer")
    try:
        rules = (given,) if alone else tuple(given)
    except TypeError:
        raise misused(call, takes, given) from None
    for rule in rules:
        if hasattr(rule, "finditer"):
            if type(rule.pattern) is not str:
                raise misused(call, "patterns of texts", rule.pattern)
        elif not (callable(rule) or (type(rule) is str and rule.strip("! "))) or isinstance(rule, type):
            raise misused(call, takes, rule)
    return rules
