"""Irregular English verbs: a question may ask in one form ("who drives") what a document says in another ("is driven
by"). Regular verbs are compared by their stems. Left out are verbs whose form is another verb ("found", "lay", "saw",
"left", "bound").
"""

from __future__ import annotations

_VERBS = """
arise arose arisen | become became | begin began begun | bend bent | bite bit bitten | blow blew blown
break broke broken | bring brought | build built | buy bought | catch caught | choose chose chosen | come came
deal dealt | dig dug | draw drew drawn | drink drank drunk | drive drove driven | eat ate eaten | feed fed
fight fought | fly flew flown | forbid forbade forbidden | forget forgot forgotten | freeze froze frozen
give gave given | go went gone | grow grew grown | hang hung | hide hid hidden | hold held | keep kept | know knew known
lead led | learn learnt | lend lent | lose lost | make made | mean meant | meet met | pay paid | ride rode ridden
ring rang rung | rise rose risen | run ran | seek sought | sell sold | send sent | shake shook shaken | shoot shot
show shown | shrink shrank shrunk | sing sang sung | sink sank sunk | sleep slept | speak spoke spoken | spend spent
spin spun | steal stole stolen | stick stuck | strike struck | swear swore sworn | sweep swept | swim swam swum
take took taken | teach taught | tear tore torn | tell told | think thought | throw threw thrown | understand understood
wake woke woken | wear wore worn | weave wove woven | win won | write wrote written | withdraw withdrew withdrawn
"""


def _spelt(base: str) -> tuple[str, ...]:
    """The regular forms of a verb; of those in -ing any that can be."""
    bare = base.removesuffix("e")
    return base, base + "s", base + "es", bare + "ing", base + "ing", bare + bare[-1] + "ing"


_FORMS: dict[str, tuple[str, ...]] = {}
for _said in _VERBS.replace("\n", "|").split("|"):
    if _said.strip():
        _base, *_past = _said.split()
        for _form in (*_spelt(_base), *_past):
            _FORMS.setdefault(_form, (_base, *_past))


def forms(word: str) -> tuple[str, ...]:
    """Base, past and participle of an irregular verb of which ``word`` is a form; none if it is no form of any."""
    return _FORMS.get(word, ())
