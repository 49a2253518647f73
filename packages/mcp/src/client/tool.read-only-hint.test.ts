import { Agent } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test } from 'vitest'
import { serveHttp } from '../../test/serve-http.js'
import { mcpTools } from './mcp-tools.js'
import type { CommonOptions } from './options.js'

const hints = { looks: true, writes: false, unknown: undefined }

/** Connects to a server that has one tool for each hint. */
async function connect(options: CommonOptions) {
  const handler = createMcpHandler(() => {
    const made = new McpServer({ name: 'hinting', version: '1' })
    for (const [name, readOnlyHint] of Object.entries(hints)) {
      const annotations = readOnlyHint === undefined ? {} : { annotations: { readOnlyHint } }
      made.registerTool(name, { description: name, ...annotations }, () => ({
        content: [{ type: 'text', text: `${name} ran` }],
      }))
    }
    return made
  })
  const server = await mcpTools({ url: (await serveHttp(handler.fetch)).url, ...options })
  onTestFinished(() => server.close())
  return server
}

const effectsOf = async (options: CommonOptions) =>
  (await connect(options)).tools.map(({ name, settings }) => [name, settings.effects])

/** Returns the calls that are pending after the model has read a result from the server. */
async function pendingAfter(name: keyof typeof hints, options: CommonOptions) {
  const { tools } = await connect(options)
  const model = scriptedModel([reply.call('looks'), reply.call(name), reply.text('Done.')])
  const { pending = [] } = await new Agent({ model, tools }).run('Go')
  return pending.map((one) => one.name)
}

test('a read-only hint changes nothing by default', async () => {
  expect(await effectsOf({})).toEqual([
    ['looks', undefined],
    ['writes', undefined],
    ['unknown', undefined],
  ])
  expect(await pendingAfter('looks', {})).toEqual(['looks'])
})

test('trustReadOnlyHint takes tools with the hint for tools that only read', async () => {
  const options = { trustReadOnlyHint: true }
  expect(await effectsOf(options)).toEqual([
    ['looks', 'read'],
    ['writes', undefined],
    ['unknown', undefined],
  ])
  expect(await pendingAfter('looks', options)).toEqual([])
  expect(await pendingAfter('writes', options)).toEqual(['writes'])
})

test('settings override a trusted hint', async () => {
  const settings: CommonOptions['settings'] = ({ name }) =>
    name === 'looks' ? { effects: () => 'one at a time' } : {}
  const server = await connect({ trustReadOnlyHint: true, settings })
  expect(server.tools[0]?.settings.effects).toEqual(expect.any(Function))
})
