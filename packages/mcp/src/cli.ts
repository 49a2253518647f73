#!/usr/bin/env node
// capstan-mcp FILE: serves the default export of a file to the client that started this process.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type McpServer, mcpServer } from './server/mcp-server.js'
import type { Served } from './server/options.js'

// Standard output belongs to the protocol, so log output goes to standard error.
console.log = console.info = console.debug = console.error

const usage =
  'usage: capstan-mcp FILE\nServes the default export of FILE over stdio: an agent, an array of tools and agents, or what mcpServer(...) returned.\n'

const [file] = process.argv.slice(2)
if (file === '--help' || file === '-h') {
  process.stdout.write(usage)
} else if (file === undefined || file.startsWith('-')) {
  process.stderr.write(usage)
  process.exitCode = 2
} else {
  const { default: exported } = (await import(pathToFileURL(resolve(file)).href)) as {
    default?: Served | McpServer
  }
  if (typeof exported !== 'object' || exported === null) {
    console.error(
      `${file} has no default export that can be served. Export an agent, or an array such as [tool, agent], as the default.`,
    )
    process.exitCode = 2
  } else {
    await ('serveStdio' in exported ? exported : mcpServer(exported)).serveStdio()
  }
}
