"""The kinds: structure, defaults, validation, warnings, and the typed forms that code reads.

Structure comes from the generated facts tables in ``schema``; ``scheme`` lists the
resources; ``defaults``, ``validation`` and ``warnings`` hold one module per API group; the
folders named after groups hold typed forms. No behaviour beyond that: nothing here decides or
acts.
"""
