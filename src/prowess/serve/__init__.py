"""One server: REST, live events, MCP and pages over the same house."""
