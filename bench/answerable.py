"""How likely it is that documents answer a question, by words and names alone, since something is always alike.

The score is the sum of two parts. The first is the share of the question that the first five documents say, times the
value of the first two and half of that of the best one that was reached over a name: of a question of several hops
whose second is missing the last is low. The second is what sets these documents apart: the share of the question that
names documents which are there, and what two sentences say of it over what two average ones of the five would. Where
nothing answers, the question's names lead nowhere, and the first documents all resemble it a little and none much.

It was chosen on questions that are not measured (33 of HotpotQA; 102 of 2Wiki, among 850 passages and among 6,689; 32
of MuSiQue), over several draws of which half loses its passages. Some eighty signs were looked at one by one, then
added one to another in a logistic form, fitted on half of the questions and judged on the other; what sets documents
apart came first. Of 125 coarse weights the eight best lie within 0.002 of each other, so that plain ones were taken,
one of them: the mean of the three sets' AUROC is 0.94, and was 0.90 with the first part alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from lingbot_map.ask.bases.documents.beam import Fit, Reached, all_said, ranked
from lingbot_map.ask.bases.documents.library import Snapshot
from lingbot_map.ask.bases.documents.wording import matching, stem
from lingbot_map.ask.text import STOP, words

ANSWERABLE = 1.7
"""What ``answerable`` gives from which on at least 19 of 20 questions that chose it have their answer (at 1.6 it is 94
of 100); of others, some fewer."""
_FIRST = 5  # documents that are looked at
_OVER_A_NAME = 0.5  # of the value of the best document that was reached over a name
_APART = 0.75  # of what sets the documents apart, beside their value


def answerable(snapshot: Snapshot, question: str) -> float:
    """A number (about -0.5 to 3.5) to be held against those of other questions and ``ANSWERABLE``: the more, the
    likelier it is that the documents answer the question."""
    fit = Fit(snapshot, question, alike=False)
    found = ranked(snapshot, question, fit=fit)
    first = found[:_FIRST]
    over_a_name = max((reached.value for reached in first if reached.names), default=0.0)
    value = sum(reached.value for reached in found[:2]) / 2 + _OVER_A_NAME * over_a_name
    said = fit.share(all_said(fit, (reached.document for reached in first)))
    return said * value + _APART * (_named(fit, first) + _over_average(fit, first))


def _named(fit: Fit, first: Sequence[Reached]) -> float:
    """The share of the question that is in titles which it names, or in titles of the first documents that it holds
    word by word."""
    bits = {stem(word): 1 << at for at, word in enumerate(fit.rarity)}
    named = 0
    for name in fit.snapshot.titles.within(fit.question):
        for word in map(stem, words(name)):
            named |= bits.get(word, 0)
    for reached in first:
        title = [stem(w) for w in words(matching(fit.snapshot.documents[reached.document].title)) if w not in STOP]
        if all(word in bits for word in title):
            for word in title:
                named |= bits[word]
    return fit.share(named)


def _over_average(fit: Fit, first: Sequence[Reached]) -> float:
    """The share of the question that its two best sentences say together, less twice that of each document's best one
    on average."""
    said = [fit.sentences(reached.document) for reached in first]
    every = sorted(set[int]().union(*said))
    best = max(every, key=fit.share, default=0)
    both = best | max(every, key=lambda bits: fit.share(bits & ~best), default=0)
    average = sum(max(map(fit.share, each), default=0.0) for each in said) / _FIRST
    return fit.share(both) - 2 * average
