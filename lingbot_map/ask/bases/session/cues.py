"""The words by which a question says what it wants of a session: one table, Chinese and English, on folded text."""

from __future__ import annotations

import re

_TABLE: dict[str, str] = {
    # how it is asked
    "why": (
        r"依据|根据什么|\bbased on\b|\brests? on\b|为什么|为何|为啥|怎么会|怎么就|凭什么|原因|是什么导致|什么造成|缘何"
        r"|\bwhy\b|\bhow come\b"
        r"|\breason\b|\bwhat (?:made|caused)\b|\bcause"
    ),
    "who": r"谁|哪个(?:意图|业务|任务|流程)|\bwho\b|\bwhich (?:intent|task)\b",
    "which_turn": (
        r"哪(?:一|几|些)?(?:个)?(?:轮|回合|次)|第几轮|什么时候|何时|哪里|哪儿|\bwhich turns?\b"
        r"|\bin what turn|\bwhen\b|\bwhere\b"
    ),
    "most": r"最多|最常|最频繁|\bmost\b",
    "least": r"最少|\bleast\b|\bfewest\b",
    "lowest": r"最低|最小|最不确定|\blowest\b|\bleast confident\b|\bleast sure\b|\bminimum\b",
    "highest": r"最高|最大|\bhighest\b|\bmost confident\b|\bmaximum\b",
    "many": (
        r"多少(?!钱)|(?<![第哪])几(?:次|个|轮|篇|条|回|种)|次数|总数|一共|总共|共有|\bhow many\b|\bhow often\b"
        r"|\bnumber of\b|\bcount\b"
    ),
    "not": (
        r"从未|从没|没有?(?:进|入|被|出现|用|选)|未(?:进|入|被|用)|没能|\bnot\b|n't\b|\bnever\b|落选|被丢|淘汰"
        r"|\bdropped\b|\bmiss(?:ed)?\b"
    ),
    # what is asked about
    "overwrite": (
        r"改写|覆盖|改过|改成|改为|被改|改了|改动|篡改|冲掉|覆写|重写|\boverw(?:rote|rit\w+)"
        r"|\brewr(?:ote|itten|ites?)\b|\bchanged\b|\bchanges?\b|\breplaced?\b"
    ),
    "write": (
        r"写入|写过|写的|写了|写进|写到|写下|设置|设定|设的|设为|赋值|填的|填写|填入|写成|存的|存入|记录的"
        r"|更新|修改|改|来源|来自|\bwrote\b|\bwritten\b|\bwrites?\b|\bsets?\b|\bassign\w*|\bfilled?\b"
        r"|\bupdated?\b|\bstored?\b|\bcame? from\b|\bcomes? from\b"
    ),
    "clear": r"清空|清除|清掉|删除|重置|\bclear(?:ed|s)?\b|\breset\b|\bdeleted?\b|\bemptied\b",
    "read": r"读取|读过|读了|读到|被读|使用|用到|用过|用了|引用|\breads?\b|\breaders?\b|\buse[sd]?\b|\busing\b",
    "foreign": (
        r"别的(?:业务|意图|任务|流程)|其他(?:业务|意图|任务|流程)|另一(?:个)?(?:业务|意图|任务|流程)"
        r"|跨(?:业务|任务|意图)|串用|串味|串台|泄漏|泄露|残留|误用|\bleak\w*"
        r"|\b(?:an)?other (?:task|intent|business|flow)|\bforeign\b|\bcross-?task\b|\bleftover\b"
    ),
    "value": (
        r"是什么|是啥|是多少|什么值|的值|取值|等于(?:什么|多少)|值为|现值|内容|为多少|是几|\bvalue\b"
        r"|\bwhat (?:is|was|'s)\b|\bwhat's\b|\bcurrent\b|\bholds?\b|\bcontains?\b"
    ),
    "now": r"现在|目前|当前|最后|最终|最新|\bnow\b|\bcurrent(?:ly)?\b|\bat the end\b|\bfinal(?:ly)?\b|\blatest\b",
    "slot": r"变量|槽位|词槽|槽|字段|参数|\bslots?\b|\bvariables?\b|\bfields?\b",
    "intent": r"意图|业务|任务|\bintents?\b|\btasks?\b",
    "doc": r"文档|文件|资料|文章|知识|哪篇|几篇|\bdoc(?:ument)?s?\b|\barticles?\b|\bpassages?\b",
    "jump": (
        r"跳转|跳到|跳进|跳去|跳|切换|切到|转到|转去|转向|转移|转为|转成|转|路由|进入(?!提示|prompt)|走到"
        r"|变成|\bjump\w*|\bswitch\w*|\brout\w+|\bmoved?\b|\btransition\w*|\bwent to\b|\bgo to\b|\bgoes to\b"
        r"|\benter(?:ed|s)? (?!the prompt|prompt)|\bchange of (?:intent|task)"
    ),
    "lacks": r"缺(?:少|失|了|哪|什么)?|空槽|未填|没填|为空|\bmissing\b|\black\w*|\bempty\b|\bunfilled\b",
    "loop": (
        r"环路|回环|循环|绕圈|兜圈|打转|闭环|死循环|绕回|回到原|来回|\bloops?\b|\blooping\b|\bcircles?\b"
        r"|\bcycles?\b|\bround and round\b|\bback and forth\b"
    ),
    "prompt": r"提示词|上下文|\bprompts?\b|\bcontext\b",
    "recall": (
        r"召回|检索|命中|搜索|搜到|查到|排名|排第|排到|重排|漏斗|\brecall\w*|\bretriev\w+|\bhits?\b"
        r"|\brank\w*|\bre-?rank\w*|\bfunnel\b|\bsearch\w*"
    ),
    "confidence": r"置信度|置信|信心|把握|\bconfiden\w+|\bsure\b",
    "low": (
        r"低置信|置信度(?:偏|过|较|很|太)?低|不确定|没把握|\blow[- ]confidence\b|\bunsure\b|\buncertain\b"
        r"|\blow confiden"
    ),
    "differ": (
        r"一样|相同|是否一致|\bthe same\b|不同|区别|差异|差别|变化|相比|对比|比较|变了"
        r"|\bdiff\w*|\bcompar\w+|\bchanged? between\b"
        r"|\bwhat changed\b|\bversus\b|\bvs\b"
    ),
    "finding": (
        r"有(?:什么|没有|哪些)?问题|出了?(?:什么)?问题|异常|告警|警告|故障|错误|出错|毛病|\blm\d{3}\b|\banomal\w+|\bfindings?\b|\bwarnings?\b"
        r"|\bproblems?\b|\bwent wrong\b|\bwrong\b|\berrors?\b|\bfail\w*|\bcrash\w*|崩溃|报错|\bexceptions?\b"
    ),
    "happened": (
        r"发生了?(?:什么|啥|哪些)|怎么了|经过|情况|干了什么|做了什么|做了啥|概括|概述|总结|讲讲|说说|描述"
        r"|\bhappen\w*|\bgoing on\b|\bgo(?:es)? on\b|\bwent on\b|\bsummar\w+|\bdescribe\b"
        r"|\btell me about\b|\bdo(?:es)? in\b"
    ),
    "said": (
        r"用户(?:说|问|讲|提|输入)|客户(?:说|问|讲|提)|原话"
        r"|\b(?:user|customer)\b.*\b(?:say|said|ask(?:ed)?|mention\w*|type\w*)\b|\bsaid\b|\butterance\b"
        r"|\bmention\w*|提到|提过|说到|说过|问到|问过"
    ),
    "answer": (
        r"(?:机器人|客服|助手|系统|bot)\s*(?:说|回|讲)|回答|答复|回复|答了|作答|回应|回了|答|报|引用了|说成"
        r"|\banswer\w*|\brepl(?:y|ied|ies)\b|\brespon\w+"
        r"|\bquot\w+|\b(?:bot|assistant|system)\b.*\b(?:say|said|tell|told)\b|\btell\b|\btold\b"
    ),
    "turns": r"轮次?|回合|\bturns?\b",
    "stale": (
        r"过期|过时|陈旧|旧版|老版|旧的?(?:文档|资料|文件|文章|版本)|失效|\bstale\b|\boutdated\b|\bout[- ]of[- ]date\b"
        r"|\bobsolete\b|\bsuperseded\b|\bexpired\b|\bold(?:er)? (?:version|doc|article|passage)"
    ),
    "fresh": (
        r"最新的?(?:版|文档|资料|文件|文章)|新版|没有?过期|未过期|不过时|没过时|\bup[- ]to[- ]date\b"
        r"|\b(?:latest|newest|current|fresh) (?:version|doc|article|passage)"
    ),
    "stage_first": r"第一|首位|排首|榜首|\bfirst\b|\btop\b",
    "design": (
        r"设计|时序图|流程图|[按照]图|按(?:照)?流程|偏离"
        r"|\bdesign\w*|\bdiagram\b|\bas drawn\b|\bas planned\b|\bconform\w*"
    ),
    "all": (
        r"哪些|有没有|有无|是否有|列出|所有|全部|有什么|\bwhich\b|\bwhat\b|\blist\b|\ball\b|\bany\b|\bshow\b"
        r"|\bis there\b|\bare there\b"
    ),
    "whether": (
        r"有没有|有无|是否|是不是|会不会|吗|\bany\b|^(?!.*\b(?:which|what|how many|how often)\b).*\b(?:is|are) there\b"
        r"|^(?:was|is|did|were|are|has|have|does|do)\b"
    ),
    "history": r"历史|历次|每次|所有(?:的)?值|哪些值|什么值|\bhistory\b|\ball (?:the )?values\b|\bevery value\b",
    "none": r"没有|没做|没|未|\bno\b|\bwithout\b|\bnot\b|n't\b|\bnever\b",
    "bot": r"机器人|客服|助手|\bbot\b|\bassistant\b|\bagent\b",
    "customer": r"用户|客户|顾客|\buser\b|\bcustomer\b|\bcaller\b",
    "before_turn": r"(?:轮|回合)(?:之|以)?前|\bbefore turn\b",
    "leaving": r"从|离开|\bfrom\b|\bleav\w+|\bleft\b",
    "it": (
        r"它|该(?:变量|槽位|文档|意图|业务)|这个(?:变量|槽位|值|文档)|那个(?:变量|槽位|值|文档)|\bit\b"
        r"|\bthat (?:slot|value|document)\b"
    ),
    "that_turn": (
        r"那(?:一)?轮|这(?:一)?轮|该轮|当时|\bthat turn\b|\bthis turn\b"
        r"|(?<!is )(?<!are )(?<!was )(?<!were )\bthere\b"
    ),
}
_PATTERNS = {name: re.compile(pattern) for name, pattern in _TABLE.items()}

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}
_NUMBER = r"(?:\d{1,2000}|[零〇一二两三四五六七八九十百千]{1,9})"
_TURN = re.compile(
    rf"第\s*(?P<zh>{_NUMBER})\s*(?:个)?(?:轮|回合|round|turn)"
    r"|(?<![a-z0-9_.])(?<!最近)(?<![共前后近有过])(?P<bare>\d{1,9})\s*(?:轮|回合)"
    r"|\b(?:turn|round)s?\s*(?:no\.?|number|#)?\s*(?P<en>\d{1,2000})\b"
    r"|\b(?P<nth>\d{1,9})(?:st|nd|rd|th)\s+(?:turn|round)"
    r"|\bt(?P<id>\d{1,9})\b"
    r"|(?P<last>最后一?轮|末轮|最后一?句|(?<=户)最后(?=[说问讲])|\b(?:say|said|ask(?:ed)?) last\b"
    r"|\b(?:the )?last (?:turn|utterance|message|sentence)\b)"
    r"|(?P<first>首轮|首句|第一句|\b(?:say|said|ask(?:ed)?) first\b"
    r"|\b(?:the )?first (?:turn|utterance|message|sentence)\b)"
)
_MORE = re.compile(
    rf"\s*(?:轮|回合)?\s*(?:到|至|和|与|跟|、|,|-|~|–|\band\b|\bto\b|\bwith\b|\bfrom\b|\bthrough\b|\bvs\.?\b|\bversus\b)"
    rf"\s*(?:第|turn)?\s*(?P<n>{_NUMBER})(?!\.\d)(?![^\W\d_])?\s*(?P<unit>轮|回合)?"
)
_COMPARE = re.compile(
    r"(?P<ge>不低于|不小于|不少于|大于等于|大于或等于|至少|>=|≥"
    r"|\bat least\b|\bnot? (?:less|lower) than\b|\bnot below\b)"
    r"|(?P<le>不高于|不大于|不超过|小于等于|小于或等于|至多|最多|<=|≤"
    r"|\bat most\b|\bnot? (?:more|higher) than\b|\bnot above\b|\bup to\b)"
    r"|(?P<lt>低于|小于|不到|不足|少于|未达|<"
    r"|\bbelow\b|\bunder\b|\bless than\b|\blower than\b|\bsmaller than\b|\bbeneath\b)"
    r"|(?P<gt>高于|大于|超过|多于|>|\babove\b|\bover\b|\bmore than\b|\bhigher than\b|\bgreater than\b|\bexceed\w*)"
    r"|(?P<eq>等于|正好|恰好|=|\bequals?\b|\bexactly\b)"
)
_VALUE = re.compile(r"(?<![a-z0-9_.])(\d{1,9}(?:\.\d{1,9})?)\s*(%|％|percent)?")
_SUFFIX = re.compile(
    r"(?<![a-z0-9_.])(\d{1,9}(?:\.\d{1,9})?)\s*(%|％)?"
    r"\s*(以上|以下|\bor (?:more|above|higher)\b|\bor (?:less|below|lower)\b)"
)
_BETWEEN = re.compile(
    r"(?<![a-z0-9_.])(\d{1,9}(?:\.\d{1,9})?)\s*(?:到|至|和|-|~|\band\b|\bto\b)\s*(\d{1,9}(?:\.\d{1,9})?)\s*(?:之间|$|\W)|"
    r"\bbetween\s+(\d{1,9}(?:\.\d{1,9})?)\s+and\s+(\d{1,9}(?:\.\d{1,9})?)"
)


def cues_in(folded: str) -> frozenset[str]:
    """The names of the cues that stand in a folded text."""
    return frozenset(name for name, pattern in _PATTERNS.items() if pattern.search(folded))


def begins(run: str) -> bool:
    """Whether a cue stands at the beginning of a run of letters."""
    return any(pattern.match(run) for pattern in _PATTERNS.values())


def ends(run: str) -> bool:
    """Whether a cue stands at the end of a run of letters."""
    return any(match.end() == len(run) for pattern in _PATTERNS.values() for match in pattern.finditer(run))


def turns_in(folded: str, first: int, last: int) -> list[int]:
    """The turns that a text names, in order, each once; ``first`` and ``last`` are what such words mean."""
    found: list[int] = []
    for match in _TURN.finditer(folded):
        kind = match.lastgroup
        if kind in ("last", "first"):
            found.append(last if kind == "last" else first)
            continue
        found.append(number(match[kind or "en"]))
        more = _MORE.match(folded, match.end())
        if more is not None and not _TURN.match(folded, more.start("n")):
            found.append(number(more["n"]))
    return list(dict.fromkeys(found))


def number(text: str) -> int:
    """A number in digits or in Chinese."""
    if text.isascii():
        return int(text)
    total = current = 0
    for char in text:
        if char in _TENS:
            total += (current or 1) * _TENS[char]
            current = 0
        elif char in _DIGITS:
            current = current * 10 + _DIGITS[char]
        else:  # a digit of another script
            current = current * 10 + int(char)
    return total + current


def bounds_in(folded: str) -> tuple[str, float, float] | None:
    """(lt | le | gt | ge | eq | between, a, b) that a text compares with; b is a but for "between"."""
    if "之间" in folded or "between" in folded:
        match = _BETWEEN.search(folded)
        if match is not None:
            a, b = sorted(float(part) for part in match.groups() if part is not None)
            return "between", a, b
    match = _COMPARE.search(folded)
    if match is not None and (value := _VALUE.search(folded, match.end())) is not None:
        bound = float(value[1]) / (100 if value[2] else 1)
        return match.lastgroup or "eq", bound, bound
    suffix = _SUFFIX.search(folded)
    if suffix is not None:
        bound = float(suffix[1]) / (100 if suffix[2] else 1)
        return ("ge" if suffix[3] in ("以上", "or more", "or above", "or higher") else "le"), bound, bound
    return None
