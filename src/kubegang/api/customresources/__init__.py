"""Custom resources: what a CustomResourceDefinition says, as code over wire objects. Pure.

definitions, …checks, naming, approval   the definition itself, and what is wrong with it
rows, kind, versions, scale              what it makes the server serve
nodes, shaping, metadata, topology       a schema; pruning, defaulting, structure of an object
schemavalidation, numbervalidation, listtypes, results   an object held against the schema
celtypes, compiledrules, rules, correlation              its validation rules
"""
