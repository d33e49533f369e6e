"""What the scripted customer says: a story in each language, and what further sessions are made from."""

from __future__ import annotations

ZH: tuple[str, ...] = (
    "你好",
    "我想换个套餐",
    "138 0000 6621",
    "先帮我比一比几个套餐",
    "那还是换套餐吧",
    "不，我是说我流量超出的事",
    "我根本没用那么多，这钱扣得不对",
    "工单号？工单号在哪里看",
    "那现在怎么办呢",
    "那就换成畅享129吧",
    "我问的是流量超出的问题，6月的",
    "上次报修的星舟机顶盒又坏了",
    "就是那台盒子，一直黑屏",
    "先查一下我这个月话费",
    "怎么比上个月多了二十块，看看明细",
    "把彩铃退订了",
    "你们那款新手机现在什么价",
    "我说的是轻语，不是星舟",
    "学生优惠和家庭优惠可以叠加吗",
    "不对吧，学生优惠和家庭优惠不是可以叠加了吗",
    "我听说现在两项优惠可以合计，到底能不能叠加",
    "转人工",
    "算了，问你吧，机顶盒保修多久",
    "那台星舟安排师傅明天上午来修吧",
    "流量那个工单多久有结果",
    "继续办换套餐的事",
    "确认",
    "还剩多少流量",
    "给手机充50元",
    "发票也开一下",
    "发到 demo@example.com",
    "下周要去日本，漫游怎么开",
    "下周三",
    "另外家里宽带断网了，光猫亮红灯",
    "望江小区3栋502",
    "后天下午",
    "我在城东，营业厅几点关门",
    "给家里人办张副卡",
    "没有其他问题了",
    "谢谢，再见",
)

EN: tuple[str, ...] = (
    "hello",
    "which plan am I on",
    "it is 139 0000 4172",
    "which plans do you have",
    "I want to change my plan",
    "the 129 please",
    "yes, go ahead",
    "how much is my bill this month",
    "why is it more than last month",
    "I think my data overran, check the overage",
    "June",
    "when will the ticket be done",
    "my internet at home is down, the modem has a red light",
    "12 River Lane",
    "tomorrow morning",
    "do the student offer and the family offer add up",
    "does the student offer count on top of the family offer from now on",
    "I'm going to Japan, what about data",
    "next week",
    "how much is the Whisper phone",
    "how long is the warranty",
    "cancel the ringback tone",
    "I lost my SIM card",
    "402917",
    "let me talk to a person",
    "thanks, that's all",
)

TITLES = {"zh": "套餐变更 · 流量争议", "en": "New plan and a data dispute"}
"""Of the two stories."""

LINES_ZH: dict[str, tuple[tuple[str, ...], ...]] = {
    # Title of a scene, and what is said in it in turn, each in several wordings.
    "套餐变更": (("我想换套餐", "能给我改个套餐吗", "想换一档资费"), ("帮我比较一下这几个套餐", "哪个套餐划算一点")),
    "当前套餐": (("我现在用的是什么套餐", "查一下我名下是哪个套餐"), ("这个月流量还剩多少", "帮我查流量")),
    "流量争议": (("我的流量怎么超出了这么多", "流量超额扣费不对吧"), ("我不认可，要申诉", "这笔扣费不该扣，给我退费")),
    "工单进度": (("我的工单处理得怎么样了", "之前那个工单有进展吗"),),
    "话费查询": (("查一下这个月话费", "我上个月话费是多少"), ("账单明细给我看看", "多出来的钱是什么费用")),
    "优惠叠加": (("学生优惠和家庭优惠可以叠加吗", "两个优惠能一起用吗"), ("叠加优惠怎么办理", "优惠叠加按合计计算吗")),
    "国际漫游": (("下个月去日本，想开漫游", "要去泰国旅游，流量怎么办", "去法国出差，国际漫游怎么开通"),),
    "宽带报修": (("家里宽带断网了", "光猫亮红灯，上不了网"), ("网速特别慢是怎么回事", "WiFi老掉线")),
    "设备售后": (("云屋路由器老是死机", "星舟机顶盒黑屏了", "轻语手机花屏了，要送修"), ("保修多久", "过保了怎么办")),
    "设备价格": (("轻语手机多少钱", "云屋路由器什么价", "你们的机顶盒卖多少钱"),),
    "充值发票": (("给手机充50元", "我要充值"), ("开一张电子发票", "发票开一下，报销用")),
    "挂失补卡": (("手机卡丢了要挂失", "手机被偷了，先停机"), ("补卡要带什么", "怎么补办SIM卡")),
    "携号转网": (("携号转网要什么条件", "我想带号转网"),),
    "退订业务": (("把视频会员退订了", "取消增值业务", "阅读包给我关掉"),),
    "营业厅": (("营业厅几点下班", "附近营业厅在哪"), ("这边信号很差", "手机老是没信号")),
    "转人工": (("转人工", "帮我接人工客服"),),
}

LINES_EN: dict[str, tuple[tuple[str, ...], ...]] = {
    "Change plan": (
        ("I'd like to change my plan", "can you move me to another plan"),
        ("compare the plans for me", "which plan is best value"),
    ),
    "Current plan": (("what's my current plan", "which plan am I on"), ("how much data is left", "check my data")),
    "Data dispute": (
        ("my data overran, that can't be right", "why this overage charge"),
        ("I want to appeal", "I don't accept this charge, refund it"),
    ),
    "Ticket": (("what is the status of my ticket", "any progress on my ticket"),),
    "Bill": (
        ("how much is my bill this month", "what do I owe for last month"),
        ("why did my bill go up", "show me the details of the bill"),
    ),
    "Offers": (
        ("do the student offer and the family offer add up", "can I combine the discounts"),
        ("how do I get the student discount",),
    ),
    "Roaming": (
        ("I'm travelling to Japan, activate roaming", "I go to Thailand, what about data", "can I use my phone abroad"),
    ),
    "Broadband": (
        ("my broadband is down", "the modem has a red light"),
        ("the internet is very slow", "wifi keeps dropping"),
    ),
    "Repair": (
        ("my Cloudhouse router keeps freezing", "the Starboat box has a black screen"),
        ("how long is the warranty", "does the warranty cover drops"),
    ),
    "Prices": (("how much is the Whisper phone", "what does the router cost", "price of the Starboat box"),),
    "Top up": (
        ("top up 50 on my phone", "I want to add credit"),
        ("send me an invoice", "I need an invoice for my expenses"),
    ),
    "Lost SIM": (("I lost my SIM card", "my phone was stolen, block my SIM"), ("how do I get a replacement SIM",)),
    "Porting": (("can I port my number", "I want to keep my number and change carrier"),),
    "Extras": (("unsubscribe from the video pass", "cancel the reading pass"),),
    "Shops": (("when does the shop open", "where is the nearest store"), ("I have no signal", "bad reception here")),
    "A person": (("let me talk to a person", "human please"),),
}

FACTS_ZH: dict[str, tuple[str, ...]] = {
    # What the customer answers when asked for a slot.
    "phone": ("138 0000 {digits}", "号码是 139 0000 {digits}", "我的手机 136 0000 {digits}"),
    "target_plan": ("换成畅享89", "畅享129吧", "59那档"),
    "confirmed": ("确认", "好的，办吧"),
    "bill_month": ("5月的", "上个月", "6月份"),
    "ticket_number": ("我没有工单号", "哪来的工单号"),
    "amount": ("充30元", "100元"),
    "email": ("发到 demo@example.com", "bill@example.org"),
    "brand": ("星舟的", "云屋", "是轻语"),
    "fault": ("一直黑屏", "老是死机", "开不了机"),
    "visit_time": ("明天上午", "周六下午", "后天"),
    "address": ("望江小区3栋502", "新桥花园12栋", "青石路88号"),
    "destination": ("去日本", "泰国", "法国"),
    "start_date": ("下周一", "明天开始", "下周六"),
    "verify_code": ("{digits}17", "验证码{digits}08"),
    "service": ("彩铃", "视频会员", "来电显示"),
    "area": ("城东", "我在高新区", "城南这边"),
}

FACTS_EN: dict[str, tuple[str, ...]] = {
    "phone": ("139 0000 {digits}", "my number is 138 0000 {digits}"),
    "target_plan": ("the 89 plan", "Enjoy 129", "the 59 one"),
    "confirmed": ("yes please", "ok, go ahead"),
    "bill_month": ("May", "last month", "June"),
    "ticket_number": ("I don't have a ticket number", "I have no ticket"),
    "amount": ("add 30", "50 credit"),
    "email": ("demo@example.com", "bill@example.org"),
    "brand": ("Starboat", "the Cloudhouse one", "Whisper"),
    "fault": ("black screen", "it is freezing", "it won't turn on"),
    "visit_time": ("tomorrow morning", "on Saturday afternoon"),
    "address": ("12 River Lane", "7 Orchard Road"),
    "destination": ("Japan", "to Thailand", "France"),
    "start_date": ("next Monday", "from tomorrow"),
    "verify_code": ("{digits}17", "the code is {digits}08"),
    "service": ("ringback tone", "video pass"),
    "area": ("old town", "the east side", "tech park"),
}

OPENINGS = {"zh": ("你好", "在吗", "您好"), "en": ("hello", "good morning", "hi")}
CLOSINGS = {"zh": ("谢谢，再见", "好的谢谢，没别的事了"), "en": ("thanks, bye", "that's all, thank you")}
