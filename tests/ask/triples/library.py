"""A small graph of services, teams, people and books that the tests ask about."""

from __future__ import annotations

from lingbot_map.ask.bases.triples.graph import Graph, Node, Said, Value

_NODES: tuple[tuple[str, str, str, str, dict[str, Value]], ...] = (
    ("s1", "Service", "订单服务", "order-service", {"language": "Go", "sla": 99.9, "since": 2019}),
    ("s2", "Service", "支付服务", "payment-service", {"language": "Java", "sla": 99.95, "since": 2018}),
    ("s3", "Service", "库存服务", "stock-service", {"language": "Go", "sla": 99.5, "since": 2020}),
    ("s4", "Service", "通知服务", "notify-service", {"language": "Python", "sla": 99, "since": 2021}),
    ("t1", "Team", "交易组", "trade team", {"size": 8}),
    ("t2", "Team", "平台组", "platform team", {"size": 5}),
    ("p1", "Person", "何清", "", {"job": "工程师", "birth": "1990-05-01"}),
    ("p2", "Person", "许诺", "Xu Nuo", {"job": "经理", "birth": "1985-11-20"}),
    ("p3", "Person", "何清", "", {"job": "经理", "birth": "1979-03-03"}),
    ("b1", "Book", "静水集", "Still Water", {"pages": 320, "published": "2015-06-01", "tags": ("散文", "随笔")}),
    ("b2", "Book", "北方来客", "Guest from the North", {"pages": 210, "published": "2020-02-11", "tags": ("小说",)}),
    ("b3", "Book", "无名之书", "", {"pages": 90}),
)
_EDGES: tuple[tuple[str, str, str, dict[str, Value]], ...] = (
    ("s1", "DEPENDS_ON", "s2", {}),
    ("s1", "DEPENDS_ON", "s3", {}),
    ("s2", "DEPENDS_ON", "s4", {}),
    ("s3", "DEPENDS_ON", "s4", {}),
    ("s1", "OWNED_BY", "t1", {}),
    ("s2", "OWNED_BY", "t1", {}),
    ("s3", "OWNED_BY", "t2", {}),
    ("s4", "OWNED_BY", "t2", {}),
    ("p1", "MEMBER_OF", "t1", {"since": "2020-01-01"}),
    ("p2", "MEMBER_OF", "t1", {"since": "2016-01-01"}),
    ("p3", "MEMBER_OF", "t2", {"since": "2018-01-01"}),
    ("p1", "REPORTS_TO", "p2", {}),
    ("p3", "REPORTS_TO", "p2", {}),
    ("p2", "WROTE", "b1", {}),
    ("p3", "WROTE", "b2", {}),
    ("p1", "TRANSLATED", "b2", {}),
)
_SAYS = (
    Said("DEPENDS_ON", ("依赖", "depends on", "dependency"), "Service", "Service"),
    Said("OWNED_BY", ("负责", "归属", "所属团队", "owned by", "owner"), "Service", "Team"),
    Said("MEMBER_OF", ("成员", "所在团队", "member", "belongs to"), "Person", "Team"),
    Said("REPORTS_TO", ("上级", "汇报给", "经理", "reports to", "manager"), "Person", "Person"),
    Said("WROTE", ("写了", "作者", "wrote", "author"), "Person", "Book"),
    Said("TRANSLATED", ("翻译", "译者", "translated", "translator"), "Person", "Book"),
)


def library() -> Graph:
    """A new one each time, so that a test may change it."""
    graph = Graph()
    for id, kind, name, alias, props in _NODES:
        graph.add_node(Node(id, kind, name, (alias,) if alias else (), props, "nodes.tsv", id))
    for source, relation, target, of_edge in _EDGES:
        graph.add_edge(source, relation, target, of_edge, file="edges.tsv")
    for said in _SAYS:
        graph.say(said)
    return graph
