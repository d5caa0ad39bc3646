"""Carries decisions out through the API: bind, undo, conditions, events.

binder        the door; ``counting`` counts a decision as real before it starts
bindingcycle  one pod's way: ``permitting``, ``preparing``, ``binding``, and the undo
evicting      victims of preemption
telling, speaking, status, events   what users are told
dispatch, changing, references      calls in flight, and changes to objects
…metrics      under kube-scheduler's names
"""
