"""Record what Testimate does at a commit and in this checkout, and compare: a restructuring changes nothing that is not named.

Only what people use is driven: commands, the names of ``import testimate``, and addresses of the app. So the same recorder
runs on both sides, however modules are moved.
"""
