"""From events to a map of the dialogue, and back to any moment of it."""
