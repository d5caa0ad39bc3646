"""The cluster at one moment, and the trial that changes it reversibly. Pure."""
