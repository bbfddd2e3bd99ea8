"""One thin file a command; the only place that reads files, prints and exits."""
