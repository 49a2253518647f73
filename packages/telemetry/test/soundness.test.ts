import { Agent, agentTool, CapstanError, handoff, tool } from '@capstan/core'
import { reply, type ScriptStep, scriptedModel } from '@capstan/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { cases } from '../../../scripts/cases.mjs'
import { telemetry } from '../src/telemetry.js'
import { collect } from './collected.js'

const collected = collect()
const parameters = z.object({ city: z.string() })
const execute = async ({ city }: { city: string }) => city
const fine = tool({ name: 'fine', description: 'Works', parameters, effects: 'read', execute })
const slow = tool({
  name: 'slow',
  description: 'Waits for the end',
  parameters,
  effects: 'read',
  execute: (_, { signal }) =>
    new Promise<string>((resolve) => {
      signal.addEventListener('abort', () => resolve('late'), { once: true })
      setImmediate(() => resolve('done'))
    }),
})
const broken = tool({
  name: 'broken',
  description: 'Breaks',
  parameters,
  effects: 'read',
  execute: () => {
    throw new CapstanError('network', 'secret-of-broken')
  },
})
const asking = tool({ name: 'asking', description: 'Asks', parameters, needsApproval: true, execute })
const outside = tool({ name: 'outside', description: 'Elsewhere', parameters })

const anyCall = fc
  .tuple(
    fc.constantFrom('fine', 'slow', 'broken', 'asking', 'outside', 'inner', 'transfer_to_other', 'nothing'),
    fc.constantFrom<object | string>({ city: 'secret-city' }, { input: 'secret-input' }, '{"city', {}),
  )
  .map(([name, args]) => reply.call(name, args))
const anyStep: fc.Arbitrary<ScriptStep> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(anyCall, { minLength: 1, maxLength: 4 }).map((all) => reply.calls(...all)),
  },
  { weight: 1, arbitrary: fc.constant(reply.text('secret-answer')) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('auth', 'truncated', 'timeout' as const)
      .map((code) => reply.fail(code, { message: 'secret-words' })),
  },
)
const anyScript = fc.array(anyStep, { maxLength: 4 })
const anyScenario = fc.record({
  own: anyScript,
  inner: anyScript,
  other: anyScript,
  streams: fc.boolean(),
  /** Number of events before the abort. */
  abortAfter: fc.option(fc.integer({ min: 0, max: 30 }), { nil: undefined }),
  steps: fc.integer({ min: 1, max: 5 }),
  goesOn: fc.boolean(),
})
type Scenario = typeof anyScenario extends fc.Arbitrary<infer One> ? One : never

/** Runs to the end, whatever the end is. */
async function play({ own, inner, other, streams, abortAfter, steps, goesOn }: Scenario): Promise<void> {
  const tools = [fine, slow, broken, asking, outside]
  const within = new Agent({ name: 'inner', model: scriptedModel(inner, { name: 'm2' }), tools })
  const next = new Agent({ name: 'other', model: scriptedModel(other, { name: 'm3' }), tools })
  const agent = new Agent({
    name: 'outer',
    model: scriptedModel(own, { name: 'm1', retries: 1 }),
    tools: [...tools, agentTool(within), handoff(next)],
    limits: { steps },
  })
  const controller = new AbortController()
  let left = abortAfter ?? Number.POSITIVE_INFINITY
  const observe = () => {
    left -= 1
    if (left < 0) controller.abort()
  }
  const options = { ...telemetry({ observe }), signal: controller.signal }
  const result = await (streams ? agent.stream('Go', options).result : agent.run('Go', options)).catch(
    () => undefined,
  )
  if (!goesOn || result?.stopReason !== 'pending') return
  const decisions = Object.fromEntries(
    (result.pending ?? []).map(({ callId, kind }) => [
      callId,
      kind === 'approval'
        ? ({ type: 'approve' } as const)
        : ({ type: 'result', value: 'secret-value' } as const),
    ]),
  )
  await agent.run(result.state, { ...telemetry(), decisions }).catch(() => undefined)
}

test('every span ends, has its parent and contains no content, whatever happens in a run', async () => {
  await fc.assert(
    fc.asyncProperty(anyScenario, async (scenario) => {
      collected.reset()
      await play(scenario)
      const spans = collected.spans()
      expect(collected.open.size).toBe(0)
      const byId = new Map(spans.map((span) => [span.spanContext().spanId, span]))
      for (const { name, parentSpanContext } of spans) {
        const parent = parentSpanContext && byId.get(parentSpanContext.spanId)
        if (parentSpanContext) expect(parent, `the parent of ${name}`).toBeDefined()
        if (name === 'chat m1') expect(parent?.name).toBe('invoke_agent outer')
        if (name === 'chat m2') expect(parent?.name).toBe('invoke_agent inner')
        if (name === 'chat m3') expect(parent?.name).toBe('invoke_agent other')
        if (name === 'invoke_agent inner')
          expect(parent?.name).toMatch(/^(execute_tool inner|invoke_agent outer)$/)
        if (name === 'invoke_agent outer') expect(parent).toBeUndefined()
      }
      const written = spans.map(({ name, attributes, events, status }) => ({
        name,
        attributes,
        events,
        status,
      }))
      expect(JSON.stringify(written)).not.toContain('secret-')
    }),
    { numRuns: cases(300) },
  )
})
