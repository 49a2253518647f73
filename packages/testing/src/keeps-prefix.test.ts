import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, type ChatModel, type ModelRequest, tool, trimHistory } from '@capstan/core'
import { messageOf } from '@capstan/core/internal'
import { expect, test } from 'vitest'
import * as z from 'zod'
import './vitest.js'
import { recordRun } from './recording.js'
import { reply } from './script.js'
import { scriptedModel } from './scripted-model.js'

const count = tool({
  name: 'count',
  description: 'Counts',
  parameters: z.object({ to: z.number() }),
  execute: ({ to }) => to,
})
const counts = [1, 2, 3, 4].map((to) => reply.call('count', { to }))
const counting = () => scriptedModel([...counts, reply.text('Four.')])

const failureOf = (assertion: () => void) => {
  try {
    assertion()
  } catch (error) {
    return messageOf(error)
  }
  return expect.unreachable()
}

test('a run keeps its prefix, to its final answer', async () => {
  const model = counting()
  await new Agent({ model, tools: [count], instructions: 'Be brief.', limits: { steps: 4 } }).run('Count.')
  expect(model.requests).toHaveLength(5)
  expect(model).toKeepItsPrefix()
})

test('a failure names the request and the place, and shows both texts', async () => {
  const model = counting()
  await new Agent({ model, tools: [count], middleware: [trimHistory({ maxMessages: 5 })] }).run('Count.')
  expect(model).not.toKeepItsPrefix()
  const failure = failureOf(() => expect(model).toKeepItsPrefix())
  expect(failure).toMatch(/^Expected request 3 to extend request 2, but messages\[1\] differs:\n- expected\n/)
  expect(failure).toContain('{\\"to\\":1}')
  expect(failure).toContain('{\\"to\\":3}')
  expect(model).toKeepItsPrefix({ except: ['messages'] })
  expect(model).not.toKeepItsPrefix({ except: ['tools', 2] })
})

test('instructions and tools are part of it', async () => {
  let step = 0
  const model = counting()
  await new Agent({ model, tools: [count], instructions: () => `Step ${step++}.` }).run('Count.')
  expect(failureOf(() => expect(model).toKeepItsPrefix())).toContain('but instructions differs')
  expect(model).toKeepItsPrefix({ except: ['instructions'] })
  const other = counting()
  const prepareStep = ({ step: at }: { step: number }) => (at === 2 ? { tools: [] } : {})
  await new Agent({ model: other, tools: [count], prepareStep }).run('Count.')
  expect(failureOf(() => expect(other).toKeepItsPrefix())).toContain(
    'request 2 to extend request 1, but tools[0]',
  )
  expect(other).toKeepItsPrefix({ except: [2, 3] })
})

test('conversations that share a model are compared each by itself', () => {
  const ask = (content: string, ...more: ModelRequest['messages']) => ({
    messages: [{ role: 'user', content } as const, ...more],
    tools: [],
  })
  const said = { role: 'assistant', content: 'A.' } as const
  const requests = [ask('One.'), ask('Two.'), ask('One.', said), ask('Two.', said)]
  expect({ requests } as unknown as ChatModel).toKeepItsPrefix()
})

test('a recording keeps it as well', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'capstan-prefix-'))
  const file = join(folder, 'run.jsonl')
  const agent = new Agent({ model: counting(), tools: [count], instructions: 'Be brief.' })
  await agent.run('Count.', recordRun(file))
  expect(file).toKeepItsPrefix()
  rmSync(folder, { recursive: true })
})

test('takes nothing else', () => {
  expect(failureOf(() => expect({}).toKeepItsPrefix())).toContain('takes a model with requests')
})
