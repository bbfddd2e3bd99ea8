"""Tests of the derivations, and the walk over a derivation that they share."""
