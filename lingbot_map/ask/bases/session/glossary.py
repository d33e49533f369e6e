"""What identifiers are called by people who speak Chinese: ``phone`` is 手机号, ``plan_a`` is 套餐A.

The words are those that slots, intents and documents of service bots are commonly named with; a bot's own labels
always come first. A word that isn't here has no Chinese name, and nothing is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, product

_WORDS = """
address 地址|住址  after_sale 售后|售后服务  agent 人工|坐席  amount 金额|数额  appeal 申诉  appointment 预约
bank 银行  bill 账单|话费  birthday 生日  book 预订  brand 品牌|产品线  broadband 宽带  budget 预算  callback 回电|回拨
cancel 取消  card 卡|卡号  category 类别|分类  change 改|更改|变更|更换  channel 渠道  city 城市  color 颜色
compare 对比|比较  complaint 投诉  coupon 优惠券  current 当前  data 流量  date 日期  delivery 配送|送货
departure 出发地  destination 目的地  device 设备  discount 折扣  email 邮箱  fault 故障  fee 费用  gender 性别
goodbye 再见  greeting 问候  handoff 转人工|人工  handover 转人工|人工  help 帮助  hotel 酒店  id 编号
id_number 身份证号|身份证号码  identity 身份  invoice 发票  issue 问题  level 等级  limit 限额  location 位置
logistics 物流  method 方式  model 型号  month 月份  name 姓名|名字  network 网络  number 号|号码  order 订单
package 套餐  password 密码  pay 支付  payment 支付|付款  people 人数  phone 手机号|电话|号码|手机号码  plan 套餐
policy 政策  pickup 取货  price 价格  product 产品|商品  promo 优惠|促销  promotion 优惠|促销|优惠活动  purchase 购买
quantity 数量  query 查询  reason 原因  recharge 充值  refund 退款  repair 维修|报修  reservation 预订  restaurant 餐厅
return 退货  roaming 漫游  room 房间  rules 规则  rule 规则  sale 销售  service 服务  shipping 物流  size 尺寸|尺码
status 状态  store 门店  subscription 订阅  thanks 感谢  ticket 工单  time 时间  traffic 流量  transfer 转账
type 类型  unclear 没听懂  upgrade 升级  user 用户  visit 上门  warranty 保修  weather 天气
"""
_CHINESE = {
    english: names.split("|")
    for english, names in (pair.split(" ", 1) for pair in re.split(r"\s{2,}|\n", _WORDS.strip()) if pair)
}
_PARTS = re.compile(r"[^\W_]+")
_CLASS = ("doc", "docs", "document", "slot", "intent", "kb", "faq", "article")  # a prefix that says what kind it is
_MOST = 24


def spoken(identifier: str) -> Iterator[str]:
    """What an identifier may be called besides itself: its words apart, without its kind, in Chinese; a bounded few."""
    parts = [part.lower() for part in _PARTS.findall(identifier)][:6]
    if parts and parts[0] in _CLASS and len(parts) > 1:
        parts = parts[1:]
        yield "_".join(parts)
    if len(parts) > 1:
        yield " ".join(parts)
    whole = "_".join(parts)
    if whole in _CHINESE:
        yield from _CHINESE[whole]
    choices = [_CHINESE.get(part) or ([part] if len(part) <= 2 else []) for part in parts]
    if parts and all(choices) and any(part in _CHINESE for part in parts):
        yield from islice(("".join(words) for words in product(*choices)), _MOST)
