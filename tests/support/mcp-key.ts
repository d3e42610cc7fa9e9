/** What the MCP server of the tests wants to be sent as `x-api-key`. */
export const mcpKey = "mcp-test-key";
