import { Agent, type AnyAgent, jsonSchema, type RunState, tool } from '@capstan/core'
import { reply, scriptedModel } from '@capstan/testing'
import { expect, test } from 'vitest'
import { EventSubscribers } from '../events.js'
import type { SegmentEnd } from '../segment.js'
import { executeRun } from './execute.js'
import { createWorkerContext, type WorkerContext } from './host.js'
import { toConfig } from './options.js'
import type { RunStart } from './stored.js'

const named = (name: string, needsApproval: boolean) =>
  tool({
    name,
    description: 'Stores a text.',
    parameters: jsonSchema({ type: 'object' }),
    needsApproval,
    execute: (_args, { artifacts }) =>
      artifacts.put(new TextEncoder().encode(name), { kind: 'text', mediaType: 'text/plain' }),
  })

const clerk = () =>
  new Agent({
    name: 'clerk',
    model: scriptedModel([
      reply.call('note'),
      reply.calls(reply.call('note'), reply.call('send')),
      reply.text('Sent.'),
    ]),
    tools: [named('note', false), named('send', true)],
  })

/** Returns a promise with the additional method of the engine's promises. */
function mappable<T>(promise: Promise<T>) {
  const map = <U>(to: (value?: T, reason?: unknown) => U) =>
    promise.then(
      (value) => to(value),
      (reason) => to(undefined, reason),
    )
  return Object.assign(promise, { map })
}

/** Stores metadata of runs in this process. The runs' context keeps no journal and approves each call. */
class Metadata {
  readonly waiting: SegmentEnd[] = []

  worker(agent: AnyAgent, { state, settings }: RunStart): WorkerContext {
    const ctx = {
      key: state.runId,
      run: (_key: string, work: () => unknown) => mappable(Promise.resolve(work())),
      set: (name: string, value: SegmentEnd) => {
        if (name === 'waiting') this.waiting.push(JSON.parse(JSON.stringify(value)))
      },
      clear: () => {},
      promise: (key: string) => {
        const callId = key.replace(/^decision \d+ /, '')
        return { get: () => mappable(Promise.resolve({ callId, decision: { type: 'approve' } })) }
      },
      request: () => ({ attemptCompletedSignal: new AbortController().signal }),
    }
    const sdk = { RestatePromise: Promise, CancelledError: class extends Error {} }
    return createWorkerContext({
      ctx: ctx as never,
      sdk: sdk as never,
      config: { ...toConfig(agent, {}), events: new EventSubscribers() },
      location: { runId: state.runId, path: '', definition: state.definitionHash, settings },
      cancelled: () => {},
      signal: new AbortController().signal,
    })
  }
}

async function run() {
  const agent = clerk()
  const state: RunState = await agent.prepare('Send.', { runId: 'r' })
  const start: RunStart = { state, settings: {}, digest: 'd' }
  const metadata = new Metadata()
  const end = await executeRun(start, metadata.worker(agent, start))
  if (!end.ok) throw new Error(end.error.message)
  return { waiting: metadata.waiting, toolCalls: end.end.toolCalls, end: end.end }
}

const idsOf = (records: readonly { readonly callId: string }[] = []) => records.map(({ callId }) => callId)

test('a run that waits stores the calls of its step, and its end has each call once', async () => {
  const { waiting, toolCalls } = await run()
  expect(waiting.map((end) => idsOf(end.toolCalls))).toEqual([['call_1_1', 'call_2_1']])
  expect(idsOf(toolCalls)).toEqual(['call_1_1', 'call_2_1', 'call_2_2'])
  for (const one of toolCalls) expect(one.artifacts).toHaveLength(1)
})

test('a run stores its steps without their calls, those of all segments at its end', async () => {
  const { waiting, end } = await run()
  expect(waiting.map(({ steps }) => steps.map(({ step }) => step))).toEqual([[0, 1]])
  expect(end.steps).toMatchObject([
    { step: 0, finishReason: 'tool_calls' },
    { step: 1, usage: { requests: 1, toolCalls: 2 } },
    { step: 2, text: 'Sent.' },
  ])
  for (const step of end.steps) expect(step).not.toHaveProperty('toolCalls')
  expect(end.rest).toMatchObject({ stepCount: 3 })
})
