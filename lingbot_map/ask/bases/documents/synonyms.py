"""Words of software and service documents that say the same, so that a question need not use the document's own.

Used where no encoder is at hand, and beside one. A folder may bring its own in ``synonyms.tsv`` (one group a line,
words divided by tabs).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lingbot_map.ask.bases.documents import nouns, verbs

GROUPS: tuple[str, ...] = (
    "支付 付款 付钱 缴费 缴款",
    "没有结果 没结果 没响应 没有响应 无响应 没反应 没有反应 无反应 没回应 没有回应 没返回 没有返回 无返回 不返回 超时",
    "重复扣款 多扣 扣两次 扣2次 再扣1次 重复扣费 多扣钱",
    "性能 延迟 响应时间 吞吐 耗时",
    "指标 延迟 可用性 吞吐",
    "改为 修改 改动 更改 变更 改成 调整 改了 改过 改 更新 调整为",
    "推迟 延期 延后 顺延 推后",
    "下线 停用 下架 停服 退役 停止服务",
    "上线 发布 投产",
    "启用 采用 开始用 开始使用 使用 改用 换用 引入",
    "维护 运维 管理 负责",
    "值班 值守 当班 轮值",
    "通知 告知 知会",
    "客户端 终端 app",
    "兼容 支持旧 向后兼容",
    "部署 安装 布置",
    "组件 模块 部件 构件",
    "集群 群集",
    "包含 含有 包括 带有 含",
    "格式 形式",
    "展示 显示 看到 查看 呈现",
    "提供 出具 给出",
    "标签 标签页 页签 tab",
    "决定 配置 设定",
    "定金 订金 押金",
    "审批 批准 审核 核准 批复",
    "执行 实施 操作 实现",
    "取消 关闭 作废",
    "释放 归还 放回 退回",
    "失败 不成功 没成功 未成功 没有成功 出错",
    "成功 通过",
    "最多 至多 上限 不超过",
    "至少 最少 不少于 不低于",
    "自动 主动",
    "修复 修好 修好了 修复了 已修复 已解决 解决了 解决",
    "原因 起因 根因 缘由",
    "风险 隐患",
    "防止 防护 避免 杜绝 预防",
    "区别 差别 不同 差异",
    "边界 临界",
    "影响 波及 牵涉 涉及",
    "回归 复测 重测 重新测试 测",
    "用例 测试用例",
    "缺陷 bug 漏洞 故障",
    "令牌 token",
    "登录 登陆 登入",
    "订单 单子",
    "用户 客户 顾客",
    "手机 移动端",
    "错误 异常 报错",
    "日志 记录",
    "限流 流控",
    "接口 api",
    "价格 价钱 费用 收费",
    "时限 期限",
    "pay payment paid paying",
    "retry retries retrying resend",
    "timeout time-out timed-out unresponsive",
    "error failure fault",
    "begin start introduce enable",
    "end stop retire retired sunset decommission decommissioned discontinue",
    "maintain operate run own owned operated maintained",
    "change changed modify modified alter altered update updated revise revised",
    "delay delayed postpone postponed defer deferred",
    "notify inform tell notified informed",
    "support compatible supported",
    "latency performance response",
    "contain include contains includes",
    "show display shown displayed",
    "price cost costs fee charge",
    "cancel cancels canceled cancelled cancelling cancellation",
    "staff staffs staffed staffing",
    "approve approves approved approval",
    "get gets got getting receive receives received obtain obtains obtained",
    "wife husband spouse married",
    "film movie",
)


class Synonyms:
    """Which words stand for which: ``forms(word)`` are all that say the same, the word itself first, with the forms of
    an irregular verb, and the verb or nouns of one."""

    def __init__(self, groups: Iterable[Iterable[str]] = ()) -> None:
        forms: dict[str, dict[str, None]] = {}
        for group in (*(line.split() for line in GROUPS), *groups):
            members = [word for word in group if word]
            for word in members:
                forms.setdefault(word, {word: None}).update(dict.fromkeys(members))
        self._forms: Mapping[str, tuple[str, ...]] = {word: tuple(found) for word, found in forms.items()}
        self.longest = max(map(len, self._forms))

    def __contains__(self, word: str) -> bool:
        return word in self._forms

    def forms(self, word: str) -> tuple[str, ...]:
        """All words of its groups; only itself if it is in none."""
        said = self._forms.get(word, (word,))
        more = (form for each in said for form in (*verbs.forms(each), *nouns.forms(each)))
        return tuple(dict.fromkeys((*said, *more)))
