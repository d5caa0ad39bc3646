"""The Common Expression Language as the API server speaks it, with what Kubernetes adds. Pure.

Rules of custom resources
    syntax, wire       text to tree (the parser is a library's)
    checking           types of the parts, with ``types``, ``declarations``, ``resolving``,
                       ``literals``
    costs              the most it can cost: ``sizes`` of the parts, ``callcosts`` of the calls
    evaluating         tree to closures: ``frames``, ``access``, ``lazysteps``; ``actualcost``
    library            every function, from ``operators``, ``conversions``, ``…functions``,
                       ``formatting``, ``semver``, ``moments``

Selectors of devices, computed by a library
    functions, values, messages   what Kubernetes adds to it, and the words of what it says
"""
