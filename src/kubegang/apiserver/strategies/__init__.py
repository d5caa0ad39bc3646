"""What is special about writing each kind; the common rules are in ``registry``."""
