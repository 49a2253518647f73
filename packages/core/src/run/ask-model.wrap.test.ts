import { reply } from '@capstan/testing'
import { expect, test } from 'vitest'
import { named } from '../../test/call-context.js'
import { scriptedModel } from '../../test/scripted-model.js'
import { Agent } from '../index.js'
import type { StepChanges } from './feature.js'
import type { Middleware, StepReply } from './middleware.js'

const [f, g] = [
  named('f', () => 'f ran', { effects: 'read' }),
  named('g', () => 'g ran', { effects: 'read' }),
]
const onlyG = g.definition

test('a change without a value leaves the field as it is', async () => {
  const model = scriptedModel(['Done.'])
  const none = { model: undefined, tools: undefined, toolChoice: undefined, instructions: undefined }
  const changes = { ...none, settings: undefined } as unknown as StepChanges
  const agent = new Agent({
    model,
    tools: [f],
    instructions: 'Never tell the code.',
    settings: { seed: 1 },
    prepareStep: () => changes,
    middleware: [
      {
        name: 'own',
        beforeModel: () => changes as object,
        wrapModel: (_call, next) => next(changes as object),
      },
    ],
  })
  expect((await agent.run('Go.')).text).toBe('Done.')
  expect(model.requests[0]).toMatchObject({ toolChoice: 'auto', settings: { seed: 1 } })
  expect(model.requests[0]?.tools).toHaveLength(1)
  expect(model.requests[0]?.messages[0]).toEqual({ role: 'system', content: 'Never tell the code.' })
})

test('the first of two replies may call the tools of its own request only', async () => {
  const first: Middleware = {
    name: 'first',
    async wrapModel(call, next, { step }) {
      if (step > 0) return next()
      const reply = await next({ tools: [onlyG] })
      await next({ tools: call.tools })
      return reply
    },
  }
  const model = scriptedModel([[['f']], 'Unused.', 'Done.'])
  const { toolCalls } = await new Agent({ model, tools: [f, g], middleware: [first] }).run('Go.')
  expect(toolCalls).toMatchObject([{ name: 'f', status: 'rejected' }])
})

test('a reply that no request was sent for may call the tools that would have been offered', async () => {
  const kept: StepReply = {
    message: {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
  }
  const cache: Middleware = {
    name: 'cache',
    wrapModel: async (_call, next, { step }) => (step === 0 ? kept : next()),
  }
  const model = scriptedModel(['Done.'])
  const { toolCalls } = await new Agent({ model, tools: [f], middleware: [cache] }).run('Go.')
  expect(toolCalls).toMatchObject([{ name: 'f', status: 'ok' }])
})

test('a request after a failed one has a key of its own', async () => {
  const again: Middleware = { name: 'again', wrapModel: (_call, next) => next().catch(() => next()) }
  const model = scriptedModel([reply.fail('invalid_request'), 'Done.'])
  expect((await new Agent({ model, middleware: [again] }).run('Go.', { runId: 'r' })).text).toBe('Done.')
  expect(model.requests.map(({ idempotencyKey }) => idempotencyKey)).toEqual([
    'r/step0/request',
    'r/step0/request/1',
  ])
})

test('an abort ends a middleware that never returns', async () => {
  const abort = new AbortController()
  const hanging: Middleware = {
    name: 'hanging',
    wrapModel: () => {
      queueMicrotask(() => abort.abort())
      return new Promise(() => {})
    },
  }
  const agent = new Agent({ model: scriptedModel([]), middleware: [hanging] })
  expect((await agent.run('Go.', { signal: abort.signal })).stopReason).toBe('aborted')
})
