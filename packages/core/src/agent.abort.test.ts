import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { named } from '../test/call-context.js'
import { scriptedModel } from '../test/scripted-model.js'
import { memoryArtifacts } from './artifacts/memory-artifacts.js'
import { Agent } from './index.js'
import { type AnyTool, type ToolSettings, tool } from './tools/tool.js'
import type { AgentOptions } from './types/agent.js'
import { callsOf } from './types/message.js'
import type { ChatModel } from './types/model.js'
import type { RunState } from './types/state.js'

/** Says when it was reached, and never comes back. */
function hanging() {
  let reach = () => {}
  const reached = new Promise<void>((resolve) => {
    reach = resolve
  })
  const hang = () => {
    reach()
    return new Promise<never>(() => {})
  }
  return { reached, hang }
}

const calls = () =>
  scriptedModel([
    [
      ['f', {}, 'a'],
      ['f', {}, 'b'],
    ],
    'Done.',
  ])
const f = named('f', () => 'done')
const withTool = (settings: ToolSettings) => ({ model: calls(), tools: [named('f', () => 'done', settings)] })
const png = new Uint8Array([1])

type Options = AgentOptions<readonly AnyTool[]>

/** What may hang, by the options of the agent that it hangs in. */
const places: Record<string, (hang: () => Promise<never>) => Options> = {
  'a model': (hang) => ({ model: { name: 'm', complete: hang } satisfies ChatModel }),
  prepareStep: (hang) => ({ model: calls(), prepareStep: hang }),
  instructions: (hang) => ({ model: calls(), instructions: hang }),
  'a policy': (hang) => ({ model: calls(), tools: [f], policy: hang }),
  needsApproval: (hang) => withTool({ needsApproval: hang }),
  'a function': (hang) => ({ model: calls(), tools: [named('f', hang)] }),
  'a check of arguments': (hang) => {
    const parameters = z.object({}).refine(hang)
    return { model: calls(), tools: [tool({ name: 'f', description: 'D', parameters, execute: () => 1 })] }
  },
  'a checkpoint': (hang) => {
    let saves = 0
    const onCheckpoint = async () => {
      saves += 1
      // The last state is kept whatever it takes: only the first one hangs.
      if (saves === 1) await hang()
    }
    return { model: calls(), onCheckpoint }
  },
  'a store': (hang) => ({ model: calls(), artifacts: { ...memoryArtifacts(), put: hang } }),
}

test.each(Object.entries(places))(
  '%s that hangs is left at once when the run is aborted, with a state to go on from',
  async (place, options) => {
    const { reached, hang } = hanging()
    const controller = new AbortController()
    const { signal } = controller
    const agent = new Agent(options(hang))
    const run = agent.run('Go.', { signal, ...(place === 'a store' ? { attachments: [png] } : {}) })
    await reached
    controller.abort()
    const { stopReason, state, usage } = await run
    expect(stopReason).toBe('aborted')
    expect(state).toMatchObject({ stopReason: 'aborted', pending: [], results: {} })
    expect(unanswered(state)).toEqual([])
    // A request that was cut off counts as well.
    expect(usage.requests).toBe(place === 'a model' ? 1 : state.stepCount)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    const next = new Agent({ model: scriptedModel(['Gone on.']), tools: [f] })
    const again = await next.run(JSON.parse(JSON.stringify(state)), { allowChangedTools: true })
    expect(again).toMatchObject({ stopReason: 'done', text: 'Gone on.' })
  },
)

function unanswered({ messages }: RunState): string[] {
  const answered = new Set(messages.map((message) => message.role === 'tool' && message.tool_call_id))
  return messages.flatMap((message) => callsOf(message).map(({ id }) => id)).filter((id) => !answered.has(id))
}

test.each<[string, string]>([
  ['a policy', 'not_run'],
  ['needsApproval', 'not_run'],
  ['a check of arguments', 'not_run'],
  ['a function', 'cut_off'],
])('calls that hang in %s are %s', async (place, status) => {
  const { reached, hang } = hanging()
  const controller = new AbortController()
  const agent = new Agent(places[place]?.(hang) ?? expect.unreachable())
  const run = agent.run('Go.', { signal: controller.signal })
  await reached
  controller.abort()
  expect((await run).toolCalls).toMatchObject([
    { callId: 'a', status },
    { callId: 'b', status },
  ])
})

test('a run whose signal is aborted before it begins asks nothing', async () => {
  const model = calls()
  const { stopReason, stepCount } = await new Agent({ model, tools: [f] }).run('Go.', {
    signal: AbortSignal.abort(),
  })
  expect({ stopReason, stepCount, asked: model.requests.length }).toEqual({
    stopReason: 'aborted',
    stepCount: 0,
    asked: 0,
  })
})

test('a run that a listener aborts before a request does not make it', async () => {
  for (const step of [0, 1]) {
    const model = calls()
    const run = new Agent({ model, tools: [f] }).stream('Go.')
    run.on('step-start', (event) => event.step === step && run.abort())
    expect(await run.result).toMatchObject({ stopReason: 'aborted' })
    expect(model.requests).toHaveLength(step)
  }
})

test('a final answer that hangs is left at once as well', async () => {
  const { reached, hang } = hanging()
  const controller = new AbortController()
  const agent = new Agent({ model: scriptedModel([[['f']], hang]), tools: [f], limits: { steps: 1 } })
  const run = agent.run('Go.', { signal: controller.signal })
  await reached
  controller.abort()
  expect(await run).toMatchObject({ stopReason: 'aborted', stepCount: 1 })
})

test('a run that waits for decisions ends when it is aborted, its calls not run', async () => {
  const send = named('f', () => expect.unreachable(), { needsApproval: true })
  const run = new Agent({ model: calls(), tools: [send] }).stream('Go.', { wait: true })
  run.on('call-pending', ({ callId }) => {
    if (callId === 'b') run.abort()
  })
  const { stopReason, state, toolCalls } = await run.result
  expect(stopReason).toBe('aborted')
  expect(state.pending).toEqual([])
  expect(toolCalls).toMatchObject([{ status: 'not_run' }, { status: 'not_run' }])
})

test.each([undefined, () => {}])(
  'calls that were not begun are not run, whether states are kept or not (%#)',
  async (onCheckpoint) => {
    const agent = new Agent({ model: calls(), tools: [f], ...(onCheckpoint ? { onCheckpoint } : {}) })
    const run = agent.stream('Go.')
    run.on('call-ready', () => run.abort())
    const { stopReason, toolCalls } = await run.result
    expect(stopReason).toBe('aborted')
    expect(toolCalls).toMatchObject([{ status: 'not_run' }, { status: 'not_run' }])
  },
)

test.each<[string, unknown]>([
  ['a text', 'The user left.'],
  ['an error', new Error('The user left.')],
  ['a value', { by: 'user' }],
])('the reason of an abort is in the result as it was given: %s', async (_what, reason) => {
  const waiting = () => scriptedModel([() => new Promise<never>(() => {})])
  const run = new Agent({ model: waiting() }).stream('Go.')
  run.on('step-start', () => run.abort(reason))
  expect((await run.result).abortReason).toBe(reason)
  const controller = new AbortController()
  const onStart = new Agent({ model: waiting(), observe: () => controller.abort(reason) })
  expect((await onStart.run('Go.', { signal: controller.signal })).abortReason).toBe(reason)
})

test('an abort without a reason has that of its signal, and a run without an abort has none', async () => {
  const run = new Agent({ model: scriptedModel([() => new Promise<never>(() => {})]) }).stream('Go.')
  run.on('step-start', () => run.abort())
  expect((await run.result).abortReason).toMatchObject({ name: 'AbortError' })
  expect(await new Agent({ model: scriptedModel(['Done.']) }).run('Go.')).not.toHaveProperty('abortReason')
})
