"""Rules common to all kinds: quantities, selectors, patches, field ownership, Status errors.

Pure: no I/O, no clock. Which kinds exist is the business of ``api``.
"""
