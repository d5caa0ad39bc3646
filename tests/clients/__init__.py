"""The users' own programs against the embedded API server: kubectl, helm, clients of languages.

They are installed into ``.clients`` (``install.py``), never into the project's environment,
and the tests have the marker ``clients``. What kubectl must print was recorded from a real
kube-apiserver (``golden``, recorded by ``tests.conformance.kubectl.record``).
"""
