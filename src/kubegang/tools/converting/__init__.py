"""From one generation of the gang scheduling API to another, and from other schedulers' objects.

Everything is brought to the form of 1.37 in place (``raising``, ``foreign``) and from there to
the form asked for (``lowering``), so that comments and order stay; ``convert`` is the door.
Pure: files and profiles are the caller's.
"""
