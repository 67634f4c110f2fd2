"""What is looked at before any agent is paid."""
