/** What is used of the MCP client: a module of its own, so that it is evaluated with the first call, and only so much of it is bundled. */
export { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
