"""Probes for a running chatbot. Standard library only; nothing here raises into the bot, blocks it or grows."""
