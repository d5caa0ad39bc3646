"""Service accounts that every namespace has, and the Secrets that hold lasting tokens."""
