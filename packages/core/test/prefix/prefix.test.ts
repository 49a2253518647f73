import '@capstan/testing/vitest'
import { reply, scriptedModel } from '@capstan/testing'
import { assert, describe, expect, test } from 'vitest'
import * as z from 'zod'
import {
  Agent,
  type AgentOptions,
  type AnyTool,
  agentTool,
  backgroundCalls,
  type ChatModel,
  chatModel,
  clearResults,
  compactHistory,
  fallback,
  guard,
  handoff,
  type ModelRequest,
  memoryArtifacts,
  memorySessions,
  modelPerStep,
  type RunEvent,
  type RunResult,
  type RunState,
  showImages,
  summarizeHistory,
  tool,
  trimHistory,
  verdict,
  without,
} from '../../src/index.js'
import { messagesModel } from '../../src/messages.js'
import { responsesModel } from '../../src/responses.js'
import { type CachingServer, type Said, startCachingServer } from './caching-server.js'

const protocols = { chatModel, responsesModel, messagesModel } as const

const calls = (name: string, given: object = {}) => [{ name, arguments: given }]
const call = (name: string, given: object = {}): Said => calls(name, given)
const read = tool({
  name: 'read',
  description: 'Reads a page',
  parameters: z.object({ page: z.number() }),
  maxResultBytes: 2000,
  execute: ({ page }) => `Page ${page}: ${'word '.repeat(page < 0 ? 900 : 60)}`,
})
const draw = tool({
  name: 'draw',
  description: 'Draws',
  parameters: z.object({}),
  show: true,
  execute: (_args, { artifacts, callId }) =>
    artifacts.put(Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, ...Buffer.from(callId)), {
      kind: 'image',
      mediaType: 'image/png',
    }),
})
const pay = tool({
  name: 'pay',
  description: 'Pays',
  parameters: z.object({}),
  needsApproval: true,
  execute: () => 'paid',
})

const ask = tool({ name: 'ask', description: 'Asks a person', parameters: z.object({}) })
const paint = tool({
  name: 'paint',
  description: 'Paints',
  parameters: z.object({}),
  background: true,
  execute: () => 'painted',
})

const look = tool({ name: 'look', description: 'Looks', parameters: z.object({}), execute: () => 'Nothing.' })

const writer: ChatModel = {
  name: 'writer',
  complete: async () => ({ message: { role: 'assistant', content: 'A summary.' } }),
}

/** A model that keeps its requests. */
function recording(model: ChatModel): ChatModel & { readonly requests: readonly ModelRequest[] } {
  const requests: ModelRequest[] = []
  return {
    ...model,
    requests,
    complete(request, sink) {
      const { messages, tools } = request
      requests.push({ ...request, ...structuredClone({ messages, tools }) })
      return model.complete(request, sink)
    },
  }
}

const middleware = [showImages()]

const addressOf = ({ baseURL, apiKey }: CachingServer) => ({ baseURL, apiKey })

interface Scene {
  readonly say: readonly (Said | number)[]
  readonly agent?: (model: ChatModel) => Partial<AgentOptions<readonly AnyTool[]>>
  readonly play?: (agent: Agent<readonly AnyTool[]>) => Promise<unknown>
  /** The breaks that are told. */
  readonly broken?: readonly (readonly [at: string, because: unknown])[]
  readonly except?: readonly (number | 'tools' | 'messages' | 'instructions')[]
}

const scenes: Readonly<Record<string, Scene>> = {
  'a final answer at a limit': {
    say: [call('read', { page: 1 }), call('read', { page: 2 }), 'So far.'],
    agent: () => ({ limits: { steps: 2 } }),
  },
  'an empty reply': { say: [call('read', { page: 1 }), '', 'Here.'] },
  'an empty reply to the user': { say: ['', 'Here.'] },
  'a run that repeats itself': {
    say: [...Array(4).fill(call('read', { page: 1 })), 'Stuck.'],
  },
  'a message that is sent to the run': {
    say: [call('read', { page: 1 }), call('read', { page: 2 }), 'Done.'],
    async play(agent) {
      const run = agent.stream('Go.')
      run.send('And be quick.')
      await run.result
    },
  },
  'a long result': {
    say: [
      ...[call('read', { page: 1 }), call('read', { page: -1 }), call('read', { page: 2 })],
      ...[call('read', { page: -2 }), 'Done.'],
    ],
    broken: [['tools[3]', 'long-results']],
    except: ['tools'],
  },
  'pictures that are shown': {
    say: [call('draw'), call('read', { page: 1 }), call('draw'), call('read', { page: 2 }), 'So far.'],
    agent: () => ({ limits: { steps: 4 } }),
  },
  'attachments, and a session': {
    say: [call('draw'), 'One.', call('read', { page: 1 }), 'Two.'],
    async play(agent) {
      const session = { store: memorySessions(), id: 'one' }
      const picture = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1)
      await agent.run('Look.', { session, attachments: [picture] })
      await agent.run('And again.', { session })
    },
  },
  'a session after a long result': {
    say: [call('read', { page: -1 }), 'One.', call('read', { page: 1 }), 'Two.'],
    async play(agent) {
      const session = { store: memorySessions(), id: 'one' }
      await agent.run('Read.', { session })
      await agent.run('And again.', { session })
    },
    broken: [['tools[3]', 'long-results']],
    except: ['tools'],
  },
  'an approval in another process': {
    say: [call('read', { page: 1 }), call('pay'), call('read', { page: 2 }), 'Paid.'],
    async play(agent) {
      const { state, pending = [] } = await agent.run('Pay.')
      const decisions = Object.fromEntries(
        pending.map(({ callId }) => [callId, { type: 'approve' as const }]),
      )
      await agent.run(JSON.parse(JSON.stringify(state)), { decisions })
    },
  },
  'a child agent': {
    say: [
      ...[call('child', { input: 'Read page 1.' }), call('read', { page: 1 }), call('read', { page: 2 })],
      ...['Read.', call('read', { page: 3 }), 'Done.'],
    ],
    agent: (model) => ({
      tools: [read, agentTool(new Agent({ name: 'child', model, tools: [read] }))],
    }),
  },
  'a handoff': {
    say: [call('read', { page: 1 }), call('transfer_to_other'), call('read', { page: 2 }), 'Done.'],
    agent: (model) => ({
      tools: [
        read,
        handoff(
          new Agent({
            name: 'other',
            model,
            tools: [read],
            instructions: 'Be kind.',
          }),
        ),
      ],
    }),
    broken: [['instructions', 'handoff']],
    except: ['tools', 'instructions', 'messages'],
  },
  'a call that is denied, and one with a result from outside': {
    say: [
      [...calls('pay'), ...calls('ask'), ...calls('read', { page: 1 })],
      call('read', { page: 2 }),
      'Done.',
    ],
    agent: () => ({ tools: [read, draw, pay, ask] }),
    async play(agent) {
      const { state, pending = [] } = await agent.run('Pay.')
      const decisions = Object.fromEntries(
        pending.map(({ callId, name }) => [
          callId,
          name === 'pay'
            ? { type: 'deny' as const, reason: 'Too much.' }
            : { type: 'result' as const, value: 'Blue.' },
        ]),
      )
      await agent.run(JSON.parse(JSON.stringify(state)), { decisions })
    },
  },
  'an approval with other arguments, while the run waits': {
    say: [call('pay'), call('read', { page: 1 }), 'Paid.'],
    async play(agent) {
      const run = agent.stream('Pay.', { wait: true })
      run.on('call-pending', ({ callId }) => {
        void run.decide(callId, { type: 'approve', arguments: {} })
      })
      await run.result
    },
  },
  'a final answer, and a larger limit': {
    say: [call('read', { page: 1 }), 'So far.', call('read', { page: 2 }), 'Done.'],
    async play(agent) {
      const { state } = await agent.run('Go.', { limits: { steps: 1 } })
      await agent.run(JSON.parse(JSON.stringify(state)), { limits: { steps: 4 } })
    },
    // The answer stands in place of the note, the last message.
    except: [2],
  },
  'two child agents at once': {
    say: [
      [...calls('child', { input: 'Read page 1.' }), ...calls('child', { input: 'Read page 2.' })],
      ...[call('read', { page: 1 }), call('read', { page: 2 }), 'Read.', 'Read.'],
      ...[call('read', { page: 3 }), 'Done.'],
    ],
    agent: (model) => ({
      tools: [read, agentTool(new Agent({ name: 'child', model, tools: [read] }))],
    }),
  },
  'pictures in a session, and in a run that resumes': {
    say: [call('draw'), 'One.', call('draw'), call('pay'), call('read', { page: 1 }), 'Two.'],
    async play(agent) {
      const session = { store: memorySessions(), id: 'one' }
      await agent.run('Draw.', { session })
      const { state, pending = [] } = await agent.run('Pay.', { session })
      const decisions = Object.fromEntries(
        pending.map(({ callId }) => [callId, { type: 'approve' as const }]),
      )
      await agent.run(JSON.parse(JSON.stringify(state)), { decisions, session })
    },
  },
  'attachments in two runs of a session': {
    say: ['One.', call('read', { page: 1 }), 'Two.'],
    async play(agent) {
      const session = { store: memorySessions(), id: 'one' }
      const picture = (last: number) => Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, last)
      await agent.run('Look.', { session, attachments: [picture(1)] })
      await agent.run('And here.', { session, attachments: [picture(2)] })
    },
  },
  'a call that runs in the background': {
    say: [call('paint'), call('read', { page: 1 }), 'Done.'],
    agent: () => ({ tools: [read, paint], middleware: [backgroundCalls(), ...middleware] }),
  },
  'an answer of the wrong form': {
    say: [call('read', { page: 1 }), 'Not JSON.', '{"pages":1}'],
    agent: () => ({ output: z.object({ pages: z.number() }) }),
  },
  'calls that are rejected': {
    say: [call('reed'), call('read', { page: 'one' }), call('read', { page: 1 }), 'Done.'],
  },
  'a handoff and back': {
    say: [
      ...[call('read', { page: 1 }), call('transfer_to_other'), call('read', { page: 2 })],
      ...[call('transfer_to_first'), call('read', { page: 3 }), 'Done.'],
    ],
    agent: (model) => ({
      name: 'first',
      tools: [
        read,
        handoff(
          new Agent({
            name: 'other',
            model,
            tools: [read, handoff('first')],
            instructions: 'Be kind.',
          }),
        ),
      ],
    }),
    broken: [
      ['instructions', 'handoff'],
      ['instructions', 'handoff'],
    ],
    except: ['tools', 'instructions', 'messages'],
  },
  clearResults: {
    say: [1, 2, 3, 4, 5, 6].map((page) => call('read', { page })).concat('Done.'),
    agent: () => ({ middleware: [clearResults({ maxTokens: 500, keep: 1, above: 100 }), ...middleware] }),
    broken: [
      ['messages[2]', 'clear-results'],
      ['messages[6]', 'clear-results'],
    ],
    except: ['messages'],
  },
  summarizeHistory: {
    say: [1, 2, 3, 4, 5, 6].map((page) => call('read', { page })).concat('Done.'),
    agent: () => ({ middleware: [summarizeHistory({ maxTokens: 600, model: writer }), ...middleware] }),
    broken: [['messages[0]', 'summarize-history']],
    except: ['messages'],
  },
  trimHistory: {
    say: [1, 2, 3, 4].map((page) => call('read', { page })).concat('Done.'),
    agent: () => ({ middleware: [trimHistory({ maxMessages: 5 }), ...middleware] }),
    broken: [['messages[1]', 'trim-history']],
    except: ['messages'],
  },
  'compactHistory behind pictures': {
    say: [call('draw'), call('read', { page: 2 }), call('read', { page: 3 }), 'Done.'],
    agent: () => ({
      middleware: [
        compactHistory(({ messages }) => (messages.length > 6 ? messages.toSpliced(1, 2) : messages)),
        ...middleware,
      ],
    }),
    broken: [['messages[1]', 'compact-history']],
    except: ['messages'],
  },
  'a guard that asks again': {
    say: [call('read', { page: 1 }), 'A secret.', 'Nothing.'],
    agent: () => ({
      middleware: [
        guard({ reply: (text) => (/secret/.test(text) ? verdict.deny('a secret') : verdict.allow) }),
        ...middleware,
      ],
    }),
  },
  'prepareStep with other tools': {
    say: [call('read', { page: 1 }), call('read', { page: 2 }), call('read', { page: 3 }), 'Done.'],
    agent: () => ({ prepareStep: ({ step }) => (step === 1 ? { tools: ['read'] } : undefined) }),
    broken: [
      ['tools[1]', 'prepare-step'],
      ['tools[1]', 'prepare-step'],
    ],
    except: ['tools'],
  },
  'instructions that are a function': {
    say: [call('read', { page: 1 }), call('read', { page: 2 }), 'Done.'],
    agent: () => {
      let count = 0
      return { instructions: () => `You have read ${Math.max(1, count++)} pages.` }
    },
    broken: [['instructions', 'instructions']],
    except: ['instructions'],
  },
  'another model': {
    say: [call('read', { page: 1 }), 'Done.'],
    agent: (model) => ({
      middleware: [
        modelPerStep((_, { step }) => (step === 1 ? { ...model, name: 'other' } : undefined)),
        ...middleware,
      ],
    }),
    broken: [['instructions', 'model-per-step']],
  },
  'a server that refuses the choice of no tool': {
    say: [call('read', { page: 1 }), 400, 'So far.'],
    agent: () => ({ limits: { steps: 1 } }),
    broken: [['tools[0]', 'server']],
    except: ['tools'],
  },
}

describe.each(Object.entries(protocols))('over %s', (_protocol, makeModel) => {
  test.each(Object.entries(scenes))('%s', async (_name, scene) => {
    const { say, agent = () => ({}), play = (one) => one.run('Go.'), broken = [], except = [] } = scene
    await using server = await startCachingServer((turn) => say[turn] ?? 500)
    const model = recording(makeModel('m', addressOf(server)))
    const told: unknown[] = []
    const options: Partial<AgentOptions<readonly AnyTool[]>> = {
      tools: [read, draw, pay],
      instructions: 'Be brief.',
      middleware,
      ...agent(model),
    }
    const observe = (event: RunEvent) => {
      if (event.type === 'prefix-broken') told.push([event.at, event.because])
    }
    const artifacts = memoryArtifacts()
    await play(new Agent({ model, artifacts, observe, ...options }) as Agent<readonly AnyTool[]>)
    expect(server.choices).toHaveLength(say.length)
    expect(model).toKeepItsPrefix({ except })
    expect(told).toEqual(broken)
    if (except.length > 0) expect(model).not.toKeepItsPrefix()
  })

  test('40 steps are read from the cache, as `cacheable` says', async () => {
    await using server = await startCachingServer((turn) =>
      turn < 40 ? call('read', { page: turn }) : 'Done.',
    )
    const agent = new Agent({
      model: makeModel('m', addressOf(server)),
      tools: [read, draw, pay],
      instructions: 'Be brief.',
      middleware,
      limits: { steps: 40 },
    })
    const { usage, steps, stopReason } = await agent.run('Read.')
    expect(stopReason).toBe('limit')
    expect(server.choices).toHaveLength(41)
    expect(server.cached()).toBeGreaterThanOrEqual(0.85)
    expect(usage.cacheable).toBeGreaterThan(server.cached() - 0.05)
    expect(usage.cacheable).toBeLessThan(server.cached() + 0.05)
    expect((usage.cachedInputTokens ?? 0) / usage.inputTokens).toBeCloseTo(server.cached(), 3)
    expect(steps[0]?.usage.cacheable).toBe(0)
    expect(steps[40]?.usage.cacheable).toBeGreaterThan(0.9)
  })
})

interface Counted {
  readonly cacheable: number | undefined
  readonly told: readonly unknown[]
}

/** Runs with a model whose request fails at one step, and continues from the stored state with a new agent and model. */
async function playWithCrash(
  crashAt: number,
  options: Partial<AgentOptions<readonly AnyTool[]>>,
): Promise<Counted> {
  const told: unknown[] = []
  let asked = 0
  const agentThat = (fails: boolean) => {
    const model: ChatModel = {
      name: 'm',
      async complete({ messages, tools }) {
        if (fails && asked === crashAt) throw new Error('The process died.')
        const step = asked++
        const inputTokens = JSON.stringify([messages, tools]).length
        const tokens = { inputTokens, outputTokens: 1, totalTokens: inputTokens + 1 }
        const called = { name: 'read', arguments: JSON.stringify({ page: step === 2 ? -1 : step }) }
        const tool_calls = [{ id: `call_${step}`, type: 'function' as const, function: called }]
        return step < 7
          ? { message: { role: 'assistant', content: null, tool_calls }, finishReason: 'tool_calls', tokens }
          : { message: { role: 'assistant', content: 'Done.' }, finishReason: 'stop', tokens }
      },
    }
    const observe = (event: RunEvent) => {
      if (event.type === 'prefix-broken') told.push([event.step, event.at, event.because])
    }
    const own = { model, observe, artifacts, tools: [read, draw], instructions: 'Be brief.', middleware }
    return new Agent({ ...own, ...options }) as Agent<readonly AnyTool[]>
  }
  const artifacts = memoryArtifacts()
  const ended = await agentThat(true)
    .run('Read.')
    .catch((error) => error as { readonly state: object })
  assert(crashAt < 0 || ended instanceof Error)
  const { usage } = crashAt < 0 ? (ended as RunResult) : await agentThat(false).run(toJson(ended.state))
  return { cacheable: usage.cacheable, told }
}

function toJson(state: object): RunState {
  return JSON.parse(JSON.stringify(state))
}

// Step 3 is the first after a long result, which adds a tool.
const crashes = [1, 2, 3, 4, 5, 6, 7]

test.each(crashes)('after a crash at step %i, another process counts the same share', async (step) => {
  const whole = await playWithCrash(-1, {})
  expect(whole.cacheable).toBeGreaterThan(0.4)
  expect(whole.told).toEqual([[3, 'tools[2]', 'long-results']])
  expect(await playWithCrash(step, {})).toEqual(whole)
})

test.each(crashes)('after a crash at step %i, so it does where the history is shortened', async (step) => {
  const options = { middleware: [trimHistory({ maxMessages: 7 }), ...middleware] }
  const whole = await playWithCrash(-1, options)
  expect(whole.told.length).toBeGreaterThan(2)
  expect(await playWithCrash(step, options)).toEqual(whole)
})

test.each([
  null,
  'text',
  { head: 'a' },
  { head: 'a', keys: 1 },
  { head: '', keys: '', input: 'x', count: -1 },
])('a state with %j of this middleware counts as the first request', async (kept) => {
  const agent = new Agent({
    model: scriptedModel([
      { ...reply.call('ask', {}), tokens: { inputTokens: 9, outputTokens: 1, totalTokens: 10 } },
      { ...reply.text('Done.'), tokens: { inputTokens: 9, outputTokens: 1, totalTokens: 10 } },
    ]),
    tools: [ask],
    middleware,
  })
  const { state, pending = [] } = await agent.run('Ask.')
  const changed = { ...toJson(state), kept: { prefix: kept } } as RunState
  const { usage } = await agent.run(changed, {
    decisions: { [`${pending[0]?.callId}`]: { type: 'result', value: 'Blue.' } },
  })
  expect(usage.cacheable).toBe(0)
})

test('a reply of another model of fallback breaks the prefix, because of the server', async () => {
  let asked = 0
  const named = (name: string): ChatModel => ({
    name,
    async complete() {
      if (asked++ === 1) throw new Error('It is down.')
      const looks = { id: '', type: 'function', function: { name: 'look', arguments: '{}' } } as const
      return { message: { role: 'assistant', content: null, tool_calls: [looks] } }
    },
  })
  const told: unknown[] = []
  const agent = new Agent({
    model: fallback([named('first'), named('second')]),
    tools: [look],
    limits: { steps: 3 },
    middleware: [without('final-answer')],
    observe: (event) =>
      void (event.type === 'prefix-broken' && told.push([event.step, event.at, event.because])),
  })
  await agent.run('Look.')
  expect(told).toEqual([
    [1, 'instructions', 'server'],
    [2, 'instructions', 'server'],
  ])
})

test('another process blames no middleware for instructions that it leaves alone', async () => {
  const told: unknown[] = []
  const make = (instructions: string, said: ReturnType<typeof reply.text | typeof reply.call>) =>
    new Agent({
      model: scriptedModel([said]),
      instructions,
      tools: [ask],
      middleware: [{ name: 'same-model', beforeModel: ({ model }) => ({ model }) }],
      observe: (event) => void (event.type === 'prefix-broken' && told.push([event.at, event.because])),
    })
  const { state, pending = [] } = await make('Be brief.', reply.call('ask', {})).run('Ask.')
  const decisions = { [`${pending[0]?.callId}`]: { type: 'result', value: 'Blue.' } } as const
  await make('Be polite.', reply.text('Done.')).run(toJson(state), { decisions })
  expect(told).toEqual([['instructions', 'instructions']])
})
