"""What an exercise looks like on paper: pages, answer sheets, worked solutions; and whether it is sound."""
