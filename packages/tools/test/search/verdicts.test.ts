import {
  Agent,
  type AgentOptions,
  type AnyTool,
  agentTool,
  backgroundCalls,
  handoff,
  jsonSchema,
  type RunOptions,
  ToolError,
  type ToolSettings,
  tool,
  verdict,
} from '@capstan/core'
import { describe, expect, test } from 'vitest'
import { deferred } from '../../src/search.js'
import { type Call, calling, named } from './tools.js'

/** A rule for the calls of one tool. */
interface Rule {
  /** Makes the tool `act`. It is made anew for each run. */
  make(): AnyTool
  readonly agent?: Partial<AgentOptions<readonly AnyTool[]>>
  readonly run?: RunOptions
  /** The replies with calls of it. Default: one call. */
  readonly calls?: readonly (readonly Call[])[]
  /** Tools beside it, in requests from the start. */
  readonly beside?: readonly AnyTool[]
  /** Its decision, once the run waits. */
  readonly decision?: { readonly type: 'approve' } | { readonly type: 'result'; readonly value: string }
  /** What must come of it with a tool that is listed: a part of the outcome. */
  readonly comes: object
}

const parameters = jsonSchema({ type: 'object', properties: { x: { type: 'number' } } })

function act(settings: ToolSettings<Record<string, unknown>> = {}): AnyTool {
  const execute = ({ x = 0 }: Readonly<Record<string, unknown>>) => `did ${x}`
  return tool({ name: 'act', description: 'Acts', parameters, execute, ...settings })
}

const once: readonly (readonly Call[])[] = [[['act', { x: 1 }]]]
const twice: readonly (readonly Call[])[] = [
  [
    ['act', { x: 1 }],
    ['act', { x: 2 }],
  ],
]
const reader = tool({
  name: 'read_page',
  description: 'Reads',
  parameters,
  untrusted: true,
  effects: 'read',
  execute: () => 'Buy!',
})
const child = () => new Agent({ name: 'child', model: calling(), tools: [] })
const failing = () =>
  tool({
    name: 'act',
    description: 'Acts',
    parameters,
    execute() {
      throw new ToolError('it is dark')
    },
  })

const rules: Readonly<Record<string, Rule>> = {
  'a plain call': { make: act, comes: { calls: [{ status: 'ok', content: 'did 1' }], stopReason: 'done' } },
  'an approval by the tool': {
    make: () => act({ needsApproval: true }),
    decision: { type: 'approve' },
    comes: { pending: ['approval'], calls: [{ status: 'ok', approved: true }] },
  },
  'an approval by a predicate': {
    make: () => act({ needsApproval: ({ x }) => x === 1 }),
    comes: { pending: ['approval'], stopReason: 'pending' },
  },
  'an approval that a policy asks for': {
    make: act,
    agent: { policy: ({ name }) => (name === 'act' ? verdict.ask('Ask.') : verdict.allow) },
    comes: { pending: ['approval'], stopReason: 'pending' },
  },
  'a policy that denies': {
    make: act,
    agent: { policy: ({ name }) => (name === 'act' ? verdict.deny('No.') : verdict.allow) },
    comes: { calls: [{ status: 'denied', content: 'Error: call denied: No.' }] },
  },
  'a policy of the run': {
    make: act,
    run: { policy: ({ name }) => (name === 'act' ? verdict.deny('Not now.') : verdict.allow) },
    comes: { calls: [{ status: 'denied' }] },
  },
  'an unattended run': {
    make: () => act({ needsApproval: true }),
    run: { unattended: true },
    comes: { calls: [{ status: 'denied' }], stopReason: 'done' },
  },
  'a tainted run': {
    make: act,
    beside: [reader],
    calls: [[['read_page']], ...once],
    comes: { pending: ['approval'], taintedBy: 'read_page' },
  },
  'an untrusted tool': {
    make: () => act({ untrusted: true, effects: 'read' }),
    comes: { calls: [{ status: 'ok' }], taintedBy: 'act' },
  },
  'a limit on its calls': {
    make: act,
    run: { limits: { perTool: { act: 1 } } },
    calls: twice,
    comes: { calls: [{ status: 'ok' }, { status: 'not_run' }], stopReason: 'limit', limit: 'perTool' },
  },
  'a limit on what it spends': {
    make: () =>
      tool({
        name: 'act',
        description: 'Acts',
        parameters,
        execute: async (_, { spend }) => spend({ images: 2 } as never),
      }),
    run: { limits: { images: 1 } },
    comes: { calls: [{ status: 'error' }], limit: 'images' },
  },
  'rejected arguments': {
    make: () => act({ maxRejections: 1 }),
    calls: [[['act', { x: 'one' }]]],
    comes: { calls: [{ status: 'rejected' }], stopReason: 'stuck' },
  },
  'an error': { make: failing, comes: { calls: [{ status: 'error', content: 'Error: it is dark' }] } },
  'a handoff': {
    make: () => handoff(child(), { name: 'act' }),
    comes: { calls: [{ status: 'ok' }], agent: 'child' },
  },
  'an agent as a tool': {
    make: () => agentTool(child(), { name: 'act' }),
    calls: [[['act', { input: 'Go.' }]]],
    comes: { calls: [{ status: 'ok', content: 'Done.' }] },
  },
  'no function': {
    make: () => tool({ name: 'act', description: 'Acts', parameters }),
    decision: { type: 'result', value: 'by hand' },
    comes: { pending: ['result'], calls: [{ status: 'ok', content: 'by hand' }] },
  },
  'a call in the background': {
    make: () => act({ background: true }),
    agent: { middleware: [backgroundCalls()] },
    comes: { calls: [{ status: 'ok', result: 'did 1' }] },
  },
  'a result that ends the run': {
    make: () => act({ returnDirect: true }),
    comes: { calls: [{ status: 'ok' }], text: 'did 1' },
  },
  'a rate': {
    make: () => {
      let turns = 0
      const add = <T>(start: () => Promise<T>) => {
        turns += 1
        return start()
      }
      const rate = { calls: 1, intervalMs: 1, createQueue: () => ({ add }) }
      return tool({ name: 'act', description: 'Acts', parameters, rate, execute: () => `turn ${turns}` })
    },
    calls: twice,
    comes: { calls: [{ status: 'ok', content: expect.stringMatching(/^turn \d$/) }, { content: 'turn 2' }] },
  },
}

/** How a model comes to a call: the tools of the agent, and its replies. */
const ways = {
  listed: { tools: (one: AnyTool) => one, calls: (calls: readonly (readonly Call[])[]) => calls },
  found: {
    tools: (one: AnyTool) => deferred([one, named('other')]),
    calls: (calls: readonly (readonly Call[])[]) => [[['find_tools', { query: 'act' }] as Call], ...calls],
  },
  hidden: {
    tools: (one: AnyTool) => deferred([one, named('other')]),
    calls: (calls: readonly (readonly Call[])[]) => calls,
  },
  'called through call_tool': {
    tools: (one: AnyTool) => deferred([one, named('other')], { by: 'call' }),
    calls: (calls: readonly (readonly Call[])[]) =>
      calls.map((of) =>
        of.map(
          ([name, args = {}]): Call =>
            name === 'act' ? ['call_tool', { name, arguments: args }] : [name, args],
        ),
      ),
  },
}

/** Returns what came of the calls of `act`. */
async function outcome(way: keyof typeof ways, rule: Rule) {
  const { make, agent: options = {}, run = {}, calls = once, beside = [], decision } = rule
  const model = calling(...ways[way].calls(calls))
  const agent = new Agent({ ...options, model, tools: [...beside, ways[way].tools(make())] })
  let result = await agent.run('Go.', run)
  const pending = result.state.pending.map(({ kind }) => kind)
  const [waiting] = result.state.pending
  if (decision && waiting)
    result = await agent.run(JSON.parse(JSON.stringify(result.state)), {
      ...run,
      decisions: { [waiting.callId]: decision },
    })
  const { stopReason, text, state, toolCalls } = result
  return {
    pending,
    stopReason,
    limit: state.limit,
    text,
    agent: state.agent,
    taintedBy: state.taintedBy,
    perTool: state.usage.perTool.act,
    calls: toolCalls
      .filter(({ name }) => name === 'act')
      .map(({ name, status, content, result: value, arguments: args, approved }) => {
        return { name, status, content, result: value, arguments: args, approved }
      }),
  }
}

describe.each(Object.entries(rules))('%s', (_name, rule) => {
  test('has its effect on a listed tool', async () => {
    expect(await outcome('listed', rule)).toMatchObject(rule.comes)
  })

  test.each(['found', 'hidden', 'called through call_tool'] as const)(
    'has the same effect on a tool that is %s',
    async (way) => {
      expect(await outcome(way, rule)).toEqual(await outcome('listed', rule))
    },
  )
})
