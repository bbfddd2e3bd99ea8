"""What marked sheets come to: of one student, of a class, in sums that can be added."""
