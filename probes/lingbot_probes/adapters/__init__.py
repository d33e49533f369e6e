"""Foreign records to signals, one file a framework; pure, so the same code serves import and live attach."""
