"""Custom resources: what a CustomResourceDefinition says, as code over wire objects. Pure."""
