import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Agent, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { cases } from '../../../scripts/cases.mjs'
import { type McpTools, mcpServer, mcpTools } from '../src/index.js'
import { command } from './command.js'
import { serveHttp } from './serve-http.js'
import { isAlive, until } from './until.js'

const toolOf = (server: McpTools, name: string) => {
  const found = server.tools.find((one) => one.name === name)
  if (!found) throw new Error(`No tool "${name}".`)
  return found
}

/** How many things of each kind that a connection needs keep this process from ending. */
function held(): Record<string, number> {
  const kinds = ['ProcessWrap', 'PipeWrap', 'TCPSocketWrap', 'Timeout']
  const all = process.getActiveResourcesInfo()
  return Object.fromEntries(kinds.map((kind) => [kind, all.filter((one) => one === kind).length]))
}

/** Whether no more is held than was. */
const isLetGo = (before: Record<string, number>) =>
  Object.entries(held()).every(([kind, count]) => count <= (before[kind] ?? 0))

test('an agent that is aborted in a call leaves no process, pipe or timer when its server is closed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-mcp-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'stopped')
  const before = held()
  const server = await mcpTools(command())
  const pid = Number(await toolOf(server, 'pid').call({}))
  const agent = new Agent({
    model: scriptedModel([reply.call('wait', { file }), reply.text('never')]),
    tools: server.tools,
  })
  const run = agent.stream('Wait')
  run.on('tool-progress', () => run.abort(new Error('enough')))
  expect(await run.result).toMatchObject({
    stopReason: 'aborted',
    toolCalls: [{ name: 'wait', status: 'cut_off' }],
  })
  // The server got the cancellation and is still alive.
  await until(() => existsSync(file) && readFileSync(file, 'utf8') === 'stopped')
  expect(isAlive(pid)).toBe(true)
  await server.close()
  await until(() => !isAlive(pid))
  await until(() => isLetGo(before))
})

test('close during a call ends the call and the process', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-mcp-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const server = await mcpTools(command())
  const pid = Number(await toolOf(server, 'pid').call({}))
  const model = scriptedModel([
    reply.call('wait', { file: join(folder, 'stopped') }),
    reply.text('It was cut off.'),
  ])
  const run = new Agent({ model, tools: server.tools }).stream('Wait')
  run.on('tool-progress', () => void server.close())
  const { toolCalls } = await run.result
  expect(toolCalls).toMatchObject([
    { status: 'error', content: expect.stringContaining('may have taken effect') },
  ])
  await until(() => !isAlive(pid))
})

test('kills a process that ignores the request to end', async () => {
  const script = fileURLToPath(new URL('./hostile-server.mjs', import.meta.url))
  const before = held()
  const server = await mcpTools({ command: process.execPath, args: [script, 'deaf-to-the-end'] })
  await server.close()
  await until(() => isLetGo(before))
})

const adding = tool({
  name: 'add',
  description: 'Adds two numbers',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: ({ a, b }) => ({ sum: a + b }),
})

test.each([
  ['a process', async () => mcpTools(command())],
  [
    'an address',
    async () => {
      const served = mcpServer([adding])
      onTestFinished(() => served.close())
      return mcpTools({ url: (await serveHttp(served.fetch)).url })
    },
  ],
])('many calls of %s, 50 concurrently, each get their own result', async (_where, connect) => {
  const server = await connect()
  onTestFinished(() => server.close())
  const add = toolOf(server, 'add')
  for (let from = 0; from < cases(1000, 100); from += 50) {
    const asked = Array.from({ length: 50 }, (_, at) => from + at)
    const sums = await Promise.all(asked.map((a) => add.call({ a, b: 1 })))
    expect(sums).toEqual(asked.map((a) => ({ structured: { sum: a + 1 } })))
  }
})

test('calls of one reply run concurrently over one connection', async () => {
  await using server = await mcpTools(command())
  const asked = Array.from({ length: 20 }, (_, a) => reply.call('add', { a, b: 1 }))
  const model = scriptedModel([reply.calls(...asked), reply.text('Done.')])
  const { toolCalls } = await new Agent({ model, tools: server.tools }).run('Add')
  expect(toolCalls.map(({ result }) => result)).toEqual(asked.map((_, a) => ({ structured: { sum: a + 1 } })))
})

test('clients that disconnect during a call leave no run on the server', async () => {
  let running = 0
  let most = 0
  const hold = tool({
    name: 'hold',
    description: 'Holds until it is stopped',
    parameters: z.object({}),
    execute: (_args, { signal }) =>
      new Promise((_resolve, reject) => {
        running += 1
        most = Math.max(most, running)
        signal.addEventListener('abort', () => {
          running -= 1
          reject(signal.reason)
        })
      }),
  })
  const served = mcpServer([hold], { maxCalls: 200 })
  onTestFinished(() => served.close())
  const { url } = await serveHttp(served.fetch)
  const server = await mcpTools({ url })
  onTestFinished(() => server.close())
  const controller = new AbortController()
  const held = Array.from({ length: 100 }, () =>
    toolOf(server, 'hold').call({}, { signal: controller.signal }),
  )
  const ended = Promise.allSettled(held)
  await until(() => running === 100)
  controller.abort(new Error('gone'))
  await ended
  await until(() => running === 0)
  expect(most).toBe(100)
})
