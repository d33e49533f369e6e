"""What answers about diagrams say, in Chinese and English."""

from __future__ import annotations

from collections.abc import Sequence

from lingbot_map.ask.types import Lang

WORDS: dict[str, tuple[str, str]] = {
    # key: (zh, en)
    "message": ("{label}（{id}，{source} → {target}）", "{label} ({id}, {source} → {target})"),
    "under": ("条件“{path}”下：{messages}。", "Under “{path}”: {messages}."),
    "under nothing": ("条件“{path}”下没有消息。", "Under “{path}” there is no message."),
    "left out": ("不满足“{path}”时，这一段不发生，其中的消息都不会发送：{messages}。",
                 "Where “{path}” does not hold this part does not happen; none of its messages is sent: {messages}."),
    "ends": ("之后交互到此结束（break {id}）。", "After that the interaction ends (break {id})."),
    "inner": ("其中只有“{path}”时才有：{messages}。", "Within it only under “{path}”: {messages}."),
    "in loop": ("这一段在循环“{condition}”之内。", "This stands in the loop “{condition}”."),
    "missing": ("图中未涉及：没有任何消息、条件或备注说到“{what}”。",
                "Not in the diagram: no message, condition or note speaks of “{what}”."),
    "no name": ("图中没有 {what}，图中未涉及这个问题。", "{what} is not in the diagram: this is not in the diagram."),
    "no number": ("图中未涉及：没有第 {number} 条消息，一共只有 {count} 条。",
                  "Not in the diagram: there is no message {number}, there are only {count}."),
    "none of": ("图中未涉及：没有这样的消息（{what}）。", "Not in the diagram: there is no such message ({what})."),
    "filter": ("{what}共 {count} 条：{messages}。", "{what}, {count} in all: {messages}."),
    "async": ("异步消息", "Asynchronous messages"), "sync": ("同步消息", "Synchronous messages"),
    "reply": ("返回消息", "Replies"), "self": ("自调用消息", "Messages to oneself"), "all": ("消息", "Messages"),
    "of": ("{who}的{what}", "{what} of {who}"), "in path": ("“{path}”中的{what}", "{what} in “{path}”"),
    "yes before": ("是。{a}在{b}之前。", "Yes. {a} comes before {b}."),
    "yes after": ("是。{a}在{b}之后。", "Yes. {a} comes after {b}."),
    "no before": ("否。图中 {a}在{b}之前，顺序相反。", "No. It is the other way round: {a} comes before {b}."),
    "no after": ("否。图中 {a}在{b}之后，顺序相反。", "No. It is the other way round: {a} comes after {b}."),
    "which": ("{a}先于{b}。", "{a} comes before {b}."),
    "through": ("依据：{messages} 依次相接。", "This follows from {messages}, one after the other."),
    "noted": ("备注 {note} 也这样要求：“{text}”。", "Note {note} demands it too: “{text}”."),
    "noted against": ("注意：备注 {note} 的要求与所画顺序相反：“{text}”。",
                      "Note {note} demands the opposite of what is drawn: “{text}”."),
    "noted only": ("图中的线没有约定，备注 {note} 约定了：“{text}”。",
                   "The lines leave it open, note {note} settles it: “{text}”."),
    "exclusive": ("否。{a}与{b}在互斥分支中（{fragment}），一次交互里不会都发生。",
                  "No. {a} and {b} exclude each other ({fragment}): never both happen in one run."),
    "parallel": ("图中未约定：{a}与{b}在同一个 par 的不同分支中，先后不定。",
                 "Unspecified: {a} and {b} stand in different operands of one par, in no order."),
    "unordered": ("图中未约定：没有生命线把{a}与{b}的先后连起来。",
                  "Unspecified: no lifeline puts {a} and {b} in an order."),
    "rounds": ("图中未约定：{a}与{b}在循环的不同分支中（{fragment}），可能在不同的轮次先后发生。",
        "Unspecified: {a} and {b} stand in different branches within a loop ({fragment}); rounds "
        "may come in any order."),
    "same": ("两处说的是同一条消息：{a}。", "Both are the same message: {a}."),
    "mixed": ("图中未约定：这些消息出现多次，有的在前、有的在后：{a}；{b}。",
              "Unspecified: these messages occur several times, in both orders: {a}; {b}."),
    "each round": ("这是循环每一轮之内的顺序。", "This is the order within each round of the loop."),
    "only if": ("{a}只在“{path}”时发生。", "{a} happens only under “{path}”."),
    "not needed": ("否。{a}只在“{path}”时发生，{b}并不以它为前提。",
                   "No. {a} happens only under “{path}”; {b} does not need it."),
    "way": ("在“{path}”下依次为：{messages}。", "Under “{path}”, in this order: {messages}."),
    "trunk": ("主干（不含任何条件分支）依次为：{messages}。", "The main line, without any branch: {messages}."),
    "open": ("问题没有说定的条件，未替你选择：{points}。", "Left open, for the question does not say: {points}."),
    "any order": ("其中 {messages} 并行，先后不定。", "Of these {messages} run in parallel, in no order."),
    "still yes": ("是。在“{path}”下仍会有 {a}。", "Yes. Under “{path}” there still is {a}."),
    "still no": ("否。在“{path}”下不会再有 {a}。", "No. Under “{path}” there is no {a}."),
    "still open": ("图中未约定：在“{path}”下是否有 {a}，还取决于“{other}”。",
                   "Unspecified: whether there is {a} under “{path}” depends on “{other}” too."),
    "ended by": ("{fragment} 是循环外的 break，做完 {messages} 后交互就结束。",
                 "{fragment} is a break outside of any loop: after {messages} the interaction ends."),
    "to": ("{who}由这些消息到达：{messages}。", "{who} is reached by {messages}."),
    "from": ("{who}发出：{messages}。", "{who} sends {messages}."),
    "between": ("{who}依次给{whom}发送：{messages}。", "{who} sends {whom}, in this order: {messages}."),
    "by": ("其中由{who}发出的：{messages}。", "{who} sends {messages}."),
    "conditional": ("只在“{path}”时：{messages}。", "Only under “{path}”: {messages}."),
    "no direct": ("{who}没有直接给{whom}发送消息。", "{who} sends {whom} no message itself."),
    "only conditional": ("主干上没有，{messages} 只在条件分支中。",
                         "Not on the main line: {messages} stand in branches."),
    "nth": ("第 {number} 条消息：{message}。", "Message {number}: {message}."),
    "where": ("它在“{path}”中。", "It stands in “{path}”."),
    "position": ("{message}是第 {number} 条消息。", "{message} is message {number}."),
    "chain": ("{who}经 {count} 步到达{whom}：{messages}。", "{who} reaches {whom} in {count} steps: {messages}."),
    "no chain": ("图中未涉及：{hops} 步之内没有从{who}到{whom}的调用链。",
                 "Not in the diagram: no chain of calls leads from {who} to {whom} within {hops} steps."),
    "params": ("{message}的参数：{what}。", "Parameters of {message}: {what}."),
    "no params": ("{message}没有画出参数。", "{message} is drawn without parameters."),
    "returns": ("{message}的返回：{messages}。", "{message} is answered by {messages}."),
    "kind": ("{message}是{what}。", "{message} is {what}."),
    "kind sync": ("同步消息", "synchronous"),
    "kind async": ("异步消息", "asynchronous"), "kind reply": ("返回消息", "a reply"),
    "when": ("{message}只在“{path}”时发生。", "{message} happens only under “{path}”."),
    "always": ("{message}在主干上，没有条件。", "{message} stands on the main line, under no condition."),
    "sent by": ("{message}由{who}发给{whom}。", "{message} goes from {who} to {whom}."),
    "count": ("最多次数见循环条件“{condition}”。", "How often: the loop says “{condition}”."),
    "says": ("{id}：“{text}”。", "{id}: “{text}”."),
    "total": ("共 {messages} 条消息、{lifelines} 条生命线、{fragments} 个片段、{notes} 条备注。",
              "{messages} messages, {lifelines} lifelines, {fragments} fragments, {notes} notes."),
    "lifelines": ("生命线：{names}。", "Lifelines: {names}."),
    "branches": ("条件分支：{points}。", "Branches: {points}."),
    "next": ("{message}之后：{messages}。", "After {message}: {messages}."),
    "next none": ("{message}之后同一分支里没有别的消息。", "Nothing follows {message} on its branch."),
    "notes": ("备注：{points}。", "Notes: {points}."),
    "review none": ("按规则没有发现问题（共检查 {count} 条消息）。",
                    "The rules find nothing ({count} messages looked at)."),
    "review no reply": ("同步调用没有返回：{messages}。", "Calls without a reply: {messages}."),
    "review no compensation": ("异步消息没有补偿或确认：{messages}。",
                               "Asynchronous messages without compensation or acknowledgement: {messages}."),
    "review timeout": ("超时之后没有重试：{points}。", "A timeout without a retry: {points}."),
    "review exhausted": ("重试用尽之后怎么办没有画出：{points}。",
                         "What happens when the retries are used up is not drawn: {points}."),
    "review no failure": ("只画了成功的分支，没有失败的分支：{points}。",
                          "Success is drawn, failure is not: {points}."),
    "review unreached": ("没有任何消息的生命线：{points}。", "Lifelines without any message: {points}."),
    "review implicit": ("没有声明的生命线：{points}。", "Lifelines that nobody declared: {points}."),
    "review note": ("备注与所画顺序相反：{points}。", "A note demands the opposite of what is drawn: {points}."),
    "review empty": ("空的分支：{points}。", "Empty branches: {points}."),
    "review no condition": ("没有写条件的分支：{points}。", "Branches without a condition: {points}."),
    "retrieved": ("图中相关的是：{message}。", "The diagram speaks of it here: {message}."),
    "unverified": ("此图由图片转写，未经核实。", "This diagram was made from a picture and is unverified."),
    "comma": ("、", ", "), "then": ("；", "; "),
}  # fmt: skip


def say(lang: Lang, key: str, **facts: object) -> str:
    """The sentence ``key`` in a language."""
    return WORDS[key][lang == "en"].format(**facts)


def listed(lang: Lang, parts: Sequence[str], most: int = 40) -> str:
    """Parts in a row; beyond ``most`` the rest is counted."""
    shown = list(parts[:most])
    if len(parts) > most:
        shown.append(f"… +{len(parts) - most}")
    return say(lang, "comma").join(shown)
