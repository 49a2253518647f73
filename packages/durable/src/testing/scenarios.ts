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

/** Returns the scenarios of the suite. Their agents have unique names. */
export function scenarios(ledger: Ledger): readonly Scenario[] {
  const make = (name: string, tools: readonly AnyTool[], plan: NondeterministicOptions) =>
    new Agent({
      name,
      model: nondeterministicModel(ledger, plan),
      tools,
      concurrency: 64,
    }) as MadeAgent
  const tools = ledgerTools(ledger)
  return [...agentScenarios(tools, make), ...outcomeScenarios(tools, make)]
}

type LedgerTools = ReturnType<typeof ledgerTools>
type MadeAgent = AnyAgent & Pick<Agent, 'asTool'>
type MakeAgent = (name: string, tools: readonly AnyTool[], plan: NondeterministicOptions) => MadeAgent

/** Scenarios with child agents and approvals. */
function agentScenarios(tools: LedgerTools, agent: MakeAgent): readonly Scenario[] {
  const three = ['note', 'note', 'note']
  const worker = agent('fault_worker', [tools.note], { turns: [['note'], ['note', 'note']] })
  const sender = agent('fault_sender', [tools.send], { turns: [['send']] })
  return [
    {
      name: 'three steps of three calls',
      agent: agent('fault_turns', [tools.note], { turns: [three, three, three] }),
      requests: ['t0/model', 't1/model', 't2/model', 't3/model'],
      effects: [0, 1, 2].flatMap((turn) => [0, 1, 2].map((index) => `t${turn}/tool${index}`)),
    },
    {
      name: 'a child agent',
      agent: agent('fault_asker', [worker.asTool(), tools.note], { turns: [['fault_worker', 'note']] }),
      requests: ['t0/model', 't1/model', ...['t0', 't1', 't2'].map((turn) => `t0/child0/${turn}/model`)],
      effects: ['t0/tool1', 't0/child0/t0/tool0', 't0/child0/t1/tool0', 't0/child0/t1/tool1'],
    },
    {
      name: 'a call that needs approval',
      agent: agent('fault_approvals', [tools.note, tools.send], { turns: [['note', 'send', 'note']] }),
      requests: ['t0/model', 't1/model'],
      effects: ['t0/tool0', 't0/decided1', 't0/tool2'],
      waits: 1,
    },
    {
      name: 'a call of a child agent that needs approval',
      agent: agent('fault_inner_approvals', [sender.asTool()], { turns: [['fault_sender']] }),
      requests: ['t0/model', 't1/model', 't0/child0/t0/model', 't0/child0/t1/model'],
      effects: ['t0/child0/t0/decided0'],
      waits: 1,
    },
  ]
}

/** Scenarios with unusual results, many calls, failures and limits. */
function outcomeScenarios(tools: LedgerTools, agent: MakeAgent): readonly Scenario[] {
  const fifty = Array.from({ length: 50 }, () => 'reverse')
  return [
    {
      name: 'calls that throw, return nothing, or return a date',
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
      name: 'a run with a time limit',
      agent: agent('fault_time', [tools.slow], { turns: [['slow'], ['slow']] }),
      options: { limits: { seconds: 3600 } },
      leastSeconds: 0.04,
      requests: ['t0/model', 't1/model', 't2/model'],
      effects: ['t0/tool0', 't1/tool0'],
    },
  ]
}

/** A run with its expected outcome, whatever faults occur. */
export interface Scenario {
  readonly name: string
  readonly agent: AnyAgent
  readonly options?: PrepareOptions
  /** Keys of the model requests. */
  readonly requests: readonly string[]
  /** Keys of the tool calls that run. */
  readonly effects: readonly string[]
  /** Number of times it waits for decisions. Each pending call is approved. Default 0. */
  readonly waits?: number
  /** Least duration of its calls in seconds, for a run with a time limit. */
  readonly leastSeconds?: number
  /** Whether it ends with the error of its model. Default false. */
  readonly fails?: boolean
}

/** Creates the tools that write to the ledger, by name. */
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
    /** The calls of one step end in reverse order. */
    reverse: made('reverse', (input) => ({ noted: input }), {
      takes: (key) => nextTurns(60 - indexOf(key)),
    }),
    /** Takes 25 ms. */
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
  /** Delay before the effect. Default: one turn of the event loop. */
  readonly takes?: (idempotencyKey: string) => Promise<unknown>
}

function indexOf(idempotencyKey: string): number {
  return Number(/\d+$/.exec(idempotencyKey)?.[0])
}

interface NondeterministicOptions {
  /** Tool names of the calls in each reply. The reply after them is text. */
  readonly turns: readonly (readonly string[])[]
  /** Index of the request that fails. Default: none. */
  readonly failsAt?: number
}

/**
 * Creates a nondeterministic model: call ids and arguments are random in each reply. A reply that was lost and requested
 * again is therefore visible.
 */
function nondeterministicModel(ledger: Ledger, { turns, failsAt }: NondeterministicOptions): ChatModel {
  return {
    name: 'nondeterministic',
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

/** Returns a random text that `randomTexts` matches. */
function randomText(): string {
  return `chance-${crypto.randomUUID()}`
}

/** Matches each random text. */
export const randomTexts = /chance-[0-9a-f-]{36}/g

/** Resolves after some turns of the event loop, so that other work can run. */
async function nextTurns(turns = 1): Promise<void> {
  for (let left = turns; left > 0; left--) await new Promise((resolve) => setImmediate(resolve))
}

/** Returns the tool results that the model received, so that its reply shows its input. */
function toolContents(messages: readonly Message[]): string {
  const contents = messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []))
  return contents.flatMap((content) => content.match(randomTexts) ?? [content]).join(' ')
}
