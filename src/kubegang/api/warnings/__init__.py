"""What whoever writes a valid object is warned of: one module per group of kinds.

Texts, their order, and which changes give rise to them are those of kube-apiserver 1.37.2,
1.36.3 and 1.35.4; what a release says otherwise is in ``api/warning_rules``. Functions yield
texts about wire objects that passed validation. Nothing here refuses or changes an object,
and warnings about custom objects are in ``api/customresources``.
"""
