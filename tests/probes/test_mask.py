"""What is masked and what is not: planted secrets, look-alikes, spellings, and time that stays linear."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from lingbot_probes.finding import found
from lingbot_probes.mask import Mask
from lingbot_probes.sensitive import kind_of
from tests.growth import grows_within
from tests.torture.planted import HARMLESS, NEEDLES, SECRETS

KEY = "0f" * 32


def masked(signal: dict[str, Any], *rules: Any) -> dict[str, Any]:
    """The event of ``signal`` as it leaves."""
    mask = Mask(rules)
    mask.take_key(KEY)
    event: dict[str, Any] = {"session": "s", "n": 1, "signal": signal}
    mask.event(event)
    return event


def raw(data: Any) -> Any:
    return masked({"kind": "raw", "name": "x", "data": data})["signal"]["data"]


def spoken(text: str) -> str:
    said: str = masked({"kind": "answered", "text": text})["signal"]["text"]
    return said


@pytest.mark.parametrize("name", SECRETS)
def test_a_planted_secret_leaves_nowhere(name: str) -> None:
    props = SECRETS[name]
    events = [masked({"kind": "raw", "name": "x", "data": props})]
    events += [masked({"kind": "slot_assigned", "slot": slot, "value": value}) for slot, value in props.items()]
    if "text" in props:
        events.append(masked({"kind": "turn_started", "turn": "t", "utterance": props["text"]}))
        events.append(masked({"kind": "failed", "where": "x", "error": f"KeyError: {props['text']!r}"}))
    for event in events:
        assert event["masked"] == 1 + (name == "in JSON text"), event
        left = json.dumps(event, ensure_ascii=False)
        assert [needle for needle in NEEDLES if needle in left] == []


@pytest.mark.parametrize(
    "text",
    [
        *HARMLESS,
        "the password is required and must have 8 characters",
        "forgot my password?",
        "密码是什么",
        "Token: a unit of text",
        "max_tokens=4096, n_keys: 12",
        "17 18 19 20 21 22 23",
        "0.4111111111111111",
        "4111 1111 1111 1112",
        "110105194912310021",
        "1700000000000",
        "GMT+0800",
        "git@github.com:someone/project.git",
        "sha256 13800138000aaaaaaaaaaaaaaaaaaaaaaaaaaaaa13800138000bbbb00cc00",
        "sk-learn-and-other-long-words-without-any",
        "10.0.13.80:8080",
        "138····6621",
        "138****0000",
        "react@18.2.0",
        "DE88 3704 0044 0532 0130 00",
        "Basic information",
    ],
)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    event = masked({"kind": "answered", "text": text})
    assert event["signal"]["text"] == text
    assert "masked" not in event
    assert raw({"text": text, text: 1}) == {"text": text, text: 1}


@pytest.mark.parametrize(
    "text",
    [
        "13800138000",
        "138 0013 8000",
        "138-0013-8000",
        "138.0013.8000",
        "+86 138 0013 8000",
        "0086-13800138000",
        "8613800138000",
        "1 3 8 0 0 1 3 8 0 0 0",
        "１３８００１３８０００",
        "138\u200b0013\u200b8000",
        "138\u20110013\u20118000",
        "١٣٨٠٠١٣٨٠٠٠",
    ],
)
def test_one_phone_has_one_pseudonym_however_it_is_written(text: str) -> None:
    pseudonym = spoken("13800138000")
    assert pseudonym.startswith("[phone:")
    assert spoken(text) == pseudonym
    assert spoken(f"我的手机{text}，谢谢") == f"我的手机{pseudonym}，谢谢"
    assert masked({"kind": "slot_assigned", "slot": "phone", "value": text})["signal"]["value"] == pseudonym
    assert spoken("13800138001") != pseudonym


@pytest.mark.parametrize("before", ["", "86", "86 ", "+86", "+86-", "0086", "0086 "])
@pytest.mark.parametrize(
    "spelt",
    ["13800138000", "138 0013 8000", "138 00138000", "138-0013-8000", "1380013 8000", "1380 013 8000", "138 001 38000",
     "1 3 8 0 0 1 3 8 0 0 0"],
)  # fmt: skip
def test_a_phone_is_found_alone_in_all_its_groups(before: str, spelt: str) -> None:
    """Each is searched for only in texts with groups of digits of its lengths: none may be forgotten there."""
    assert spoken(f"tel: {before}{spelt}.") == f"tel: {spoken('13800138000')}."


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("11010519491231002X", "id"), ("110105194912310021"[:17] + "X", "id"), ("110105 19491231 002X", "id"),
        ("110105-19491231-002x", "id"), ("078-05-1120", "id"), ("4222222222222", "card"), ("4111111111111111", "card"),
        ("4111 1111 1111 1111", "card"), ("378282246310005", "card"), ("3782 822463 10005", "card"),
        ("30569309025904", "card"), ("6304000000000000000", "card"), ("(415) 555-0132", "phone"),
        ("(415)555 0132", "phone"), ("415-555-0132", "phone"), ("1 415.555.0132", "phone"),
        ("+44 20 7946 0958", "phone"), ("0044 20 7946 0958", "phone"), ("DE89370400440532013000", "iban"),
        ("DE89 3704 0044 0532 0130 00", "iban"), ("NO93 8601 1117 947", "iban"),
    ],
)  # fmt: skip
def test_a_number_is_found_alone_however_it_is_grouped(text: str, kind: str) -> None:
    assert spoken(f"it is {text}.").startswith(f"it is [{kind}:")
    assert spoken(f"it is {text}.").endswith("].")


@pytest.mark.parametrize("text", ["İ PASSWORD is Hunter2", "İİ 密码是 Hunter2", "My Pin Is 4071 İ"])
def test_a_letter_that_grows_when_it_is_small_moves_nothing(text: str) -> None:
    value = "4071" if "4071" in text else "Hunter2"
    assert spoken(text) == text.replace(value, "[password]")


def test_other_kinds_have_one_spelling_too() -> None:
    assert spoken("(415) 555-0132") == spoken("+1 415 555 0132") == spoken("415-555-0132")
    assert spoken("4111 1111 1111 1111") == spoken("4111-1111-1111-1111") == spoken("4111111111111111")
    assert spoken("11010519491231002x") == spoken("110105 19491231 002X")
    assert spoken("Anna@Example.com") == spoken("anna@example.com")
    assert raw({"手机号": 13800138000}) == {"手机号": spoken("13800138000")}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("postgres://bot:pw@host/x", "postgres://bot:[password]@host/x"),
        ("?user=anna&password=hunter2&x=1", "?user=anna&password=[password]&x=1"),
        ("{'api_key': 'abc', 'n': 1}", "{'api_key': '[key]', 'n': 1}"),
        ('log: {"token": "a\\"b c", "n": 1}', 'log: {"token": "[token]", "n": 1}'),
        ('{\\"password\\": \\"x y\\"}', '{\\"password\\": \\"[password]\\"}'),
        ("Cookie: a=1; b=2\nHost: x", "Cookie: [cookie]\nHost: x"),
        ("my password is Hunter2 ok", "my password is [password] ok"),
        ("密码：abc 谢谢", "密码：[password] 谢谢"),
        ("验证码是407112，请勿泄露", "验证码是[password]，请勿泄露"),
        ("login --password hunter2 now", "login --password [password] now"),
        ("password=[password] again", "password=[password] again"),
        ("password: null", "password: null"),
    ],
)
def test_an_assignment_in_a_text_loses_its_value_alone(text: str, left: str) -> None:
    assert spoken(text) == left


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("password", "password"), ("user_passwd", "password"), ("newPassword2", "password"),
        ("pwd_confirm", "password"),
        ("accessToken", "token"), ("X-Api-Key", "key"), ("client_secret", "secret"), ("Set-Cookie", "cookie"),
        ("phone_number", "phone"), ("支付密码", "password"), ("联系电话", "phone"), ("idCard", "id"), ("cvv2", "code"),
        ("token_count", ""), ("password_reset_intent", ""), ("phone_model", ""), ("max_tokens", ""), ("key", ""),
        ("密码错误次数", ""), ("", ""), ("compass", ""),
    ],
)  # fmt: skip
def test_a_name_is_judged_by_its_last_words(name: str, kind: str) -> None:
    assert kind_of(name) == kind


def test_structure_numbers_and_what_is_not_there_stay_as_they_are() -> None:
    value = {"password": None, "token": "", "pin": True, "n": 12, "score": 0.5, "list": [1, None, "x"]}
    assert raw(value) == value
    docs = [{"id": "d", "score": 0.87, "updated_at": 13800138000.0, "rank": 1, "near": [["e", 0.5]]}]
    signal = {"kind": "retrieved", "query": "plan", "stage": "vector", "docs": docs, "params": {"top_k": 5}}
    assert masked(dict(signal))["signal"] == signal


def test_keys_that_become_alike_are_kept_apart() -> None:
    pseudonym = spoken("13800138000")
    assert raw({"13800138000": 1, "138 0013 8000": 2}) == {pseudonym: 1, f"{pseudonym} (2)": 2}


def test_of_a_password_not_even_a_hash_is_shown() -> None:
    assert raw({"password": "a"}) == raw({"password": "b"}) == {"password": "[password]"}


def test_a_number_that_was_cut_is_masked_as_one() -> None:
    assert spoken("card 4111 1111 11…") == "card [number]…"
    assert spoken("see page 12…") == "see page 12…"


def test_json_in_json_in_json_is_looked_into() -> None:
    text = json.dumps({"a": json.dumps([{"secret": ["x"], "n": 1}])})
    assert json.loads(json.loads(spoken(text))["a"]) == [{"secret": "[secret]", "n": 1}]
    deep = "[" * 100_000
    assert spoken(deep[:4000]) == deep[:4000]


def test_what_a_repr_or_json_has_escaped_is_seen() -> None:
    text = repr(KeyError("手机 138\u200b0013\u200b8000 \uff11"))
    assert "\\u200b" in text
    assert "0013" not in spoken(text)
    assert spoken(text).startswith("KeyError('手机 [phone:")
    assert "8000" not in spoken("log: " + json.dumps({"手机": "１３８00138000"}))


def test_places_are_those_of_the_text_as_it_was() -> None:
    text = "a\u200bb 138\u200b00138000 \ufeffc"
    ((start, end, kind, value),) = found(text)
    assert (text[start:end], kind, value) == ("138\u200b00138000", "phone", "13800138000")


PIECES = (
    "a", "1", " ", "(", '\\"', "-", "a@", "a@a.", "2024-", "key=", "password ", "token: ", "://", "://a:b", "1 ",
    "4111 ", "+1", "00", "[", "{", "eyJ", "sk-a", "bearer ", "-----BEGIN PRIVATE KEY-----", "密码", "１", "138\u200b",
    "AB12", "110105", "\u0130",
)  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_eight_times_the_text_never_takes_sixty_times_the_work(piece: str) -> None:
    """Processor time, and far from any bar: what fails here takes quadratic time or worse."""

    def work(size: int) -> Callable[[], object]:
        text = (piece * size)[:size]
        return lambda: found(text)

    assert grows_within(30, work(10_000), work(80_000), beside=0.06)
