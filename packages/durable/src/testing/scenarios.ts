import {
  Agent,
  type AnyAgent,
  type AnyTool,
  CapstanError,
  type ChatModel,
  jsonSchema,
  type Message,
  type PrepareOptions,
  type Tool,
  tool,
} from '@capstan/core'
import type { Ledger } from './ledger.js'

/** The runs of the suite. Their agents' names are theirs alone. */
export function scenarios(ledger: Ledger): readonly Scenario[] {
  const tools = ledgerTools(ledger)
  const agent = (name: string, given: readonly AnyTool[], plan: NondeterministicOptions) =>
    new Agent({
      name,
      model: nondeterministicModel(ledger, plan),
      tools: given,
      concurrency: 64,
    }) as AnyAgent & Pick<Agent, 'asTool'>
  const three = ['note', 'note', 'note']
  const fifty = Array.from({ length: 50 }, () => 'reverse')
  const worker = agent('fault_worker', [tools.note], { turns: [['note'], ['note', 'note']] })
  const sender = agent('fault_sender', [tools.send], { turns: [['send']] })
  return [
    {
      name: 'three turns of three calls',
      agent: agent('fault_turns', [tools.note], { turns: [three, three, three] }),
      requests: ['t0/model', 't1/model', 't2/model', 't3/model'],
      effects: [0, 1, 2].flatMap((turn) => [0, 1, 2].map((index) => `t${turn}/tool${index}`)),
    },
    {
      name: 'an agent within an agent',
      agent: agent('fault_asker', [worker.asTool(), tools.note], { turns: [['fault_worker', 'note']] }),
      requests: ['t0/model', 't1/model', ...['t0', 't1', 't2'].map((turn) => `t0/child0/${turn}/model`)],
      effects: ['t0/tool1', 't0/child0/t0/tool0', 't0/child0/t1/tool0', 't0/child0/t1/tool1'],
    },
    {
      name: 'a call that needs a yes',
      agent: agent('fault_approvals', [tools.note, tools.send], { turns: [['note', 'send', 'note']] }),
      requests: ['t0/model', 't1/model'],
      effects: ['t0/tool0', 't0/decided1', 't0/tool2'],
      waits: 1,
    },
    {
      name: 'a call within an agent that needs a yes',
      agent: agent('fault_inner_approvals', [sender.asTool()], { turns: [['fault_sender']] }),
      requests: ['t0/model', 't1/model', 't0/child0/t0/model', 't0/child0/t1/model'],
      effects: ['t0/child0/t0/decided0'],
      waits: 1,
    },
    {
      name: 'calls that throw, and that say nothing or a date',
      agent: agent('fault_results', [tools.broken, tools.silent, tools.dated], {
        turns: [['broken', 'silent', 'dated']],
      }),
      requests: ['t0/model', 't1/model'],
      effects: ['t0/tool0', 't0/tool1', 't0/tool2'],
    },
    {
      name: 'fifty calls that end in reverse order',
      agent: agent('fault_many', [tools.reverse], { turns: [fifty] }),
      requests: ['t0/model', 't1/model'],
      effects: fifty.map((_, index) => `t0/tool${index}`),
    },
    {
      name: 'a model that fails',
      agent: agent('fault_refusal', [tools.note], { turns: [['note']], failsAt: 1 }),
      requests: ['t0/model', 't1/model'],
      effects: ['t0/tool0'],
      fails: true,
    },
    {
      name: 'a run whose time is limited',
      agent: agent('fault_time', [tools.slow], { turns: [['slow'], ['slow']] }),
      options: { limits: { seconds: 3600 } },
      leastSeconds: 0.04,
      requests: ['t0/model', 't1/model', 't2/model'],
      effects: ['t0/tool0', 't1/tool0'],
    },
  ]
}

/** A run, and what it must come to however often its workers die. */
export interface Scenario {
  readonly name: string
  readonly agent: AnyAgent
  readonly options?: PrepareOptions
  /** Keys of the requests to models, within the run. */
  readonly requests: readonly string[]
  /** Keys of the calls whose functions run. */
  readonly effects: readonly string[]
  /** How often it waits for decisions: each call that waits gets a yes. Default 0. */
  readonly waits?: number
  /** Its time is limited, and its calls alone take so long. */
  readonly leastSeconds?: number
  /** Whether it ends by the error of its model. Default false. */
  readonly fails?: boolean
}

/** Tools whose effects are in the ledger, by name. */
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
      execute: async (args, { idempotencyKey }) => {
        const { input } = args as { readonly input: string }
        ledger.begin('tool', idempotencyKey, input)
        await (more.takes?.(idempotencyKey) ?? nextTurns())
        ledger.take(idempotencyKey)
        return answer(input)
      },
    })
  return {
    note: made('note', (input) => ({ noted: input })),
    /** The calls of one turn end in reverse order. */
    reverse: made('reverse', (input) => ({ noted: input }), {
      takes: (key) => nextTurns(60 - indexOf(key)),
    }),
    /** 25 ms. */
    slow: made('slow', (input) => ({ noted: input }), {
      takes: () => new Promise((resolve) => setTimeout(resolve, 25)),
    }),
    send: made('send', (input) => ({ sent: input }), { needsApproval: true }),
    silent: made('silent', () => undefined),
    dated: made('dated', () => new Date(0)),
    broken: made('broken', (input) => {
      throw new Error(`Broken (${input}).`)
    }),
  }
}

interface LedgerToolOptions {
  readonly needsApproval?: boolean
  /** What is waited for before it takes effect. Default: one turn of the event loop. */
  readonly takes?: (idempotencyKey: string) => Promise<unknown>
}

function indexOf(idempotencyKey: string): number {
  return Number(/\d+$/.exec(idempotencyKey)?.[0])
}

interface NondeterministicOptions {
  /** Names of the tools that each answer calls; after them it answers in words. */
  readonly turns: readonly (readonly string[])[]
  /** The answer that it refuses to give. Default: none. */
  readonly failsAt?: number
}

/**
 * A model that never says the same twice: ids and arguments of its calls are random each time it is asked. An answer
 * that was lost and asked for again therefore shows.
 */
function nondeterministicModel(ledger: Ledger, { turns, failsAt }: NondeterministicOptions): ChatModel {
  return {
    name: 'forgetful',
    async complete({ messages, idempotencyKey }) {
      ledger.begin('model', idempotencyKey, messages)
      await nextTurns()
      const turn = messages.filter(({ role }) => role === 'assistant').length
      if (turn === failsAt) throw new CapstanError('invalid_request', `Refused (${randomText()}).`)
      const calls = (turns[turn] ?? []).map((name) => ({
        id: randomText(),
        type: 'function' as const,
        function: { name, arguments: JSON.stringify({ input: randomText() }) },
      }))
      const message =
        calls.length > 0
          ? { role: 'assistant' as const, content: null, tool_calls: calls }
          : { role: 'assistant' as const, content: `Done: ${toolContents(messages)}` }
      return { message, tokens: { inputTokens: 10, outputTokens: 5, totalTokens: 15 } }
    },
  }
}

/** Something random that `isChance` finds again. */
function randomText(): string {
  return `chance-${crypto.randomUUID()}`
}

/** Each `chance()` in a text. */
export const randomTexts = /chance-[0-9a-f-]{36}/g

/** So many turns of the event loop later: other work comes in between. */
async function nextTurns(turns = 1): Promise<void> {
  for (let left = turns; left > 0; left--) await new Promise((resolve) => setImmediate(resolve))
}

/** What the model was told by tools, so that its answer shows what it was asked with. */
function toolContents(messages: readonly Message[]): string {
  const told = messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []))
  return told.flatMap((content) => content.match(randomTexts) ?? [content]).join(' ')
}
