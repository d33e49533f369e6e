"""What the assistant must know to act: the slots, how far each carries, and how their values are read out of a text."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from lingbot_map.demo.text import LONGEST, normal


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotKind:
    """One slot. ``scope`` "session" holds for the whole dialogue, "task" for the task it was said for."""

    name: str
    zh: str
    en: str
    scope: str
    ask_zh: str = ""
    ask_en: str = ""

    def label(self, lang: str) -> str:
        return self.zh if lang == "zh" else self.en

    def ask(self, lang: str) -> str:
        return self.ask_zh if lang == "zh" else self.ask_en


SLOTS: dict[str, SlotKind] = {
    kind.name: kind
    for kind in (
        SlotKind(
            name="phone",
            zh="手机号",
            en="Phone number",
            scope="session",
            ask_zh="请告诉我要办理的手机号。",
            ask_en="Which phone number is it for?",
        ),
        SlotKind(name="current_plan", zh="当前套餐", en="Current plan", scope="session"),
        SlotKind(
            name="ticket_number",
            zh="工单号",
            en="Ticket number",
            scope="session",
            ask_zh="请提供工单号。",
            ask_en="Please give me the ticket number.",
        ),
        SlotKind(
            name="target_plan",
            zh="目标套餐",
            en="New plan",
            scope="task",
            ask_zh="请问想换成哪一档：畅享59、畅享89、畅享129，还是青春19？",
            ask_en="Which plan would you like: Enjoy 59, Enjoy 89, Enjoy 129 or Youth 19?",
        ),
        SlotKind(
            name="confirmed",
            zh="已确认",
            en="Confirmed",
            scope="task",
            ask_zh="下个账期生效，确认办理吗？",
            ask_en="It starts with the next bill. Shall I go ahead?",
        ),
        SlotKind(
            name="bill_month",
            zh="账期",
            en="Billing month",
            scope="task",
            ask_zh="请问是哪个月的账单？",
            ask_en="Which month is it about?",
        ),
        SlotKind(
            name="amount",
            zh="金额",
            en="Amount",
            scope="task",
            ask_zh="请问要充多少元？",
            ask_en="How much would you like to add?",
        ),
        SlotKind(
            name="email",
            zh="邮箱",
            en="E-mail",
            scope="session",
            ask_zh="发票发到哪个邮箱？",
            ask_en="Which e-mail address should it go to?",
        ),
        SlotKind(
            name="brand",
            zh="产品线",
            en="Product line",
            scope="task",
            ask_zh="请问是哪个产品线：星舟、轻语还是云屋？",
            ask_en="Which product line is it: Starboat, Whisper or Cloudhouse?",
        ),
        SlotKind(
            name="fault",
            zh="故障现象",
            en="Fault",
            scope="task",
            ask_zh="请描述一下故障，比如黑屏、死机、不能开机。",
            ask_en="What is wrong with it, for example a black screen, freezing, not starting?",
        ),
        SlotKind(
            name="visit_time",
            zh="上门时间",
            en="Visit",
            scope="task",
            ask_zh="什么时候上门方便？",
            ask_en="When may our engineer come?",
        ),
        SlotKind(
            name="address",
            zh="地址",
            en="Address",
            scope="session",
            ask_zh="请告诉我地址，比如望江小区3栋502。",
            ask_en="What is the address, for example 12 River Lane?",
        ),
        SlotKind(
            name="destination",
            zh="目的地",
            en="Destination",
            scope="task",
            ask_zh="请问去哪个国家或地区？",
            ask_en="Which country are you going to?",
        ),
        SlotKind(
            name="start_date",
            zh="生效日期",
            en="From",
            scope="task",
            ask_zh="从哪天开始生效？",
            ask_en="From which day?",
        ),
        SlotKind(
            name="verify_code",
            zh="验证码",
            en="Code",
            scope="task",
            ask_zh="已发送短信验证码，请报一下六位数字。",
            ask_en="I have sent a code by text message. What are the six digits?",
        ),
        SlotKind(
            name="service",
            zh="业务名称",
            en="Service",
            scope="task",
            ask_zh="请问退订哪一项：彩铃、来电显示、视频会员还是阅读包？",
            ask_en="Which one shall I cancel: ringback tone, caller ID, video pass or reading pass?",
        ),
        SlotKind(
            name="area",
            zh="区域",
            en="Area",
            scope="session",
            ask_zh="请问您在哪个片区：城东、城西、城南、城北还是高新区？",
            ask_en="Which part of town are you in: east side, west side, old town or tech park?",
        ),
    )
}

PLANS_ZH = {"19": "青春19", "59": "畅享59", "89": "畅享89", "129": "畅享129"}
PLANS_EN = {"19": "Youth 19", "59": "Enjoy 59", "89": "Enjoy 89", "129": "Enjoy 129"}

_DAY_ZH = r"(?:今天|明天|后天|(?:这|下)?(?:周|星期)[一二三四五六日天]|\d{1,2}月\d{1,2}[日号])"
_DAY_EN = r"(?:today|tomorrow|(?:next |on )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|next week)"
_PLACES_ZH = "日本|泰国|新加坡|韩国|法国|德国|英国|美国|意大利|马来西亚|澳大利亚|加拿大|越南|西班牙"
_PLACES_EN = "japan|thailand|singapore|korea|france|germany|italy|malaysia|australia|canada|vietnam|spain"
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"

_Reader = Callable[[re.Match[str]], str]


def _whole(match: re.Match[str]) -> str:
    return match[0].strip()


def _first(match: re.Match[str]) -> str:
    return match[1].strip()


def _titled(match: re.Match[str]) -> str:
    return match[0].strip().title()


def _digits(match: re.Match[str]) -> str:
    return " ".join(part for part in (match[1], match[2], match[3]))


_ZH: tuple[tuple[str, re.Pattern[str], _Reader], ...] = (
    ("ticket_number", re.compile(r"\bt\d{2}-\d{4}\b"), lambda found: found[0].upper()),
    (
        "target_plan",
        re.compile(
            r"(?:(?:畅享|青春|套餐|p)\s?(19|59|89|129)(?!\d)|(?<!\d)(19|59|89|129)\s?(?:元|块)?的?(?:那|这)?(?:套餐|档|的))"
        ),
        lambda found: PLANS_ZH[found[1] or found[2]],
    ),
    ("bill_month", re.compile(r"(?<!\d)(1[0-2]|[1-9])月(?:份)?(?!\d)"), lambda found: f"{found[1]}月"),
    (
        "bill_month",
        re.compile(r"(?<!比)上个?月|本月|这个月|当月"),
        lambda found: "上月" if found[0][0] == "上" else "本月",
    ),
    (
        "amount",
        re.compile(r"(?:充|交|缴)\D{0,4}?(\d{1,4})|(?<!\d)(\d{1,4})\s?(?:元|块)"),
        lambda found: f"{found[1] or found[2]}元",
    ),
    ("brand", re.compile(r"(?<!不是)(星舟|轻语|云屋)"), _first),
    ("fault", re.compile(r"黑屏|花屏|没有?声音|开不了机|不能开机|死机|重启|遥控没反应|屏幕?花|掉线"), _whole),
    ("visit_time", re.compile(_DAY_ZH + r"(?:上午|下午|晚上|中午|早上)?(?:\d{1,2}点)?"), _whole),
    (
        "address",
        re.compile(r"(?:[\u4e00-\u9fff]{2,8}?)(?:小区|花园|家园|路|街|巷|里)\d{1,4}(?:号|栋|幢)(?:\d{1,4}(?:室|号)?)?"),
        _whole,
    ),
    ("destination", re.compile(_PLACES_ZH), _whole),
    ("start_date", re.compile(_DAY_ZH), _whole),
    ("verify_code", re.compile(r"(?<!\d)(\d{6})(?!\d)"), _first),
    ("service", re.compile(r"彩铃|来电显示|视频会员|阅读包|游戏加速"), _whole),
    ("area", re.compile(r"城东|城西|城南|城北|高新区|老城"), _whole),
)
_EN: tuple[tuple[str, re.Pattern[str], _Reader], ...] = (
    ("ticket_number", re.compile(r"\bt\d{2}-\d{4}\b"), lambda found: found[0].upper()),
    (
        "target_plan",
        re.compile(r"(?:enjoy|youth|plan|the)\s(19|59|89|129)\b|\b(19|59|89|129)\s(?:plan|one|tariff)"),
        lambda found: PLANS_EN[found[1] or found[2]],
    ),
    ("bill_month", re.compile(rf"\b({_MONTHS})\b"), lambda found: found[1].title()),
    ("bill_month", re.compile(r"(?<!than )(last|this) month"), _whole),
    (
        "amount",
        re.compile(r"(?:top up|add|put|pay|recharge)\D{0,8}?(\d{1,4})\b|\b(\d{1,4})\s(?:yuan|credit)"),
        lambda found: found[1] or found[2],
    ),
    ("brand", re.compile(r"(?<!not )\b(starboat|whisper|cloudhouse)\b"), _titled),
    (
        "fault",
        re.compile(r"black screen|black again|no sound|won't turn on|not starting|freez\w+|restarts|cracked|remote"),
        _whole,
    ),
    ("visit_time", re.compile(_DAY_EN + r"(?: (?:morning|afternoon|evening))?"), _whole),
    ("address", re.compile(r"\b\d{1,4} [a-z]{3,14} (?:street|road|lane|avenue|close|park)\b"), _titled),
    ("destination", re.compile(rf"\b(?:{_PLACES_EN})\b"), _titled),
    ("start_date", re.compile(_DAY_EN), _whole),
    ("verify_code", re.compile(r"(?<!\d)(\d{6})(?!\d)"), _first),
    ("service", re.compile(r"ringback tone|caller id|video pass|reading pass"), _whole),
    ("area", re.compile(r"east side|west side|old town|tech park"), _whole),
)
_PHONE = re.compile(r"(?<!\d)(1\d{2})[ -]?(\d{4})[ -]?(\d{4})(?!\d)")
_EMAIL = re.compile(r"\b[a-z0-9._+-]{1,40}@[a-z0-9-]{1,40}(?:\.[a-z]{2,10}){1,2}\b")
_YES = re.compile(
    r"^(?:好的?|是的?|确认|可以|办吧|没问题|对)|确认办理|\b(?:yes|ok(?:ay)?|sure|go ahead|confirm(?:ed)?)\b"
)
_NO_TICKET = re.compile(
    r"(?:没有?|不知道|哪来的?|哪有)\S{0,4}(?:工单号?|号)|工单号?\S{0,3}(?:没有|不知道|哪有)"
    r"|(?:no|don't have a|without a) ticket"
)
_BARE_PLAN = re.compile(r"(?<!\d)(19|59|89|129)(?!\d)")
_BARE_AMOUNT = re.compile(r"(?<!\d)(\d{1,4})(?!\d)")


def extract(text: str, lang: str, asked: str = "") -> dict[str, str | None]:
    """The slot values in ``text``; ``None`` where it says there is none.

    What was ``asked`` for may be answered in short ("129").
    """
    flat = normal(text[:LONGEST])
    found: dict[str, str | None] = {}
    if phone := _PHONE.search(flat):
        found["phone"] = _digits(phone)
        flat = flat[: phone.start()] + " " + flat[phone.end() :]
    if email := _EMAIL.search(flat):
        found["email"] = email[0]
    for name, pattern, read in _ZH if lang == "zh" else _EN:
        if name not in found and (match := pattern.search(flat)):
            found[name] = read(match)
    if "ticket_number" not in found and _NO_TICKET.search(flat):
        found["ticket_number"] = None
    if asked == "confirmed" and _YES.search(flat):
        found["confirmed"] = "是" if lang == "zh" else "yes"
    if asked == "target_plan" and asked not in found and (bare := _BARE_PLAN.search(flat)):
        found[asked] = (PLANS_ZH if lang == "zh" else PLANS_EN)[bare[1]]
    if asked == "amount" and asked not in found and (bare := _BARE_AMOUNT.search(flat)):
        found[asked] = f"{bare[1]}元" if lang == "zh" else bare[1]
    return found
