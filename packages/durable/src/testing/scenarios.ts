import {
  Agent,
  type AnyAgent,
  type AnyTool,
  agentTool,
  type CacheStore,
  CapstanError,
  type ChatModel,
  cacheTools,
  guard,
  jsonSchema,
  logRuns,
  type Message,
  type Middleware,
  modelPerStep,
  type PrepareOptions,
  retryTools,
  type Tool,
  tool,
  verdict,
} from '@capstan/core'
import { callsOf, textOf } from '@capstan/core/internal'
import type { Ledger } from './ledger.js'

/** Creates the suite's scenarios. Each has its own agent with a unique name. */
export function scenarios(ledger: Ledger, middleware: readonly Middleware[]): readonly Scenario[] {
  const make = (name: string, tools: readonly AnyTool[], plan: NondeterministicOptions) =>
    new Agent({
      name,
      model: nondeterministicModel(ledger, plan),
      tools,
      middleware,
      concurrency: 64,
    })
  const tools = ledgerTools(ledger)
  return [
    ...agentScenarios(tools, make),
    ...outcomeScenarios(tools, make),
    middlewareScenario(ledger, tools, middleware),
  ]
}

type LedgerTools = ReturnType<typeof ledgerTools>
type MakeAgent = (name: string, tools: readonly AnyTool[], plan: NondeterministicOptions) => AnyAgent

/** Returns the scenarios with child agents and approvals. */
function agentScenarios(tools: LedgerTools, agent: MakeAgent): readonly Scenario[] {
  const three = ['note', 'note', 'note']
  const worker = agent('fault_worker', [tools.note], { turns: [['note'], ['note', 'note']] })
  const sender = agent('fault_sender', [tools.send], { turns: [['send']] })
  return [
    {
      name: 'three steps of three calls',
      agent: agent('fault_turns', [tools.note], { turns: [three, three, three] }),
      requests: ['step0/request', 'step1/request', 'step2/request', 'step3/request'],
      effects: [0, 1, 2].flatMap((turn) => [0, 1, 2].map((index) => `step${turn}/call${index}`)),
    },
    {
      name: 'a child agent',
      agent: agent('fault_asker', [agentTool(worker), tools.note], { turns: [['fault_worker', 'note']] }),
      requests: [
        'step0/request',
        'step1/request',
        ...[0, 1, 2].map((step) => `step0/child0/step${step}/request`),
      ],
      effects: [
        'step0/call1',
        'step0/child0/step0/call0',
        'step0/child0/step1/call0',
        'step0/child0/step1/call1',
      ],
    },
    {
      name: 'a call that needs approval',
      agent: agent('fault_approvals', [tools.note, tools.send], { turns: [['note', 'send', 'note']] }),
      requests: ['step0/request', 'step1/request'],
      effects: ['step0/call0', 'step0/call1', 'step0/call2'],
      waits: 1,
    },
    {
      name: 'a call of a child agent that needs approval',
      agent: agent('fault_inner_approvals', [agentTool(sender)], { turns: [['fault_sender']] }),
      requests: [
        'step0/request',
        'step1/request',
        'step0/child0/step0/request',
        'step0/child0/step1/request',
      ],
      effects: ['step0/child0/step0/call0'],
      waits: 1,
    },
  ]
}

/** Returns the scenarios with unusual results, many calls, failures and limits. */
function outcomeScenarios(tools: LedgerTools, agent: MakeAgent): readonly Scenario[] {
  const fifty = Array.from({ length: 50 }, () => 'reverse')
  return [
    {
      name: 'calls that throw, return nothing, or return a date',
      agent: agent('fault_results', [tools.broken, tools.silent, tools.dated], {
        turns: [['broken', 'silent', 'dated']],
      }),
      requests: ['step0/request', 'step1/request'],
      effects: ['step0/call0', 'step0/call1', 'step0/call2'],
    },
    {
      name: 'fifty calls that end in reverse order',
      agent: agent('fault_many', [tools.reverse], { turns: [fifty] }),
      requests: ['step0/request', 'step1/request'],
      effects: fifty.map((_, index) => `step0/call${index}`),
    },
    {
      name: 'a model that fails',
      agent: agent('fault_refusal', [tools.note], { turns: [['note']], failsAt: 1 }),
      requests: ['step0/request', 'step1/request'],
      effects: ['step0/call0'],
      fails: true,
    },
    {
      name: 'a run with a time limit',
      agent: agent('fault_time', [tools.slow], { turns: [['slow'], ['slow']] }),
      options: { limits: { seconds: 3600 } },
      leastSeconds: 0.04,
      requests: ['step0/request', 'step1/request', 'step2/request'],
      effects: ['step0/call0', 'step1/call0'],
    },
  ]
}

/**
 * Returns a scenario in which middlewares change requests, replies, calls and results. `further` contains additional
 * middlewares to test.
 */
function middlewareScenario(ledger: Ledger, tools: LedgerTools, further: readonly Middleware[]): Scenario {
  const { flaky, failing, read, note, send } = tools
  const turns = [
    ['flaky', 'read', 'failing', 'note'],
    ['read', 'send'],
  ]
  const cache = new Map<string, string>()
  const store: CacheStore = {
    get: async (key) => cache.get(key),
    set: async (key, value) => cache.set(key, value),
  }
  return {
    name: 'calls that are retried, cached, judged and logged',
    agent: new Agent({
      name: 'fault_middlewares',
      // A middleware sends later requests to a different model.
      model: nondeterministicModel(ledger, { turns, failsAt: 1 }),
      tools: [flaky, failing, read, note, send],
      middleware: [
        ...allMiddlewares(store, nondeterministicModel(ledger, { turns, repeats: 'read' })),
        ...further,
      ],
    }),
    requests: ['step0/request', 'step1/request', 'step2/request'],
    effects: ['step0/call0', 'step0/call1', 'step0/call2', 'step0/call3', 'step1/call1'],
    retried: ['step0/call0'],
    cached: ['step1/call0'],
    forget: () => cache.clear(),
    waits: 1,
    reply: /^Done: Start\. .* judged.* \(checked\)$/s,
  }
}

/** Returns middlewares that together use every hook within a step. Their verdicts take one turn of the event loop. */
function allMiddlewares(store: CacheStore, strong: ChatModel): readonly Middleware[] {
  return [
    retryTools({ delayMs: 0, idempotent: ['flaky'] }),
    cacheTools({ ttlMs: 3_600_000, store }),
    guard({
      input: async (text) => nextTurns().then(() => verdict.replace(text.replace('Begin', 'Start'))),
      reply: async (text) => nextTurns().then(() => verdict.replace(`${text} (checked)`)),
      result: async (text) => nextTurns().then(() => verdict.replace(`${text} judged`)),
    }),
    logRuns({ to: () => {} }),
    modelPerStep((_call, { step }) => (step > 0 ? strong : undefined)),
  ]
}

/** A run to repeat with faults, and its expected result, which faults must not change. */
export interface Scenario {
  readonly name: string
  readonly agent: AnyAgent
  readonly options?: PrepareOptions
  /** The keys of the model requests. */
  readonly requests: readonly string[]
  /** The keys of the tool calls that take effect. */
  readonly effects: readonly string[]
  /** The keys among `effects` whose tools fail on the first attempt and are retried. */
  readonly retried?: readonly string[]
  /** The keys of tool calls that run only if a cache was lost when its worker died. */
  readonly cached?: readonly string[]
  /** Clears a worker's memory. Called when the worker dies. */
  readonly forget?: () => void
  /** Matches the expected last reply. */
  readonly reply?: RegExp
  /** How many times the run is pending. Each pending call is approved. Default 0. */
  readonly waits?: number
  /** Minimum total duration of the calls in seconds, for a run with a time limit. */
  readonly leastSeconds?: number
  /** Whether the run must fail with its model's error. Default false. */
  readonly fails?: boolean
}

/** Creates the tools by name. Each records its calls in the ledger. */
function ledgerTools(ledger: Ledger) {
  const made = (name: string, answer: (input: string) => unknown, more: LedgerToolOptions = {}): Tool =>
    tool({
      name,
      description: 'Takes effect outside, once for each key.',
      parameters: jsonSchema({
        type: 'object',
        properties: { input: { type: 'string' } },
        required: ['input'],
      }),
      ...(more.needsApproval ? { needsApproval: true } : {}),
      ...(more.effects ? { effects: more.effects } : {}),
      execute: async (args, { idempotencyKey }) => {
        const { input } = args as { readonly input: string }
        const attempt = ledger.begin('tool', idempotencyKey, input)
        if (more.failsFirst && attempt === 1) throw unreachable()
        await (more.takes?.(idempotencyKey) ?? nextTurns())
        ledger.take(idempotencyKey)
        return answer(input)
      },
    })
  return {
    note: made('note', (input) => ({ noted: input })),
    /** Concurrent calls to this tool end in reverse order: a call with a higher index in its step takes less time. */
    reverse: made('reverse', (input) => ({ noted: input }), {
      takes: (key) => nextTurns(60 - indexOf(key)),
    }),
    /** Takes 25 ms to run. */
    slow: made('slow', (input) => ({ noted: input }), {
      takes: () => new Promise((resolve) => setTimeout(resolve, 25)),
    }),
    send: made('send', (input) => ({ sent: input }), { needsApproval: true }),
    silent: made('silent', () => undefined),
    dated: made('dated', () => new Date(0)),
    broken: made('broken', (input) => {
      throw new Error(`The tool failed (${input}).`)
    }),
    read: made('read', (input) => ({ found: input }), { effects: 'read' }),
    /** Fails on the first attempt for each key. */
    flaky: made('flaky', (input) => ({ noted: input }), { failsFirst: true }),
    /** Takes effect, and then fails. Middlewares retry the call only for tools that allow retries. */
    failing: made('failing', () => {
      throw unreachable()
    }),
  }
}

interface LedgerToolOptions {
  readonly needsApproval?: boolean
  readonly effects?: 'read'
  readonly failsFirst?: boolean
  /** Delays the effect. Default: one turn of the event loop. */
  readonly takes?: (idempotencyKey: string) => Promise<unknown>
}

function unreachable(): CapstanError {
  return new CapstanError('network', 'The service cannot be reached.')
}

function indexOf(idempotencyKey: string): number {
  return Number(/\d+$/.exec(idempotencyKey)?.[0])
}

interface NondeterministicOptions {
  /** The names of the tools that each reply calls. After the last of them, the model replies with text. */
  readonly turns: readonly (readonly string[])[]
  /** The index of the request that fails. Default: none. */
  readonly failsAt?: number
  /** A tool whose later calls get the arguments of its first call. Default: none. */
  readonly repeats?: string
}

/**
 * Creates a nondeterministic model. Each reply has random call ids and arguments, which shows whether a reply was lost
 * and requested again.
 */
function nondeterministicModel(
  ledger: Ledger,
  { turns, failsAt, repeats }: NondeterministicOptions,
): ChatModel {
  return {
    name: 'nondeterministic',
    async complete({ messages, idempotencyKey }) {
      ledger.begin('model', idempotencyKey, messages)
      await nextTurns()
      const turn = messages.filter(({ role }) => role === 'assistant').length
      if (turn === failsAt)
        throw new CapstanError('invalid_request', `The server rejected the request (${randomText()}).`)
      const calls = (turns[turn] ?? []).map((name) => ({
        id: randomText(),
        type: 'function' as const,
        function: {
          name,
          arguments:
            (name === repeats && firstArguments(messages, name)) || JSON.stringify({ input: randomText() }),
        },
      }))
      const message =
        calls.length > 0
          ? { role: 'assistant' as const, content: null, tool_calls: calls }
          : { role: 'assistant' as const, content: `Done: ${readTexts(messages)}` }
      return { message, tokens: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } }
    },
  }
}

/** Returns a new string that `randomTexts` matches. */
function randomText(): string {
  return `chance-${crypto.randomUUID()}`
}

/** Matches the strings that `randomText` returns. */
export const randomTexts = /chance-[0-9a-f-]{36}/g

/** Resolves after this many turns of the event loop, so that other work can run meanwhile. */
async function nextTurns(turns = 1): Promise<void> {
  for (let left = turns; left > 0; left--) await new Promise((resolve) => setImmediate(resolve))
}

function firstArguments(messages: readonly Message[], name: string): string | undefined {
  return messages.flatMap(callsOf).find((call) => call.function.name === name)?.function.arguments
}

/** Returns the text that the model received. Replies include it to show what the model got. */
function readTexts(messages: readonly Message[]): string {
  const contents = messages.flatMap(({ role, content }) =>
    role === 'tool' || role === 'user' ? [textOf(content)] : [],
  )
  return contents.join(' ')
}
