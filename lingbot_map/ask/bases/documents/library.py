"""A folder of documents as it is searched: an immutable ``Snapshot``, and the ``Library`` that makes the next one.

A change rebuilds the sentences of one document alone; whoever reads keeps the snapshot that was handed out.
"""

from __future__ import annotations

import threading
import weakref
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from types import MappingProxyType

from lingbot_map.ask.bases.documents.files import Document, Folder, Row
from lingbot_map.ask.bases.documents.links import Titles, cap
from lingbot_map.ask.bases.documents.spoken import OWN, Spoken, called_by, form_worth, own_text, spoken_in
from lingbot_map.ask.bases.documents.store import Store, either
from lingbot_map.ask.bases.documents.synonyms import Synonyms
from lingbot_map.ask.bases.documents.vectors import Encoder, Vectors
from lingbot_map.ask.bases.documents.wording import stems

_REMEMBERED = 500  # words whose sentences are remembered
_FEW = 8  # sentences that hold a name which still ties documents that only mention it
_COUNTED = 500  # sentences that hold a name are looked at one by one; a name of more is common
_COMMON = 4_000  # sentences that hold a word which makes no phrase a name
_SHORTEST_SHARED = 5  # characters of such a name


@dataclass(frozen=True, eq=False)
class Snapshot:
    """Documents at one moment. Nothing in it changes."""

    documents: Mapping[str, Document]
    rows: Mapping[int, str]
    """Index row to document id."""
    sentences: Mapping[int, Spoken]
    by_document: Mapping[str, tuple[int, ...]]
    postings: Mapping[str, tuple[int, ...]]
    """Name to the rows of sentences that hold it."""
    forms: Mapping[int, int]
    """Form of a sentence to how many have it."""
    store: Store = field(repr=False)
    synonyms: Synonyms = field(repr=False)
    vectors: Vectors = field(repr=False)
    fine: tuple[Row, ...] = ()
    graph: tuple[Row, ...] = ()

    @cached_property
    def titles(self) -> Titles:
        """Documents by title, and by the id that a title begins with ("REQ-101 ...")."""
        called: dict[str, tuple[str, ...]] = {}
        for document in self.documents.values():
            for name in called_by(document):
                called[name] = (*called.get(name, ()), document.id)
        proper = (
            name for document in self.documents.values() if document.title[:1].isupper() for name in called_by(document)
        )
        return Titles(called, frozenset(proper))

    @cached_property
    def ids(self) -> Mapping[str, Spoken]:
        """Sentences by id."""
        return {spoken.id: spoken for spoken in self.sentences.values()}

    @cached_property
    def families(self) -> Mapping[str, tuple[Document, ...]]:
        """The versions of each document that has several, oldest first."""
        found: dict[str, list[Document]] = {}
        for document in self.versioned:
            found.setdefault(document.family, []).append(document)
        return {family: tuple(sorted(each, key=lambda d: d.version)) for family, each in found.items() if len(each) > 1}

    @cached_property
    def folders(self) -> frozenset[str]:
        """The folders of all documents."""
        return frozenset(document.folder for document in self.documents.values())

    @cached_property
    def versioned(self) -> tuple[Document, ...]:
        """Documents that are one version of several, or say which they are."""
        return tuple(document for document in self.documents.values() if document.version)

    @cached_property
    def retired(self) -> frozenset[int]:
        """Rows of sentences that a newer version of their document replaced."""
        return frozenset(row for versions in self.families.values() for row in _replaced(self, versions))

    @property
    def cap(self) -> int:
        """So many sentences may share a name that still ties them."""
        return cap(len(self.documents))

    @cached_property
    def _naming(self) -> dict[int, list[str]]:
        return {}

    def naming(self, spoken: Spoken) -> list[str]:
        """The titles that a sentence names; found when first asked for."""
        known = self._naming.get(spoken.row)
        if known is None:
            known = self._naming[spoken.row] = self.titles.within(spoken.line.text)
        return known

    @cached_property
    def _counts(self) -> dict[str, int]:
        return {}

    def count(self, word: str) -> int:
        """How many documents hold a word in any of its endings."""
        known = self._counts.get(word)
        if known is None:
            known = self._counts[word] = self.store.count(either([word]))
        return known

    @cached_property
    def _words(self) -> dict[str, Sequence[int] | None]:
        return {}

    def saying_word(self, word: str, most: int) -> Sequence[int] | None:
        """The rows of sentences that say a word in any of its endings, or whose title or heading does; ``None`` if
        they are more than ``most``."""
        if word not in self._words:
            if len(self._words) >= _REMEMBERED:
                self._words.clear()
            rows = self.known(either([word]), most + 1)
            self._words[word] = array("q", rows) if len(rows) <= most else None
        return self._words[word]

    @cached_property
    def _phrases(self) -> dict[str, tuple[int, ...]]:
        return {}

    def saying(self, phrase: str) -> tuple[int, ...]:
        """The rows of sentences that say a phrase of Latin words; none if they are more than ``cap``."""
        known = self._phrases.get(phrase)
        if known is None and any(self.store.size(either([word])) > _COMMON for word in phrase.split()):
            known = self._phrases[phrase] = ()
        if known is None:
            rows = self.known('"' + phrase.replace('"', " ") + '"', 2 * self.cap)
            known = self._phrases[phrase] = tuple(rows) if len(rows) <= self.cap else ()
        return known

    @cached_property
    def _sharing(self) -> dict[str, dict[str, tuple[Spoken, Spoken, str]]]:
        return {}

    def sharing(self, document: str) -> dict[str, tuple[Spoken, Spoken, str]]:
        """Documents that mention a rare name which this one mentions: the sentence here, that there, the name."""
        known = self._sharing.get(document)
        if known is None:
            known = {}
            said = self.of(document)
            self.hold(name for spoken in said for name in spoken.names if len(name) >= _SHORTEST_SHARED)
            found = [
                (spoken, name, held)
                for spoken in said
                for name in spoken.names
                if len(name) >= _SHORTEST_SHARED and 1 < len(held := self.held(name)) <= _FEW
            ]
            rows = iter(self.spoken(row for _, _, held in found for row in held))
            for spoken, name, held in found:
                for other in islice(rows, len(held)):
                    if other.document != document and other.document not in known:
                        known[other.document] = (spoken, other, name)
            self._sharing[document] = known
        return known

    def rare_form(self, spoken: Spoken) -> float:
        """1 for a sentence that is written for its document; less the more sentences share its form."""
        return form_worth(self.forms[spoken.form], len(self.documents))

    @cached_property
    def _own(self) -> dict[str, tuple[int, ...]]:
        return {}

    def held(self, name: str) -> tuple[int, ...]:
        """The rows of sentences that hold a name, without those that every document has ("See also ...")."""
        known = self._own.get(name)
        if known is None:
            rows = self.postings.get(name, ())
            if _FEW < len(rows) <= _COUNTED:
                rows = self.without_boilerplate(rows)
            known = self._own[name] = rows
        return known

    def hold(self, names: Iterable[str]) -> None:
        """Say which names will be asked for: where sentences are read, the rows that hold them are read at once."""

    def without_boilerplate(self, rows: Sequence[int]) -> tuple[int, ...]:
        """Of these sentences those that are written for their documents."""
        return tuple(row for row in rows if self.rare_form(self.sentences[row]) > OWN)

    def of(self, document: str) -> list[Spoken]:
        """The sentences of a document, in order."""
        return [self.sentences[row] for row in self.by_document[document]]

    def spoken(self, rows: Iterable[int]) -> list[Spoken]:
        """The sentences of these rows, in their order."""
        return [self.sentences[row] for row in rows]

    def known(self, match: str, most: int = 2000) -> list[int]:
        """Rows of sentences that match, those of this snapshot alone."""
        return [row for row in self.store.holding(match, most) if row in self.sentences]

    def found(self, words: Iterable[str], most: int) -> list[tuple[int, float]]:
        """(row, score) of sentences that hold any of the words, best first."""
        return [each for each in self.store.sentences(words, most) if each[0] in self.sentences]

    def found_documents(self, words: Iterable[str], most: int) -> list[tuple[str, float]]:
        """(id, score) of documents that hold any of the words, best first."""
        return [(self.rows[row], score) for row, score in self.store.documents(words, most) if row in self.rows]

    def titled(self, words: Iterable[str], most: int) -> list[str]:
        """Documents whose title may hold any of the words; all where they are few."""
        if len(self.documents) <= most:
            return list(self.documents)
        return [self.rows[row] for row in self.store.titled(words, most) if row in self.rows]


def _replaced(snapshot: Snapshot, versions: Sequence[Document]) -> Iterable[int]:
    """Rows of what newer versions replaced: all of an older one where the title is the same; where the title tells the
    version (documents that say what changed), sentences that a newer one says again or otherwise."""
    for at, old in enumerate(versions[:-1]):
        later = [s for new in versions[at + 1 :] for s in snapshot.of(new.id)]
        for spoken in snapshot.of(old.id):
            if not old.retitled or any(_restates(new, spoken) for new in later):
                yield spoken.row


def _restates(new: Spoken, old: Spoken) -> bool:
    before, after = ({w for w in stems(s.line.text) if not any(char.isdigit() for char in w)} for s in (old, new))
    return len(before & after) >= 0.5 * len(before)


class Library:
    """Documents that may change. ``snapshot`` is the present one; reading it takes no lock."""

    def __init__(self, folder: Folder, *, encoder: Encoder | None = None, vectors: Vectors | None = None) -> None:
        """``vectors`` are those of documents that were encoded before; others are encoded now."""
        self._write = threading.Lock()
        self._next = 1
        self._store = Store()
        self.synonyms = folder.synonyms
        self._old: list[tuple[weakref.ref[Snapshot], list[int], list[int]]] = []
        self.encoder = encoder
        self.snapshot = Snapshot(
            documents={},
            rows={},
            sentences={},
            by_document={},
            postings={},
            forms={},
            store=self._store,
            synonyms=Synonyms(folder.synonyms),
            vectors=vectors or Vectors(encoder),
            fine=folder.fine,
            graph=folder.graph,
        )
        self.put(folder.documents)

    def put(self, documents: Iterable[Document], remove: Iterable[str] = ()) -> Snapshot:
        """Take new or changed documents in, and those called ``remove`` out; the next snapshot."""
        with self._write:
            before = self.snapshot
            self._purge()
            docs, rows, by = dict(before.documents), dict(before.rows), dict(before.by_document)
            sentences, postings = dict(before.sentences), dict(before.postings)
            forms = Counter(before.forms)
            gone_docs: list[int] = []
            gone: list[int] = []
            added = list({document.id: document for document in documents}.values())
            out = [id for id in dict.fromkeys((*remove, *(d.id for d in added))) if id in docs]
            numbers = {id: row for row, id in rows.items() if id in set(out)} if out else {}
            vectors = before.vectors.without(out)
            for id in out:
                del docs[id], rows[numbers[id]]
                gone_docs.append(numbers[id])
                for row in by.pop(id):
                    gone.append(row)
                    lost = sentences.pop(row)
                    forms[lost.form] -= 1
                    for name in lost.names:
                        left = tuple(each for each in postings[name] if each != row)
                        postings[name] = left
                        if not left:
                            del postings[name]
            fresh: dict[str, list[int]] = {}
            texts: dict[str, list[str]] = {}
            heads: list[tuple[int, Document]] = []
            lines: list[tuple[int, str, str]] = []
            for document in added:
                spoken = spoken_in(document, self._next + 1)
                docs[document.id] = document
                rows[self._next] = document.id
                heads.append((self._next, document))
                lines.extend((s.row, f"{document.title} {s.line.heading}", s.line.text) for s in spoken)
                self._next += 1 + len(spoken)
                by[document.id] = tuple(s.row for s in spoken)
                for s in spoken:
                    sentences[s.row] = s
                    forms[s.form] += 1
                    for name in s.names:
                        fresh.setdefault(name, []).append(s.row)
                texts[document.id] = [f"{document.title}: {s.line.text}" for s in spoken]
            vectors = vectors.plus({id: each for id, each in texts.items() if id not in vectors.blocks})
            for name, more in fresh.items():
                postings[name] = (*postings.get(name, ()), *more)
            after = Snapshot(
                documents=MappingProxyType(docs),
                rows=MappingProxyType(rows),
                sentences=MappingProxyType(sentences),
                by_document=MappingProxyType(by),
                postings=MappingProxyType(postings),
                forms=MappingProxyType(forms),
                store=self._store,
                synonyms=before.synonyms,
                vectors=vectors,
                fine=before.fine,
                graph=before.graph,
            )
            bodies = []
            for row, each in heads:
                said = [(s.line.text, forms[s.form]) for s in after.of(each.id)]
                bodies.append((row, each.title, " ".join(own_text(said, len(docs)))))
            self._store.add(bodies, lines)
            if gone_docs:
                self._old.append((weakref.ref(before), gone_docs, gone))
            self.snapshot = after
            return after

    def _purge(self) -> None:
        """Forget the rows of snapshots that nobody holds any more."""
        kept = []
        for reader, documents, sentences in self._old:
            if reader() is None:
                self._store.remove(documents, sentences)
            else:
                kept.append((reader, documents, sentences))
        self._old = kept
