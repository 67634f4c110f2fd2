"""What lies in a work tree, what changed in it, and the ground that commands run on."""
