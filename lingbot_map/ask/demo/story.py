"""What is asked in the demo: for each language its documents, its diagram and its graph, in this order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

SHOP = Path(__file__).with_name("shop")
"""The tea shop: what it wrote down, how an order goes, what it sells. All of it is made up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """A dialogue with one base: ``kind`` and ``path`` say which, ``name`` what ``--chat`` calls it."""

    lang: str
    name: str
    kind: str
    path: str
    title: str
    questions: tuple[str, ...]

    @property
    def place(self) -> Path:
        """Where the base lies."""
        return SHOP / self.lang / self.path


TOPICS: tuple[Topic, ...] = (
    Topic(
        lang="zh",
        name="graph",
        kind="graph",
        path="graph",
        title="问商品图谱：同名的青禾",
        questions=(
            "青禾供应哪些商品？",
            "青禾放在哪个仓库？",  # another 青禾: the question's relation settles which
            "山月茶园供应哪些评分超过9分的绿茶？",
            "评分最高的那个？",
            "它放在哪个仓库？",
            "老枞红茶搭配什么？",
            "回到刚才那个，价格是多少？",
            "青禾的老板是谁？",  # the graph doesn't hold it
        ),
    ),
    Topic(
        lang="zh",
        name="docs",
        kind="recall",
        path="docs",
        title="问店铺文档：退货期限答错了吗",
        questions=(
            "云雾茶用多少度的水冲泡？",
            "满多少元包邮？",
            "退货要在几天内？",  # looks wrong to who knows the members' 15 days: the map shows them third, not cited
            "会员签收后多少天内都能退？",
            "积分的有效期是多久？",
            "门店有停车位吗？",  # nothing says so
        ),
    ),
    Topic(
        lang="zh",
        name="diagram",
        kind="diagram",
        path="order.puml",
        title="问下单流程图",
        questions=(
            "库存不足时系统会做什么？",
            "调用 pay 之前必须先 lockStock 吗？",
            "谁会调用库存服务？",
            "它会调用谁？",
            "如果支付失败，完整调用链会怎么走？",
            "退款失败怎么办？",
        ),
    ),
    Topic(
        lang="en",
        name="graph",
        kind="graph",
        path="graph",
        title="Asking the graph: two Greenfields",
        questions=(
            "Which products does Greenfield supply?",
            "Where is Greenfield stored?",
            "Which products rated above 9 does Moonridge supply?",
            "Which one has the highest rating?",
            "Where is it stored?",
            "What goes with Old Grove?",
            "Back to the other one, what is its price?",
            "Who owns Greenfield?",
        ),
    ),
    Topic(
        lang="en",
        name="docs",
        kind="recall",
        path="docs",
        title="Asking the documents: 7 days or 15?",
        questions=(
            "How many degrees has the water for Cloud Mist?",
            "From how many euros on is delivery free?",
            "Within how many days can tea be returned?",
            "Within how many days can members return opened tea?",
            "How long are points valid?",
            "Is there a car park at the shop?",
        ),
    ),
    Topic(
        lang="en",
        name="diagram",
        kind="diagram",
        path="order.puml",
        title="Asking the order diagram",
        questions=(
            "What happens when an item is out of stock?",
            "Must lockStock come before pay?",
            "Who calls StockService?",
            "What does it send?",
            "What is the whole chain of calls if the payment failed?",
            "What happens if the refund fails?",
        ),
    ),
)
NAMES = tuple(dict.fromkeys(topic.name for topic in TOPICS))
LANGUAGES = ("zh", "en")


def topics(lang: str) -> list[Topic]:
    """All dialogues, those in ``lang`` first."""
    return sorted(TOPICS, key=lambda topic: topic.lang != lang)
