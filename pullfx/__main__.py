"""`python -m pullfx` is the command `pullfx`."""

from pullfx.cli import main

if __name__ == "__main__":
    main()
