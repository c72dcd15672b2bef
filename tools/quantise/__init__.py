"""Makes the 8-bit networks of `models/` from the float ones, and measures them.

The README.md beside this file has the recipe, a map of the modules, and the form of the files that
a compiler may rely on.
"""
