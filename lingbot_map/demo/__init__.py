"""A telecom assistant to show the map with: real routing, slots and hybrid retrieval, in Chinese and English.

Nothing in it is played back: what it does wrong it decides to do. ``python -m lingbot_map.demo`` runs it with a
scripted customer, with ``--chat`` a person types instead.
"""
