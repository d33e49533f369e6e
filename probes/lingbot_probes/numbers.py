"""Numbers that are a person's: phones, cards, identity numbers, accounts; told from order numbers by their rules."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

Hit: TypeAlias = tuple[int, int, str, str]
"""(start, end, kind, the value in one spelling)."""

_ENOUGH = re.compile(r"(?:[0-9][^0-9]{0,3}){7}")
_ALONE = r"(?<![0-9])(?<![0-9]\.)"  # no part of a longer number, and no decimals

_MOBILE = re.compile(
    _ALONE + r"(?:(?:\+|00)?86[ .-]?)?(1[3-9](?:[0-9]{9}|[0-9][ .-][0-9]{4}[ .-]?[0-9]{4}|[0-9]{5}[ .-][0-9]{4}"
    r"|[0-9]{2}[ .-][0-9]{3}[ .-][0-9]{4}|[0-9][ .-][0-9]{3}[ .-][0-9]{5})|1(?:[ .-][0-9]){10})(?![0-9])"
)
_ABROAD = re.compile(
    r"(?<![\w+])(?:\+[1-9][0-9]{0,2}|(?<![0-9] )00[1-9][0-9]{0,2}(?=[ .-]))[ .-]?(?:\([0-9]{1,5}\)[ .-]?)?[0-9]{1,12}"
    r"(?:[ .-][0-9]{1,12}){0,6}(?![0-9])"
)
_AMERICAN = re.compile(
    _ALONE + r"(?<![0-9]-)(?:1[ .-])?(?:\([2-9][0-9]{2}\)[ .-]?[0-9]{3}[ .-][0-9]{4}"
    r"|[2-9][0-9]{2}([.-])[2-9][0-9]{2}\1[0-9]{4})(?![0-9])(?!-[0-9])"
)
_CARD = re.compile(
    _ALONE + r"(?:3[47][0-9]{2}([ -]?)[0-9]{6}\1[0-9]{5}|[2-69][0-9]{3}([ -]?)[0-9]{4}\2[0-9]{4}\2[0-9]{1,4}"
    r"(?:\2[0-9]{1,3})?)(?![0-9])"
)
_RESIDENT = re.compile(
    _ALONE + r"[1-9][0-9]{5}([ -]?)(?:18|19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])\1[0-9]{3}[0-9Xx]"
    r"(?![0-9A-Za-z])"
)
_SOCIAL = re.compile(r"(?<![0-9-])(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![0-9-])")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9])")
_IBAN_LENGTHS = {
    found[0][:2]: int(found[0][2:])
    for found in re.finditer(
        r"[A-Z]{2}\d\d",
        "AD24AE23AL28AT20AZ28BA20BE16BG22BH22BR29BY28CH21CR22CY28CZ24DE22DK18DO28EE20EG29ES24FI18FO18FR27GB22GE22GI23"
        "GL18GR27GT28HR21HU28IE22IL23IQ23IS26IT27JO30KW30KZ20LB28LC32LI21LT20LU20LV21MC27MD24ME22MK19MR27MT31MU30NL18"
        "NO15PK24PL28PS29PT25QA29RO24RS22SA24SE24SI19SK24SM27TN24TR26UA29VA22VG24XK20",
    )
}
_DIGEST = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|[0-9A-Fa-f]{32,}")
_WORD_AFTER = re.compile(r"[0-9A-Za-z-]{0,80}")
_PART_OF_WORD = frozenset("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-")

_CHECK = "10X98765432"
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_DIGITS = re.compile(r"[0-9]")
_GROUP = re.compile(r"[0-9]+")


def find(text: str, hits: list[Hit]) -> None:
    """Add what there is in ``text``, whose digits are ASCII."""
    if not _ENOUGH.search(text):
        return
    mine: list[Hit] = []
    sizes = set(map(len, _GROUP.findall(text)))  # of each kind only texts with groups of its lengths are searched
    if not sizes.isdisjoint((17, 18)) or sizes >= {6, 8}:
        mine += _checked("id", _RESIDENT, is_resident, text)
    if not sizes.isdisjoint((4, *range(13, 20))):
        mine += _checked("card", _CARD, is_card, text)
    if sizes >= {2, 3, 4}:
        mine += [(m.start(), m.end(), "id", compact(m[0])) for m in _SOCIAL.finditer(text)]
    if not sizes.isdisjoint((1, 11, 13, 15)) or not (sizes.isdisjoint((4, 5, 8)) or sizes.isdisjoint((3, 5, 7, 9))):
        mine += [(m.start(), m.end(), "phone", phone(m[1])) for m in _MOBILE.finditer(text)]
    if "+" in text or "00" in text:
        mine += [hit for m in _ABROAD.finditer(text) if (hit := _abroad(m)) is not None]
    if sizes >= {3, 4}:
        mine += [(m.start(), m.end(), "phone", digits(m[0])[-10:]) for m in _AMERICAN.finditer(text)]
    mine += [hit for m in _IBAN.finditer(text) if (hit := _iban(m)) is not None]
    hits += [hit for hit in mine if not _in_digest(text, hit[0], hit[1])]


def _checked(kind: str, pattern: re.Pattern[str], is_one: Callable[[str], bool], text: str) -> list[Hit]:
    matches = list(pattern.finditer(text))
    spelt = {found: compact(found) for found in {match[0] for match in matches}}
    good = {found for found, number in spelt.items() if is_one(number)}
    return [(m.start(), m.end(), kind, spelt[m[0]]) for m in matches if m[0] in good]


def compact(number: str) -> str:
    """Letters and digits alone, in capitals."""
    return number.replace(" ", "").replace("-", "").upper()


def digits(text: str) -> str:
    """Its ASCII digits."""
    return "".join(_DIGITS.findall(text))


def phone(number: str) -> str:
    """A phone number's digits in one spelling: without the country's code where the number shows which it is."""
    found = digits(number)
    if found.startswith("00"):
        found = found[2:]
        number = f"+{found}"
    if len(found) == 13 and found.startswith("861"):
        return found[2:]
    return found[1:] if len(found) == 11 and number.startswith("+1") else found


def is_card(number: str) -> bool:
    """Whether digits are the number of a payment card: a known beginning, its length, and Luhn's check digit."""
    size = len(number)
    fits = {"4": (13, 16, 19), "5": (16,), "6": (16, 17, 18, 19)}.get(number[0], ())
    if number[:2] in ("34", "37"):
        fits = (15,)
    elif number[:2] in ("30", "36", "38", "39"):
        fits = (14,)
    elif number[:2] == "35" or "2221" <= number[:4] <= "2720":
        fits = (16,)
    elif number[:4] == "9558":
        fits = (19,)
    if size not in fits:
        return False
    doubled = [int(digit) * (1 + (i & 1)) for i, digit in enumerate(reversed(number))]
    return sum(n - 9 if n > 9 else n for n in doubled) % 10 == 0


def is_resident(number: str) -> bool:
    """Whether 18 characters are the number of a Chinese resident: GB 11643's check character."""
    return _CHECK[sum(int(n) * weight for n, weight in zip(number, _WEIGHTS, strict=False)) % 11] == number[17]


def _abroad(match: re.Match[str]) -> Hit | None:
    """An international number of 9 to 15 digits; what follows it after a blank may be another."""
    end = match.end()
    text = match.string
    while len(digits(text[match.start() : end]).lstrip("0")) > 15:
        cut = max(text.rfind(mark, match.start(), end) for mark in " .-")
        if cut < 0:
            return None
        end = cut
    found = phone(text[match.start() : end])
    return (match.start(), end, "phone", found) if len(found) >= 8 else None


def _iban(match: re.Match[str]) -> Hit | None:
    length = _IBAN_LENGTHS.get(match[0][:2])
    if length is None:
        return None
    end, left = match.start(), length
    while left and end < match.end():
        left -= match.string[end] != " "
        end += 1
    number = compact(match.string[match.start() : end])
    if left or int("".join(str(int(c, 36)) for c in number[4:] + number[:4])) % 97 != 1:
        return None
    return match.start(), end, "iban", number


def _in_digest(text: str, start: int, end: int) -> bool:
    """Whether the digits are part of a UUID or a checksum."""
    if end - start < 32 and _PART_OF_WORD.isdisjoint(text[max(0, start - 1) : start] + text[end : end + 1]):
        return False
    before = _WORD_AFTER.match(text[max(0, start - 80) : start][::-1])
    after = _WORD_AFTER.match(text, end)
    word = (before[0][::-1] if before else "") + text[start:end] + (after[0] if after else "")
    return _DIGEST.fullmatch(word) is not None
