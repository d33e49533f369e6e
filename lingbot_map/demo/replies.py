"""What the assistant says: one sentence for each thing it has done, into which slots and the chosen article are put.

``{doc}`` is the text of the article that the search put first; ``{...}`` are slots and what the back office found.
"""

DONE_ZH: dict[str, str] = {
    "greeting": "您好，这里是苇声通信，请问要办什么？套餐、话费、宽带、售后都可以问我。",
    "thanks": "不客气，祝您生活愉快。",
    "unclear": "抱歉，我没听明白，可以换个说法吗？",
    "change_plan": "已为 {phone} 提交变更：{current_plan} → {target_plan}。{doc}",
    "compare_plan": "{doc}",
    "current_plan": "{phone} 现在用的是 {current_plan}。",
    "promotion": "{doc}",
    "data_dispute": "已登记 {phone} {bill_month}的流量争议，工单号 {ticket_number}。{doc}",
    "appeal": "已为工单 {ticket_number} 提交申诉。{doc}",
    "ticket_query": "工单 {ticket_number} 正在处理，两个工作日内回复。{doc}",
    "data_usage": "{phone} 本月还剩 {left_gb}G 流量。{doc}",
    "bill_query": "{phone} {bill_month}的话费是 {bill} 元，账户余额 {balance} 元。{doc}",
    "bill_detail": "{phone} {bill_month}共 {bill} 元，月费之外有 {extra} 元其他费用。{doc}",
    "top_up": "已为 {phone} 充值 {amount}。{doc}",
    "invoice": "电子发票将发送到 {email}。{doc}",
    "after_sale": "已预约{visit_time}上门检修{brand}设备（{fault}）。{doc}",
    "warranty": "{doc}",
    "price_query": "{doc}",
    "roaming": "已为 {phone} 开通{destination}漫游，{start_date}生效。{doc}",
    "broadband_repair": "已登记 {address} 的宽带报修，师傅{visit_time}上门。{doc}",
    "broadband_new": "已预约 {address} 的宽带安装，{visit_time}上门。{doc}",
    "number_porting": "{phone} 没有欠费和合约，可以携号转网。{doc}",
    "sim_loss": "{phone} 已挂失停机。{doc}",
    "second_card": "已为 {phone} 登记一张副卡。{doc}",
    "cancel_service": "已为 {phone} 退订{service}。{doc}",
    "close_account": "{phone} 的销户申请已受理。{doc}",
    "network_fault": "已登记{area}的信号问题。{doc}",
    "store_hours": "{area}有营业厅。{doc}",
    "complaint": "非常抱歉，您的意见已记录。{doc}",
    "handoff": "正在为您转接人工客服，请稍候。{doc}",
}

DONE_EN: dict[str, str] = {
    "greeting": "Hello, this is Reedvoice. What can I do for you? Plans, bills, broadband, repairs: just ask.",
    "thanks": "You are welcome. Have a good day.",
    "unclear": "Sorry, I did not get that. Could you put it another way?",
    "change_plan": "Done: {phone} moves from {current_plan} to {target_plan}. {doc}",
    "compare_plan": "{doc}",
    "current_plan": "{phone} is on {current_plan}.",
    "promotion": "{doc}",
    "data_dispute": "I registered a data dispute for {phone}, {bill_month}: ticket {ticket_number}. {doc}",
    "appeal": "Your appeal for ticket {ticket_number} is on its way. {doc}",
    "ticket_query": "Ticket {ticket_number} is being worked on; you hear from us within two working days. {doc}",
    "data_usage": "{phone} has {left_gb} GB left this month. {doc}",
    "bill_query": "The bill of {phone} for {bill_month} is {bill}; the balance is {balance}. {doc}",
    "bill_detail": "{phone}, {bill_month}: {bill} in all, {extra} of it beyond the monthly fee. {doc}",
    "top_up": "{phone} was topped up with {amount}. {doc}",
    "invoice": "The invoice goes to {email}. {doc}",
    "after_sale": "An engineer comes {visit_time} for the {brand} ({fault}). {doc}",
    "warranty": "{doc}",
    "price_query": "{doc}",
    "roaming": "Roaming in {destination} is on for {phone} from {start_date}. {doc}",
    "broadband_repair": "The fault at {address} is registered; somebody comes {visit_time}. {doc}",
    "broadband_new": "Broadband at {address} is booked for {visit_time}. {doc}",
    "number_porting": "{phone} owes nothing and has no contract, so it can be ported. {doc}",
    "sim_loss": "{phone} is blocked. {doc}",
    "second_card": "An extra card for {phone} is on its way. {doc}",
    "cancel_service": "The {service} of {phone} is cancelled. {doc}",
    "close_account": "The request to close {phone} is with us. {doc}",
    "network_fault": "I registered the signal problem in {area}. {doc}",
    "store_hours": "There is a shop in {area}. {doc}",
    "complaint": "I am very sorry; I have noted it. {doc}",
    "handoff": "I am connecting you to a colleague. {doc}",
}

PHRASES_ZH: dict[str, str] = {
    "again": "还是需要这项信息：",
    "resumed": "我们继续办理{task}。",
    "open": "另外，{task}还没有办完，需要时请告诉我。",
    "no_doc": "这一点我没有查到资料。",
}

PHRASES_EN: dict[str, str] = {
    "again": "I still need this: ",
    "resumed": "Let us go on with: {task}. ",
    "open": " By the way, this is still open: {task}.",
    "no_doc": "I found nothing about this.",
}


def done(lang: str, intent: str) -> str:
    """The sentence for an intent that has all it needs."""
    return (DONE_ZH if lang == "zh" else DONE_EN)[intent]


def phrase(lang: str, name: str) -> str:
    """The standing phrase ``name`` in the language."""
    return (PHRASES_ZH if lang == "zh" else PHRASES_EN)[name]
