"""Secrets that are planted, how they look where they leaked, and what looks like one and is none.

Every value is made up; those with check digits have right ones. Spelt in pieces where a scanner would take alarm.
"""

from __future__ import annotations

from typing import Any

SECRETS: dict[str, dict[str, Any]] = {
    "password key": {"password": "hunter2-Correct-Horse"},
    "passwd key": {"user_passwd": "p4ss-w0rd-long"},
    "nested key": {"credentials": {"secret": "deep-nested-s3cret"}},
    "api key": {"text": "use sk-" + "proj-abcdEFGH1234ijklMNOP5678qrstUVWX please"},
    "aws key": {"text": "AKIA" + "IOSFODNN7EXAMPLE"},
    "github token": {"text": "ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"},
    "bearer": {"text": "Authorization: Bearer abc.def-ghi_jkl0123456789"},
    "jwt": {
        "text": "eyJhbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
    },
    "url password": {"text": "postgres://bot:Tr0ub4dor@db.internal/x"},
    "private key": {"text": "-----BEGIN " + "PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0B\n-----END PRIVATE KEY-----"},
    "cookie": {"cookie": "sessionid=0a1b2c3d4e5f60718293a4b5"},
    "email": {"text": "write to wang.xiaoming+test@example.com.cn"},
    "phone, China": {"text": "我的手机是13800138000，谢谢"},
    "phone, China, spaced": {"text": "138 0013 8000"},
    "phone, international": {"text": "+86 138-0013-8000"},
    "phone, US": {"text": "call (415) 555-0132"},
    "id card, China": {"text": "身份证 11010519491231002X"},
    "id number, US": {"text": "my SSN is 078-05-1120"},
    "card": {"text": "4111 1111 1111 1111"},
    "card, no spaces": {"text": "5555555555554444"},
    "iban": {"text": "DE89 3704 0044 0532 0130 00"},
    "full-width digits": {"text": "\uff11\uff13\uff18\uff10\uff10\uff11\uff13\uff18\uff10\uff10\uff10"},
    "zero-width inside": {"text": "138\u200b0013\u200b8000"},
    "in a key": {"13800138001": 1},
    "in JSON text": {"text": '{"phone": "13800138002", "password": "in-json-pass"}'},
    "in a list": {"list": ["x", "13800138003"]},
    "in an exception": {"error": "ValueError: bad phone 13800138004"},
}
"""What is told under which names."""

NEEDLES = (
    "hunter2-Correct-Horse",
    "p4ss-w0rd-long",
    "deep-nested-s3cret",
    "sk-" + "proj-abcdEFGH1234",
    "AKIA" + "IOSFODNN7EXAMPLE",
    "ghp_" + "abcdefghijklmnop",
    "abc.def-ghi_jkl0123456789",
    "eyJzdWIiOiIxMjM0NTY3ODkwIn0",
    "Tr0ub4dor",
    "MIIEvQIBADANBgkqhkiG9w0B",
    "0a1b2c3d4e5f60718293a4b5",
    "wang.xiaoming+test@example",
    "13800138000",
    "138 0013 8000",
    "138-0013-8000",
    "555-0132",
    "11010519491231002X",
    "078-05-1120",
    "4111 1111 1111 1111",
    "5555555555554444",
    "3704 0044 0532",
    "\uff11\uff13\uff18\uff10\uff10",
    "138\u200b0013",
    "13800138001",
    "13800138002",
    "in-json-pass",
    "13800138003",
    "13800138004",
)
"""What must be nowhere."""

HARMLESS = (
    "order 202403151234567",
    "change_plan",
    "confidence 0.9312345678",
    "2024-03-15T12:34:56.789Z",
    "550e8400-e29b-41d4-a716-446655440000",
    "doc:plan_b_2024",
    "token_count=4096",
    "v1.13.8001",
    "password_reset_intent",
    "套餐B能叠加优惠吗",
)
"""What must be there as it was: masking that eats these makes the map useless."""
