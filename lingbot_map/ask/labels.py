"""What the kinds of questions, and of things that they name, are called where people read them: short, zh and en."""

from __future__ import annotations

import re

from lingbot_map.ask.types import Lang

SEARCH = "search"
"""The kind of a question that no operator answers, where it is drawn."""
ABSTAINED = "abstained"
"""What is drawn where nothing answers a question."""

_WORDS = """
search 查找|search  abstained 不作答|no answer

value 取值|value  writer 谁写的|who wrote  overwrites 覆盖|overwrites  readers 谁读的|who read  slots 变量|slots
clears 清空|clears  lacks 缺少|lacks  leaks 泄漏|leaks  writes_of_an_intent 意图的写入|writes of an intent
turn 轮次|turn  no_such_turn 没有这一轮|no such turn  no_such_name 没有这个名称|no such name
difference 两轮之差|difference  said 说过|said  findings 异常|findings  length 轮数|length  overview 概览|overview
retrieving 召回轮次|retrieving turns  jumps 跳转|jumps  visits 到访|visits  intents 意图|intents  loops 环路|loops
confidence 置信度|confidence  funnel 召回漏斗|funnel  prompt 进入提示词|in the prompt  hits 命中|hits
documents 文档|documents  stale_documents 过期文档|stale documents  conform 按图核对|as designed  why 为什么|why
why_answer 为何这样答|why this answer
why_jump 为何跳转|why this jump  why_value 为何是此值|why this value  why_document 为何这篇|why this document
why_finding 为何报异常|why this finding

condition 某条件下|condition  what_if 假设|what if  order 先后|order  span 两步之间|between steps  path 路径|path
nth 第几条|n-th  interval 间隔|interval  still 是否仍会|still  unknown 未知名称|unknown name  unmet 未涉及|not covered
review 审查|review  trunk 主干|trunk  lifelines 参与者|lifelines  lifeline 参与者|lifeline  branches 分支|branches
limit 次数上限|limit  incoming 谁调用它|incoming  outgoing 它调用谁|outgoing  between 两者之间|between
message 消息|message  next 下一步|next  before 上一步|before  notes 注释|notes  total 总数|total  steps 步骤|steps
ends 谁发给谁|ends  params 参数|parameters  returns 返回|returns  kind 类型|kind  position 第几步|position

relation 关系|relation  filter 筛选|filter  count 数量|count  extreme 最值|extreme  property 属性|property
check 是否|whether  most 最多|most  average 平均|average  about 简介|about

which 哪些|which  who 谁|who  when 何时|when  where 哪里|where  how 怎样|how  duration 多久|how long
version 版本|version  yes_or_no 是否|yes or no  number 数字|number

slot 变量|slot  intent 意图|intent  doc 文档|document  document 文档|document  entity 实体|entity
conditions 条件|condition  bounds 范围|bounds  terms 关键词|key words  operator 直接算出|computed  names 名称|names
words 词面|words  exact 原文|exact words  semantic 语义|meaning  pages 标题|titles  links 关联|links
fine 测试点|test points  earlier 旧答案|earlier answers  relations 关系|relations  neighbourhood 上下文|context
"""
_LABELS: dict[str, tuple[str, str]] = {
    key: (zh, en) for key, zh, en in re.findall(r"(\S+) ([^|\n]+?)\|(.+?)(?=  |$)", _WORDS, re.MULTILINE)
}
_HOPS = re.compile(r"(\d+) hops?")


def label(name: str, lang: Lang) -> str:
    """What ``name`` is called in ``lang``; several names joined by ", " are each called so. A name that isn't known
    (the type of a graph's nodes, a property) is its own label."""
    if ", " in name:
        return ("、" if lang == "zh" else ", ").join(label(each, lang) for each in name.split(", "))
    if hops := _HOPS.fullmatch(name):
        return f"{hops[1]} 跳" if lang == "zh" else name
    known = _LABELS.get(name.replace(" ", "_"))
    return name if known is None else known[0 if lang == "zh" else 1]
