"""One decision about one pod or group, as a plain function. Pure.

decide      the door: an entity and a snapshot in, a ``decision`` with its ``diagnosis`` out
pod         an ordinary pod's cycle; podgroup: a group's, a tree's; gathered: a group's in 1.36
placements  choosing among a group's placements; placing: its members on one of them
nodesearch  one pod's node, with ``sampling``, ``searchresult``; ``batching`` and ``twins`` skip
            what is known from pods just like it
settling    from a chosen node to what follows for the pod
…outcome    from what a cycle found to what is to be done; verdicts, results, findings: the
            values in between
prechecks, skipping, pluginfailure, makingroom, shortfall   what ends a cycle early, or adds to it
"""
