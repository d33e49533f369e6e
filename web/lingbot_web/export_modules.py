"""The page's modules as inline scripts: the same text, so that one file runs from disk where nothing can be fetched.

A page without a network has no address that a module could be imported from: a policy that lets scripts run by their
hash alone refuses ``data:`` and ``blob:`` addresses too. So each module becomes an inline module script of its own, in
the order in which they need each other. Its code stays as it is, line by line, but for the two forms that touch other
modules: ``import`` takes from ``globalThis.lb``, and what it exports is put there at its end. Lines that are comments
are left empty: they make a quarter of the sources.
"""

from __future__ import annotations

import re
from collections.abc import Callable

GLOBAL = "globalThis.lb = Object.create(null);"
"""The first script: where the modules meet."""

_IMPORT = re.compile(r"^import (?:(?:\{(?P<names>[^{}]*)\}|\* as (?P<all>\w+)) from )?'lb/(?P<module>\w+)';$", re.M)
_EXPORT = re.compile(r"^export (?P<kept>(?:async function\*?|function\*?|class|const) ?(?P<name>\w+))", re.M)
_EXPORTED = re.compile(r"^export \{(?P<names>[^{}]*)\};$", re.M)
_COMMENT = re.compile(r"^[ \t]*(?:/\*\*(?:(?!\*/)[\s\S])*\*/|//.*)[ \t]*$", re.M)
_OTHER = re.compile(r"^(?:import|export|await)\b.*$|^(?:const|let) [^=]*= await\b.*$", re.M)
# Inside a script element only these two end it or change how its end is found.
_ENDS = re.compile(r"</script|<!--", re.I)


class NotInlined(Exception):
    """A module says something that can't be said in one file; a fault of the module, not of its reader."""


def inline(read: Callable[[str], str], first: str) -> list[tuple[str, str]]:
    """Name and script of each module that ``first`` needs, itself last. ``read`` gives the source of a name.

    Raises ``NotInlined`` for a form that is not known here, and for modules that import each other in a circle.
    """
    done: dict[str, str] = {}
    _visit(read, first, done, ())
    return list(done.items())


def _visit(read: Callable[[str], str], name: str, done: dict[str, str], path: tuple[str, ...]) -> None:
    if name in done:
        return
    if name in path:
        raise NotInlined(f"{' imports '.join((*path[path.index(name) :], name))}: a circle")
    source = read(name)
    source = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), source)
    for found in _IMPORT.finditer(source):
        _visit(read, found["module"], done, (*path, name))
    done[name] = _script(name, source)


def _script(name: str, source: str) -> str:
    exports: list[str] = []

    def taken(found: re.Match[str]) -> str:
        lines = "\n" * found[0].count("\n")  # a line keeps its number
        module = f"globalThis.lb.{found['module']}"
        if found["all"]:
            return f"const {found['all']} = {module};{lines}"
        if found["names"] is None:
            return lines
        names = (re.sub(r"^(\w+) as (\w+)$", r"\1: \2", each) for each in _names(found["names"]))
        return f"const {{ {', '.join(names)} }} = {module};{lines}"

    def kept(found: re.Match[str]) -> str:
        exports.append(found["name"])
        return found["kept"]

    def listed(found: re.Match[str]) -> str:
        exports.extend(re.sub(r"^(\w+) as (\w+)$", r"\2: \1", each) for each in _names(found["names"]))
        return "\n" * found[0].count("\n")

    text = _EXPORTED.sub(listed, _EXPORT.sub(kept, _IMPORT.sub(taken, source)))
    strange = _OTHER.search(text) or _ENDS.search(text)
    if strange:
        line = text.count("\n", 0, strange.start()) + 1
        raise NotInlined(f"{name}.js line {line}: {strange[0].strip()!r} can't stand in a page of one file")
    return f"{text.rstrip()}\nglobalThis.lb.{name} = {{ {', '.join(exports)} }};\n"


def _names(listed: str) -> list[str]:
    return [name.strip() for name in listed.split(",") if name.strip()]
