import { readFile } from 'node:fs/promises'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { expect, expectTypeOf, test } from 'vitest'
import { coreOf } from '../src/agent.js'
import {
  Agent,
  type AgentOptions,
  handoff,
  hasCalled,
  jsonSchema,
  type Middleware,
  memoryHost,
  type RunView,
  retryTools,
  stuckDetection,
  taintTracking,
  tool,
  verdict,
  without,
} from '../src/index.js'
import { named } from './call-context.js'
import { type Journal, journalHost } from './run-control/host-with.js'
import { type Said, scriptedModel } from './scripted-model.js'

const f = named('f', () => 'done', { effects: 'read' })
const once: readonly Said[] = [[['f']], 'Done.']
const schema = jsonSchema({ type: 'object' })

const middlewaresOf = (options: Partial<AgentOptions<[]>>) =>
  coreOf(new Agent<[], StandardSchemaV1 | undefined>({ model: 'm', ...options })).middlewares
const namesOf = (options: Partial<AgentOptions<[]>> = {}) => middlewaresOf(options).map(({ name }) => name)

test('the defaults', () => {
  expect(namesOf()).toEqual([
    'resume',
    'long-results',
    'taint-tracking',
    'text-calls',
    'stuck-detection',
    'compact-history',
    'prefix',
    'lost-context',
    'final-answer',
    'message-media',
  ])
})

test('options come among the defaults, middlewares of the agent before the final answer', () => {
  const options = {
    output: schema,
    policy: () => verdict.allow,
    prepareStep: () => ({}),
    stopWhen: hasCalled('f'),
    middleware: [{ name: 'first' }, { name: 'second' }],
  }
  expect(namesOf(options)).toEqual([
    'resume',
    'long-results',
    'taint-tracking',
    'text-calls',
    'structured-output',
    'policy',
    'prepare-step',
    'stuck-detection',
    'stop-when',
    'first',
    'second',
    'compact-history',
    'prefix',
    'lost-context',
    'final-answer',
    'message-media',
  ])
})

test('a middleware with the name of a default replaces it in its place', () => {
  const own = stuckDetection({ warn: 9 })
  const list = middlewaresOf({ middleware: [{ name: 'first' }, own] })
  expect(list.map(({ name }) => name)).toEqual([
    'resume',
    'long-results',
    'taint-tracking',
    'text-calls',
    'stuck-detection',
    'first',
    'compact-history',
    'prefix',
    'lost-context',
    'final-answer',
    'message-media',
  ])
  expect(list[4]).toBe(own)
})

test('a final answer of the agent stands where the agent has it', () => {
  expect(namesOf({ middleware: [{ name: 'final-answer' }, { name: 'first' }] }).slice(-6)).toEqual([
    'final-answer',
    'first',
    'compact-history',
    'prefix',
    'lost-context',
    'message-media',
  ])
})

test.each([
  ['policy', 'policy'],
  ['prepare-step', 'prepareStep'],
  ['stop-when', 'stopWhen'],
  ['structured-output', 'output'],
])('a middleware cannot take the place of an option: %s', (name, option) => {
  const options = { policy: () => verdict.deny('no'), prepareStep: () => ({}), stopWhen: hasCalled('f') }
  const middleware = [{ name }]
  expect(() => new Agent({ model: 'm', ...options, output: schema, middleware })).toThrow(
    expect.objectContaining({
      code: 'invalid_request',
      message: `The option ${option} already adds "${name}". Remove or rename one.`,
    }),
  )
})

test('untrusted sources are recorded, whatever the list has', () => {
  expect(() => new Agent({ model: 'm', middleware: [{ name: 'taint-tracking' }] })).toThrow(
    /Use taintTracking\(\{ ask: false \}\)/,
  )
  expect(namesOf({ middleware: [taintTracking({ ask: false })] })).toContain('taint-tracking')
})

test('what a reply keeps is that of middlewares: nothing else of the state changes', async () => {
  const model = {
    name: 'm',
    complete: async () => ({
      message: { role: 'assistant', content: 'Done.' } as const,
      kept: JSON.parse('{"mine":1,"taintedBy":"x","__proto__":{"polluted":true}}'),
      approved: ['f'],
      taintedBy: 'x',
    }),
  }
  const { state } = await new Agent({ model }).run('Go.')
  expect(state.kept).toEqual({ mine: 1, prefix: expect.anything() })
  expect(state).not.toHaveProperty('taintedBy')
  expect(state).not.toHaveProperty('approved')
  expect(state.kept).not.toHaveProperty('polluted')
})

test('without(name) takes names of defaults only', () => {
  const off = (name: string) => () => new Agent({ model: 'm', middleware: [without(name)] })
  expect(off('history')).toThrow(/"history" is not on by default. Use one of: .*final-answer/)
  for (const name of ['taint-tracking', 'message-media'])
    expect(off(name)).toThrow(`"${name}" cannot be turned off`)
  expect(off('taint-tracking')).toThrow('Use taintTracking({ ask: false })')
})

test('the page of options names what without(name) takes', async () => {
  const page = await readFile(new URL('../../../docs/reference/options.md', import.meta.url), 'utf8')
  const [, names = ''] = /turns one off: (.*?)\. The others/.exec(page) ?? []
  const named = [...names.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name)
  expect(named).toHaveLength(6)
  expect(() => new Agent({ model: 'm', middleware: named.map(without) })).not.toThrow()
})

test.each(['shouldStop', 'beforeStop', 'afterCall', 'afterStep', 'afterReply'] as const)(
  'an asynchronous %s is an error that names it',
  async (hook) => {
    const slow = { name: 'slow', [hook]: async () => undefined } as Middleware
    const model = scriptedModel(once)
    const limits = hook === 'beforeStop' ? { steps: 1 } : {}
    const run = new Agent({ model, tools: [f], middleware: [slow], limits }).run('Go.')
    await expect(run).rejects.toThrow(`${hook} of middleware "slow" returned a promise. Make it synchronous.`)
  },
)

test('without(name) turns a default off', async () => {
  const repeats = Array.from({ length: 5 }, () => [['f', {}]] as const)
  const reasonOf = async (middleware: readonly Middleware[]) =>
    (await new Agent({ model: scriptedModel([...repeats, 'Done.']), tools: [f], middleware }).run('Go.'))
      .stopReason
  expect(await reasonOf([without('final-answer')])).toBe('stuck')
  expect(await reasonOf([without('final-answer'), without('stuck-detection')])).toBe('done')
})

test.each<[readonly Middleware[], RegExp]>([
  [[{ name: 'a' }, { name: 'a' }], /^Duplicate middleware "a"/],
  [[{ name: 'Not valid' }], /^"Not valid" is not a valid name/],
  [[retryTools as unknown as Middleware], /^middleware contains a function "retryTools". Call it/],
  [retryTools() as unknown as readonly Middleware[], /: middleware is a.*\. Use an array: \[one, two\]\.$/],
])('rejects %j', (middleware, message) => {
  expect(() => new Agent({ model: 'm', middleware })).toThrow(message)
})

/** Runs a script with middlewares of two names, and returns their notes. */
async function notesOf(
  create: (name: string, note: (text: string) => void) => Omit<Middleware, 'name'>,
  script: readonly Said[] = once,
) {
  const notes: string[] = []
  const middleware = ['a', 'b'].map((name) => ({
    name,
    ...create(name, (text) => void notes.push(`${name} ${text}`)),
  }))
  const result = await new Agent({ model: scriptedModel(script), tools: [f], middleware }).run('Go.')
  return { notes, result }
}

test('the first is the outermost of wrapTool', async () => {
  const { notes, result } = await notesOf((name, note) => ({
    async wrapTool(_call, next) {
      note('before')
      const outcome = await next()
      note('after')
      return { ...outcome, content: `${outcome.content} ${name}` }
    },
  }))
  expect(notes).toEqual(['a before', 'b before', 'b after', 'a after'])
  expect(result.toolCalls[0]?.content).toBe('done b a')
})

test('the first is the outermost of wrapModel', async () => {
  const { notes } = await notesOf(
    (_name, note) => ({
      async wrapModel(_call, next) {
        note('before')
        const reply = await next()
        note('after')
        return reply
      },
    }),
    ['Done.'],
  )
  expect(notes).toEqual(['a before', 'b before', 'b after', 'a after'])
})

test('beforeModel is called in order, each with the changes of those before it', async () => {
  const { notes } = await notesOf(
    (name, note) => ({
      async beforeModel({ settings }) {
        note(JSON.stringify(settings))
        return { settings: { ...settings, [name]: true } }
      },
    }),
    ['Done.'],
  )
  expect(notes).toEqual(['a {}', 'b {"a":true}'])
})

test('beforeModel is called before wrapModel of every middleware', async () => {
  const { notes } = await notesOf(
    (_name, note) => ({
      beforeModel: () => note('beforeModel'),
      wrapModel(_call, next) {
        note('wrapModel')
        return next()
      },
    }),
    ['Done.'],
  )
  expect(notes).toEqual(['a beforeModel', 'b beforeModel', 'a wrapModel', 'b wrapModel'])
})

test('afterTool is called in reverse, after every wrapTool', async () => {
  const { notes, result } = await notesOf((name, note) => ({
    async wrapTool(_call, next) {
      const outcome = await next()
      note('wrapped')
      return outcome
    },
    async afterTool(outcome) {
      note('after')
      return { ...outcome, content: `${outcome.content} ${name}` }
    },
  }))
  expect(notes).toEqual(['b wrapped', 'a wrapped', 'b after', 'a after'])
  expect(result.toolCalls[0]?.content).toBe('done b a')
})

test('hooks between steps are called in order', async () => {
  const { notes } = await notesOf((_name, note) => ({
    beforeRun: () => void note('beforeRun') as undefined,
    afterStep: () => void note('afterStep') as undefined,
    afterReply: () => void note('afterReply') as undefined,
  }))
  expect(notes).toEqual([
    'a beforeRun',
    'b beforeRun',
    'a afterStep',
    'b afterStep',
    'a afterReply',
    'b afterReply',
  ])
})

test.each([
  [[verdict.allow, verdict.deny('no')], 'denied'],
  [[verdict.deny('no'), verdict.allow], 'denied'],
  [[verdict.ask('why'), verdict.deny('no')], 'denied'],
  [[undefined, verdict.allow], 'ok'],
  [[undefined, undefined], 'ok'],
])('the strictest verdict counts: %j', async (verdicts, status) => {
  const middleware = verdicts.map((verdict, index) => ({ name: `judge-${index}`, beforeTool: () => verdict }))
  const { toolCalls } = await new Agent({ model: scriptedModel(once), tools: [f], middleware }).run('Go.')
  expect(toolCalls[0]?.status).toBe(status)
})

test('of two that ask, the first gives the reason', async () => {
  const middleware = ['a', 'b'].map((name) => ({ name, beforeTool: async () => verdict.ask(`${name} asks`) }))
  const { pending } = await new Agent({ model: scriptedModel(once), tools: [f], middleware }).run('Go.')
  expect(pending?.[0]?.reason).toBe('a asks')
})

test('a call that is not allowed reaches no wrapTool', async () => {
  const { notes } = await notesOf((_name, note) => ({
    beforeTool: () => verdict.deny('no'),
    wrapTool(_call, next) {
      note('wrapTool')
      return next()
    },
  }))
  expect(notes).toEqual([])
})

test('the first reason to stop counts, and the others are not asked', async () => {
  const asked: string[] = []
  const stopping = (name: string, stop: ReturnType<NonNullable<Middleware['shouldStop']>>): Middleware => ({
    name,
    shouldStop: () => {
      asked.push(name)
      return stop
    },
  })
  const middleware = [
    stopping('a', undefined),
    stopping('b', { reason: 'condition' }),
    stopping('c', { reason: 'limit', limit: 'cost' }),
    without('final-answer'),
  ]
  const result = await new Agent({ model: scriptedModel([]), middleware }).run('Go.')
  expect(result.stopReason).toBe('condition')
  expect(asked).toEqual(['a', 'b'])
})

/** A middleware that notes the agents that it is called for. */
const noting = (name: string, agents: string[], further: Partial<Middleware> = {}): Middleware => ({
  name,
  beforeModel: (_call, { agent }) => void agents.push(`${name} ${agent}`),
  ...further,
})

/** Hands over from the agent `first` to the agent `second`, and returns the notes of their middlewares. */
async function handedOver(of: { first: Partial<Middleware>[]; second: Partial<Middleware>[] }) {
  const agents: string[] = []
  const toList = (list: Partial<Middleware>[]) => list.map((one) => noting(one.name ?? '', agents, one))
  const second = new Agent({
    name: 'second',
    model: scriptedModel(['Done.']),
    middleware: toList(of.second),
  })
  const first = new Agent({
    name: 'first',
    model: scriptedModel([[['transfer_to_second', {}]]]),
    tools: [handoff(second)],
    middleware: toList(of.first),
  })
  expect((await first.run('Go.')).text).toBe('Done.')
  return agents
}

test('after a handoff those of the other agent are called, and of the first agent only those of the whole run', async () => {
  const agents = await handedOver({
    first: [{ name: 'a' }, { name: 'b', wholeRun: true }],
    second: [{ name: 'c' }, { name: 'd', wholeRun: true }],
  })
  expect(agents).toEqual(['a first', 'b first', 'b second', 'c second', 'd second'])
})

test('one that stays replaces that of the same name of the other agent', async () => {
  const own: string[] = []
  const agents = await handedOver({
    first: [{ name: 'a', wholeRun: true }],
    second: [{ name: 'a', beforeModel: () => void own.push('a') }, { name: 'c' }],
  })
  expect(agents).toEqual(['a first', 'a second', 'c second'])
  expect(own).toEqual([])
})

test('tools of a middleware that stays are offered after a handoff', async () => {
  const note = named('note', () => 'noted', { effects: 'read' })
  const model = scriptedModel([[['note']], 'Done.'])
  const second = new Agent({ name: 'second', model, tools: [f] })
  const first = new Agent({
    name: 'first',
    model: scriptedModel([[['transfer_to_second', {}]]]),
    tools: [handoff(second)],
    middleware: [
      { name: 'notes', tools: [note], wholeRun: true },
      { name: 'more', tools: [named('more', () => 1)] },
    ],
  })
  const { toolCalls } = await first.run('Go.')
  expect(toolCalls.map(({ content }) => content).at(-1)).toBe('noted')
  expect(model.requests[0]?.tools.map((one) => one.function.name)).toEqual(['f', 'note'])
})

test('hooks between steps are not asynchronous', () => {
  const stepEffects: Middleware = {
    name: 'effects',
    // @ts-expect-error: a durable run repeats this hook, so it may not wait
    afterCall: async () => ({ state: 1 }),
    // @ts-expect-error
    afterReply: async () => ({ state: 1 }),
    // @ts-expect-error
    afterStep: async () => ({ state: 1 }),
  }
  const stops: Middleware = {
    name: 'stops',
    // @ts-expect-error
    shouldStop: async () => ({ reason: 'condition' }),
    // @ts-expect-error
    beforeStop: async () => ({ note: 'Stop.' }),
    // @ts-expect-error
    tools: async () => [],
  }
  const withinSteps: Middleware = {
    name: 'within',
    beforeModel: async () => ({ settings: {} }),
    beforeTool: async () => verdict.allow,
    afterTool: async (result) => result,
  }
  expect([stepEffects, stops, withinSteps].map(({ name }) => name)).toEqual(['effects', 'stops', 'within'])
})

test('the context that a middleware asks for is an option of every run', () => {
  const logged: Middleware<{ readonly user: string }> = {
    name: 'logged',
    beforeTool: (_call, { context }) => (context.user === 'ada' ? verdict.allow : verdict.deny('no')),
  }
  const plain = new Agent({ model: scriptedModel([]), middleware: [without('final-answer')] })
  const agent = new Agent({ model: scriptedModel([]), middleware: [logged, without('final-answer')] })
  expectTypeOf(plain.run).toBeCallableWith('Go.')
  expectTypeOf(agent.run).toBeCallableWith('Go.', { context: { user: 'ada' } })
  // @ts-expect-error: the context is missing
  expectTypeOf(agent.run).toBeCallableWith('Go.')
  // @ts-expect-error: a user is no number
  expectTypeOf(agent.run).toBeCallableWith('Go.', { context: { user: 1 } })
})

/** Runs a script twice with one journal, and returns the states of both runs. */
async function replayed(one: Middleware) {
  const journal: Journal = new Map()
  const states = []
  for (const _ of ['run', 'replay']) {
    const agent = new Agent({ model: scriptedModel(once), tools: [f], middleware: [one] })
    const { state } = await agent.run('Go.', { runId: 'r', host: journalHost(journal, memoryHost) })
    states.push(state)
  }
  return states
}

/** A clock that never shows the same time twice. */
function clock() {
  let now = 0
  return () => ++now
}

test.each<[string, (time: () => number) => Omit<Middleware, 'name'>]>([
  ['afterStep', (time) => ({ afterStep: () => ({ state: time() }) })],
  ['beforeRun', (time) => ({ beforeRun: () => ({ state: time() }) })],
  ['afterReply', (time) => ({ afterReply: () => ({ state: time() }) })],
  ['shouldStop', (time) => ({ shouldStop: () => (time() > 2 ? { reason: 'condition' } : undefined) })],
])('a replay shows that %s reads a clock', async (_hook, create) => {
  const [first, second] = await replayed({ name: 'clocked', ...create(clock()) })
  expect(second).not.toEqual(first)
})

test.each<[string, (time: () => number) => Omit<Middleware, 'name'>]>([
  ['afterTool', (time) => ({ afterTool: (result) => ({ ...result, content: `${time()}` }) })],
  [
    'wrapTool',
    (time) => ({ wrapTool: async (_call, next) => ({ ...(await next()), content: `${time()}` }) }),
  ],
  [
    'wrapModel',
    (time) => ({ wrapModel: async (_call, next) => ({ ...(await next()), kept: { clocked: time() } }) }),
  ],
])('%s may read a clock: its outcome is recorded with the step', async (_hook, create) => {
  const [first, second] = await replayed({ name: 'clocked', ...create(clock()) })
  expect(second).toEqual(first)
})

test('tools that a middleware adds are offered and run, also those that depend on the run', async () => {
  const add = (name: string) =>
    tool({ name, description: 'D', parameters: schema, execute: () => `of ${name}` })
  const later = [add('later')]
  const fixed: Middleware = { name: 'fixed', tools: [add('fixed')] }
  const growing: Middleware = {
    name: 'growing',
    tools: ({ toolCalls }: RunView) => (toolCalls.length > 0 ? later : []),
  }
  const model = scriptedModel([[['fixed', {}]], [['later', {}]], 'Done.'])
  const { toolCalls } = await new Agent({ model, middleware: [fixed, growing] }).run('Go.')
  expect(toolCalls.map(({ content }) => content)).toEqual(['of fixed', 'of later'])
  expect(model.requests.map(({ tools }) => tools.map((one) => one.function.name))).toEqual([
    ['fixed'],
    ['fixed', 'later'],
    ['fixed', 'later'],
  ])
})
