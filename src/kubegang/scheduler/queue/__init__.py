"""Where pods and groups wait, and when they are tried again. Pure.

queue          what it is told, and what it hands out; everything else is behind it
contents       what is in it, for whoever asks
places, board  the places, and the one way to move an entity between them
podflow        ordinary pods: wait for events that may help
groupflow      groups, each one entity with its members; ``memberplaces`` says where those are
gathering      1.36: members queued one by one, tried together
gating, admission, backoff, resting   what holds an entity, and for how long
pool, hints, inflight                 what happened, and whom it may help
explaining, lacking                   what somebody waits for, in a sentence
"""
