"""Other gang schedulers' objects, labels and annotations: one module for each scheduler.

Every module brings its objects to the 1.37 form and tells what has no counterpart there.
"""
