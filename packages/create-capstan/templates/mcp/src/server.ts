// The MCP server: a client starts this file as a process and talks to it over stdio.
import { mcpServer } from '@capstan/mcp'
import { findBook } from './agent.js'

export const server = mcpServer([findBook], { name: 'library' })

if (process.argv[1] === import.meta.filename) await server.serveStdio()
