"""The live picture of nodes, pods and pod groups, assumed pods included. Pure.

cache      what it is told, and the snapshot it hands out
cachedpod, states   one pod, and how it may change
groups, members     what is known of groups, and how far their members are
"""
