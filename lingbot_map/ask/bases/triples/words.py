# ruff: noqa: E501  (tables: a Chinese character counts as two columns)
"""How questions say what every graph has: kinds of things, common properties, extremes, and words that say nothing.

Chinese words stand folded (simplified); English ones as stems (``stem``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass


def _all(text: str) -> frozenset[str]:
    return frozenset(text.split())


_IRREGULAR = {
    "written": "write", "wrote": "write", "made": "make", "sang": "sing", "sung": "sing", "won": "win",
    "built": "build", "born": "birth", "led": "lead", "held": "hold", "taught": "teach", "bought": "buy",
    "sold": "sell", "founded": "found", "wives": "wife", "children": "child", "people": "person", "men": "man",
    "women": "woman", "played": "play", "shot": "shoot", "drew": "draw", "drawn": "draw", "knew": "know",
    "known": "know", "owned": "own", "owns": "own", "countries": "country", "cities": "city", "ran": "run",
    "died": "die", "dies": "die", "dead": "die", "series": "series", "movies": "movie", "titles": "title",
}  # fmt: skip
_ENDINGS = ("ings", "ing", "ers", "ors", "er", "or", "ies", "ed", "es", "s")


def stem(word: str) -> str:
    """An English word without its ending: directed, directs, director and directing are one."""
    word = _IRREGULAR.get(word, word)
    for end in _ENDINGS:
        if word.endswith(end) and len(word) - len(end) >= 3 and not (end in ("s", "es") and word.endswith("ss")):
            word = word[: -len(end)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeiouls":
        word = word[:-1]
    return word[:-1] if len(word) > 3 and word.endswith("e") else word


KINDS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("film", "movie", "电影", "影片"), "电影 影片 片子 片 作品 部影片 film movie picture work"),
    (("person", "people", "human", "人", "人物", "actor"), "人 人物 人员 人士 person people man woman"),
    (("book", "novel", "书", "图书", "小说"), "书 书籍 图书 小说 作品 book novel work"),
    (("song", "music", "歌曲", "音乐"), "歌 歌曲 曲子 作品 song track work"),
    (("album", "专辑"), "专辑 唱片 album record"),
    (("company", "organization", "organisation", "公司", "机构"), "公司 企业 机构 company firm business"),
    (("city", "城市"), "城市 市 city town"),
    (("country", "国家"), "国家 国 country nation"),
    (("service", "component", "服务", "组件"), "服务 组件 模块 service component module"),
    (("team", "团队"), "团队 队 小组 team"),
    (("product", "产品", "商品"), "产品 商品 product item"),
    (("project", "项目"), "项目 project"),
    (("document", "文档"), "文档 文件 document doc"),
    (("school", "university", "学校", "大学"), "学校 大学 school university college"),
    (("place", "location", "地点"), "地方 地点 place location"),
    (("game", "游戏"), "游戏 game"),
    (("writer", "author", "novelist", "作家", "作者"), "作家 作者 writer author novelist"),
    (("publisher", "press", "出版社", "书局"), "出版社 书局 出版商 publisher press"),
    (("director",), "导演 director"),
    (("actor", "actress"), "演员 actor"),
    (("singer",), "歌手 singer"),
    (("musician", "composer"), "音乐家 作曲家 musician composer"),
    (("artist", "painter"), "艺术家 画家 artist painter"),
    (("band", "group", "乐队"), "乐队 组合 band group"),
    (("player", "athlete", "球员", "运动员"), "球员 选手 运动员 player athlete"),
    (("club", "俱乐部"), "俱乐部 球队 球会 club team"),
    (("coach", "教练"), "教练 主教练 coach"),
    (("stadium", "arena", "venue", "球场", "体育场"), "球场 体育场 场馆 场地 stadium arena venue"),
    (("league", "联赛"), "联赛 league"),
    (("match", "比赛"), "比赛 match"),
    (("doctor", "physician", "医生"), "医生 大夫 医师 doctor physician"),
    (("patient", "患者", "病人"), "患者 病人 patient"),
    (("nurse", "护士"), "护士 nurse"),
    (("hospital", "医院"), "医院 hospital"),
    (("department", "科室", "部门"), "科室 部门 department"),
    (("drug", "medicine", "medication", "药品", "药物"), "药 药品 药物 drug medicine"),
    (("disease", "illness", "疾病"), "病 疾病 disease illness"),
    (("symptom", "症状"), "症状 symptom"),
    (("student", "pupil", "学生"), "学生 student pupil"),
    (("teacher", "professor", "老师", "教师"), "教师 教授 teacher professor"),
    (("course", "课程"), "课程 课 course"),
    (("scientist", "researcher", "科学家"), "科学家 研究员 研究者 scientist researcher"),
    (("paper", "论文"), "论文 paper"),
    (("journal", "期刊"), "期刊 journal"),
    (("conference", "会议"), "会议 conference"),
    (("employee", "staff", "员工"), "员工 职员 雇员 employee"),
    (("engineer", "工程师"), "工程师 engineer"),
    (("customer", "client", "客户"), "客户 顾客 customer client"),
    (("user", "用户"), "用户 user"),
    (("supplier", "vendor", "供应商"), "供应商 supplier vendor"),
    (("order", "订单"), "订单 order"),
    (("shop", "store", "商店", "门店"), "商店 门店 店 shop store"),
    (("restaurant", "餐厅"), "餐厅 饭店 餐馆 restaurant"),
    (("hotel", "酒店"), "酒店 宾馆 hotel"),
    (("brand", "品牌"), "品牌 brand"),
    (("car", "vehicle", "汽车"), "汽车 车 车型 car vehicle"),
    (("server", "host", "服务器"), "服务器 主机 server host"),
    (("database", "数据库"), "数据库 database"),
    (("module", "模块"), "模块 module"),
    (("api", "interface", "接口"), "接口 api interface"),
    (("requirement", "需求"), "需求 requirement"),
    (("case", "testcase", "用例"), "用例 测试用例 case"),
    (("bug", "defect", "缺陷"), "缺陷 bug defect"),
    (("event", "活动", "事件"), "活动 事件 event"),
    (("award", "prize", "奖项"), "奖项 奖 award prize"),
    (("museum", "博物馆"), "博物馆 museum"),
    (("painting", "artwork", "画作"), "画 画作 painting artwork work 作品"),
    (("river", "河流"), "河流 河 river"),
    (("mountain", "山"), "山 山峰 mountain"),
    (("station", "车站"), "车站 站 station"),
    (("airport", "机场"), "机场 airport"),
    (("province", "state", "省"), "省 省份 province state"),
    (("bank", "银行"), "银行 bank"),
    (("device", "设备"), "设备 device"),
    (("language", "语言"), "语言 language"),
    (("animal", "动物"), "动物 animal"),
    (("plant", "植物"), "植物 plant"),
    (("series", "tvshow", "剧集", "电视剧"), "剧集 电视剧 剧 series show"),
)
"""(names that a kind may have, how it is said)."""

PERSONS = _all(
    "person people human man woman actor director author writer artist user employee player coach doctor nurse patient "
    "student teacher professor singer musician composer scientist researcher engineer customer painter athlete novelist "
    "球员 教练 医生 护士 患者 学生 教师 老师 教授 歌手 作家 画家 科学家 研究员 工程师 客户 人 人物 人员 员工 用户 演员 导演 作者"
)
"""Kinds that "who" asks for."""


@dataclass(frozen=True, slots=True)
class Concept:
    """A property that many graphs have: the names it goes by, how it is said, the units its numbers are told in."""

    name: str
    names: frozenset[str]
    says: tuple[str, ...]
    units: tuple[str, ...] = ()


def _concept(name: str, names: str, says: str, units: str = "") -> Concept:
    return Concept(name, frozenset(names.split()), tuple(says.split("|")), tuple(units.split()))


CONCEPTS: tuple[Concept, ...] = (
    _concept(
        "time", "year date since released release_date releasedate release_year published founded started time 年份 时间 日期 "
        "上映时间 上映年份 发行时间 出版时间 成立时间",
        "年份|上映时间|上映年份|上映日期|上映|公映|首映|发行|出版|问世|推出|成立|上线|启用|日期|时间|年|"
        "year|date|released|release|release date|release year|came out|come out|published|premiere|founded", "年 年份",
    ),
    _concept(
        "birth", "birth birthday birth_date birthdate birthyear birth_year born 生日 出生日期 出生年份",
        "出生日期|出生年份|生日|出生|birthday|birth|date of birth|born|birth year", "年",
    ),
    _concept("death", "death death_date deathdate death_year died 逝世日期", "逝世|去世|死亡|died|death|date of death", "年"),
    _concept(
        "rating", "rating score stars rate grade 评分 分数 得分",
        "评分|分数|得分|打分|分值|rating|score|rated|scored|grade", "分 分数 points stars",
    ),
    _concept("genre", "genre category genres type categories 类型 题材 类别", "类型|题材|类别|种类|片种|genre|category"),
    _concept(
        "job", "job occupation profession role position title 职业 职位",
        "职业|工作|身份|职务|职位|做什么的|干什么的|occupation|profession|job|for a living",
    ),
    _concept("award", "award awards prize prizes 奖项 奖 获奖", "奖项|获奖|得奖|得过奖|拿过奖|获过奖|award|awards|prize|prizes"),
    _concept("age", "age 年龄", "年龄|多大|几岁|岁数|年纪|age|how old|old", "岁 years"),
    _concept("price", "price cost 价格 售价", "价格|价钱|售价|多少钱|票价|price|cost", "元 块 块钱 dollars yuan"),
    _concept("height", "height 身高 高度", "身高|高度|多高|height|tall|how tall", "米 厘米 cm m"),
    _concept("length", "runtime duration length 片长 时长", "片长|时长|长度|多长|runtime|duration|length|how long", "分钟 minutes"),
    _concept("pages", "pages page_count pagecount 页数", "页数|多少页|页|pages|page count", "页 pages"),
    _concept("people", "population 人口", "人口|居民|population|inhabitants", "人"),
    _concept("birthplace", "birthplace place_of_birth birth_place 出生地", "出生地|籍贯|家乡|birthplace|place of birth|hometown"),
    _concept("country", "country nationality 国家 国籍", "国籍|国家|nationality|country"),
    _concept("language", "language 语言", "语言|language"),
    _concept("gender", "gender sex 性别", "性别|gender|sex"),
    _concept("city", "city location place address 城市 地点 地址", "地址|地点|位置|城市|city|location|address"),
    _concept("gross", "gross boxoffice box_office revenue 票房 收入", "票房|收入|营收|box office|gross|revenue", "亿 万"),
    _concept("email", "email mail 邮箱", "邮箱|邮件|email|mail"),
    _concept("phone", "phone tel telephone 电话", "电话|手机号|phone|telephone"),
)  # fmt: skip

SAME: tuple[frozenset[str], ...] = tuple(
    frozenset(group.split("|"))
    for group in (
        "科幻|sci-fi|science fiction|scifi", "悬疑|mystery|suspense", "剧情|drama", "喜剧|comedy", "动作|action",
        "爱情|romance|romantic", "恐怖|horror", "动画|animation|animated", "纪录|documentary", "惊悚|thriller",
        "犯罪|crime", "战争|war", "奇幻|fantasy", "冒险|adventure", "历史|historical|history", "音乐|musical",
        "导演|director", "演员|actor|actress", "编剧|screenwriter", "作家|writer|author", "歌手|singer",
        "男|male", "女|female", "中国|china|chinese", "美国|usa|american", "日本|japan|japanese", "英国|uk|british",
    )
)  # fmt: skip
"""Texts of properties that say the same in both languages."""

LABELS: dict[str, tuple[str, str]] = {
    "time": ("年份", "year"), "birth": ("出生", "birth"), "death": ("逝世", "death"), "rating": ("评分", "rating"),
    "genre": ("类型", "genre"), "job": ("职业", "job"), "age": ("年龄", "age"), "price": ("价格", "price"),
    "height": ("身高", "height"), "length": ("时长", "length"), "pages": ("页数", "pages"), "people": ("人口", "population"),
    "birthplace": ("出生地", "birthplace"), "country": ("国家", "country"), "language": ("语言", "language"),
    "gender": ("性别", "gender"), "city": ("地点", "place"), "gross": ("票房", "box office"),
    "award": ("奖项", "award"), "email": ("邮箱", "email"), "phone": ("电话", "phone"),
}  # fmt: skip

DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0}
_TENS = {"十": 10, "百": 100, "千": 1000}
_COUNTING = "zero one two three four five six seven eight nine ten"
_ENGLISH = {word: n for n, word in enumerate(_COUNTING.split())}
_DECIMAL = re.compile(r"\d+(?:\.\d+)?")


def number_of(text: str) -> float | None:
    """A number in digits, Chinese numerals (八点五, 三十二) or an English word up to ten; ``None`` if it is none."""
    if _DECIMAL.fullmatch(text):
        return float(text)
    if text in _ENGLISH:
        return float(_ENGLISH[text])
    whole, _, rest = text.partition("点")
    if not whole or any(char not in DIGITS and char not in _TENS for char in whole) or len(whole) > 12:
        return None
    total = last = 0
    for char in whole:
        if char in _TENS:
            total += (last or 1) * _TENS[char]
            last = 0
        elif any(each in _TENS for each in whole):
            last = DIGITS[char]
        else:
            last = last * 10 + DIGITS[char]
    value = float(total + last)
    if rest:
        if any(char not in DIGITS for char in rest):
            return None
        value += float("0." + "".join(str(DIGITS[char]) for char in rest))
    return value


FILLER_ZH = _all("""的 了 过 是 有 在 和 与 跟 及 以及 或 或者 而 且 并 吗 呢 吧 啊 呀 嘛 么 都 还 也 又 再 曾 曾经 一共 总共 共 请问 请 我 想 知道 想知道 我想
    告诉 查 查查 查询 查一下 找 找出 找一下 帮我 列出 列举 给我 说说 说一下 看看 哪 哪些 哪个 哪部 哪几 哪几部 哪位 哪几位 哪里 哪儿 哪一 哪一部 哪一位
    哪一个 什么 啥 些 谁 几 多少 部 个 位 名 条 本 首 座 家 支 款 种 那 这 那部 这部 那些 这些 那个 这个 那位 这位 其中 里 里面 里头 中 当中 之中
    所有 全部 分别 一下 你 被 由 把 给 对 从 到 之 所 者 等 上 就 呗 哦 嗯 好 那么 然后 又是 为 为止 以 于 自 着 得 地 一 两 下 会 能 能够 可以 是否
    是不是 有没有 叫 叫什么 名字 称 如何 怎么样 怎样 关于 图谱 图里 图中 数据 记录 作为 担任 当 做 任 过的 有过 有关 方面 情况 具体 各 每 每部 每个
    参与 领衔 联合 亲自 只 仅 才 最终 一部 一位 一个 两位 两人 二人 这两 那两 人家 它 他 她 它们 他们 她们 其 另 另外 别的 目前 现在 年 时候 哪年 啥时候
    一起 共同 同时 分 岁 属于 不 满足 符合 条件 要 需要 其余 身上 本人 先生 女士 老师 请告诉我 回到 返回 说回 再说 再看 向 用 之间 使用 既 排名 排行 排名前 类 类别的 当中的 只有 家的""")  # fmt: skip
"""Chinese words that carry no condition of their own; what else is left over was not understood."""

NOUNISH = frozenset("名位部首地条本座家支款种上者分岁年做任当称叫为会才")
DETERMINERS = frozenset("哪几这那一两每各多数第以")
"""Characters of ``FILLER_ZH`` that make words of their own (地位), unless one of the others stands before (几位)."""

FILLER_EN = _all("""the a an of to in on at is are was were be been being do does did what which who whom whose when where how and or
    for from by with as it its this that these those there s t me please tell show list give find all any some every
    each i you we us know want would like could can may has have had ever also too then so just name names called about
    graph database data many much number other another else he she him her his they them their one ones whichever back
    both together together between than again now ok okay hey hi thanks whoever film's movie's get see say whats whos
    us my per among out up""")

SOFT = _all(
    "made make makes making done appeared appear appears featured came come scored score scores earned won win wins "
    "received got holds hold held in 领衔 参与 拍摄 参加 获得 获 荣获 赢得 拿到 拿过 得到 得过 获得过 得 进 打进 属于"
)
"""Words that say nothing of their own beside one that names a relation."""
