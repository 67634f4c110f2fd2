"""Language models behind one port: named, opened, asked, retried and paid for."""
