"""Rules of pods and pod templates: one module per part of the spec."""
