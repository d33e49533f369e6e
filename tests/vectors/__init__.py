"""Small dialogues with their deltas and the map that these make: read by the Python tests and by the page's."""
