"""Which names stand for something that nobody else is to see: ``user_passwd``, ``X-Api-Key``, ``手机号``.

A name is judged by its last words, so ``access_token`` is a token and ``token_count``, ``password_reset_intent`` and
``phone_model`` are not.
"""

from __future__ import annotations

import re
from functools import lru_cache

SECRETS = frozenset(("password", "token", "code", "secret", "cookie", "key"))
"""Kinds of which nothing is shown, whatever the value looks like. The others are shown as pseudonyms."""

_WORDS = {
    "password": "password passwd pwd passphrase passcode passwort",
    "token": "token jwt authorization bearer",
    "code": "pin cvv cvc otp totp captcha verify_code verification_code security_code sms_code auth_code pin_code",
    "secret": "secret secrets credential credentials creds",
    "cookie": "cookie cookies set_cookie session_cookie",
    "key": "api_key apikey private_key privatekey secret_key secretkey access_key accesskey encryption_key signing_key",
    "phone": "phone phones mobile mobiles telephone cellphone tel msisdn phone_number mobile_number mobile_phone",
    "email": "email emails e_mail mail_address email_address",
    "id": "ssn id_card idcard identity_card identity_number national_id social_security passport citizen_id",
    "card": "credit_card debit_card bank_card bankcard creditcard card_number cardnumber pan bank_account",
    "iban": "iban",
}
_KINDS = {tuple(words.split("_")): kind for kind, names in _WORDS.items() for words in names.split()}
_LONGEST = max(map(len, _KINDS))

_CHINESE = {
    "password": "密码 口令 暗号",
    "token": "令牌",
    "code": "验证码 校验码 动态码 安全码",
    "secret": "凭证 密保答案",
    "key": "密钥 私钥",
    "phone": "手机 手机号 手机号码 电话 电话号码 联系电话",
    "email": "邮箱 邮箱地址 电子邮件 电子邮箱",
    "id": "身份证 身份证号 身份证号码 证件号 证件号码 护照 护照号 护照号码",
    "card": "银行卡 银行卡号 信用卡 信用卡号 卡号",
}
_ENDINGS = [(ending, kind) for kind, names in _CHINESE.items() for ending in names.split()]

_NEUTRAL = frozenset(
    ("value", "text", "str", "string", "plain", "raw", "hash", "hashed", "confirm", "confirmation", "again", "number",
     "numbers", "no", "num", "new", "old", "current", "header")
)  # fmt: skip
_SENTENCE = frozenset("?!,;？！，；。")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\x00-\x7f]+")


@lru_cache(4096)
def kind_of(name: str) -> str:
    """What a key, slot or parameter of this name holds: "password", "phone" ...; "" if the name says nothing."""
    if not name.isascii():
        for ending, kind in _ENDINGS:
            if name.endswith(ending):
                return kind
    if not _SENTENCE.isdisjoint(name):
        return ""
    words = [word.lower() for word in _PARTS.findall(name[-64:])]
    while words:
        for count in range(min(_LONGEST, len(words)), 0, -1):
            kind = _KINDS.get(tuple(words[-count:]), "")
            if kind:
                return kind
        if words[-1] not in _NEUTRAL:
            return ""
        words.pop()
    return ""
