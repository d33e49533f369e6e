"""The fields, items, texts and numbers of a foreign value, read from its storage.

A mapping, a list or tuple (also of a subclass), a named tuple, a dataclass, a pydantic model, any object with slots
or an instance dictionary: read by the descriptors that the interpreter itself made for them. No property,
``__getattr__``, ``__iter__`` or other method of a foreign object runs.
"""

from __future__ import annotations

import types
from itertools import islice

from lingbot_probes.capture import ITEMS, bases, scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FIELDS = 64  # fields of a mapping or object that are looked at

_namespace_of = type.__dict__["__dict__"].__get__


def fields_of(value: Any) -> dict[str, Any] | None:
    """The fields of a mapping or record by name, as they are stored; ``None`` if it has no such thing."""
    cls = type(value)
    if cls is dict:
        return _named(value)
    if _bare(cls):
        return None
    if issubclass(cls, dict):
        return _named(value)
    if issubclass(cls, tuple):
        return _named_tuple(value, bases(cls))
    return _stored(value, bases(cls))


_BARE = frozenset((str, int, float, bool, bytes, list, tuple, set, frozenset, type(None)))


def _bare(cls: type) -> bool:
    return type(cls) is type and cls in _BARE  # another metaclass could have a ``__hash__`` of its own


def _named(mapping: dict[Any, Any]) -> dict[str, Any]:
    return {key: value for key, value in list(islice(dict.items(mapping), FIELDS)) if type(key) is str}


def _named_tuple(value: tuple[Any, ...], mro: tuple[type, ...]) -> dict[str, Any] | None:
    for cls in mro:
        for key, names in _namespace_of(cls).items():
            if type(key) is str and key == "_fields" and type(names) is tuple:
                pairs = zip(names, tuple.__iter__(value), strict=False)
                return {key: item for key, item in pairs if type(key) is str}
    return None


def _stored(value: Any, mro: tuple[type, ...]) -> dict[str, Any] | None:
    """Slots and instance dictionary, by the descriptors that the interpreter itself made for them."""
    out: dict[str, Any] = {}
    found = False
    for cls in reversed(mro):
        for key, attribute in _namespace_of(cls).items():
            if type(key) is not str:
                continue
            if type(attribute) is types.MemberDescriptorType and len(out) < FIELDS:
                try:
                    out[key] = attribute.__get__(value)
                    found = True
                except (AttributeError, TypeError):  # not set yet; a layout that is none of ours
                    continue
            elif key == "__dict__" and type(attribute) is types.GetSetDescriptorType:
                stored = attribute.__get__(value)
                if type(stored) is dict:
                    out.update(_named(stored))
                    found = True
    return out if found else None


def items_of(value: Any) -> list[Any] | None:
    """The first items of a list or tuple (also of a subclass, from its storage)."""
    cls = type(value)
    if cls is list or cls is tuple:
        return list(value[:ITEMS])
    if _bare(cls):
        return None
    if issubclass(cls, list):
        return list(islice(list.__iter__(value), ITEMS))
    if issubclass(cls, tuple):
        return list(islice(tuple.__iter__(value), ITEMS))
    return None


def number(value: Any) -> float | int | None:
    """A finite number, also one of numpy's; ``bool`` is none."""
    if type(value) is float and value - value == 0.0:
        return value
    if value is None or type(value) is bool or type(value) is str:
        return None
    known = scalar(value)
    return known if type(known) is int or (type(known) is float and known - known == 0.0) else None


def words(value: Any) -> str | None:
    """A text, also one of a subclass or an Enum's; ``None`` for anything else."""
    if type(value) is str:
        return value
    cls = type(value)
    if value is None or cls is float or cls is int or is_container(value):
        return None
    known = scalar(value)
    return known if type(known) is str else None


def is_container(value: Any) -> bool:
    """Whether it is a plain mapping, list or tuple."""
    cls = type(value)
    return cls is dict or cls is list or cls is tuple


def first(fields: dict[str, Any], keys: tuple[str, ...]) -> Any:
    """The value of the first of ``keys`` that has one."""
    for key in keys:
        if fields.get(key) is not None:
            return fields[key]
    return None


def stands_for(value: Any) -> Any:
    """The scalar that an Enum's member or a subclass of ``str`` stands for: their fields mean nothing."""
    return None if _bare(type(value)) or type(value) is dict else scalar(value)
