"""Ask as a demo bot: questions about a small tea shop, answered from its documents, a diagram and a graph.

Nothing in it is played back: what it answers it finds. ``python -m lingbot_map.ask.demo`` asks by itself, with
``--chat`` a person does.
"""
