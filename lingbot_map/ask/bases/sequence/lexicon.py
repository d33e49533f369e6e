"""What words of Chinese and English, and the parts of names in code, mean in common.

``deductBalance``, "balance deduction" and "余额扣除" are the same two concepts; "失败", "failed" and "not ok" are one
that a condition either has or hasn't. Concepts are named by their English word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from lingbot_map.ask.text import STOP, folded, words

_GROUPS = """
success: 成功 通过 正常完成 succeed succeeded successful successfully success ok okay passed
fail: 失败 出错 报错 异常 错误 不成功 未成功 没有成功 没成功 未通过 不通过 fail failed failure error exception ko
fail: 不对 不正确 wrong incorrect
timeout: 超时 逾时 过时未回 一直没响应 没有响应 无响应 timeout timedout expiry
insufficient: 不足 不够 不充足 缺少 短缺 insufficient shortage lacking notenough
sufficient: 充足 足够 够用 sufficient enough
unavailable: 不可用 不能用 无法使用 坏了 崩溃 崩了 宕机 挂了 挂掉 不可达 下线 故障 unavailable unreachable
unavailable: crash crashed down offline outage
available: 可用 在线 available online reachable
valid: 有效 合法 valid legal
invalid: 无效 非法 不合法 invalid illegal
expired: 过期 失效 expired expire expires
exist: 存在 exist exists existing found
absent: 不存在 找不到 缺失 未找到 没找到 missing absent notfound nonexistent
hit: 命中 hit
miss: 未命中 没命中 不命中 miss
rejected: 拒绝 驳回 被拒 reject rejected rejects denied deny refuse refused declined
accepted: 接受 批准 同意 accept accepted approve approved grant granted
duplicate: 重复 duplicate duplicated
need: 需要 要求 need needs needed require required requires
locked: 锁定 加锁 锁 lock locked
changed: 切换 变更 改变 变化 更换 switch switched switches change changed changes changing
not changed: 不变 未变 没变 unchanged
pay: 支付 付款 缴费 pay payment paid payer pays
deduct: 扣除 扣款 扣减 扣费 扣钱 扣 减少 减 reduce decrease deduct deducted deduction debit charge
balance: 余额 balance
fund: 资金 钱 funds fund money
refund: 退款 退钱 退费 refund refunded
stock: 库存 存货 仓储 仓库 stock warehouse inventory
order: 订单 order orders
create: 创建 新建 生成 下单 create created creates new
cancel: 取消 撤销 cancel cancelled canceled cancels
update: 更新 修改 update updated modify
insert: 插入 新增 添加 insert add append
delete: 删除 移除 delete remove removed
write: 写 写入 保存 落库 入库 存储 write save store persist
read: 读 读取 read load
query: 查询 查 检索 搜索 query search select fetch lookup get find
audit: 审计 audit
log: 日志 记录 log record
invoice: 发票 开票 invoice
message: 消息 message
notify: 通知 告知 notify notification notified
send: 发送 发出 send sent
retry: 重试 再试 重发 retry retried retries
compensate: 补偿 compensate compensation
rollback: 回滚 rollback
commit: 提交 commit submit
user: 用户 客户 顾客 user customer
client: 客户端 client
server: 服务器 服务端 server
service: 服务 service
database: 数据库 database db
cache: 缓存 cache cached
queue: 队列 queue
bus: 总线 bus
gateway: 网关 gateway
router: 路由 路由器 router route
slot: 槽位 槽 slot slots
clear: 清空 清除 清理 clear cleared reset
intent: 意图 intent
classify: 分类 识别 classify
dispatch: 派发 分发 dispatch
handler: 处理器 handler
retrieve: 召回 retrieve retrieval
knowledge: 知识 knowledge
answer: 回答 答复 answer
result: 结果 result results
request: 请求 request
response: 响应 response
return: 返回 return returns
status: 状态 status state
login: 登录 登陆 login signin logon
logout: 登出 退出 logout
auth: 鉴权 认证 授权 auth authentication authenticate authorize authorization
token: 令牌 token
password: 密码 password
verify: 校验 验证 核验 verify validate validation validated check
code: 验证码 code
register: 注册 register signup
account: 账户 账号 account
transfer: 转账 转移 transfer
risk: 风控 风险 risk
price: 价格 报价 price quote
product: 商品 产品 product goods item items
ship: 发货 配送 物流 ship shipment delivery deliver shipping
upload: 上传 upload
download: 下载 download
file: 文件 file
data: 数据 data
system: 系统 system
business: 业务 business
"""
_OPPOSITES = (
    ("success", "fail"), ("insufficient", "sufficient"), ("available", "unavailable"), ("valid", "invalid"),
    ("exist", "absent"), ("hit", "miss"), ("rejected", "accepted"), ("expired", "valid"), ("true", "false"),
    ("need", "not need"), ("changed", "not changed"), ("duplicate", "not duplicate"), ("locked", "not locked"),
)  # fmt: skip
OPPOSITE = {one: other for pair in _OPPOSITES for one, other in (pair, pair[::-1])}
OPPOSITE |= {"success": "fail", "valid": "invalid"}
STATES = frozenset(OPPOSITE) | {"timeout"}
"""Concepts that say how something went: a condition with another one is another condition."""

TERMS: dict[str, str] = {}
for _line in _GROUPS.strip().splitlines():
    _concept, _, _words = _line.partition(":")
    for _word in _words.split():
        TERMS.setdefault(_word, _concept)
_LONGEST = 6
"""Characters of the longest Chinese term."""
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[\u3400-\u9fff]+|==|!=")
_PHRASES = (("times out", "timeout"), ("timed out", "timeout"), ("time out", "timeout"), ("not found", "absent"),
            ("out of stock", "stock insufficient"), ("not enough", "insufficient"), ("sign in", "login"),
            ("log in", "login"), ("goes down", "unavailable"), ("is down", "unavailable"))  # fmt: skip
_NOT = frozenset(("not", "no", "never", "without", "isn", "doesn", "cannot", "不", "未", "没", "没有", "无", "!="))
_SAID = """
当 时 后 以后 之后 之时 时候 情况 情况下 如果 假如 假设 若 倘若 一旦 的话 则 就 还 再 又 把 被 由 给 让 对 从
到 向 中 里 内 发生
出现 进行 一下 完整 整个 全部 所有 步骤 流程 调用链 链 走 做 办 处理 应对 系统 否则 依次 最多 最少 至多 至少 几次
多少次 次 一次 多久 每隔 几 会 要 分支
条件 接下来 然后 那 那么 该 此 这 它 都 也 呢 呀 能 能够 可 可以 必须 应该 需 得 用 执行 接着 调用 怎么办
怎么 怎样 如何 什么 哪些 之间
的 了 是 在 和 与 或 吗 吧 啊 为什么 为何 有 请问 请 图 图中 之 于 而 其 过 着 将 才 只
有没有 会不会 是不是 能不能 要不要 是否 仍 仍然 还会 按 按照
说 讲 告诉我 我 你 我们
"""
_SAID_EN = """
this then happen happens happened when if after once system step steps case will would should do done handle
handled next
flow sequence chain whole complete full gets got run call calls called the a an s t else otherwise condition
branch most
least times many still ever happening suppose assume given whenever
"""
_AFTER_VERB = frozenset("完掉住好成出走入进取")
"""What says only how far a deed went: "锁住" is "锁"."""
_FILLER = STOP | frozenset(_SAID.split()) | frozenset(_SAID_EN.split())


def _stems(word: str) -> Iterator[str]:
    """What a word may be an ending of: itself, without its ending, and with the "e" that went with it."""
    yield word
    if word.endswith(("ies", "ied")):
        yield word[:-3] + "y"
    for tail in ("ing", "ed", "es", "s"):
        if word.endswith(tail) and len(word) - len(tail) >= 3:
            cut = word[: -len(tail)]
            yield cut
            if tail != "s":
                yield cut + "e"


def _stem(word: str) -> str:
    """A word that is no term without its ending and its last "e": "reserve", "reserved" and "reserving" are one."""
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return word[:-3] + "y"
    for tail in ("ing", "ed", "es", "s"):
        if word.endswith(tail) and len(word) - len(tail) >= 3:
            word = word[: -len(tail)]
            break
    return word.removesuffix("e") if len(word) > 4 else word


def _latin(word: str) -> str:
    return next((TERMS[each] for each in _stems(word) if each in TERMS), "") or _stem(word)


def _whole(run: str) -> dict[int, str]:
    """The longer words of a run, by where they begin, that only look as if a term of one character began in them:
    "读者" reads nothing, "会员" is no "will". None where no cutter is installed."""
    cut = words(run)
    if "".join(cut) != run:
        return {}
    found: dict[int, str] = {}
    at = 0
    for word in cut:
        rest = {char for char in word if char not in TERMS and char not in _FILLER and char not in _NOT}
        known = any(
            word[a:b] in TERMS or word[a:b] in _FILLER for a in range(len(word)) for b in range(a + 2, len(word) + 1)
        )
        if len(word) > 1 and rest - _AFTER_VERB and len(rest) < len(set(word)) and not known and not _NOT & set(word):
            found[at] = word
        at += len(word)
    return found


def _han(run: str) -> list[str]:
    found: list[str] = []
    plain = ""
    at = 0
    whole = _whole(run)

    def flush() -> None:
        nonlocal plain
        if plain:
            found.extend(words(plain))
            plain = ""

    while at < len(run):
        if at in whole:
            flush()
            found.append(whole[at])
            at += len(whole[at])
            continue
        for length in range(min(_LONGEST, len(run) - at), 0, -1):
            piece = run[at : at + length]
            if piece in TERMS or piece in _FILLER or piece in _NOT:
                flush()
                found.append(TERMS.get(piece, piece))
                at += length
                break
        else:
            plain += run[at]
            at += 1
    flush()
    return found


def opposite(concept: str) -> str:
    """What is so where a concept isn't: "fail" of "success", "not wrapped" of "wrapped"."""
    return OPPOSITE.get(concept) or (concept[4:] if concept.startswith("not ") else f"not {concept}")


def states(said: Iterable[str]) -> frozenset[str]:
    """The concepts that say how something went, or what isn't so."""
    return frozenset(concept for concept in said if concept in STATES or concept.startswith("not "))


@lru_cache(20_000)
def concepts(text: str) -> tuple[str, ...]:
    """The concepts of a text in order; names in code fall into their parts ("deductBalance": deduct, balance). A "not"
    turns the next concept into its opposite."""
    spaced = " ".join(_PART.findall(text))
    low = f" {folded(spaced)} "
    for phrase, meant in _PHRASES:
        if phrase in low:
            low = low.replace(f" {phrase} ", f" {meant} ")
    found: list[str] = []
    for word in low.split():
        found.extend(_han(word) if not word.isascii() else [_latin(word) if word not in _NOT else word])
    said: list[str] = []
    negated = False
    for concept in found:
        if concept in _NOT:
            negated = True
            continue
        if concept in _FILLER or concept == "==":
            continue
        if negated:
            concept = opposite(concept)
            negated = False
        said.append(concept)
    return tuple(said)
