"""Words by which a question says what it wants, in Chinese and English (folded: simplified script, lower case)."""

from __future__ import annotations

import re


def _any(*signs: str) -> re.Pattern[str]:
    return re.compile("|".join(signs))


REVIEW = _any(
    r"评审|审查|检视|走查|体检|隐患|缺陷|漏洞|有(?:什么|哪些|没有|无)(?:问题|风险)|(?:存在|潜在)的?(?:问题|风险)",
    r"(?:哪些|什么|有没有).*(?:没有|缺少|未)(?:画出?)?(?:返回|应答|补偿|重试|处理)",
    r"\breview\b|\brisks?\b|\bdefects?\b|\bproblems?\b|\bissues?\b|\bwrong with\b|\bweak(?:ness|nesses)?\b",
    r"\bwithout (?:a )?(?:repl(?:y|ies)|compensation|retry)|\bmissing (?:repl|compensation|retr)",
)
INTERVAL = _any(
    r"几天|几小时|几个小时|多少天|间隔|多久|多长时间|几秒|几分钟|几毫秒|多少秒|多少毫秒|多少分钟|时长|耗时|时限|频率|延迟",
    r"\bhow long\b|\binterval\b|\bhow often\b|\bduration\b|\bdelay\b",
    r"\bhow many (?:seconds|minutes|ms|milliseconds)\b|\btime limit\b",
)
COUNT = _any(r"几次|多少次|次数|上限|\bmax\b|\blimit\b|\bhow many times\b|\bat most\b|\bmaximum\b|\bhow often\b")
TIMES = _any(r"几次|多少次|\bhow many times\b")
OFTEN = _any(r"多久.{0,6}一次|每隔多久|频率|\bhow often\b")
PARAMS = _any(r"参数|入参|传了?什么|带了?什么|\bparameters?\b|\barguments?\b|\bpassed\b")
RETURNS = _any(r"返回什么|返回值|返回了?哪|应答是|回复是|的返回|\breturns?\b|\bwhat does .* reply\b|\brespon[sd]")
KIND = _any(
    r"(?:是|属于)?(?:同步|异步).*还是.*(?:同步|异步)|是(?:不是|否)?(?:异步|同步)",
    r"\b(?:async|sync)\w* or (?:a)?sync|\bis .* (?:a?synchronous|async|sync)\b",
)
WHEN = _any(
    r"(?:什么|哪些|哪种|何种)(?:情况|条件|时候|前提|场景)|何时|为什么|为何|触发条件",
    r"\bwhen (?:is|are|does|do|will|would)\b|\b(?:under|in|on) (?:what|which) (?:condition|circumstance|case)",
    r"\bwhy\b",
)
TRUNK = _any(
    r"正常(?:情况|流程|时|的)|正常地|主流程|主干|主线|一般情况|通常|默认情况|没有异常|不出错",
    r"\bnormal(?:ly)?\b|\bhappy path\b|\bmain (?:line|flow|path)\b|\bby default\b|\busual(?:ly)?\b|\btrunk\b",
)
WHOLE = _any(
    r"完整|调用链|怎么走|如何走|全流程|整个流程|全过程|整条|全部步骤|依次会?(?:发生|执行)|消息序列|推演",
    r"\bwhole\b|\bcomplete\b|\bfull\b|\bentire\b|\bsequence\b|\bchain\b|\bwalk through\b|\bplay out\b|\bend to end\b",
)
STEPS = _any(
    r"流程(?:是|有)?(?:怎样|怎么样|什么|如何)|(?:有|是)?(?:哪些|什么)步骤|怎么走|整体流程",
    r"完整(?:的)?(?:流程|调用链)|按顺序列出|依次(?:是|有)什么",
    r"\b(?:what|which) (?:are the )?steps\b|\bwhat is the (?:flow|sequence)\b|\bsteps in order\b",
    r"\bwhole (?:flow|sequence)\b",
    r"\border of (?:the )?(?:calls|messages|steps)\b|\blist (?:every|all|the) messages? in order\b",
)
STILL = _any(
    r"还会|会不会|是否会|是否还|是不是(?:还)?会|还能|会.*吗|还.*吗|仍会|有没有.*(?:调用|发送)|就不.*了吗",
    r"^(?:will|does|do|is|are|would|can)\b|\bstill\b|, (?:will|does|is|are)\b",
)
ASYNC = _any(r"异步|\basync\w*")
SYNC = _any(r"同步|\bsync\w*")
REPLY = _any(r"返回(?:消息|调用)?|应答|回复|响应消息|\brepl(?:y|ies)\b|\breturn messages?\b")
SELF = _any(
    r"自调用|自己调用自己|自身调用|调用自己|给自己|\bself[- ]?(?:calls?|messages?)\b|\bto (?:itself|themselves)\b"
)
LIST = _any(
    r"消息|调用|请求|哪些|所有|全部|列出|列举|有几条|多少条|\bmessages?\b|\bcalls?\b|\blist\b|\ball\b",
    r"\bwhich\b|\bwhat\b|\bhow many\b",
)
HOW_MANY = _any(r"多少|几(?:条|个)|总共|一共|\bhow many\b|\bnumber of\b|\bcount\b")
POSITION = _any(
    r"第几(?:条|步|个)|哪一?(?:步|条)|在哪儿?|\b(?:which|what) (?:step|number|message|position)\b",
    r"\bwhere (?:is|are|does)\b|\bat which\b",
)
WHO = _any(
    r"谁|哪些(?:服务|系统|组件|参与者|生命线|模块)|哪个(?:服务|系统|组件|参与者|模块)|\bwho\b",
    r"\bwhich (?:service|system|component|participant|lifeline)s?\b",
)
PATH = _any(
    r"路径|经过(?:哪|什么)|怎么(?:到达|传到|走到|调到)|如何(?:到达|传到)|间接|调用链|\bpath\b|\bthrough\b",
    r"\breach(?:es)?\b|\bindirect(?:ly)?\b|\bget from\b|\bchain\b",
)
NEXT = _any(
    r"触发|引发|引起|导致|\btriggers?\b|\bcauses?\b|\bleads? to\b",
    r"之后|以后|然后|接下来|接着|下一步|后(?:面|会|做|发生|是)|\bafter\b|\bnext\b|\bthen\b|\bfollows?\b",
)
BEFORE = _any(
    r"(?:之前|以前|此前|前面).{0,6}(?:什么|啥|哪些|怎样|怎么样)|(?:什么|哪些)\S{0,6}(?:之前|以前|前面)(?:发生|执行|进行)",
    r"\bwhat\b.*\bbefore\b|\bbefore\b.*\bwhat\b|\bwhat (?:precedes|comes ahead of|leads up to)\b",
)
LIFELINES = _any(
    r"(?:哪些|多少|几个|什么|所有)(?:的)?(?:参与者|生命线|角色|组件|服务|系统|对象)",
    r"\b(?:which|what|list|all|how many)\b.*\b(?:participants?|lifelines?|actors?)\b",
)
BRANCHES = _any(
    r"(?:哪些|多少|几个|什么|所有)(?:的)?(?:分支|条件|片段|循环)",
    r"\b(?:which|what|list|all|how many)\b.*\b(?:branch(?:es)?|conditions?|fragments?|loops?)\b",
)
NOTES = _any(r"(?:哪些|什么|所有|多少)(?:的)?(?:备注|注释|约束|说明)|备注(?:说|写|是)|\bnotes?\b|\bconstraints?\b")
WRITES = _any(r"写|存|落库|保存|\bwrit(?:e|es|ing|ten)\b|\bstores?\b|\bsaves?\b|\bmodif(?:y|ies)\b")
READS = _any(r"读|查询|查(?!看)|\bread(?:s|ing)?\b|\bquer(?:y|ies)\b|\bfetch(?:es)?\b")
BETWEEN = _any(
    r"之间(?:有|经过|发生|还)?(?:哪|什么)|之后.*之前.*(?:哪|什么)|到.*之间", r"\b(?:what|which)\b.*\bbetween\b"
)
WHETHER = _any(r"吗|是否|有没有|会不会|能不能", r"^(?:does|do|is|are|can|will|has|have)\b")
RECEIVES = _any(r"收到|接收|接到|\breceives?\b|\bgets?\b.*\bfrom\b")
WHAT_IS = _any(
    r"是什么|是多少|是哪|叫什么|什么样|多大|多少钱", r"\bwhat(?:'s| is| are)\b|\bwhich\b|\bhow (?:much|big|large)\b"
)
DOES = _any(
    r"做|办|怎样|怎么|走|发生|处理|会|调用", r"\bhappens?\b|\bdo(?:es|ne)?\b|\bafter\b|\bthen\b|\bnext\b|\bcalls?\b"
)
ACTS = _any(
    r"发|调用|请求|访问|通知|做|干|依次|写|读|查|存|交互|给|联系|依赖|消息|步骤|返回|回复",
    r"\b(?:sends?|calls?|do(?:es)?|invokes?|writes?|reads?|quer(?:y|ies)|uses?|talks?|notif(?:y|ies)|requests?|messages?)\b",
    r"\b(?:depends?|returns?|repl(?:y|ies)|emits?|publish(?:es)?|asks?|steps?|interacts?)\b",
)
ASKS_SENDER = _any(
    r"(?:谁|哪些\S*|哪个\S*|什么\S*).*(?:会|给|向|对|把|调用|访问|写|读|发|通知|查|请求|用)",
    r"\b(?:who|which|what)\b.*\b(?:call|write|read|send|use|access|notif|quer|store|save|invoke|touch|update|depend)",
)
IS_REACHED = _any(
    r"被|由谁|由哪|收到|接收|在哪一?步|入(?:站|口)|\breceives?\b|\bincoming\b",
    r"\b(?:is|are|be|gets?|was)\b.*\b(?:called|invoked|used|written|read|notified|reached)\b|\bcalled\b",
)
ENDS_IN_TO = _any(r"\b(?:to|into|received? by|reach)(?: the)?\s*$")
WHO_OR_WHAT = _any(r"\b(?:who|what|which)\b")
KINDS_OF_FRAGMENT = (
    ("loop", _any(r"循环|\bloops?\b")),
    ("par", _any(r"并行|并发|\bparallel\b|\bpar\b")),
    ("opt", _any(r"可选|\boptional\b|\bopt\b")),
    ("break", _any(r"中断|跳出|\bbreak\b")),
    ("critical", _any(r"临界|\bcritical\b")),
)
WHICH_MESSAGES = _any(
    r"(?:哪些|什么|所有|列出)\S*(?:消息|调用|请求)|\b(?:which|what|all|list)\b.*\b(?:messages?|calls?)\b"
)
WHAT_THING = _any(
    r"什么(?!消息|调用|请求|服务|步骤|事情|操作|动作|接口|方法|命令|东西|系统|组件|内容|行为|时候|情况|条件|参数|数据|状态|返回|给|样)"
    r"([\u4e00-\u9fff]{2})"
)
CALLED = _any(
    r"调用|写|读|访问|查询|请求|依赖|使用",
    r"\bcall(?:s|ed)?\b|\bwrit\w+|\breads?\b|\binvok\w+|\buse[sd]?\b|\baccess\w*|\bquer\w+|\bdepend\w*",
)
IF = _any(r"如果|假如|假设|倘若|若是|一旦|万一", r"\bif\b|\bsuppose\b|\bassuming\b|\bin case\b")
SAID = _any(r"约束|备注|注释|\bconstraints?\b|\bnotes?\b")
TYPE = _any(r"类型|是什么\W*$|\bkind\b|\btype\b|^what is\b")
TO_IT = _any(r"(?:给|向|往)\s*$")
GIVEN_BACK = _any(r"(?:返回|发|回复|回|发送)给|给\S{1,8}(?:返回|发|回|写)")
DONE_TO_IT = _any(r"(?:写|读|调用|访问|更新|修改|查询|通知|请求|使用|依赖)(?:入|到|取|了|过)?\s*$")
SAYS_MORE = (
    ACTS, CALLED, RECEIVES, IS_REACHED, DONE_TO_IT, GIVEN_BACK, ASKS_SENDER, WHO_OR_WHAT, WHO, WHETHER, LIST, PATH,
    NEXT, BEFORE, WRITES, READS, HOW_MANY, KIND, WHEN, RETURNS,
    _any(r"什么|啥|怎么|如何|关系|直接|之间|[到至给向往对]", r"\b(?:to|from|between|how|direct(?:ly)?)\b"),
)  # fmt: skip
"""What a question can say of lifelines; one that says nothing of it is none, whatever names it holds."""
