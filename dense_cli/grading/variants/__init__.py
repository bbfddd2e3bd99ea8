"""Other numbers for an exercise, only where they tell every mistake from the right answer."""
