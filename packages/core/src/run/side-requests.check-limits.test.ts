import { expect, test } from 'vitest'
import { runOf, stateOf } from '../../test/run-of.js'
import { scriptedModel } from '../../test/scripted-model.js'
import { Agent, type CreateHost, memoryHost } from '../index.js'
import type { Message } from '../types/message.js'
import type { Flags, Limits } from '../types/state.js'
import { noUsage, type Usage } from '../usage.js'
import { estimateMessages } from './estimate.js'
import { checkLimits } from './side-requests.js'

const model = scriptedModel([])
const prices = { m: { inputTokens: 1, cachedInputTokens: 0.1, outputTokens: 2 } }
const user = (content: string): Message => ({ role: 'user', content })
const messages = [user('word '.repeat(96)), { role: 'assistant', content: 'Yes.' } as const, user('Go.')]
const estimate = estimateMessages(messages)

interface Standing {
  readonly used?: Partial<Usage>
  readonly lastRequest?: Flags['lastRequest']
}

function check(limits: Limits, { used = {}, lastRequest: last }: Standing = {}): () => void {
  const state = stateOf([], { limits, usage: { ...noUsage, ...used } })
  const run = runOf([], state, { settings: { prices } })
  return () => checkLimits(run, [], last ? { messages, model, last } : { messages, model })
}

test('three quarters of the estimate have to fit into what is left', () => {
  const least = 0.75 * estimate
  expect(check({ tokens: Math.ceil(least) })).not.toThrow()
  expect(check({ tokens: Math.floor(least) - 1 })).toThrow(/\(tokens: /)
  expect(check({ tokens: Math.ceil(least) + 9 }, { used: { totalTokens: 9 } })).not.toThrow()
  expect(check({ tokens: Math.ceil(least) + 9 }, { used: { totalTokens: 11 } })).toThrow(/\(tokens: /)
  expect(check({ cost: least })).not.toThrow()
  expect(check({ cost: least - 1 })).toThrow(/\(cost: /)
})

test('the usage of the last request, and what came after its reply, are expected where that is less', () => {
  const added = 0.75 * estimateMessages([user('Go.')])
  const lastRequest = { tokens: 20, cost: 3 }
  expect(check({ tokens: 20 + Math.ceil(added) }, { lastRequest })).not.toThrow()
  expect(check({ tokens: 20 + Math.floor(added) - 1 }, { lastRequest })).toThrow(/\(tokens: /)
  expect(check({ cost: 3 + added }, { lastRequest })).not.toThrow()
  expect(check({ cost: 2 + added }, { lastRequest })).toThrow(/\(cost: /)
  const greater = { tokens: 1e6, cost: 1e6 }
  expect(check({ tokens: 90, cost: 90 }, { lastRequest: greater })).not.toThrow()
})

test('an unknown cost is over every limit of cost', () => {
  expect(check({ cost: 1e9 }, { used: { cost: 'unknown' } })).toThrow(/\(cost: /)
  const other = { ...model, name: 'other' }
  const run = runOf([], stateOf([], { limits: { cost: 1e9 } }), { settings: { prices } })
  expect(() => checkLimits(run, [], { messages, model: other })).toThrow(/\(cost: /)
})

test('a reply that a host has recorded is used, whatever its request is estimated at', async () => {
  const recorded = new Map<string, unknown>()
  const recording: CreateHost = (binding) => {
    const host = memoryHost(binding)
    return {
      ...host,
      async step(step) {
        if (!recorded.has(step.key)) recorded.set(step.key, await host.step(step))
        return recorded.get(step.key) as never
      },
    }
  }
  const long = 'word '.repeat(1000)
  await new Agent({ model: scriptedModel(['Read.']) }).run(long, { host: recording })
  const again = new Agent({ model: scriptedModel([]) })
  const result = await again.run(long, { host: recording, limits: { tokens: 100 } })
  expect(result).toMatchObject({ stopReason: 'done', text: 'Read.' })
  const fresh = await again.run(long, { limits: { tokens: 100 } })
  expect(fresh).toMatchObject({ stopReason: 'limit', limit: 'tokens' })
})
