"""The scheduler, as a table of contents in the order of a pod group's life.

framework      contracts: Status, extension points, NodeInfo, PodInfo, NodeTable
snapshot       the cluster at one moment, and tentative changes to it
runtime        runs a scheduler profile's plugins in order
preemption     the cheapest set of victims, searched on a snapshot
cache          the live picture: assumed pods, pod group state; makes snapshots
queue          active, backoff, unschedulable; whole groups pop together
cycle          the decision, as a plain function
plugins        one folder per plugin, and the registry
binder         the act: bind, undo, report
eventhandlers  informer events into cache and queue
objectevents   the same of objects that the cache keeps as they are
informers      of pods, nodes and pod groups; beside them ``storageinformers`` for volumes,
               ``deviceinformers``, and ``directoryinformers`` for what is only looked up
following      all of these, as a release and its gates have them
workloadhandlers  Workloads whose entries are groups, told as if those were objects (1.35)
frameworks     the plugins of each scheduler profile, put together
diagnoses      why somebody is pending: the last finding, or what the queue knows
attempts       one attempt: snapshot, decide, count as real, apply
scheduler      the loop, and the parts put together

Everything up to ``plugins`` is pure: no clock, no I/O, no randomness of its own.
"""
