"""Words that count or deny what stands beside a thing: "who directed more than two films", "clubs without a stadium".

Such a group of marks becomes one condition, and the rest of the question is read without it. What counts and fits
nowhere leaves the question without a reading: it may not be dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lingbot_map.ask.bases.triples.conditions import LACKS, Condition, Many, conditions_of, props_for
from lingbot_map.ask.bases.triples.plan import Test
from lingbot_map.ask.bases.triples.relations import Lexicon, Mark

_BETWEEN = ("by", "joint", "whether", "only")
_TESTED = ("number", "range", "time", "years", "of", "and")
Group = tuple[list[Mark], Condition]


def grouped(marks: Sequence[Mark], lexicon: Lexicon) -> Iterator[tuple[list[Mark], list[Condition]]]:
    """(the marks that are left, the conditions of those taken out), likelier first; nothing if something that counts
    can't be taken."""
    rest: list[Mark] | None = list(marks)
    found: list[Condition] = []
    while rest is not None and (at := next((at for at, _ in enumerate(rest) if _counts(rest, at)), None)) is not None:
        taken = None if _weak(rest, at) else _many(rest, at, lexicon)
        if taken is not None:
            rest, condition = taken
            found.append(condition)
        else:
            rest = _otherwise(rest, at)
    if rest is None or any(mark.op == "bound" for mark in rest):
        return
    rest = [mark for mark in rest if mark.op != "only"]
    for group in (_denied(rest, lexicon), _several(rest, lexicon)):
        if group is not None:
            yield group[0], [*found, *group[1]]
    yield rest, found


def _counts(marks: Sequence[Mark], at: int) -> bool:
    """Whether a mark counts things, rather than measures one."""
    mark = marks[at]
    if mark.op == "many":
        return True
    if mark.op != "number" or mark.value[2] or at + 1 == len(marks) or (at and marks[at - 1].props):
        return False
    beside = marks[at + 1]
    return bool(beside.kinds or beside.relations) and not beside.props and not beside.mention


def _weak(marks: Sequence[Mark], at: int) -> bool:
    """Whether a plain number of things (两部, two) says nothing that must hold: "the two with the most goals"."""
    if len(marks[at].value) < 3 or marks[at].op != "many":
        return False
    one = marks[at].value[1] == 1 and not any(mark.op == "only" for mark in marks[max(0, at - 3) : at])
    return one or any(mark.op == "extreme" for mark in marks)


def _otherwise(marks: list[Mark], at: int) -> list[Mark] | None:
    """The marks where the one at ``at`` counts nothing; ``None`` if it may not be dropped."""
    mark, rest = marks[at], list(marks)
    if at + 1 < len(marks) and marks[at + 1].props:  # more than two goals: a measure
        rest[at] = replace(mark, op="number", value=(*mark.value[:2], ""))
        return rest
    if len(mark.value) < 3 or mark.op != "many":
        return None
    for number, each in enumerate(rest):
        if each.op == "extreme" and each.value[2] == 1 and mark.value[1] != 1:
            rest[number] = replace(each, value=(*each.value[:2], mark.value[1], *each.value[3:]))
    del rest[at]
    return rest


def _many(marks: Sequence[Mark], at: int, lexicon: Lexicon) -> Group | None:
    op, count = str(marks[at].value[0]), marks[at].value[1]
    if not isinstance(count, int | float) or count != int(count):
        return None
    first = at
    of = at + 1 < len(marks) and marks[at + 1].op == "of" and marks[at + 1].text == "的"
    tests, kinds, last = _of_kind(marks, at + 1 + of, lexicon)
    last = last if kinds else at + 1
    relations: tuple[str, ...] = ()
    start = at - 1
    while start >= 0 and marks[start].op in _BETWEEN:
        start -= 1
    if start >= 0 and marks[start].relations and not marks[start].mention:
        relations, first = marks[start].relations, start
    elif last < len(marks) and marks[last].relations and not marks[last].mention:
        relations, last = marks[last].relations, last + 1  # with more than two players; depended on by two
    if not relations and not kinds:
        return None
    if last < len(marks) and marks[last].op == "bound":
        op, last = str(marks[last].value[0]), last + 1
    passive = any(mark.op == "by" for mark in marks[max(0, first - 1) : last + 1])
    while first and marks[first - 1].op in ("by", "only"):
        first -= 1
    many = Many(relations, kinds, tests, op, int(count), passive)
    return [*marks[:first], *marks[last:]], Condition(marks[first].start, "many", having=many)


def _of_kind(marks: Sequence[Mark], at: int, lexicon: Lexicon) -> tuple[tuple[Test, ...], tuple[str, ...], int]:
    """What is counted: its conditions and the kind behind them, and where that ends; nothing if no kind is said."""
    end = at
    if end < len(marks) and marks[end].op == "of":
        return (), (), at  # 没有配偶的作家 speaks of writers
    while end < len(marks) and not (marks[end].kinds and not _describes(marks, end)):
        mark = marks[end]
        if mark.mention or mark.relations or not (mark.props or mark.values or mark.op in _TESTED):
            return (), (), at
        end += 1
    if end == len(marks) or marks[end].relations or marks[end].mention:
        return (), (), at
    tests: list[Test] = []
    for condition in conditions_of(marks[at:end], lexicon).conditions:
        props = props_for(condition, marks[end].kinds, lexicon)
        if not props or condition.extreme is not None:
            return (), (), at
        tests.append(Test(props[0], condition.op, condition.values))
    return tuple(tests), marks[end].kinds, end + 1


def _describes(marks: Sequence[Mark], at: int) -> bool:
    return bool(marks[at].values) and at + 1 < len(marks) and bool(marks[at + 1].kinds)


def _denied(marks: Sequence[Mark], lexicon: Lexicon) -> tuple[list[Mark], list[Condition]] | None:
    """Without what is denied of a thing: that anything stands in a relation to it, or that it has a property."""
    for at, mark in enumerate(marks):
        if mark.op != "not" or at + 1 == len(marks) or (at and marks[at - 1].mention is not None):
            continue
        end = at + 1 + (marks[at + 1].op == "by")
        if end == len(marks):
            return None
        named = marks[end]
        role = bool(named.relations) and mark.text in LACKS  # 没有演员的电影; 不是演员 speaks of somebody's job
        if named.mention is not None or (named.values and not role):
            return None
        if named.props and not named.relations:
            if end + 1 < len(marks) and (marks[end + 1].values or marks[end + 1].op in _TESTED[:4]):
                return None
            rest = [*marks[:at], *marks[end + 1 :]]
            if all(prop in lexicon.schema.numeric for prop in named.props):
                return rest, [Condition(named.start, "=", (0,), named.props)]
            return rest, [Condition(named.start, "missing", props=named.props)]
        if not (named.relations or named.kinds):
            return None
        first = end + bool(named.relations)
        tests, kinds, end = _of_kind(marks, first, lexicon)
        if not named.relations and not kinds:
            return None
        if end < len(marks) and (marks[end].mention is not None or marks[end].op in ("ask", "who", "count")):
            return None
        many = Many(named.relations, kinds, tests, "=", 0, passive=marks[at + 1].op == "by")
        return [*marks[:at], *marks[end:]], [Condition(mark.start, "many", having=many)]
    return None


def _several(marks: Sequence[Mark], lexicon: Lexicon) -> tuple[list[Mark], list[Condition]] | None:
    """Two relations that one thing must stand in (写过书又翻译过书的作家), where nothing is named."""
    if any(mark.mention for mark in marks) or any(mark.op in ("not", "or") for mark in marks):
        return None
    for at, mark in enumerate(marks):
        if mark.op != "and" or not at or at + 1 == len(marks) or not marks[at + 1].relations:
            continue
        first = at - 1
        while first and not marks[first].relations and (marks[first].kinds or _condition(marks[first])):
            first -= 1
        if not marks[first].relations:
            continue
        groups, end = [], at
        for start, last in ((first, at), (at + 1, len(marks))):
            tests, kinds, end = _of_kind(marks[:last], start + 1, lexicon)
            while not kinds and end < last and marks[end].values and not marks[end].relations:
                prop, text = marks[end].values[0]
                tests, end = (*tests, Test(prop, "=", (text,))), end + 1
            groups.append(Many(marks[start].relations, kinds, tests, ">=", 1))
            if last == at and end != at:
                break
        if len(groups) < 2:
            continue
        return [*marks[:first], *marks[end:]], [Condition(marks[first].start, "many", having=each) for each in groups]
    return None


def parted(marks: Sequence[Mark]) -> Iterator[tuple[list[Mark], list[Mark]]]:
    """The question read with the first and with the second of two that are joined: relations (的编剧和导演), and
    conditions on different properties of which either will do."""
    for at in range(1, len(marks) - 1):
        before, joint, after = marks[at - 1 : at + 2]
        if joint.op not in ("and", "or"):
            continue
        if before.relations and after.relations:
            yield [*marks[:at], *marks[at + 2 :]], [*marks[: at - 1], *marks[at + 1 :]]
        elif joint.op == "or" and _condition(before) and _condition(after):
            first, end = at, at + 1
            while first and _condition(marks[first - 1]):
                first -= 1
            while end < len(marks) and _condition(marks[end]):
                end += 1
            if any(mark.op in _TESTED[:4] for mark in (*marks[first:at], *marks[at + 1 : end])):
                yield [*marks[:at], *marks[end:]], [*marks[:first], *marks[at + 1 :]]


def _condition(mark: Mark) -> bool:
    return mark.op in _TESTED[:4] or bool((mark.props or mark.values) and not mark.kinds and not mark.mention)
