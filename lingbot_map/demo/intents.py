"""What the assistant can be asked for: intents, what each needs, and the doors between them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """One thing a customer can want.

    ``required`` are the slots it can't be answered without, ``accepted`` those it takes when they are said.
    ``parent`` is the intent it is a part of. ``kind``: "task" does something, "question" tells something,
    "manners" needs neither slots nor documents. ``category`` is where its documents are
    kept ("": the account says it all).
    """

    name: str
    zh: str
    en: str
    kind: str = "task"
    parent: str = ""
    required: tuple[str, ...] = ()
    accepted: tuple[str, ...] = ()
    category: str = ""

    def label(self, lang: str) -> str:
        return self.zh if lang == "zh" else self.en


@dataclass(frozen=True, slots=True, kw_only=True)
class Door:
    """``target`` may be entered (from ``source``, or from anywhere if "") once slot ``needs`` has been looked up."""

    target: str
    needs: str
    source: str = ""


ALL: tuple[Intent, ...] = (
    Intent(name="greeting", zh="问候", en="Greeting", kind="manners"),
    Intent(name="thanks", zh="致谢告别", en="Thanks and goodbye", kind="manners"),
    Intent(name="unclear", zh="未识别", en="Not understood", kind="manners"),
    Intent(
        name="change_plan",
        zh="套餐变更",
        en="Change plan",
        required=("phone", "target_plan", "confirmed"),
        category="plan",
    ),
    Intent(
        name="compare_plan",
        zh="套餐对比",
        en="Compare plans",
        kind="question",
        parent="change_plan",
        category="plan",
    ),
    Intent(
        name="current_plan",
        zh="当前套餐",
        en="Current plan",
        kind="question",
        parent="change_plan",
        required=("phone",),
    ),
    Intent(
        name="promotion",
        zh="优惠活动",
        en="Offers",
        kind="question",
        category="promotion",
    ),
    Intent(
        name="data_dispute",
        zh="流量争议",
        en="Data dispute",
        required=("phone", "bill_month"),
        category="dispute",
    ),
    Intent(
        name="appeal",
        zh="申诉",
        en="Appeal",
        parent="data_dispute",
        required=("ticket_number",),
        category="dispute",
    ),
    Intent(
        name="ticket_query",
        zh="工单查询",
        en="Ticket status",
        kind="question",
        parent="data_dispute",
        required=("ticket_number",),
        category="dispute",
    ),
    Intent(
        name="data_usage",
        zh="流量查询",
        en="Data left",
        kind="question",
        required=("phone",),
        category="plan",
    ),
    Intent(
        name="bill_query",
        zh="话费查询",
        en="Bill",
        kind="question",
        required=("phone", "bill_month"),
        category="bill",
    ),
    Intent(
        name="bill_detail",
        zh="账单明细",
        en="Bill details",
        kind="question",
        parent="bill_query",
        required=("phone", "bill_month"),
        category="bill",
    ),
    Intent(name="top_up", zh="充值缴费", en="Top up", required=("phone", "amount"), category="bill"),
    Intent(name="invoice", zh="发票开具", en="Invoice", required=("phone", "email"), category="bill"),
    Intent(
        name="after_sale",
        zh="售后服务",
        en="After-sales service",
        required=("brand", "fault", "visit_time"),
        category="device",
    ),
    Intent(
        name="warranty",
        zh="保修政策",
        en="Warranty",
        kind="question",
        parent="after_sale",
        accepted=("brand",),
        category="device",
    ),
    Intent(
        name="price_query",
        zh="价格查询",
        en="Price",
        kind="question",
        required=("brand",),
        category="price",
    ),
    Intent(
        name="roaming",
        zh="国际漫游",
        en="Roaming",
        required=("phone", "destination", "start_date"),
        category="roaming",
    ),
    Intent(
        name="broadband_repair",
        zh="宽带报修",
        en="Broadband repair",
        required=("phone", "address", "visit_time"),
        category="broadband",
    ),
    Intent(
        name="broadband_new",
        zh="宽带新装",
        en="New broadband",
        required=("phone", "address", "visit_time"),
        category="broadband",
    ),
    Intent(
        name="number_porting",
        zh="携号转网",
        en="Number porting",
        required=("phone",),
        category="number",
    ),
    Intent(
        name="sim_loss",
        zh="挂失补卡",
        en="Lost SIM",
        required=("phone", "verify_code"),
        category="number",
    ),
    Intent(name="second_card", zh="副卡办理", en="Second SIM", required=("phone",), category="number"),
    Intent(
        name="cancel_service",
        zh="业务退订",
        en="Cancel a service",
        required=("phone", "service"),
        category="service",
    ),
    Intent(
        name="close_account",
        zh="销户",
        en="Close account",
        required=("phone", "verify_code"),
        category="number",
    ),
    Intent(
        name="network_fault",
        zh="信号故障",
        en="No signal",
        required=("area",),
        category="network",
    ),
    Intent(
        name="store_hours",
        zh="营业厅查询",
        en="Shops and hours",
        kind="question",
        required=("area",),
        category="service",
    ),
    Intent(name="complaint", zh="投诉建议", en="Complaint", category="service"),
    Intent(name="handoff", zh="转人工", en="Talk to a person", category="service"),
)

BY_NAME: dict[str, Intent] = {intent.name: intent for intent in ALL}

DOORS: tuple[Door, ...] = (
    # Both parts of a dispute work on a ticket; which ticket the customer has comes with the account.
    Door(target="appeal", needs="ticket_number"),
    Door(target="ticket_query", needs="ticket_number"),
    Door(target="close_account", needs="current_plan"),
)


def family(name: str) -> str:
    """The intent that ``name`` is a part of, or itself."""
    return BY_NAME[name].parent or name


def door_to(source: str, target: str) -> Door | None:
    """The door that a jump from ``source`` to ``target`` goes through, if there is one."""
    if source == target:
        return None
    return next((door for door in DOORS if door.target == target and door.source in ("", source)), None)
