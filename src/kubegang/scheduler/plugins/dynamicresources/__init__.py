"""The plugin DynamicResources: devices for pods that claim them.

plugin                     the extension points; beginning, filtering, scoring, preparing and
                           hints are the longer ones, notes what is kept between them
claims, extended, making   which claims a pod means, and those made for extended resources
requests, matching, constraints, counters, capacity, pools   what is asked for, and of what
allocating, allocator, search, results                       finding devices
promising, writing, readiness, freeing                       giving and taking them
settings, arguments                                          gates and arguments
"""
