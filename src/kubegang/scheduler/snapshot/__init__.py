"""The cluster at one moment, and the trial that changes it reversibly. Pure.

snapshot   the whole; ``builder`` is the only way to change it between cycles
trial      steps that can be taken back
table      nodes as arrays, with ``columns``, ``requestcolumns``, ``scanorder``, ``changelog``,
           ``hostresources``
forest     pod groups and their trees
placedpods, podcounts, labelindex, matchingpods, heldterms, rowcounts   pods with a node, and
           how many match what
directory, storage, devices, nominations   objects beside nodes and pods, and promises
"""
