"""The file that configures a scheduler (kubescheduler.config.k8s.io/v1), read as upstream does.

``loading`` goes from text to the checked form of ``types``: ``document`` and ``decoding`` find
the fields, ``completed`` adds defaults, ``checks`` and ``argument_checks`` refuse. Pure: texts
come in as arguments, files are opened elsewhere.
"""
