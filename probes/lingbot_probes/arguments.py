"""Which argument of a decorated function is the session, the turn, the utterance, the query.

Said by the name of a parameter or by a callable that is given the same arguments; where nothing is said, the usual
names are looked for. All that can be decided is decided at decoration.
"""

from __future__ import annotations

from functools import partial

from lingbot_probes.wrapping import Misused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    Pick: TypeAlias = Callable[[tuple[Any, ...], dict[str, Any]], Any]

SESSION = ("session_id", "sender_id", "conversation_id", "thread_id", "chat_id", "dialogue_id", "dialog_id", "session")
UTTERANCE = (
    "utterance", "text", "message", "user_input", "user_message", "user_text", "question", "query", "prompt", "msg",
    "inputs", "input",
)  # fmt: skip
QUERY = (
    "query", "question", "q", "search_query", "text", "utterance", "message", "prompt", "user_input", "inputs", "input",
)  # fmt: skip

_ABSENT = object()


class Parameters:
    """The parameters of a function, as far as they can be told from its code."""

    def __init__(self, function: Any, who: str) -> None:
        self._who = who
        self.label = getattr(function, "__qualname__", None) or type(function).__qualname__
        bound = 0
        while type(function) is partial:
            bound += len(function.args)
            function = function.func
        if hasattr(function, "__self__") and hasattr(function, "__func__"):
            bound, function = bound + 1, function.__func__
        while not hasattr(function, "__code__") and hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        code = getattr(function, "__code__", None)
        self.known = code is not None
        self.positional: tuple[str, ...] = code.co_varnames[bound : code.co_argcount] if code else ()
        only = code.co_kwonlyargcount if code else 0
        self.all = self.positional + (code.co_varnames[code.co_argcount : code.co_argcount + only] if code else ())
        self.open = code is None or bool(code.co_flags & 0x08)  # **kwargs
        defaults = dict(getattr(function, "__kwdefaults__", None) or {})
        given = getattr(function, "__defaults__", None) or ()
        defaults.update(zip(self.positional[len(self.positional) - len(given) :], given, strict=False))
        self.defaults = defaults

    def named(self, name: str) -> Pick:
        """Picks the argument of that name: by position, by keyword, else the parameter's default."""
        index = self.positional.index(name) if name in self.positional else 1 << 30
        default = self.defaults.get(name)

        def pick(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            return args[index] if index < len(args) else kwargs.get(name, default)

        return pick

    def said(self, choice: str | Callable[..., Any] | None, option: str) -> Pick | None:
        """The pick that an option asks for. ``Misused`` if there is no such parameter."""
        if choice is None:
            return None
        if isinstance(choice, str):
            if self.known and choice not in self.all and not self.open:
                have = ", ".join(self.all) or "none"
                raise Misused(f"{self._who}: {option}={choice!r} names no parameter of {self.label} (it has: {have})")
            return self.named(choice)
        if callable(choice):
            call = choice
            return lambda args, kwargs: call(*args, **kwargs)
        raise Misused(
            f"{self._who}: {option}= takes the name of a parameter or a callable, not {type(choice).__name__}"
        )

    def usual(self, names: tuple[str, ...]) -> Pick | None:
        """The pick for the first of the usual names that is a parameter."""
        for name in names:
            if name in self.all:
                return self.named(name)
        return None

    def first_text(self) -> Pick:
        """Picks the first argument that is a text."""

        def pick(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            for value in (*args, *kwargs.values()):
                if type(value) is str:
                    return value
            return ""

        return pick
