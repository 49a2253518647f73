import { type ToolContext, tool } from '@capstan/core'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { serveHttp } from '../../test/serve-http.js'
import { mcpServer } from './mcp-server.js'
import type { McpServerOptions } from './options.js'

const greet = tool({
  name: 'greet',
  description: 'Greets',
  parameters: z.object({}),
  execute: (_, { context }: ToolContext<{ name: string } | undefined>) => `Hello ${context?.name}.`,
})
const pay = tool({
  name: 'pay',
  description: 'Pays',
  parameters: z.object({}),
  needsApproval: true,
  execute: () => 'paid',
})

async function connect(options: McpServerOptions) {
  const server = mcpServer([greet, pay], options)
  onTestFinished(() => server.close())
  const { url } = await serveHttp(server.fetch)
  const client = new Client({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  onTestFinished(() => client.close())
  return { client, url }
}

/** Collects unhandled rejections and warnings until the test ends. */
function processEvents() {
  const rejections: unknown[] = []
  const warnings: Error[] = []
  const reject = (reason: unknown) => rejections.push(reason)
  const warn = (warning: Error) => warnings.push(warning)
  process.on('unhandledRejection', reject).on('warning', warn)
  onTestFinished(() => {
    process.off('unhandledRejection', reject).off('warning', warn)
  })
  const told = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  return { rejections, warnings, told }
}

test.each([
  ['rejects', async () => Promise.reject(new Error('the reporter is away'))],
  [
    'throws',
    () => {
      throw new Error('the reporter is away')
    },
  ],
])('an onError that %s fails no call and causes a process warning', async (_how, onError) => {
  const { rejections, warnings, told } = processEvents()
  const decide = async () => {
    throw new Error('nobody can decide')
  }
  const { client } = await connect({ decide, onError })
  expect(await client.callTool({ name: 'pay', arguments: {} })).toMatchObject({ isError: true })
  expect(await client.callTool({ name: 'greet', arguments: {} })).toMatchObject({
    content: [{ type: 'text', text: 'Hello undefined.' }],
  })
  await told()
  expect(rejections).toEqual([])
  expect(warnings.map(({ message }) => message)).toEqual(['the reporter is away'])
})

test('runOptions may return a promise whose context the tools get', async () => {
  const { client } = await connect({ runOptions: async ({ name }) => ({ context: { name } }) })
  expect(await client.callTool({ name: 'greet', arguments: {} })).toMatchObject({
    content: [{ type: 'text', text: 'Hello greet.' }],
  })
})

test('runOptions that reject fail only their call', async () => {
  const errors: string[] = []
  const runOptions = async () => Promise.reject(new Error('the database is away'))
  const { client } = await connect({ runOptions, onError: ({ message }) => errors.push(message) })
  expect(await client.callTool({ name: 'greet', arguments: {} })).toMatchObject({
    content: [{ type: 'text', text: '"greet" failed.' }],
    isError: true,
  })
  expect(errors).toEqual(['the database is away'])
})

test.each([
  ['an empty text', ''],
  ['an empty id', { id: '' }],
  ['an undefined id', { id: undefined }],
  ['an id of null', { id: null, name: 'ann' }],
])('a caller with %s is a 500, reported to onError', async (_what, caller) => {
  const errors: Error[] = []
  const server = mcpServer([greet], {
    authenticate: () => caller,
    onError: (error) => void errors.push(error),
  })
  onTestFinished(() => server.close())
  const response = await server.fetch(new Request('http://localhost/mcp', { method: 'POST', body: '{}' }))
  expect(response.status).toBe(500)
  expect(errors).toMatchObject([
    {
      name: 'TypeError',
      message: expect.stringMatching(/^authenticate returned a caller with .* Return \{ id }/),
    },
  ])
})

test.each([
  [{ maxCalls: 0 }, /^mcpServer: maxCalls is 0\. Use a number of 1 or more\.$/],
  [{ maxCalls: Number.NaN }, /^mcpServer: maxCalls is NaN\. Use a number of 1 or more\.$/],
  [{ maxReadBytes: 'x' }, /^mcpServer: maxReadBytes is a string\. Use a number of at least 0\.$/],
  [{ inlineBytes: -5 }, /^mcpServer: inlineBytes is a number\. Use a number of at least 0\.$/],
])('rejects %j when the server is made', (options, message) => {
  const rejected = { code: 'invalid_request', message: expect.stringMatching(message) }
  expect(() => mcpServer([greet], options as McpServerOptions)).toThrow(expect.objectContaining(rejected))
})

test('an authenticate that fails is a 500 without its message, reported to onError or by a process warning', async () => {
  const { rejections, warnings, told } = processEvents()
  const authenticate = async () => {
    throw new Error('the directory at 10.0.0.7 is away')
  }
  const errors: Error[] = []
  for (const options of [
    { authenticate, onError: (error: Error) => void errors.push(error) },
    { authenticate },
  ]) {
    const server = mcpServer([greet], options)
    onTestFinished(() => server.close())
    const response = await server.fetch(new Request('http://localhost/mcp', { method: 'POST', body: '{}' }))
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('10.0.0.7')
  }
  await told()
  for (const reported of [errors, warnings])
    expect(reported).toMatchObject([{ message: 'the directory at 10.0.0.7 is away' }])
  expect(rejections).toEqual([])
})
