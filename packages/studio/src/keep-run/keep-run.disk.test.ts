import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, chatModel, tool, without } from '@capstan/core'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { RunStore } from '../store/run-store.js'
import { keepRun } from './keep-run.js'

test('a run of 500 steps with results of 1 kB takes at most 10 MB', async () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'disk-')), '.capstan', 'studio')
  const steps = 500
  let step = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      step += 1
      const called = { name: 'look', arguments: `{"at":${step}}` }
      const calls = {
        content: null,
        tool_calls: [{ id: `call_${step}`, type: 'function', function: called }],
      }
      const isLast = step === steps
      const message = { role: 'assistant', ...(isLast ? { content: 'Done.' } : calls) }
      const choice = { index: 0, message, finish_reason: isLast ? 'stop' : 'tool_calls' }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ id: 'c', model: 'm', choices: [choice] }))
    })
  }).listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const { port } = server.address() as AddressInfo
  const model = chatModel('m', { baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'none' })
  const look = tool({
    name: 'look',
    description: 'Looks',
    parameters: z.object({ at: z.number() }),
    execute: ({ at }) => `${at} ${'word '.repeat(200)}`,
  })
  const agent = new Agent({
    model,
    tools: [look],
    limits: { steps: steps + 1 },
    middleware: [without('stuck-detection')],
  })
  const result = await agent.run('Look around.', { ...keepRun({ folder }), runId: 'long' })
  server.close()
  expect(result.stepCount).toBe(steps)
  const store = new RunStore(folder)
  const { bytes } = await store.size()
  expect(bytes).toBeLessThanOrEqual(10e6)
  // The last request can be restored in full, although little of it was stored.
  const request = await store.exchangeBytes('long', { number: steps - 1, part: 'request' })
  expect(JSON.parse(Buffer.from(request).toString()).messages).toHaveLength(2 * steps - 1)
})
