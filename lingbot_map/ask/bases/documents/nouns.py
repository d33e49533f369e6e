"""Nouns of English verbs: a question may ask with one ("when is it retired") what a document says with the other ("the
retirement is on 3 May").

A table, and no rule over endings: by rule a department would be of "depart", a station of "state", a mission of "miss".
"""

from __future__ import annotations

from collections.abc import Iterator

_MENT = (
    "achieve acknowledge adjust agree amend announce appoint arrange assess assign attach deploy develop employ "
    "endorse enforce engage enhance enlist enroll entitle equip establish improve invest involve manage measure "
    "move pay place postpone procure punish recruit reimburse reinforce replace replenish require retire settle "
    "ship treat"
)
_ION = (
    "abstract accommodate activate adopt aggregate allocate authenticate automate calculate celebrate collect "
    "complete connect construct contribute cooperate coordinate correct corrupt create deactivate dedicate "
    "delegate delete demonstrate deprecate designate detect discuss distribute donate duplicate elect eliminate "
    "escalate estimate evacuate evaluate execute extract generate illustrate inject inspect instruct integrate "
    "interact interrupt invalidate invent investigate isolate locate migrate navigate negotiate nominate obstruct "
    "operate participate predict prevent promote prosecute protect react regulate reject relocate renovate "
    "replicate restrict revise rotate select separate simulate substitute supervise terminate transact translate "
    "truncate vaccinate validate ventilate violate"
)
_ATION = (
    "adapt alter authorise authorize cite combine configure confirm conserve consult declare examine explore "
    "implement initialise initialize install interpret invite limit normalise normalize observe optimise optimize "
    "organise organize prepare preserve present quote represent reserve restore synchronise synchronize transform "
    "transport utilise utilize"
)
_AL = (
    "approve appraise arrive betray dismiss dispose propose refuse rehearse remove renew retrieve revive survive "
    "withdraw"
)
_ANCE = "accept allow appear assist attend insure perform resist"
_FIC = "certify clarify classify identify modify notify qualify ratify simplify specify unify verify"
_SINGLE = """
abolish abolition | acquire acquisition | add addition | admit admission | advise advice | analyse analysis
analyze analysis | apply application | assume assumption | break breakage | cancel cancellation cancelation
choose choice | close closure | compare comparison | compete competition | complain complaint
comply compliance | conclude conclusion | consume consumption | convert conversion | decide decision
defer deferral | define definition | deliver delivery | deny denial | depart departure
depend dependence dependency | describe description | destroy destruction | die death | differ difference
discontinue discontinuation | discover discovery | divide division | emit emission | evolve evolution
exclude exclusion | exist existence | expand expansion | expire expiry expiration | explain explanation
expose exposure | extend extension | fail failure | fly flight | grow growth | include inclusion
inquire inquiry | introduce introduction | invade invasion | leak leakage | lose loss | maintain maintenance
marry marriage | occur occurrence | omit omission | oppose opposition | permit permission
persuade persuasion | prefer preference | prescribe prescription | produce production | provide provision
prove proof | publish publication | receive receipt reception | recognise recognition | recognize recognition
recover recovery | redeem redemption | reduce reduction | refer reference referral | repeat repetition
resolve resolution | respond response | resume resumption | rely reliance | sell sale | sign signature
solve solution | store storage | submit submission | subscribe subscription | succeed success
suspend suspension | transmit transmission | vary variation variance
"""


def _pairs() -> Iterator[tuple[str, ...]]:
    for verbs, ending in ((_ION, "ion"), (_ATION, "ation"), (_AL, "al"), (_ANCE, "ance")):
        yield from ((verb, verb.removesuffix("e") + ending) for verb in verbs.split())
    yield from ((verb, verb + "ment") for verb in _MENT.split())
    yield from ((verb, verb[:-1] + "ication") for verb in _FIC.split())
    for line in _SINGLE.strip().splitlines():
        yield from (tuple(group.split()) for group in line.split("|"))


def _spelt(verb: str) -> Iterator[str]:
    """The regular forms of a verb, and some that are none."""
    bare = verb.removesuffix("e")
    short = verb[:-1] + "i" if verb.endswith("y") else bare
    for stem in (bare, short, bare + bare[-1]):
        yield from (stem + "ed", stem + "es", stem + "ing")
    yield from (verb, verb + "s")


_FORMS: dict[str, dict[str, None]] = {}
for _group in _pairs():
    for _form in (*_spelt(_group[0]), *_group[1:], *(noun + "s" for noun in _group[1:])):
        _FORMS.setdefault(_form, {}).update(dict.fromkeys(_group))


def forms(word: str) -> tuple[str, ...]:
    """The verb and its nouns of which ``word`` is a form; none if the table has none."""
    return tuple(_FORMS.get(word, ()))
