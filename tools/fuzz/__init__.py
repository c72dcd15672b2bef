"""Damaged input for what reads from outside, by a fuzzer that follows coverage."""
