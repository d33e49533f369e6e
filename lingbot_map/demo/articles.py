"""What the assistant knows: 68 short articles in Chinese and English, each with its age and a week's hits.

The company (苇声通信, Reedvoice) and everything it sells are made up.
"""

from __future__ import annotations

from typing import NamedTuple


class Article(NamedTuple):
    """``age`` is in days at the time the store is opened, ``hits`` how often it reached a prompt in the seven days before."""

    id: str
    category: str
    version: str
    age: int
    hits: int
    zh_title: str
    zh: str
    en_title: str
    en: str


ARTICLES: tuple[Article, ...] = (
    Article(
        "plan-change", "plan", "v4", 40, 12,
        "套餐变更须知",
        "套餐变更当月提交、下个账期生效，每个账期只能改一次。合约期内只能升档，降档要等合约期满。",
        "How to change a plan",
        "A plan change is ordered now and starts with the next bill, once per bill at most. Under a contract you can only move up.",
    ),
    Article(
        "plan-59", "plan", "v2", 65, 9,
        "畅享59套餐说明",
        "畅享59每月59元，含20G通用流量和200分钟通话。超出后流量按每G 5元计费。",
        "Enjoy 59",
        "Enjoy 59 costs 59 a month with 20 GB of data and 200 minutes. Beyond that each GB costs 5.",
    ),
    Article(
        "plan-89", "plan", "v2", 65, 8,
        "畅享89套餐说明",
        "畅享89每月89元，含40G通用流量和500分钟通话，可加两张副卡。",
        "Enjoy 89",
        "Enjoy 89 costs 89 a month with 40 GB of data, 500 minutes and up to two extra cards.",
    ),
    Article(
        "plan-129", "plan", "v2", 65, 11,
        "畅享129套餐说明",
        "畅享129每月129元，含80G通用流量、1000分钟通话和一条500兆宽带。",
        "Enjoy 129",
        "Enjoy 129 costs 129 a month with 80 GB of data, 1,000 minutes and a 500 megabit broadband line.",
    ),
    Article(
        "plan-youth", "plan", "v1", 90, 6,
        "青春19套餐说明",
        "青春19每月19元，含10G通用流量，仅限25岁以下实名用户办理。",
        "Youth 19",
        "Youth 19 costs 19 a month with 10 GB of data and is for registered customers under 25.",
    ),
    Article(
        "plan-compare", "plan", "v3", 30, 10,
        "各档套餐对比",
        "四档套餐的区别在流量和通话：青春19含10G，畅享59含20G，畅享89含40G，畅享129含80G并送宽带。多数人月用量在20G到40G之间。",
        "The plans compared",
        "The plans differ in data and minutes: Youth 19 has 10 GB, 59 has 20, 89 has 40 and 129 has 80 with broadband. Most people use 20 to 40 GB.",
    ),
    Article(
        "plan-contract", "plan", "v2", 120, 4,
        "合约期与违约金",
        "合约期一般为24个月，提前解约按剩余月数乘月费的三成收取违约金。",
        "Contract period and early exit",
        "A contract runs 24 months; leaving early costs 30 percent of the remaining monthly fees.",
    ),
    Article(
        "plan-effective", "plan", "v1", 100, 5,
        "新套餐何时生效",
        "新套餐从下个账期第一天生效，生效前仍按原套餐计费，剩余流量不清零到当月底。",
        "When a new plan starts",
        "A new plan starts on the first day of the next billing period; until then the old one is billed and its data stays usable.",
    ),
    Article(
        "data-left", "plan", "v2", 50, 7,
        "剩余流量查询方法",
        "剩余流量可以在这里直接查，也可发短信LL到客服号。数据约有十五分钟延迟。",
        "Checking the data that is left",
        "The data left can be asked for here or by texting LL to the service number. The figure lags about fifteen minutes.",
    ),
    Article(
        "data-rollover", "plan", "v2", 80, 5,
        "流量结转规则",
        "套餐内没用完的流量可结转到次月底，先用结转的，再用当月的。",
        "Data roll-over",
        "Data of the plan that was not used stays valid until the end of the next month and is used first.",
    ),
    # A revised rule and the one it replaced: nobody took the old one down, and everybody had read it.
    Article(
        "stacking-rules-old", "promotion", "v1", 300, 28,
        "套餐优惠叠加规则",
        "套餐优惠叠加规则：学生优惠与家庭优惠不能同时享受，系统按优惠金额最高的一项计算。"
        "办理叠加优惠需提交学生证和户口簿，审核通过后从下个账期开始减免，有效期十二个月，到期前一个月短信提醒续办。"
        "套餐降档、停机保号或过户后优惠自动取消。",
        "Rules for combining plan offers",
        "Rules for combining plan offers: the student offer and the family offer can't be used together, only the larger one counts. "
        "Send us your student card and a proof of your household; the offer starts with the next bill, lasts twelve months, "
        "and a text message reminds you one month before it ends. Moving to a smaller plan or passing the number on ends it.",
    ),
    Article(
        "stacking-rules", "promotion", "v3", 12, 3,
        "套餐优惠叠加规则（新版）",
        "套餐优惠叠加规则：学生优惠与家庭优惠可以叠加，两项金额合计减免。"
        "办理叠加优惠需提交学生证和户口簿，审核通过后从下个账期开始减免，有效期十二个月，到期前一个月短信提醒续办。"
        "套餐降档、停机保号或过户后优惠自动取消。",
        "Rules for combining plan offers (new version)",
        "Rules for combining plan offers: the student offer and the family offer add up, both count from now on. "
        "Send us your student card and a proof of your household; the offer starts with the next bill, lasts twelve months, "
        "and a text message reminds you one month before it ends. Moving to a smaller plan or passing the number on ends it.",
    ),
    Article(
        "student-offer", "promotion", "v2", 33, 9,
        "学生专享月费减免",
        "在校学生凭学籍认证每月减10元，认证每学年一次。",
        "Student price",
        "Students in education pay 10 less a month after an enrolment check once a school year.",
    ),
    Article(
        "family-offer", "promotion", "v2", 45, 8,
        "家庭成员月费减免",
        "同一户名下三个及以上号码组成家庭，每个号码每月减8元。",
        "Family price",
        "Three or more numbers in one household form a family and each pays 8 less a month.",
    ),
    Article(
        "loyalty-discount", "promotion", "v1", 75, 6,
        "老用户折扣",
        "在网满五年的用户月费九折，满八年八五折，每年自动核算。",
        "Loyalty discount",
        "After five years you pay 10 percent less, after eight years 15 percent less, worked out every year.",
    ),
    Article(
        "refer-friend", "promotion", "v1", 58, 4,
        "推荐好友送流量",
        "每推荐一位好友入网，双方各得5G流量，当月到账。",
        "Bring a friend",
        "For every friend who joins you both get 5 GB in the same month.",
    ),
    Article(
        "data-overrun", "dispute", "v3", 35, 17,
        "流量超出计费规则",
        "流量超出后按每G 5元计费，60元封顶，达到封顶后限速不再收费。超出时有短信提醒。",
        "How extra data is billed",
        "Data beyond the plan costs 5 per GB and at most 60 a month; then it gets slower but costs no more. A text message warns you.",
    ),
    Article(
        "dispute-process", "dispute", "v3", 28, 14,
        "流量争议处理流程",
        "对流量超出有争议，报手机号和账期即可登记，两个工作日内核对流量清单并回复。",
        "What happens with a data dispute",
        "Tell us the number and the month and we register a data dispute; the usage list is checked within two working days.",
    ),
    Article(
        "appeal-process", "dispute", "v2", 70, 10,
        "申诉办理说明",
        "对工单处理结果不满意可以申诉，需提供原工单号，五个工作日内复核。",
        "How to appeal",
        "If you don't accept the result of a ticket you can appeal with the ticket's number; it is reviewed within five working days.",
    ),
    Article(
        "ticket-guide", "dispute", "v2", 55, 9,
        "工单查询指引",
        "工单号在登记成功的短信里，以T开头。凭工单号可以查到处理进度和承诺时限。",
        "Finding and following a ticket",
        "The ticket number begins with T and is in the text message you got. With it you can follow progress and the promised date.",
    ),
    Article(
        "refund-rules", "dispute", "v2", 60, 8,
        "多扣费用退还规则",
        "核实多扣的费用双倍退还到话费余额，三个工作日内到账。",
        "Refunds",
        "A charge that was wrong is refunded twofold to your balance within three working days.",
    ),
    Article(
        "background-data", "dispute", "v1", 85, 7,
        "流量用得快的常见原因",
        "流量用得快多是后台自动更新、视频自动播放或热点共享造成，可在系统设置里查看各应用用量。",
        "Why data runs out quickly",
        "Data mostly runs out through updates in the background, videos that start by themselves or a shared hotspot; the phone's settings show the use of each app.",
    ),
    Article(
        "bill-cycle", "bill", "v2", 45, 9,
        "话费账期与出账时间",
        "话费账期为每月1日到月底，次月3日出账单，5日前可查上月话费。",
        "Billing period",
        "A bill covers the first to the last day of a month and is ready on the 3rd of the next.",
    ),
    Article(
        "bill-items", "bill", "v2", 38, 8,
        "账单明细怎么看",
        "账单明细分为月费、超出费用、增值业务费和代收费四类，每笔都有日期和业务名称。",
        "Reading the details of a bill",
        "A bill lists the monthly fee, charges beyond the plan, extras and third-party charges, each with its date and name.",
    ),
    Article(
        "bill-increase", "bill", "v1", 66, 7,
        "话费突然变多的原因",
        "话费比上个月多，常见原因是优惠到期、流量超出、新增增值业务或补扣上月费用。",
        "Why a bill went up",
        "A bill is higher than last month mostly because an offer ended, data ran over, an extra was ordered or an older charge was added.",
    ),
    Article(
        "top-up-ways", "bill", "v2", 50, 6,
        "充值缴费方式",
        "充值可在线完成，金额1到500元，一般三分钟内到账。停机后充值自动复机。",
        "Ways to top up",
        "You can top up online with 1 to 500; it arrives within three minutes and a suspended line comes back by itself.",
    ),
    Article(
        "auto-pay", "bill", "v1", 95, 4,
        "自动缴费签约",
        "开通自动缴费后，余额低于10元时自动充值，随时可以解约。",
        "Automatic payment",
        "With automatic payment the number is topped up whenever less than 10 is left; you can end it at any time.",
    ),
    Article(
        "arrears", "bill", "v1", 110, 4,
        "欠费停机与复机",
        "欠费超过信用额度会停机，缴清后十分钟内复机，欠费满三个月会销号。",
        "Arrears",
        "A number in arrears is suspended; ten minutes after payment it works again, after three months it is closed.",
    ),
    Article(
        "invoice-guide", "bill", "v3", 25, 8,
        "电子发票开具说明",
        "电子发票按账期开具，提供邮箱后一小时内发送，抬头可在开具前修改。",
        "Electronic invoices",
        "Invoices are issued per bill and sent to your e-mail address within an hour; the name can be changed before.",
    ),
    Article(
        "invoice-vat", "bill", "v1", 88, 3,
        "增值税专用发票申请",
        "单位客户申请增值税专用发票需上传营业执照和开票信息，三个工作日内寄出。",
        "VAT invoices for companies",
        "Companies get a VAT invoice after sending their registration and tax details; it is posted within three working days.",
    ),
    Article(
        "box-warranty", "device", "v2", 52, 6,
        "星舟机顶盒保修说明",
        "星舟机顶盒整机保修两年，遥控器保修一年，人为损坏不在保修范围。",
        "Warranty of the Starboat box",
        "The Starboat box has two years of warranty, its remote one; damage by the owner is not covered.",
    ),
    Article(
        "box-black-screen", "device", "v2", 31, 9,
        "机顶盒黑屏处理",
        "机顶盒黑屏先断电三十秒再开，检查高清线；仍黑屏可预约师傅上门检修。",
        "Set-top box with a black screen",
        "If the box shows a black screen, unplug it for thirty seconds and check the cable; if it stays black we send an engineer.",
    ),
    Article(
        "box-remote", "device", "v1", 77, 4,
        "机顶盒遥控没反应",
        "遥控没反应时换电池，并按住菜单键和确认键五秒重新配对。",
        "Remote control does not react",
        "Change the batteries and hold menu and OK for five seconds to pair the remote again.",
    ),
    Article(
        "phone-repair", "device", "v2", 48, 6,
        "轻语手机维修网点",
        "轻语手机可到营业厅送修，屏幕更换当天可取，主板维修约五天。",
        "Repairing a Whisper phone",
        "Whisper phones are repaired through our shops: a display the same day, a main board in about five days.",
    ),
    Article(
        "router-freeze", "device", "v2", 44, 6,
        "路由器死机重启处理",
        "云屋路由器频繁死机时先升级固件，再恢复出厂设置；仍死机可免费换新。",
        "Router freezes or restarts",
        "If a Cloudhouse router keeps freezing, update its firmware, then reset it; if that does not help it is replaced for free.",
    ),
    Article(
        "return-policy", "device", "v2", 63, 5,
        "设备退换货规则",
        "设备七天内可退、十五天内可换，须包装齐全并带购机凭证。",
        "Returning a device",
        "A device can be returned within seven days and exchanged within fifteen, in its box and with the receipt.",
    ),
    Article(
        "visit-service", "device", "v1", 72, 5,
        "上门检修服务说明",
        "上门检修时间为每天9点到20点，保修期内免费，过保收取50元上门费。",
        "Engineer visits",
        "Engineers come between 9 and 20 o'clock; a visit is free under warranty and costs 50 after it.",
    ),
    Article(
        "price-starboat", "price", "v3", 20, 8,
        "星舟机顶盒价格",
        "星舟机顶盒单买299元，办理畅享129套餐免费领用。",
        "Price of the Starboat box",
        "The Starboat box costs 299, or nothing with the Enjoy 129 plan.",
    ),
    Article(
        "price-whisper", "price", "v3", 20, 8,
        "轻语手机价格",
        "轻语手机裸机价1299元，签两年合约减400元，配件另计。",
        "Price of the Whisper phone",
        "The Whisper phone costs 1,299, or 400 less with a contract of two years.",
    ),
    Article(
        "price-cloudhouse", "price", "v3", 20, 7,
        "云屋路由器价格",
        "云屋路由器259元一台，千兆宽带用户五折。",
        "Price of the Cloudhouse router",
        "The Cloudhouse router costs 259, half of that for customers with gigabit broadband.",
    ),
    Article(
        "price-instalments", "price", "v1", 82, 4,
        "设备分期付款",
        "设备价格满500元可分6期或12期付款，免手续费，需实名认证。",
        "Paying in instalments",
        "From 500 a device can be paid in 6 or 12 instalments without a fee.",
    ),
    Article(
        "trade-in", "price", "v1", 69, 4,
        "旧机抵价",
        "旧手机可抵价50到600元，现场估价，当场抵扣。",
        "Trading in an old phone",
        "An old phone is worth 50 to 600 against a new one, valued on the spot.",
    ),
    Article(
        "roaming-open", "roaming", "v3", 26, 9,
        "国际漫游开通说明",
        "国际漫游在出发前开通即可，无押金，落地自动连接当地网络。",
        "Activating roaming",
        "Roaming is activated before you leave, without a deposit; the phone finds the local network by itself.",
    ),
    Article(
        "roaming-japan-korea", "roaming", "v2", 36, 6,
        "日本韩国流量包",
        "日本和韩国流量包每天25元含2G，七天包98元含10G。",
        "Data for Japan and Korea",
        "In Japan and Korea a day with 2 GB costs 25, seven days with 10 GB cost 98.",
    ),
    Article(
        "roaming-southeast", "roaming", "v2", 36, 6,
        "东南亚流量包",
        "泰国、新加坡、马来西亚和越南流量包每天19元含2G，七天包68元含10G。",
        "Data for South-East Asia",
        "In Thailand, Singapore, Malaysia and Vietnam a day with 2 GB costs 19, seven days with 10 GB cost 68.",
    ),
    Article(
        "roaming-europe", "roaming", "v2", 36, 5,
        "欧洲多国流量包",
        "法国、德国、意大利、西班牙和英国通用流量包每天29元，七天包128元含8G。",
        "Data for Europe",
        "In France, Germany, Italy, Spain and the UK a day costs 29, seven days with 8 GB cost 128.",
    ),
    Article(
        "roaming-calls", "roaming", "v1", 93, 4,
        "境外通话资费",
        "在国外接听每分钟0.99元，拨打国内每分钟1.99元，短信每条0.99元。",
        "Calls while abroad",
        "Abroad a minute costs 0.99 to receive and 1.99 to call home; a text message costs 0.99.",
    ),
    Article(
        "broadband-red-light", "broadband", "v2", 29, 8,
        "光猫红灯断网处理",
        "光猫亮红灯说明光路不通，先检查光纤是否弯折，再断电重启；仍亮红灯需报修。",
        "Modem shows a red light",
        "A red light on the modem means that the line is cut: check the fibre for kinks, restart it, and if it stays red report it.",
    ),
    Article(
        "broadband-slow", "broadband", "v2", 41, 7,
        "网速慢的自查步骤",
        "网速慢先用网线测速，排除WiFi干扰；低于签约速率八成可报修。",
        "Slow internet",
        "Measure by cable first to rule out the wifi; below 80 percent of the agreed speed you can report a fault.",
    ),
    Article(
        "broadband-visit", "broadband", "v2", 47, 7,
        "宽带报修上门时限",
        "宽带报修后城区24小时内上门，农村48小时内上门，修好前每天减免当日费用。",
        "How soon broadband is repaired",
        "After a report somebody comes within 24 hours in town and 48 in the country; the days without service are free.",
    ),
    Article(
        "broadband-install", "broadband", "v2", 57, 6,
        "宽带新装流程",
        "新装宽带先核对地址有无资源，预约后三天内上门安装，安装费100元。",
        "Getting broadband",
        "We check whether your address has fibre and install within three days; installation costs 100.",
    ),
    Article(
        "broadband-move", "broadband", "v1", 91, 4,
        "宽带移机办理",
        "搬家移机需提前两天预约，同城移机免费一次，再移收费80元。",
        "Moving broadband to a new home",
        "Book the move two days ahead; the first one within town is free, later ones cost 80.",
    ),
    Article(
        "broadband-gigabit", "broadband", "v2", 39, 5,
        "千兆宽带资费",
        "千兆宽带每月50元，叠加畅享89及以上套餐减半。",
        "Gigabit broadband",
        "Gigabit broadband costs 50 a month, half with Enjoy 89 or larger.",
    ),
    Article(
        "porting-in", "number", "v2", 61, 5,
        "携号转入流程",
        "携号转入先取得授权码，带身份证在线提交，最快两小时生效。",
        "Bringing a number to us",
        "To bring your number get an authorisation code, send your identity card online, and it works within two hours.",
    ),
    Article(
        "porting-out", "number", "v2", 61, 5,
        "携号转网资格",
        "携号转网需号码实名、无欠费、无在网合约，入网满120天。",
        "Taking a number to another operator",
        "You can take your number away if it is registered, paid, without a contract and older than 120 days.",
    ),
    Article(
        "sim-block", "number", "v2", 34, 7,
        "挂失与解除挂失",
        "手机卡丢失请立即挂失停机，防止盗用；找回后凭验证码解除挂失。",
        "Blocking a SIM",
        "Block a lost SIM at once so that nobody can use it; a code unblocks it when it is found.",
    ),
    Article(
        "sim-replace", "number", "v2", 34, 6,
        "补换SIM卡",
        "补卡可到营业厅当场办理，也可邮寄新卡，工本费10元。",
        "Replacement SIM",
        "You get a new SIM in a shop on the spot or by post; it costs 10.",
    ),
    Article(
        "second-card-rules", "number", "v2", 53, 6,
        "副卡办理规则",
        "副卡每张每月10元，与主卡共享流量和通话，一个主卡最多四张副卡。",
        "Extra cards",
        "An extra card costs 10 a month and shares data and minutes; a main card has four at most.",
    ),
    Article(
        "close-number", "number", "v1", 102, 3,
        "销户办理条件",
        "销户需结清费用并解除合约，余额原路退回，号码冻结90天。",
        "Closing an account",
        "To close an account all bills must be paid and contracts ended; the balance is returned and the number rests for 90 days.",
    ),
    Article(
        "real-name", "number", "v1", 115, 3,
        "实名认证要求",
        "所有号码必须实名，可在线上传身份证并做人脸核验。",
        "Registering your name",
        "Every number must be registered; send your identity card online and look into the camera.",
    ),
    Article(
        "extras-cancel", "service", "v2", 43, 6,
        "增值业务退订方法",
        "增值业务随时可退订，当月费用不退，次月起不再扣费。",
        "Cancelling extras",
        "Extras can be cancelled at any time; this month is still charged, the next is not.",
    ),
    Article(
        "video-pass", "service", "v1", 78, 4,
        "视频会员说明",
        "视频会员每月15元，含一个平台会员和15G定向流量。",
        "Video pass",
        "The video pass costs 15 a month with one platform and 15 GB for it.",
    ),
    Article(
        "shop-hours", "service", "v2", 37, 6,
        "营业厅营业时间",
        "营业厅周一到周日9点到18点营业，城东和高新区两家延长到20点。",
        "Opening hours",
        "Our shops are open from 9 to 18 every day; those on the east side and in the tech park until 20.",
    ),
    Article(
        "shop-services", "service", "v1", 86, 4,
        "营业厅可办业务",
        "营业厅可办补卡、销户、实名登记和设备送修，请带身份证原件。",
        "What a shop can do",
        "Shops replace SIMs, close accounts, register names and take devices for repair; bring your identity card.",
    ),
    Article(
        "complaint-channel", "service", "v1", 74, 4,
        "投诉渠道与时限",
        "投诉当天受理，48小时内首次回复，可升级到质量监督部门。",
        "Complaints",
        "Complaints are taken the same day and answered within 48 hours; they can be passed on to quality control.",
    ),
    Article(
        "agent-hours", "service", "v1", 59, 5,
        "人工客服服务时间",
        "人工客服8点到22点在线，高峰期排队约三分钟。",
        "When people answer",
        "Our people answer from 8 to 22 o'clock; at busy times you wait about three minutes.",
    ),
    Article(
        "signal-check", "network", "v2", 49, 6,
        "手机没信号自查",
        "没信号先开关一次飞行模式，再检查是否欠费停机，最后手动选择网络。",
        "No signal",
        "Without a signal turn flight mode on and off, check for arrears, then choose the network by hand.",
    ),
    Article(
        "signal-repair", "network", "v1", 68, 4,
        "信号弱报障流程",
        "室内信号弱可报片区和楼栋，三天内测试并答复，必要时加装小基站。",
        "Weak signal indoors",
        "Tell us the area and the building; it is measured within three days and a small mast is added where needed.",
    ),
)
