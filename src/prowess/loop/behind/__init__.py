"""What an agent could change behind the loop's back: seen, and put back."""
