"""Composition roots: the only place where store, transport, clock and profile are chosen.

A module per command has the command's flow; the others are its parts.

up             ``entering``, ``datadir``, ``supervisor`` and ``children`` (processes of their
               own, with ``childclient``), ``singleprocess``, ``embedded`` (one event loop)
run            ``inputs``, ``loading``, ``driving``, ``following``, ``settling``, ``quietcluster``
scheduler      for ``up`` and, as ``standalone``, for any cluster; ``leading``, ``endpoints``
apiserver      ``tls``, ``listening``, ``certificates``, ``policy``, ``users``, ``statictokens``
controllers    a builder per controller; ``controlleraccounts``, ``clusterkeys``
nodes          ``nodeshapes``
check, convert, explain, what-if, replay, dump, top, dashboard
               ``checking``, ``converting``, ``explaining``, ``whatif``, ``replaying``,
               ``dumping``, ``top``, ``dashboard``; which cluster they are asked about:
               ``clustersource``, ``clusterfiles``, ``clusterlive``, ``watching``
upgrade        ``upgrading``, ``directorystate``, ``releases``
profiles       the releases as tables
configuration, options, flagfiles, errors   flags and files, and what is wrong with them
"""
