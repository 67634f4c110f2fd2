"""What other coding tools need in their own files to offer our skills: one entry each, and a way back."""
