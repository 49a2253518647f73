import { expect, test } from 'vitest'
import { named } from '../../test/call-context.js'
import { scriptedModel } from '../../test/scripted-model.js'
import { Agent } from '../index.js'
import type { Middleware } from './middleware.js'

const f = named('f', () => 'f ran', { effects: 'read' })

const louder = (name: string, mark: string): Middleware => ({
  name,
  async afterModel(reply) {
    return { ...reply, message: { ...reply.message, content: `${reply.message.content}${mark}` } }
  },
})

test('replies pass through afterModel in order before they enter the history', async () => {
  const model = scriptedModel(['Done', 'Again'])
  const agent = new Agent({ model, tools: [f], middleware: [louder('first', '!'), louder('second', '?')] })
  const { text, messages, usage } = await agent.run('Go.')
  expect(text).toBe('Done!?')
  expect(messages.at(-1)).toMatchObject({ content: 'Done!?' })
  expect(usage.requests).toBe(1)
})

test('afterModel may return nothing, and reads the request that the reply answers', async () => {
  const seen: number[] = []
  const reader: Middleware = {
    name: 'reader',
    afterModel(_reply, { messages, tools }) {
      seen.push(messages.length, tools.length)
    },
  }
  const wider: Middleware = { name: 'wider', wrapModel: (_call, next) => next({ tools: [] }) }
  const model = scriptedModel(['Done.'])
  const { text } = await new Agent({ model, tools: [f], middleware: [reader, wider] }).run('Go.')
  expect(text).toBe('Done.')
  expect(seen).toEqual([1, 0])
})

test('a warning of a middleware is on the result once, and in its state', async () => {
  const warning = 'The tool f is slow.'
  const warns: Middleware = { name: 'warns', afterStep: () => ({ warning }), afterReply: () => ({ warning }) }
  const model = scriptedModel([[['f']], [['f']], 'Done.'])
  const result = await new Agent({ model, tools: [f], middleware: [warns] }).run('Go.')
  expect(result.warnings).toEqual([warning])
  expect(result.state.warnings).toEqual([warning])
  const silent = await new Agent({ model: scriptedModel(['Done.']), tools: [f] }).run('Go.')
  expect(silent).not.toHaveProperty('warnings')
})
