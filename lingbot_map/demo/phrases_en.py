"""What customers say in English: example phrases and keyword weights of each intent, from which the router scores."""

PHRASES: dict[str, tuple[str, ...]] = {
    "greeting": ("hello", "hi", "good morning", "hey there", "is anyone there", "good evening", "hi, can you help me"),
    "thanks": (
        "thanks", "thank you", "goodbye", "that's all", "bye", "great, thanks for your help", "no, that is everything",
        "nothing else", "cheers", "ok thanks",
    ),
    "change_plan": (
        "I want to change my plan", "switch my plan", "upgrade me to Enjoy 129", "can I move to a cheaper plan",
        "I'd like a different plan", "downgrade my tariff", "change plan please", "put me on the 89 plan",
        "let's go on with the plan change", "move me to the youth plan", "can I still change the plan",
        "I need a smaller tariff", "swap my subscription", "I want the plan changed",
    ),
    "compare_plan": (
        "which plans do you have", "what's the difference between the plans", "compare the plans for me",
        "which plan is best value", "recommend a plan", "how much data does each plan include",
        "what is in the 89 and the 129 plan", "list your tariffs", "plan comparison",
    ),
    "current_plan": (
        "which plan am I on", "what's my current plan", "tell me my plan", "what plan do I have right now",
        "show the plan on my number", "what does my plan include",
    ),
    "promotion": (
        "are there any offers", "can I combine the discounts", "student discount", "what promotions are on",
        "can the student discount be stacked with the 129 plan", "new stacking rules", "any deals for old customers",
        "do offers add up", "combine family and student offers", "have the discount rules changed",
        "I mean the new version of the offer rules", "when does the promotion end", "loyalty discount",
    ),
    "data_dispute": (
        "my data overran", "I was charged for extra data", "no, I mean my data overrun", "the data usage is wrong",
        "why was my data used up so fast", "overage charge is too high", "my data count can't be right",
        "dispute the data charge", "data went over the limit but I hardly used any", "check my data overage",
        "somebody used up my data", "wrong data billing",
    ),
    "appeal": (
        "I want to appeal", "this charge is not right, I never used that much", "give me my money back",
        "I don't accept this charge", "review the decision", "I disagree with the result", "refund the wrong charge",
        "you took money for nothing", "I object to this", "reconsider my case",
    ),
    "ticket_query": (
        "what's the status of my ticket", "ticket status", "how is my complaint going", "any progress on my case",
        "where do I find the ticket number", "when will the ticket be done", "has anybody looked at my request",
        "what is my ticket number", "nobody has called me about my ticket", "track my case",
    ),
    "data_usage": (
        "how much data do I have left", "check my data", "remaining data", "how many gigabytes are left",
        "data balance", "how much data have I used this month", "do I have enough data",
    ),
    "bill_query": (
        "how much is my bill", "show me my bill", "what do I owe this month", "bill for last month", "my balance",
        "do I owe you anything", "what was my June bill", "how much did I spend this month",
    ),
    "bill_detail": (
        "why is it more than last month", "what is this charge", "itemised bill", "show me the details of the bill",
        "break down the bill", "why did my bill go up", "there is a fee I don't understand", "list every item",
    ),
    "top_up": (
        "top up my phone", "I want to add 20", "recharge", "pay my bill", "put 50 on my number", "how can I pay",
        "set up automatic payment", "add credit",
    ),
    "invoice": (
        "I need an invoice", "send me the invoice by email", "VAT invoice", "receipt for my expenses",
        "can you issue an invoice", "invoice for last month", "change the name on the invoice",
    ),
    "after_sale": (
        "my set-top box is broken", "the Starboat box has a black screen again", "I need a repair for my device",
        "my router keeps freezing", "phone won't turn on", "the box I reported has gone black again",
        "it's that box, always black", "device repair", "send someone to fix the box", "replace my faulty device",
        "Whisper phone has a cracked display", "the remote doesn't work",
    ),
    "warranty": (
        "how long is the warranty", "is it still under guarantee", "warranty period", "does the warranty cover drops",
        "can I return it within seven days", "out of warranty", "what does the guarantee cover",
    ),
    "price_query": (
        "how much is it", "what does the router cost", "price of the box", "how much is the Whisper phone",
        "what's the price now", "quote me a price", "how much for a new TV box", "I said Whisper, not Starboat",
        "what do you charge for the device", "is the new model expensive",
    ),
    "roaming": (
        "I'm going to Japan, what about data", "activate roaming", "can I use my phone abroad", "roaming in Thailand",
        "data pass for travelling", "how much are calls from abroad", "I travel to Singapore next week",
        "turn roaming off", "international roaming",
    ),
    "broadband_repair": (
        "my broadband is down", "no internet at home", "the modem has a red light", "internet is very slow",
        "wifi keeps dropping", "fix my broadband", "home connection is broken", "fibre is cut", "the internet is out",
    ),
    "broadband_new": (
        "I want to get broadband", "install broadband at my home", "new internet line", "how much is installation",
        "I'm moving, take the broadband with me", "set up fibre in my flat", "order gigabit internet",
    ),
    "number_porting": (
        "keep my number and change operator", "port my number", "number porting", "transfer my number to you",
        "move to another carrier with my number", "am I allowed to port out", "bring my number over",
    ),
    "sim_loss": (
        "I lost my SIM card", "my phone was stolen, block the number", "block my SIM", "replacement SIM",
        "my SIM is broken", "lost my phone", "new SIM card please", "suspend my line", "unblock my SIM",
    ),
    "second_card": (
        "I want a second SIM", "add a card for my wife", "extra SIM for the family", "additional line on my plan",
        "how much is a second card", "share my data with a family member",
    ),
    "cancel_service": (
        "cancel the ringback tone", "unsubscribe from the video pass", "I never ordered that service, remove it",
        "stop the monthly extras", "turn off the reading pass", "how do I unsubscribe", "cancel caller id",
        "remove all add-ons",
    ),
    "close_account": (
        "close my account", "I don't need this number any more", "terminate my contract", "delete my number",
        "cancel my contract", "end my subscription for good",
    ),
    "network_fault": (
        "I have no signal", "bad reception", "calls keep dropping", "no service on my phone", "5G is weak here",
        "I can't make calls", "not receiving text messages", "is the mast down",
    ),
    "store_hours": (
        "when does the shop open", "where is the nearest shop", "are you open at the weekend", "store address",
        "opening hours", "where can I find a branch", "which store can do this",
    ),
    "complaint": (
        "I want to complain", "your service is terrible", "the staff were rude", "I have a suggestion",
        "this is outrageous", "I'll report you to the regulator", "worst experience ever",
    ),
    "unclear": (
        "what now", "what do you mean", "I don't know", "hmm", "so what", "whatever", "and then", "huh", "how come",
        "nice weather today", "how old are you", "tell me a joke", "I don't understand", "well",
    ),
    "handoff": (
        "let me talk to a person", "human please", "I want an agent", "stop the robot", "connect me to someone",
        "customer service representative", "a real person please", "operator",
    ),
}

KEYWORDS: dict[str, dict[str, float]] = {
    "greeting": {"hello": 0.5, "good morning": 0.5},
    "thanks": {"thank": 0.5, "bye": 0.5, "that's all": 0.5},
    "change_plan": {"change plan": 0.4, "change my plan": 0.5, "switch": 0.25, "upgrade": 0.35, "downgrade": 0.4, "cheaper plan": 0.3, "different plan": 0.3},
    "compare_plan": {"compare": 0.4, "difference": 0.35, "which plans": 0.4, "best value": 0.4, "recommend": 0.3},
    "current_plan": {"current plan": 0.5, "which plan am i": 0.5, "my plan": 0.1},
    "promotion": {"discount": 0.45, "offer": 0.4, "promotion": 0.5, "stack": 0.5, "deal": 0.35, "combine": 0.3},
    "data_dispute": {"overrun": 0.5, "overage": 0.5, "extra data": 0.4, "dispute": 0.45, "overran": 0.5, "over the limit": 0.3},
    "appeal": {"appeal": 0.6, "refund": 0.4, "money back": 0.45, "not right": 0.25, "don't accept": 0.4, "disagree": 0.4, "never used": 0.3},
    "ticket_query": {"ticket": 0.55, "my case": 0.3, "progress": 0.3},
    "data_usage": {"data left": 0.5, "remaining data": 0.5, "gigabytes": 0.35, "check my data": 0.4, "left": 0.15},
    "bill_query": {"bill": 0.3, "owe": 0.45, "balance": 0.35},
    "bill_detail": {"item": 0.4, "break down": 0.4, "details": 0.25, "more than": 0.3, "go up": 0.3, "this charge": 0.3, "fee": 0.25},
    "top_up": {"top up": 0.6, "recharge": 0.6, "credit": 0.3, "pay": 0.3},
    "invoice": {"invoice": 0.7, "receipt": 0.5, "vat": 0.4},
    "after_sale": {"black screen": 0.4, "repair": 0.25, "faulty": 0.35, "set-top": 0.25, "won't turn on": 0.4, "freez": 0.3, "cracked": 0.35},
    "warranty": {"warranty": 0.6, "guarantee": 0.55, "return it": 0.35},
    "price_query": {"price": 0.5, "cost": 0.35, "how much is": 0.2, "expensive": 0.35, "quote": 0.35},
    "roaming": {"roaming": 0.6, "abroad": 0.5, "travel": 0.35, "japan": 0.35, "thailand": 0.35, "singapore": 0.35, "overseas": 0.5},
    "broadband_repair": {"internet": 0.25, "wifi": 0.35, "broadband": 0.25, "modem": 0.45, "red light": 0.4, "slow": 0.2, "is down": 0.3},
    "broadband_new": {"install": 0.45, "broadband": 0.25, "new internet": 0.4, "fibre": 0.25, "gigabit": 0.35, "moving": 0.3},
    "number_porting": {"port": 0.45, "carrier": 0.4, "operator": 0.15, "keep my number": 0.5, "my number over": 0.4},
    "sim_loss": {"lost": 0.35, "stolen": 0.45, "block": 0.35, "replacement": 0.3, "sim": 0.25},
    "second_card": {"second": 0.4, "extra sim": 0.5, "additional": 0.35, "family": 0.15},
    "cancel_service": {"unsubscribe": 0.55, "cancel": 0.3, "ringback": 0.4, "add-on": 0.45, "video pass": 0.35, "reading pass": 0.35},
    "close_account": {"close my account": 0.6, "terminate": 0.5, "contract": 0.35},
    "network_fault": {"signal": 0.5, "reception": 0.5, "no service": 0.45, "calls": 0.2, "mast": 0.4},
    "store_hours": {"shop": 0.45, "store": 0.45, "branch": 0.45, "open": 0.3, "hours": 0.3},
    "complaint": {"complain": 0.5, "terrible": 0.35, "rude": 0.45, "suggestion": 0.4, "outrageous": 0.4},
    "unclear": {},
    "handoff": {"human": 0.6, "person": 0.4, "agent": 0.6, "robot": 0.35, "representative": 0.5, "operator": 0.3},
}
