import { Agent, cacheTools, type Middleware, tool, verdict } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import * as z from 'zod'

// #region write
const retryOnce: Middleware = {
  name: 'retry-once',
  async wrapTool(call, next, run) {
    const first = await next()
    if (first.status !== 'error' || call.tool.settings.effects !== 'read') return first
    run.emit({ name: 'retry-once', action: 'retry', callId: call.callId })
    return next()
  },
}
// #endregion

// #region test
test('a failed call of a tool that reads is repeated', async () => {
  let attempts = 0
  const search = tool({
    name: 'search',
    description: 'Searches',
    parameters: z.object({}),
    effects: 'read',
    execute() {
      attempts += 1
      if (attempts === 1) throw new Error('busy')
      return 'found'
    },
  })
  const events: string[] = []
  const agent = new Agent({
    model: scriptedModel([reply.call('search'), reply.text('Done.')]),
    tools: [search],
    middleware: [retryOnce],
    observe(event) {
      if (event.type === 'middleware') events.push(`${event.name} ${event.action}`)
    },
  })
  const { toolCalls } = await agent.run('Search.')
  expect(toolCalls[0]?.result).toBe('found')
  expect(events).toEqual(['retry-once retry'])
})
// #endregion

// #region state
const maxFailures = (most: number): Middleware => ({
  name: 'max-failures',
  afterStep(results, { kept }) {
    const failed = results.filter(({ status }) => status === 'error').length
    return { state: Number(kept['max-failures'] ?? 0) + failed }
  },
  shouldStop: ({ kept }) => (Number(kept['max-failures'] ?? 0) >= most ? { reason: 'condition' } : undefined),
})
// #endregion

test('a run ends after so many failed calls, and its state counts them', async () => {
  const search = tool({
    name: 'search',
    description: 'Searches',
    parameters: z.object({ page: z.int() }),
    execute() {
      throw new Error('busy')
    },
  })
  const model = scriptedModel([1, 2, 3].map((page) => reply.call('search', { page })))
  const agent = new Agent({ model, tools: [search], middleware: [maxFailures(2)] })
  const { stopReason, state, stepCount } = await agent.run('Search.')
  expect([stopReason, stepCount, state.kept['max-failures']]).toEqual(['condition', 2, 2])
})

// #region tools
const currentTime = tool({
  name: 'current_time',
  description: 'Date and time in UTC',
  parameters: z.object({}),
  effects: 'read',
  execute: () => new Date().toISOString(),
})
const clock = { name: 'clock', tools: [currentTime] } satisfies Middleware
// #endregion

test('the tools of a middleware are offered, and typed in the result', async () => {
  const model = scriptedModel([
    reply.call('current_time', {}, { asked: { tools: ['current_time'] } }),
    reply.text('Done.'),
  ])
  const { toolCalls } = await new Agent({ model, middleware: [clock] }).run('How late is it?')
  const [first] = toolCalls
  if (!first || first.dynamic || first.status !== 'ok') expect.unreachable('it was called')
  expect(first.result.endsWith('Z')).toBe(true)
})

// #region context
interface SignedIn {
  readonly user: { readonly id: string; readonly isAdmin: boolean }
}

const adminsWrite: Middleware<SignedIn> = {
  name: 'admins-write',
  beforeTool: ({ readsOnly }, { context }) =>
    readsOnly || context.user.isAdmin ? verdict.allow : verdict.deny('only an admin may change things.'),
}
// #endregion

// #region key
const perUser = cacheTools<SignedIn>({
  ttlMs: 10 * 60_000,
  key: (_call, { context }) => context.user.id,
})
// #endregion

test.each([
  [true, 'ok'],
  [false, 'denied'],
])('a run has the context that its middlewares ask for: isAdmin %s', async (isAdmin, status) => {
  const write = tool({
    name: 'write',
    description: 'Writes',
    parameters: z.object({}),
    execute: () => 'written',
  })
  const model = scriptedModel([reply.call('write'), reply.text('Done.')])
  const agent = new Agent({ model, tools: [write], middleware: [adminsWrite, perUser] })
  const { toolCalls } = await agent.run('Write.', { context: { user: { id: 'ada', isAdmin } } })
  expect(toolCalls[0]?.status).toBe(status)
})
