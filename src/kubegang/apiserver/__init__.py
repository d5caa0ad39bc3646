"""The Kubernetes REST API over the store, in the order of a request's life.

app, middleware, access, authn, authorization, audit   put together; layers; who may
routing, targets, requests, options, bodies            what is meant
handlers                                               one module per verb
creating, updating, deleting, writing, editing         a write, in upstream's order:
    admission, registry, strategies, validating, quota what may change or refuse it
backend, catalog, customresources, definitions         state; which kinds there are
selection, selectable, paging, changes, watchevents    reads and watches
rendering, table, printers, yamlform, negotiation, responses, errors   the answer
conversion, codec, protobuf, protowire, protocol, serving   forms and wires
discovery, openapi, descriptions, health, metrics      what it says of itself
bootstrap, policybootstrap, services, serviceaccounts  what a cluster has from the start
compaction, expiry                                     housekeeping
"""
