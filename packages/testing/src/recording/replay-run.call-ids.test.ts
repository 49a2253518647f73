import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type ModelReply, type ModelRequest, type ModelSink, tool } from '@capstan/core'
import { afterAll, expect, test } from 'vitest'
import * as z from 'zod'
import { recordRun } from './record.js'
import { replayRun } from './replay-run.js'

const folder = mkdtempSync(join(tmpdir(), 'capstan-call-ids-'))
afterAll(() => rmSync(folder, { recursive: true }))

const look = tool({
  name: 'look',
  description: 'Looks',
  parameters: z.object({ at: z.string() }),
  execute: ({ at }) => at,
})

/** A model whose first reply is cut off, so it writes a call twice with the same id. */
const model = {
  name: 'm',
  async complete({ messages }: ModelRequest, sink?: ModelSink): Promise<ModelReply> {
    if (messages.at(-1)?.role === 'tool') return { message: { role: 'assistant', content: 'Done.' } }
    const call = { type: 'call', index: 0, id: 'a', name: 'look' } as const
    sink?.({ ...call, arguments: '{"at":"wro' })
    sink?.({ type: 'retry', attempt: 1, delayMs: 0, code: 'truncated', message: 'Cut off.' })
    for (const text of ['{"at":', '"x"}']) sink?.({ ...call, arguments: text })
    const called = { id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":"x"}' } } as const
    return { message: { role: 'assistant', content: null, tool_calls: [called] } }
  },
}

test('a replayed run gives its calls the same ids, after a reply that was cut off too', async () => {
  const agent = new Agent({ model, tools: [look] })
  const file = join(folder, 'run.jsonl')
  using recorded = recordRun(file)
  const { messages } = await agent.stream('Go.', recorded).result
  expect(messages[1]).toMatchObject({ tool_calls: [{ id: 'a_2' }] })
  // Replay with the agent, and with only the recording.
  for (const options of [{ agent }, {}]) expect(await replayRun(file, options)).toMatchObject([{ messages }])
})
