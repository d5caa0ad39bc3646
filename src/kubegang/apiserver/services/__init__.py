"""What the server gives a service: IP families, an address, ports on the nodes."""
