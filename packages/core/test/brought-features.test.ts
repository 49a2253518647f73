import { Agent, effectKeys, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'

const write = tool({
  name: 'write',
  description: 'Writes a file',
  parameters: z.object({ path: z.string() }),
  effects: ({ path }) => path,
  execute: async function* () {
    yield 'began'
    await new Promise(setImmediate)
    yield 'ends'
    return 'written'
  },
})
const brought = { ...write, middleware: effectKeys() }

test('a tool may bring the feature that its settings need', async () => {
  const model = scriptedModel([
    reply.calls(reply.call('write', { path: 'a' }), reply.call('write', { path: 'a' })),
    reply.text('Done.'),
  ])
  const seen: unknown[] = []
  await new Agent({ model, tools: [brought] }).run('Go.', {
    observe: (event) => {
      if (event.type === 'tool-progress') seen.push(event.value)
    },
  })
  expect(seen).toEqual(['began', 'ends', 'began', 'ends'])
})

test('a tool that does not bring it is refused, also beside one that does not need it', () => {
  const plain = tool({ name: 'read', description: 'Reads', parameters: z.object({}), execute: () => '' })
  const message = 'Tool "write" sets effects. Add effectKeys() to middleware.'
  expect(() => new Agent({ model: scriptedModel([]), tools: [plain, write] })).toThrow(message)
})
