"""Learning alone: one question at a time, with hints, kept from one sitting to the next."""
