"""The page of the effects, and its pictures."""
