// Changes pending states at random, approves what they show, and looks at the functions that start.
import {
  Agent,
  type AnyTool,
  agentTool,
  type ChatModel,
  type Decisions,
  handoff,
  isCapstanError,
  jsonSchema,
  type PendingCall,
  type RunState,
  tool,
} from '../../src/index.js'
import { wireCall } from '../chunks.js'

export interface Proof {
  readonly cases: number
  /** Cases in which an approved function started with what was shown. */
  readonly started: number
  /** Cases that were refused, by code. */
  readonly refused: Readonly<Record<string, number>>
  /** Cases that ended without a start. */
  readonly ended: number
}

/** @throws Error with the case, when a function starts with what was not shown, or an error has no code */
export async function proveChangedStates(cases: number, seed = 1): Promise<Proof> {
  const random = randomOf(seed)
  const kept = await pendingStates()
  const refused: Record<string, number> = {}
  let [started, ended] = [0, 0]
  for (let at = 0; at < cases; at++) {
    const base = pick(kept, random)
    const state = structuredClone(base.state)
    const change = changed(state, random)
    // Of calls that need no approval one change starts none; two may make a state of another run.
    const isFree = random() < 0.3 && changed(state, random) !== ''
    try {
      const starts = await resumed({ ...base, state }, { random, isFree })
      if (starts > 0) started += 1
      else ended += 1
    } catch (error) {
      if (!isCapstanError(error))
        throw new Error(`case ${at} (${base.name}), ${change}: ${String(error)}`, { cause: error })
      refused[error.code] = (refused[error.code] ?? 0) + 1
    }
  }
  return { cases, started, refused, ended }
}

interface Start {
  readonly callId: string
  readonly name: string
  readonly arguments: unknown
}

interface Kept {
  readonly name: string
  readonly state: RunState
  agent(starts: Start[]): Agent<readonly AnyTool[]>
}

type Calls = readonly (readonly [name: string, text: string])[]

/** A model that makes these calls in its first answer, and then is done. */
function modelOf(calls: Calls): ChatModel {
  return {
    name: 'm',
    async complete({ messages }) {
      if (messages.some(({ role }) => role === 'tool'))
        return { message: { role: 'assistant', content: 'Done.' } }
      const tool_calls = calls.map(([name, text], index) => wireCall(`c${index}`, name, text))
      return { message: { role: 'assistant', content: null, tool_calls } }
    },
  }
}

/** Tools that need no approval. */
const free = ['look_up', 'note']

function toolsOf(starts: Start[]): readonly AnyTool[] {
  const parameters = jsonSchema({ type: 'object' })
  const noted = (name: string, settings: { readonly needsApproval?: boolean; readonly effects?: 'read' }) =>
    tool({
      name,
      description: `Does ${name}`,
      parameters,
      ...settings,
      execute: (args: unknown, { callId }) => {
        starts.push({ callId, name, arguments: structuredClone(args) })
        return name
      },
    })
  return [
    noted('pay', { needsApproval: true }),
    noted('refund', { needsApproval: true }),
    noted('look_up', { effects: 'read' }),
    noted('note', {}),
    tool({ name: 'ask_user', description: 'Asks', parameters }),
  ]
}

const ten = '{"amount":10,"to":"Ada"}'
const odd =
  '{"__proto__":{"amount":1},"constructor":2,"n":1.0,"e":1e2,"text":"\\u00e9\\ud83d\\ude00","list":[{"a":[null,true]},[]]}'

/** Runs that wait in several ways, as they are stored. */
async function pendingStates(): Promise<readonly Kept[]> {
  const agentOf = (name: string, calls: Calls, tools: readonly AnyTool[]) =>
    new Agent({ name, model: modelOf(calls), tools })
  const made: Readonly<Record<string, (starts: Start[]) => Agent<readonly AnyTool[]>>> = {
    'one call': (starts) => agentOf('lead', [['pay', ten]], toolsOf(starts)),
    'several calls': (starts) =>
      agentOf(
        'lead',
        [
          ['look_up', '{"id":7}'],
          ['pay', ten],
          ['pay', '{"amount":5000,"to":"Eve"}'],
          ['refund', odd],
          ['ask_user', '{"what":"color"}'],
        ],
        toolsOf(starts),
      ),
    'a child run': (starts) => {
      const worker = agentOf(
        'worker',
        [
          ['pay', ten],
          ['note', '{}'],
        ],
        toolsOf(starts),
      )
      const calls = [
        ['worker', '{"input":"Pay."}'],
        ['refund', '{"amount":3}'],
      ] as const
      return agentOf('lead', calls, [agentTool(worker), ...toolsOf(starts)])
    },
    'a child of a child': (starts) => {
      const inner = agentOf('inner', [['pay', odd]], toolsOf(starts))
      const middle = agentOf('middle', [['inner', '{"input":"Pay."}']], [agentTool(inner)])
      return agentOf('lead', [['middle', '{"input":"Pay."}']], [agentTool(middle), ...toolsOf(starts)])
    },
    'a handoff': (starts) => {
      const billing = new Agent({
        name: 'billing',
        model: billingModel,
        tools: toolsOf(starts),
      })
      return agentOf('desk', [['transfer_to_billing', '{}']], [handoff(billing), ...toolsOf(starts)])
    },
  }
  return Promise.all(
    Object.entries(made).map(async ([name, agent]) => {
      const { state } = await agent([]).run('Go.', { runId: 'run-1' })
      if (state.stopReason !== 'pending') throw new Error(`${name}: ${state.stopReason}`)
      return { name, agent, state: JSON.parse(JSON.stringify(state)) as RunState }
    }),
  )
}

/** Pays once it has the conversation. */
const billingModel: ChatModel = {
  name: 'm',
  async complete({ messages }) {
    const results = messages.filter(({ role }) => role === 'tool').length
    if (results > 1) return { message: { role: 'assistant', content: 'Done.' } }
    return { message: { role: 'assistant', content: null, tool_calls: [wireCall('b0', 'pay', ten)] } }
  },
}

/** Makes no call: all that starts was in the state. */
const done: ChatModel = {
  name: 'm',
  complete: async () => ({ message: { role: 'assistant', content: 'Done.' } }),
}

/** Resumes a state with approvals. @throws Error when a function starts with what was not shown for its call */
async function resumed(
  { state, agent }: Kept,
  { random, isFree }: { readonly random: Random; readonly isFree: boolean },
): Promise<number> {
  const starts: Start[] = []
  const shown: PendingCall[] = []
  const approve = { type: 'approve' } as const
  const lead = agent(starts)
  const before = JSON.stringify(state)
  if (random() < 0.2) {
    const run = lead.stream(state, { wait: true, model: done })
    run.on('call-pending', (call) => {
      shown.push(structuredClone(call))
      run.decide(call.callId, call.kind === 'result' ? { type: 'result', value: 1 } : approve).catch(() => {
        run.abort()
      })
    })
    await run.result
  } else {
    const listed = Array.isArray(state.pending) ? state.pending : []
    const approvals = listed.filter((call) => call?.kind !== 'result')
    const chosen = random() < 0.5 ? approvals : approvals.slice(0, 1)
    shown.push(...structuredClone(chosen))
    const decisions: Decisions = Object.fromEntries(chosen.map((call) => [String(call?.callId), approve]))
    await lead.run(state, { decisions, model: done })
  }
  for (const start of starts) {
    if (isFree && free.includes(start.name)) continue
    const at = shown.findIndex(
      ({ callId, name, arguments: args }) =>
        (callId === start.callId || callId.endsWith(`/${start.callId}`)) &&
        name === start.name &&
        canonical(args) === canonical(start.arguments),
    )
    if (at === -1) throw new Error(`${JSON.stringify(start)} was not shown; the state was ${before}`)
    shown.splice(at, 1)
  }
  return starts.length
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.entries(inner).toSorted(([one], [other]) => (one < other ? -1 : 1))
      : inner,
  )
}

type Random = () => number
type Parent = Record<string, unknown> | unknown[]

/** Makes one change at a random place, and says which. */
function changed(state: RunState, random: Random): string {
  if (random() < 0.05) return withDecisions(state, random)
  const spots = spotsOf(state)
  const near = spots.filter(({ path }) => /^(pending|children|answered|messages\.\d+\.tool_calls)/.test(path))
  const { path, parent, key } = pick(random() < 0.75 ? near : spots, random)
  const change = pick(changes, random)
  change({ parent, key, spots }, random)
  return `${change.name} at ${path}`
}

/** Decisions inside a state are not decisions of the caller. */
function withDecisions(state: RunState, random: Random): string {
  const ids = ['b0', 'c0', 'c1', 'c2', 'c3', 'c0/c0', 'c0/c0/c0']
  const decisions = Object.fromEntries(ids.map((id) => [id, { type: 'approve' }]))
  const child = Object.values(state.children ?? {})[0]?.state
  Object.assign((random() < 0.5 && child) || state, { decisions })
  return 'decisions'
}

interface Spot {
  readonly path: string
  readonly parent: Parent
  readonly key: string
}

interface Site extends Pick<Spot, 'parent' | 'key'> {
  readonly spots: readonly Spot[]
}

function spotsOf(value: unknown, path = ''): Spot[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const at = path === '' ? key : `${path}.${key}`
    return [{ path: at, parent: value as Parent, key }, ...spotsOf(inner, at)]
  })
}

const changes: readonly ((site: Site, random: Random) => void)[] = [
  function replaced({ parent, key }, random) {
    set(parent, key, pick(values, random))
  },
  function nudged({ parent, key }, random) {
    const value = get(parent, key)
    if (typeof value === 'number') set(parent, key, value + pick([1, -1, 0.5, 4990], random))
    else if (typeof value === 'boolean') set(parent, key, !value)
    else if (typeof value === 'string') set(parent, key, textFrom(value, random))
    else set(parent, key, pick(values, random))
  },
  function removed({ parent, key }) {
    if (Array.isArray(parent)) parent.splice(Number(key), 1)
    else delete parent[key]
  },
  function doubled({ parent, key }) {
    if (Array.isArray(parent)) parent.push(structuredClone(parent[Number(key)]))
    else set(parent, `${key}2`, structuredClone(get(parent, key)))
  },
  function renamed({ parent, key }, random) {
    if (Array.isArray(parent)) return parent.reverse()
    const value = get(parent, key)
    delete parent[key]
    set(parent, pick(['amount', '0', '1', '__proto__', 'toString', `${key}_`], random), value)
  },
  function added({ parent, key }, random) {
    const value = get(parent, key)
    if (Array.isArray(value)) value.push(pick(values, random))
    else if (typeof value === 'object' && value !== null)
      set(value as Parent, pick(['amount', 'decisions', 'arguments', '3'], random), pick(values, random))
    else set(parent, key, pick(values, random))
  },
  function swapped({ parent, key, spots }, random) {
    const alike = spots.filter((one) => one.key === key && one.parent !== parent)
    const other = pick(alike.length > 0 ? alike : spots, random)
    const [here, there] = [structuredClone(get(parent, key)), structuredClone(get(other.parent, other.key))]
    set(parent, key, there)
    set(other.parent, other.key, here)
  },
  function copied({ parent, key, spots }, random) {
    const alike = spots.filter((one) => one.key === key && one.parent !== parent)
    const other = pick(alike.length > 0 ? alike : spots, random)
    set(parent, key, structuredClone(get(other.parent, other.key)))
  },
]

/** Another text: another call's name or id, other arguments, the same arguments written otherwise. */
function textFrom(text: string, random: Random): string {
  if (!text.startsWith('{'))
    return pick(
      ['pay', 'refund', 'look_up', 'note', 'c0', 'c1', 'c2', 'c1/c0', 'lead', 'billing', ''],
      random,
    )
  const written = [
    text.replace('10', '5000'),
    text.replace('{', '{"amount":5000,'),
    text.replace(/}$/, ',"amount":5000}'),
    text.replaceAll(':', ' : '),
    `${text}${text}`,
    `{}${text}`,
    JSON.stringify(text),
    '{}',
    'null',
    '{"amount":10,"to":"Eve"}',
    text.slice(0, -1),
  ]
  return pick(written, random)
}

const values: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  5000,
  1e21,
  '',
  'pay',
  'c1',
  '{"amount":5000}',
  [],
  {},
  [null],
  { amount: 5000 },
  { type: 'approve' },
  { c0: { type: 'approve' } },
  'pending',
  'approval',
  'done',
]

function get(parent: Parent, key: string): unknown {
  return Array.isArray(parent) ? parent[Number(key)] : Object.getOwnPropertyDescriptor(parent, key)?.value
}

function set(parent: Parent, key: string, value: unknown): void {
  const own = structuredClone(value)
  if (Array.isArray(parent)) parent[Number(key)] = own
  else
    Object.defineProperty(parent, key, { value: own, enumerable: true, configurable: true, writable: true })
}

function pick<T>(from: readonly T[], random: Random): T {
  return from[Math.floor(random() * from.length)] as T
}

/** Numbers from 0 to 1, the same for one seed (mulberry32). */
function randomOf(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
