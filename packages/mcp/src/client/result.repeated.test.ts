import { fileURLToPath } from 'node:url'
import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test } from 'vitest'
import { serveHttp } from '../../test/serve-http.js'
import { mcpTools } from './mcp-tools.js'
import type { McpToolsOptions } from './options.js'

const structuredContent = { city: 'Oslo', wind: [1, 2] }
const repeated = '{ "wind": [1.0, 2], "city": "Oslo" }'

async function overHttp(): Promise<McpToolsOptions> {
  const handler = createMcpHandler(() => {
    const made = new McpServer({ name: 'repeating', version: '1' })
    made.registerTool('plain', { description: 'Repeats itself' }, () => ({
      content: [repeated, 'It may rain.', '{"city":"Bergen"}'].map((text) => ({ type: 'text', text })),
      structuredContent,
    }))
    return made
  })
  return { url: (await serveHttp(handler.fetch)).url }
}

/** Returns the hostile server, which sends the same results over stdio. */
async function overStdio(): Promise<McpToolsOptions> {
  const script = fileURLToPath(new URL('../../test/hostile-server.mjs', import.meta.url))
  return { command: process.execPath, args: [script, 'repeated'] }
}

test.each([
  ['a process', overStdio],
  ['an address', overHttp],
])('the model reads structured content of %s once, and other text as it is', async (_where, options) => {
  const server = await mcpTools(await options())
  onTestFinished(() => server.close())
  const model = scriptedModel([reply.call('plain'), reply.text('Done.')])
  const { toolCalls } = await new Agent({ model, tools: server.tools }).run('Go')
  expect(JSON.parse(toolCalls[0]?.content ?? '')).toEqual({
    text: 'It may rain.\n{"city":"Bergen"}',
    structured: structuredContent,
  })
})
