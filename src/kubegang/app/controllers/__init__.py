"""The controllers, put together: which there are, what each needs, what they share.

``parts`` is what they share; each other module has the builders of one family in a table by
kube-controller-manager's names; ``running`` chooses among them and runs them. What a controller
does is in ``kubegang.controllers``.
"""
