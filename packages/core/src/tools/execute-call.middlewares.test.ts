import { expect, test } from 'vitest'
import { named } from '../../test/call-context.js'
import { scriptedModel } from '../../test/scripted-model.js'
import { memoryArtifacts } from '../artifacts/memory-artifacts.js'
import { Agent } from '../index.js'
import type { Middleware } from '../run/middleware.js'

const hang = () => new Promise<never>(() => {})
const f = named('f', () => 'done', { effects: 'read' })
const long = named('long', () => 'x'.repeat(100_000), { effects: 'read' })

test.each<[string, (begun: () => void) => Middleware]>([
  ['wrapTool', (begun) => ({ name: 'own', wrapTool: (_call, next) => next().then(begun).then(hang) })],
  ['afterTool', (begun) => ({ name: 'own', afterTool: () => Promise.resolve(begun()).then(hang) })],
])('an abort ends a call whose %s never returns', async (_hook, hanging) => {
  const abort = new AbortController()
  const own = hanging(() => abort.abort())
  const agent = new Agent({ model: scriptedModel([[['f']]]), tools: [f], middleware: [own] })
  const { stopReason, toolCalls } = await agent.run('Go.', { signal: abort.signal })
  expect([stopReason, toolCalls[0]?.status]).toEqual(['aborted', 'cut_off'])
})

test('an abort ends a call whose long result is never stored', async () => {
  const abort = new AbortController()
  const artifacts = memoryArtifacts()
  artifacts.put = () => {
    queueMicrotask(() => abort.abort())
    return hang()
  }
  const agent = new Agent({ model: scriptedModel([[['long']]]), tools: [long], artifacts })
  const { stopReason, toolCalls } = await agent.run('Go.', { signal: abort.signal })
  expect([stopReason, toolCalls[0]?.status]).toEqual(['aborted', 'cut_off'])
})
