"""Contracts that plugins and the core share: what a plugin author reads. Pure.

What a plugin implements
    interface      the extension points, in the order in which a cycle comes by
    binding        those between the choice of a node and the binding, and the one after it
    postfilter     those that make room
    status         what a plugin answers; ``fiterror`` words it for users
    events         what happens in the cluster, for plugins that say what may help

What it is shown
    cluster        the cluster during a cycle, with ``nodetable``, ``podgroups``, ``podcounts``,
                   ``domains`` and ``storageview`` as its parts
    cyclestate     notes from one extension point to the next
    entities       what the queue holds: a pod, or a whole group

The objects, as decisions read them
    pods, terms, nodes, storage, podvolumes, devices, budgets, workloads, workloadgroups
    …conversion    from the API's form to these: of pods, groups, nodes, storage and whatever
                   speaks of pods by their labels; ``podneeds``, ``podterms``, ``nodeterms``
                   and ``requests`` read the parts

Rules that several plugins share
    nodeselection, labelselection, taints, scores, utilization, extendedresources, migration

No plugin lives here, nor anything that runs one.
"""
