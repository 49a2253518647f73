import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { named } from '../test/call-context.js'
import { scriptedModel } from '../test/scripted-model.js'
import { Agent, without } from './index.js'
import type { StepChanges } from './run/feature.js'
import type { RunEvent } from './types/event.js'
import type { RunState } from './types/state.js'

const f = named('f', () => 'done')
const g = named('g', () => 'done')
const turns = () => new Promise(setImmediate)

test('what a step asks for counts more than what the run does, and that more than the agent', async () => {
  const [model, other] = [scriptedModel([[['f']]]), scriptedModel(['Done.'], 'other')]
  const changes: StepChanges = { model: other, toolChoice: 'g', settings: { top_p: 3, seed: 3 } }
  const agent = new Agent({
    model,
    tools: [f, g],
    toolChoice: 'f',
    settings: { temperature: 1, top_p: 1, user: 'agent' },
    prepareStep: ({ step }) => (step === 1 ? changes : undefined),
  })
  const { text, usage } = await agent.run('Go.', { settings: { temperature: 2, top_p: 2 } })
  expect(text).toBe('Done.')
  expect(usage.requests).toBe(2)
  expect(model.requests).toMatchObject([
    {
      toolChoice: { type: 'function', function: { name: 'f' } },
      settings: { temperature: 2, top_p: 2, user: 'agent' },
    },
  ])
  expect(other.requests).toMatchObject([
    {
      toolChoice: { type: 'function', function: { name: 'g' } },
      settings: { temperature: 2, top_p: 3, user: 'agent', seed: 3 },
    },
  ])
})

test("without a change of a step the agent's own choice is forced", async () => {
  const model = scriptedModel(['Done.'])
  await new Agent({ model, tools: [f], toolChoice: 'required', prepareStep: () => ({}) }).run('Go.')
  expect(model.requests[0]?.toolChoice).toBe('required')
})

test('a step may name another model, whose price counts', async () => {
  const other = scriptedModel(['Done.'], 'dear')
  const agent = new Agent({
    model: scriptedModel([]),
    price: { m: { inputTokens: 1, outputTokens: 1 }, dear: { inputTokens: 10, outputTokens: 10 } },
    prepareStep: () => ({ model: other }),
  })
  expect((await agent.run('Go.')).usage.cost).toBe(150)
})

/** How many of twenty calls of one answer are started while none has ended. */
async function startedAtOnce(concurrency?: number): Promise<number> {
  let started = 0
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  const slow = named('slow', () => {
    started += 1
    return released
  })
  const calls = Array.from({ length: 20 }, (_, i) => ['slow', {}, `c${i}`] as const)
  const model = scriptedModel([calls, 'Done.'])
  const agent = new Agent({ model, tools: [slow], ...(concurrency === undefined ? {} : { concurrency }) })
  const run = agent.run('Go.')
  await turns()
  await turns()
  const now = started
  release()
  expect((await run).toolCalls).toHaveLength(20)
  return now
}

test('eight calls go on at one time, or as many as the agent says', async () => {
  expect(await startedAtOnce()).toBe(8)
  expect(await startedAtOnce(3)).toBe(3)
  expect(await startedAtOnce(Number.POSITIVE_INFINITY)).toBe(20)
})

const calling = () => scriptedModel(Array.from({ length: 9 }, (_, i) => [['f', { i }]] as const))

test("limits of a run are laid over the agent's, and those over twenty steps", async () => {
  const limitsOf = async (own: object, given: object) => {
    const agent = new Agent({ model: scriptedModel(['Done.']), limits: own })
    return (await agent.run('Go.', { limits: given })).state.limits
  }
  expect(await limitsOf({}, {})).toEqual({ steps: 20 })
  expect(await limitsOf({ toolCalls: 5, tokens: 100 }, { toolCalls: 3 })).toEqual({
    steps: 20,
    toolCalls: 3,
    tokens: 100,
  })
  expect(await limitsOf({ steps: 2 }, { steps: undefined })).toEqual({ steps: 2 })
  expect(await limitsOf({ steps: 2 }, { steps: Number.POSITIVE_INFINITY })).toEqual({})
})

test('the limits of a state hold on, whatever its agent has now, and those of the continuation over them', async () => {
  const first = await new Agent({
    model: calling(),
    tools: [f],
    limits: { steps: 1 },
    middleware: [without('final-answer')],
  }).run('Go.')
  expect(first).toMatchObject({ stopReason: 'limit', limit: 'steps', stepCount: 1 })
  const agent = new Agent({
    model: calling(),
    tools: [f],
    limits: { steps: 9, tokens: 5 },
    middleware: [without('final-answer')],
  })
  const second = await agent.run(first.state, { limits: { steps: 2 } })
  expect(second).toMatchObject({ stopReason: 'limit', limit: 'steps', stepCount: 2 })
  expect(second.state.limits).toEqual({ steps: 2 })
})

test.each<[object, string]>([
  [{ steps: Number.NaN }, 'limits: steps is NaN'],
  [{ steps: '3' }, 'limits: steps is a string'],
  [{ steps: 1.5 }, 'limits: steps is 1.5'],
  [{ steps: -1 }, 'limits: steps is -1'],
  [{ maxSteps: 1 }, 'limits has no option "maxSteps"'],
])('a run with the limits %j is refused before anything is asked', async (limits, said) => {
  const model = scriptedModel([])
  await expect(new Agent({ model }).run('Go.', { limits })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(said),
  })
  expect(model.requests).toEqual([])
})

test('a run has the id it is given, a continuation that of its state unless it is given one', async () => {
  const pending = named('f', () => 1, { needsApproval: true })
  const agent = (ids: string[]) =>
    new Agent({
      model: scriptedModel([[['f']]]),
      tools: [pending],
      observe: ({ runId }) => void ids.push(runId),
    })
  const ids: string[] = []
  const { state } = await agent(ids).run('Go.', { runId: 'mine' })
  expect(state.runId).toBe('mine')
  expect((await agent(ids).run(state)).state.runId).toBe('mine')
  expect(new Set(ids)).toEqual(new Set(['mine']))
  expect((await agent([]).run(state, { runId: 'other' })).state.runId).toBe('other')
  const [one, two] = [await agent([]).run('Go.'), await agent([]).run('Go.')]
  expect(one.state.runId).toMatch(/^[0-9a-f-]{36}$/)
  expect(one.state.runId).not.toBe(two.state.runId)
})

test('the observers of the agent and of the run see the same events, as a stream does', async () => {
  const [own, given, streamed]: RunEvent[][] = [[], [], []]
  const agent = new Agent({
    model: scriptedModel([[['f']], 'Done.', 'Again.']),
    tools: [f],
    observe: (event) => void own?.push(event),
  })
  await agent.run('Go.', { observe: (event) => void given?.push(event) })
  expect(own?.map(({ seq }) => seq)).toEqual(own?.map((_, index) => index))
  expect(own?.at(-1)).toMatchObject({ type: 'run-end', stopReason: 'done' })
  expect(given).toEqual(own)
  own?.splice(0)
  for await (const event of agent.stream('Again.')) streamed?.push(event)
  expect(streamed).toEqual(own)
})

test('checkpoints of the agent and of the run are both taken', async () => {
  const taken: string[] = []
  const save =
    (whose: string) =>
    ({ stepCount }: RunState) =>
      void taken.push(`${whose} ${stepCount}`)
  const agent = new Agent({ model: scriptedModel(['Done.']), onCheckpoint: save('agent') })
  await agent.run('Go.', { onCheckpoint: save('run') })
  expect(taken).toEqual(['agent 0', 'run 0', 'agent 1', 'run 1'])
})

test('when a run is over its signal is let go of, however it ended', async () => {
  const controller = new AbortController()
  const { signal } = controller
  const fail = () => Promise.reject(new Error('broken'))
  const agent = (...script: Parameters<typeof scriptedModel>[0]) =>
    new Agent({ model: scriptedModel(script), tools: [f] })
  await agent([['f']], 'Done.').run('Go.', { signal })
  await agent('Done.').stream('Go.', { signal }).result
  await expect(agent(fail).run('Go.', { signal })).rejects.toThrow('broken')
  await expect(agent('Done.').run('Go.', { signal, attachments: [{ path: '/not/there' }] })).rejects.toThrow()
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  const aborted = agent(() => {
    controller.abort()
    return new Promise<never>(() => {})
  })
  expect((await aborted.run('Go.', { signal })).stopReason).toBe('aborted')
  expect(getEventListeners(signal, 'abort')).toHaveLength(0)
})
