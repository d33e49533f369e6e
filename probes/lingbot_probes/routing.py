"""The wrapper of a router: the call that a bot makes most often, and so the one whose cost counts.

It is compiled for the function's own parameters. A wrapper of ``*args, **kwargs`` makes a tuple and a dictionary at
every call, which costs as much as the rest of the probe; and the usual results are read in the same frame: a name
with a number costs as much as the plainest such wrapper that appends a tuple, a mapping of four values about twice it.

A name with a number can't change any more. Of a small mapping of texts, numbers, truth values and ``None`` the values
are taken, beside its keys where these are the very objects of the last time, else a copy. Both go into the ring as
they are and are read when they leave (``taken``). Everything else goes the longer way, through ``told``.
"""

from __future__ import annotations

from functools import wraps
from time import time
from types import FunctionType

from lingbot_probes.capture import NAME, WHOLE
from lingbot_probes.wrapping import COROUTINE, flags_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Append = tuple[Any, Any, Callable[[Any], None], list[int], Callable[[], None], Callable[[], None]]

ENTRIES = 8  # of a mapping that is taken as it is
KNOWN = (4, 3, 2, 5)  # sizes of mappings whose keys are remembered, the usual ones first
_VARIADIC = 0x04 | 0x08  # bits of co_flags: *args, **kwargs
_OWN = "lb_"  # what the wrapper's own names begin with, so that no parameter hides one of them


def taken(plain: tuple[Any, ...]) -> Any:
    """A router's result again, from what the wrapper put into the ring."""
    if len(plain) == 1:
        return plain[0]
    return dict(zip(plain[0], plain[1:], strict=True)) if type(plain[0]) is tuple else plain


def on_intent(function: Any, append: Append, told: Callable[..., None], raised: Callable[..., None]) -> Any:
    """``wrapping.on_result`` for a router whose result alone matters: ``told`` and ``raised`` get no arguments."""
    current, astray, into, bell, wake, lost = append
    names: dict[str, Any] = {f"{_OWN}{builtin.__name__}": builtin for builtin in _BUILTINS}
    names |= {f"lb_known_{size}": (None,) * size for size in KNOWN}

    def copied(result: dict[Any, Any]) -> dict[Any, Any] | None:
        copy = result.copy()  # what is looked at can't change any more
        for key, value in copy.items():
            if type(key) is not str or len(key) > NAME or not _small(value):
                return None
        if len(copy) in KNOWN:
            names[f"lb_known_{len(copy)}"] = (*copy,)
        return copy

    names |= {
        "__name__": __name__, "lb_function": function, "lb_told": told, "lb_raised": raised, "lb_time": time,
        "lb_copied": copied, "lb_small": _small,
        "lb_current": current, "lb_astray": astray, "lb_into": into, "lb_bell": bell, "lb_wake": wake, "lb_lost": lost,
    }  # fmt: skip
    parameters, arguments = _parameters(function)
    try:
        _compile(function, parameters, arguments, names)
    except SyntaxError:  # code that was made by hand may have names that nobody can write
        parameters = _EVERY
        _compile(function, _EVERY, _EVERY, names)
    wrapper = names["lb_probed"]
    if parameters is not _EVERY:
        wrapper.__defaults__ = function.__defaults__
        wrapper.__kwdefaults__ = function.__kwdefaults__
    return wraps(function)(wrapper)


def _small(value: Any) -> bool:
    """Whether a value can't change and takes little room. By exact type: nothing of a foreign object is called."""
    cls = type(value)
    if cls is str:
        return len(value) <= NAME
    return value is None or cls is float or cls is bool or (cls is int and -WHOLE <= value <= WHOLE)


# -- the wrapper's text: only names of parameters come into it ------------------------------------------------------

_BUILTINS = (BaseException, Exception, type, len, str, float, dict, tuple)
_EVERY = "*lb_args, **lb_kwargs"
_PUT = """lb_place = lb_current() or lb_astray()
lb_into((lb_place, lb_place.session.number(), lb_time(), {plain}))
if lb_bell:
    lb_wake()
return lb_result"""


def _indented(text: str, by: int) -> str:
    return text.replace("\n", "\n" + " " * by)


def _mapping_of(size: int) -> str:
    """A mapping of so many entries: are its keys the very objects of the last time, and its values small?

    Written out entry by entry; a loop would cost half as much again.
    """
    keys, known, values = ([f"lb_{letter}{i}" for i in range(size)] for letter in "kov")
    same = " and ".join(f"{key} is {old}" for key, old in zip(keys, known, strict=True))
    is_small = f"(lb_len(lb_v) <= {NAME} if lb_type(lb_v) is lb_str else lb_type(lb_v) is lb_float or lb_small(lb_v))"
    small = " and ".join(is_small.replace("lb_v", value) for value in values)
    return f"""
        if lb_size == {size}:
            {", ".join(keys)} = lb_result
            {", ".join(known)} = lb_keys = lb_known_{size}
            if {same}:
                {", ".join(values)} = lb_result.values()
                if {small}:
                    {_indented(_PUT.format(plain=f"(lb_keys, {', '.join(values)})"), 20)}"""


_WRAPPER = f"""
<async>def lb_probed(<parameters>):
    try:
        lb_result = <await>lb_function(<arguments>)
    except lb_BaseException as lb_error:
        lb_raised(lb_error, (), {{}})
        raise
    try:
        lb_kind = lb_type(lb_result)
        if lb_kind is lb_dict:
            lb_size = lb_len(lb_result){_indented("".join(_mapping_of(size) for size in KNOWN), 4)}
            if lb_size <= {ENTRIES} and (lb_copy := lb_copied(lb_result)) is not None:
                {_indented(_PUT.format(plain="(lb_copy,)"), 16)}
        elif lb_kind is lb_tuple and lb_len(lb_result) == 2:
            lb_name, lb_value = lb_result
            if lb_type(lb_name) is lb_str and lb_type(lb_value) is lb_float and lb_len(lb_name) <= {NAME}:
                {_indented(_PUT.format(plain="lb_result"), 16)}
    except lb_Exception:
        lb_lost()
        return lb_result
    lb_told(lb_result, (), {{}})
    return lb_result
"""


def _compile(function: Any, parameters: str, arguments: str, names: dict[str, Any]) -> None:
    waits = flags_of(function) & COROUTINE
    source = _WRAPPER.replace("<parameters>", parameters).replace("<arguments>", arguments)
    source = source.replace("<async>", "async " if waits else "").replace("<await>", "await " if waits else "")
    exec(compile(source, "<lingbot_probes.routing>", "exec"), names)


def _parameters(function: Any) -> tuple[str, str]:
    """How the function's parameters are written, and how they are passed on. Defaults are put on the wrapper."""
    if type(function) is not FunctionType or function.__code__.co_flags & _VARIADIC:
        return _EVERY, _EVERY
    code = function.__code__
    count, first = code.co_argcount, code.co_posonlyargcount
    names = code.co_varnames[: count + code.co_kwonlyargcount]
    if any(name.startswith(_OWN) or not name.isidentifier() for name in names):
        return _EVERY, _EVERY
    only = names[count:]
    parameters = [*names[:first], *(("/",) if first else ()), *names[first:count], *(("*", *only) if only else ())]
    return ", ".join(parameters), ", ".join([*names[:count], *(f"{name}={name}" for name in only)])
