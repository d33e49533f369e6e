"""A diagram, a graph and documents that are asked in tests of the API and of the page, and the lines of an answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.live.server import Client

DIAGRAM = """@startuml
participant Shop
participant Stock
participant "Payment service" as Pay
Shop -> Stock: reserveItem(sku)
Stock --> Shop: reserved
Shop -> Pay: charge(amount)
loop at most 3 times
  alt payment times out
    Shop -> Pay: retryCharge(amount)
  else payment fails
    Shop -> Stock: releaseItem(sku)
  end
end
Shop -> Shop: confirmOrder()
@enduml
"""
"""m4 retryCharge stands on line 10, in a loop and its first branch."""

BROKEN = "@startuml\nA -> B: call()\nalt it fails\nB --> A: no\n@enduml\n"
"""The alt of line 3 is never closed."""

NODES = """id\tkind\tname\taliases\tprops
p1\tPerson\t林岚\tLin Lan\tborn=1971
p2\tPerson\t周宁\t\tborn=1980
p3\tPerson\t赵牧\t\tborn=1966
p4\tPerson\t赵牧\t\tborn=1990
f1\tFilm\t星河彼岸\tStarshore\tyear=2019;rating=9.3
f2\tFilm\t长夜列车\t\tyear=2021;rating=8.1
"""
EDGES = """source\trelation\ttarget\tprops
p1\tDIRECTED\tf1\tyear=2019
p3\tDIRECTED\tf2\tyear=2021
p4\tACTED_IN\tf1\trole=船长
p2\tACTED_IN\tf2\trole=列车员
"""
RELATIONS = """relation\tsays\tfrom\tto\tboth_ways
DIRECTED\t执导|导演|directed|director\tPerson\tFilm\tno
ACTED_IN\t主演|演员|acted|starring\tPerson\tFilm\tno
"""

DOCS = {
    "gateway.md": "# Gateway\n\nThe gateway runs the compatibility layer. It listens on port 8443.\n\n"
    "## Limits\n\nThe gateway refuses bodies above 2 MiB. Each client may send 50 requests a second.\n",
    "roadmap.md": "# Roadmap\n\nThe compatibility layer is switched off in release 2.8.\n\nIt is due in March.\n",
    "退款规则.md": "# 退款规则\n\n退款在三个工作日内到账。超过一万元的退款需要主管审批。\n",
}


def folders(at: Path) -> tuple[Path, Path, Path]:
    """The diagram's file, the graph's folder and that of the documents, written below ``at``."""
    diagram, graph, docs = at / "order.puml", at / "films", at / "wiki"
    graph.mkdir(parents=True)
    docs.mkdir()
    diagram.write_text(DIAGRAM)
    for name, text in (("nodes.tsv", NODES), ("edges.tsv", EDGES), ("relations.tsv", RELATIONS)):
        (graph / name).write_text(text)
    for name, text in DOCS.items():
        (docs / name).write_text(text)
    return diagram, graph, docs


def lines(client: Client, **said: Any) -> list[dict[str, Any]]:
    """The lines that answer a question; the request must be taken."""
    body = json.dumps(said).encode()
    status, text, _ = client.ask("POST", "/api/ask", body, {"content-type": "application/json"})
    assert status == 200, text
    return [json.loads(line) for line in text.splitlines()]


def answer(client: Client, **said: Any) -> Any:
    """The answer alone."""
    return next(line["answer"] for line in lines(client, **said) if "answer" in line)
