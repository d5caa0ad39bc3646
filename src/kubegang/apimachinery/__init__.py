"""Rules common to all kinds. Pure: no I/O, no clock.

objects, schema, conditions, field, errors   an object, its structure, what is wrong with it
decoding, yamlbodies, manifests, places      from text to objects, and where they stood
typecheck, wrongplaces, unknownfields        what does not fit the structure
quantity, times, godurations, cronschedule, crontimes   texts that mean numbers and times
names, labels, labelsyntax, fields, jsonpath            names, selectors, paths
patch, jsonpatch, strategicmerge, patchbodies           patches
managedfields, fieldmanagers, fieldset, fieldvalues, fieldmerge, ownership, lastapplied
                                             field ownership and server-side apply
go…, json…                                   what Go says and accepts
cel                                          expressions
signedtokens, pemblocks                      tokens and keys

Which kinds exist is the business of ``api``.
"""
