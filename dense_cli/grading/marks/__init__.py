"""How right an answer is, which mistake made it, and what to say of it."""
