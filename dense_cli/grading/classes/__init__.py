"""Large classes: blocks of a file marked column by column, by one process or many."""
