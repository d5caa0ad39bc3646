"""The victims that make room for a pod or a group, searched on a snapshot. Pure.

podpreemption    for one pod: ``candidates`` node by node, ``choosing`` the cheapest
grouppreemption  for a whole group (1.37); groupanew: as 1.36 does it
units, budgets, eligibility   what goes together, what is protected, who must still wait
"""
