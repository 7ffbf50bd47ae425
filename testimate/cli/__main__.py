"""`python -m testimate.cli` is the command `testimate`."""

from testimate.cli import main

main()
