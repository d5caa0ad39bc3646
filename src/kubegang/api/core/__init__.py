"""Pod, Node, Event and the other kinds of the core group, as the code reads them."""
