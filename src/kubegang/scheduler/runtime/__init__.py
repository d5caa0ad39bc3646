"""Runs a scheduler profile's plugins in order and attributes each Status. Pure.

points, framework   which plugins run where
filtering, scoring, postfiltering, placing, binding   one module per group of extension points
guarding, metering  what surrounds a plugin's call
maskcache, scorecache, namecache, additive, signing, nominating   answers that are kept, and
                    when they still hold
"""
