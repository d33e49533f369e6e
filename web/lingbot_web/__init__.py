"""The map in the browser: server, page and command line."""
