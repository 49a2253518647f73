// Random sequences of run control, and what they did: which call ran under which key, and what the model was sent.

import { setImmediate as turn } from 'node:timers/promises'
import { isCapstanError } from '../../src/errors.js'
import {
  Agent,
  type AnyTool,
  agentTool,
  backgroundCalls,
  CapstanError,
  type ChatModel,
  type CreateHost,
  cacheTools,
  type Decisions,
  handoff,
  jsonSchema,
  type Message,
  type ModelReply,
  memorySessions,
  type PendingCall,
  type RunResult,
  type RunState,
  retryTools,
  type SessionStore,
  type ToolContext,
  tool,
} from '../../src/index.js'
import { PrefixWatch } from '../prefix/watch.js'
import { hostWith } from './host-with.js'
import { throughJson } from './soundness.js'
import { strictConversation } from './strict-conversation.js'
import { enter, type Ledger } from './toolbox.js'

/** Numbers from a seed. */
class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Returns a whole number below `sides`. */
  roll(sides: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides
  }

  one<T>(list: readonly T[]): T {
    return list[this.roll(list.length)] as T
  }

  /** True once in so many times. */
  once(times: number): boolean {
    return this.roll(times) === 0
  }
}

/** What a sequence found. */
export interface Findings {
  /** What must not be, in words. */
  readonly faults: readonly string[]
  /** What the sequence did, for a reader of a fault. */
  readonly log: readonly string[]
}

/** Plays one sequence of runs. */
export async function playSequence(seed: number): Promise<Findings> {
  const world = new World(seed)
  const { dice } = world
  let input: Input = 'Go.'
  const acts = 2 + dice.roll(5)
  for (let act = 0; act < acts; act++) input = await world.act(input)
  world.check()
  return world
}

type Input = string | readonly Message[] | RunState

/** What happens to one run. */
interface Plan {
  /** The moment of a step at which the process breaks: with an error, or without a word. */
  readonly crashAt: number
  readonly isLoud: boolean
  /** The events at which the run is aborted, and at which a message is sent to it. */
  readonly abortAt: number
  readonly sendAt: number
  readonly wait: boolean
  readonly runId: string | undefined
  readonly decisions: Decisions
  readonly steps: number
}

const never = Number.MAX_SAFE_INTEGER

/** A process that breaks at a moment of a run, and the last state that it kept. */
class FragileProcess {
  isBroken = false
  /** Whether nothing of it happens any more. */
  isDead = false
  kept: RunState | undefined
  readonly death: Promise<'dead'>
  readonly host: CreateHost

  constructor({ crashAt, isLoud }: Plan) {
    let die: (end: 'dead') => void = () => {}
    this.death = new Promise((resolve) => {
      die = resolve
    })
    let moments = 0
    this.host = hostWith(async () => {
      if (moments++ < crashAt) return
      this.isBroken = true
      if (isLoud) throw new Error('The process is gone.')
      this.isDead = true
      die('dead')
      await new Promise<never>(() => {})
    })
  }

  readonly keep = (state: RunState) => {
    if (!this.isBroken) this.kept = throughJson(state)
  }

  /** Returns the store as this process reaches it: a dead one writes nothing more. */
  within(store: SessionStore): SessionStore {
    const append: SessionStore['append'] = (...given) =>
      this.isDead ? new Promise<never>(() => {}) : store.append(...given)
    return { ...store, append }
  }
}

const names = ['save', 'flaky', 'search', 'send', 'paint', 'order', 'crew', 'transfer_to_second'] as const
const namesOfChild = ['save', 'send', 'paint', 'order'] as const

class World implements Findings {
  readonly dice: Dice
  readonly faults: string[] = []
  readonly log: string[] = []
  /** The keys of each call, by its id. */
  readonly keys: Ledger = new Map()
  /** The calls of each key. */
  readonly calls: Ledger = new Map()
  readonly #sessions = memorySessions()
  readonly #inSession: boolean
  readonly #store = cacheTools({ ttlMs: 1e9 })
  readonly #failed = new Set<string>()
  #agent: Agent<readonly AnyTool[]>
  readonly #watch = new PrefixWatch()
  #ids = 0
  #abort = () => {}
  #isBroken = false
  #hasBroken = false
  /** How often each call may run: once more after each end that could not store its outcome. */
  readonly #ran = new Map<string, number>()
  readonly #done = new Set<string>()
  readonly #mayRepeat = new Map<string, number>()
  readonly #told = new Map<string, number>()

  constructor(seed: number) {
    this.dice = new Dice(seed)
    this.#inSession = this.dice.once(4)
    this.#agent = this.#newAgent()
  }

  /** Starts a run or resumes one, with whatever happens to it. Returns what the next one starts with. */
  async act(input: Input): Promise<Input> {
    const { dice } = this
    if (this.#isBroken || dice.once(2)) this.#agent = this.#newAgent()
    const state = isState(input) ? input : undefined
    const plan = {
      crashAt: dice.once(4) ? dice.roll(20) : never,
      isLoud: dice.once(2),
      abortAt: dice.once(4) ? dice.roll(40) : never,
      sendAt: dice.once(3) ? dice.roll(20) : never,
      wait: dice.once(3),
      runId: dice.once(2) ? `run-${this.#ids++}` : undefined,
      decisions: state ? this.#decide(state.pending) : {},
      steps: (dice.once(4) ? 3 : 60) + (state?.stepCount ?? 0),
    }
    this.log.push(
      `${state ? `${state.runId} resumes at ${state.stepCount}` : 'begins'} ${JSON.stringify(plan)}`,
    )
    const process = new FragileProcess(plan)
    const end = await Promise.race([this.#run(input, plan, process), process.death])
    // What still runs may end now.
    if (dice.once(2)) for (let n = 0; n < 8; n++) await turn()
    this.#isBroken = process.isBroken
    this.#hasBroken ||= process.isBroken
    if (end === 'dead' || (process.isBroken && !this.#inSession)) return this.#afterCrash(input, process.kept)
    return 'error' in end ? this.#afterFailure(end.error, input) : this.#afterEnd(end)
  }

  async #run(input: Input, plan: Plan, process: FragileProcess) {
    const controller = new AbortController()
    this.#abort = () => controller.abort(new Error('Enough.'))
    const run = this.#agent.stream(throughJson(input) as RunState, {
      signal: controller.signal,
      // The tools of a dead process do nothing more.
      context: process as never,
      host: process.host,
      onCheckpoint: process.keep,
      decisions: plan.decisions,
      limits: { steps: plan.steps },
      wait: plan.wait,
      ...(plan.runId ? { runId: plan.runId } : {}),
      ...(this.#inSession ? { session: { store: process.within(this.#sessions), id: 's' } } : {}),
    })
    run.result.catch(() => {})
    let events = 0
    try {
      for await (const event of run) {
        if (events === plan.abortAt) this.#abort()
        if (events === plan.sendAt) run.send('Also this.')
        events += 1
        if (event.type === 'message-delivered') this.#tell(event.text)
        if (event.type === 'call-pending' && plan.wait)
          void turn().then(() => run.decide(event.callId, this.#decisionOn(event)).catch(() => {}))
      }
      return await run.result
    } catch (error) {
      return { error }
    }
  }

  #afterCrash(input: Input, kept: RunState | undefined): Input {
    this.log.push(`crashed; kept ${kept ? `${kept.runId} at ${kept.stepCount}` : 'nothing'}`)
    return kept?.stopReason === 'done' ? [...kept.messages, more] : (kept ?? input)
  }

  #afterFailure(error: unknown, input: Input): Input {
    const { state, message, code } = error as CapstanError
    this.log.push(`failed: ${message}`)
    if (!isCapstanError(error) || !/^(The model failed|The run failed: The process is gone)\.$/.test(message))
      this.faults.push(`an error that nobody made: ${code} ${message}`)
    if (!state) return input
    this.#checkState(state)
    const open = (state.kept['background-calls'] ?? []) as unknown as readonly {
      callId: string
      result?: object
    }[]
    for (const { callId, result } of open) {
      if (result) continue
      this.#allowAgain(callId)
      if (!(state.warnings ?? []).some((text) => text.includes(`(${callId})`)))
        this.faults.push(`no warning names the unfinished call ${callId}`)
    }
    return this.dice.once(2) ? throughJson(state) : state
  }

  #afterEnd(result: RunResult): Input {
    const { state, stopReason, undelivered = [], messages } = result
    this.log.push(`ended: ${stopReason} ${state.limit ?? ''}`)
    this.#checkState(state)
    if (stopReason === 'done') for (const text of undelivered) this.#tell(text)
    const goesOn = stopReason !== 'done' && !(stopReason === 'pending' && this.dice.once(5))
    if (goesOn) return throughJson(state)
    return this.#inSession ? 'More.' : [...messages, more]
  }

  #repeatsOf(callId: string): number {
    return this.#hasBroken ? Number.POSITIVE_INFINITY : (this.#mayRepeat.get(callId) ?? 0)
  }

  #allowAgain(callId: string): void {
    this.#mayRepeat.set(callId, (this.#mayRepeat.get(callId) ?? 0) + 1)
  }

  #tell(text: string): void {
    const [, callId] = /^Result of the background call (\S+) /.exec(text) ?? []
    if (callId) this.#told.set(callId, (this.#told.get(callId) ?? 0) + 1)
  }

  #checkState(state: RunState): void {
    const kept = throughJson(state)
    if (JSON.stringify(kept) !== JSON.stringify(state)) this.faults.push('the state is not JSON')
    if (state.pending.length > 0 || state.messages.at(-1)?.role === 'assistant') return
    const found = strictConversation(state.messages, { isRequest: false })
    if (Object.keys(state.results).length === 0) this.faults.push(...found)
  }

  /** What must hold at the end. */
  check(): void {
    for (const [id, keys] of this.keys)
      if (keys.size > 1) this.faults.push(`the call ${id} has ${keys.size} keys: ${[...keys].join(' ')}`)
    // A child run that a crash interrupted begins again, and its model may make other calls.
    for (const [key, ids] of this.calls)
      if (ids.size > 1 && !(this.#hasBroken && key.includes('/child')))
        this.faults.push(`the key ${key} has ${ids.size} calls: ${[...ids].join(' ')}`)
    for (const [id, times] of this.#ran)
      if (times > 1 + this.#repeatsOf(id)) this.faults.push(`the call ${id} ran ${times} times`)
    for (const [id, times] of this.#told)
      if (times > 1 + this.#repeatsOf(id)) this.faults.push(`the outcome of ${id} was told ${times} times`)
  }

  #decide(pending: readonly PendingCall[]): Decisions {
    return Object.fromEntries(
      pending.flatMap((call) => (this.dice.once(4) ? [] : [[call.callId, this.#decisionOn(call)] as const])),
    )
  }

  #decisionOn({ name }: { readonly name: string }) {
    const { dice } = this
    if (dice.once(5)) return { type: 'deny', reason: 'no' } as const
    if (dice.once(4) && name !== 'crew' && !name.startsWith('transfer'))
      return { type: 'approve', arguments: { ticks: 1, name } } as const
    return { type: 'approve' } as const
  }

  #newAgent(): Agent<readonly AnyTool[]> {
    const child = new Agent({
      name: 'crew',
      model: this.#model('child', namesOfChild),
      tools: this.#tools().filter(({ name }) => namesOfChild.includes(name as never)),
      middleware: [backgroundCalls()],
    })
    const further = [retryTools({ delayMs: 0, idempotent: ['flaky'] }), this.#store, backgroundCalls()]
    const middleware = this.dice.once(2) ? further : further.toReversed()
    const second = new Agent({
      name: 'second',
      model: this.#model('second', names),
      tools: [...this.#tools(), handoff('first')],
      middleware: [backgroundCalls()],
    })
    return new Agent({
      name: 'first',
      model: this.#model('first', names),
      tools: [...this.#tools(), agentTool(child), handoff(second)],
      middleware,
    }) as unknown as Agent<readonly AnyTool[]>
  }

  #model(who: string, tools: readonly string[]): ChatModel {
    return {
      name: who,
      complete: async ({ messages, tools: offered, signal }) => {
        const { dice } = this
        const body = { model: who, messages, tools: offered }
        // It ignores the choice of none, and is asked for its final answer without tools.
        const watch = offered.length > 0 ? this.#watch : undefined
        const found = [...strictConversation(messages), ...(watch?.asked(body) ?? [])]
        this.faults.push(...found.map((what) => `${who} was sent: ${what}`))
        for (let n = dice.roll(4); n > 0; n--) await turn()
        signal.throwIfAborted()
        const reply = await this.#reply(tools, signal)
        watch?.replied(body, reply.message)
        return reply
      },
    }
  }

  #reply(tools: readonly string[], signal: AbortSignal): ModelReply | Promise<ModelReply> {
    const { dice } = this
    const fate = dice.roll(14)
    if (fate === 0) throw new CapstanError('api', 'The model failed.')
    if (fate === 1) {
      this.#abort()
      return new Promise((_, reject) => {
        if (signal.aborted) reject(signal.reason)
        signal.addEventListener('abort', () => reject(signal.reason))
      })
    }
    if (fate < 5)
      return {
        message: { role: 'assistant', content: dice.once(8) ? '' : `Well ${this.#ids++}.` },
        finishReason: dice.once(8) ? 'length' : 'stop',
      }
    const made = Array.from({ length: 1 + dice.roll(3) }, () => {
      const args = { ticks: dice.roll(6), name: dice.one(['a', 'b']) }
      const name = dice.once(20) ? 'nope' : dice.one(tools)
      return {
        id: `c${this.#ids++}`,
        type: 'function' as const,
        function: {
          name,
          arguments: JSON.stringify(
            name.startsWith('transfer') ? {} : name === 'crew' ? { input: 'Go.' } : args,
          ),
        },
      }
    })
    return { message: { role: 'assistant', content: null, tool_calls: made }, finishReason: 'tool_calls' }
  }

  async #deed({ callId, idempotencyKey, context }: ToolContext, name: string, ticks: number) {
    if ((context as FragileProcess).isDead) await new Promise<never>(() => {})
    this.log.push(`${name} ${callId} begins under ${idempotencyKey}`)
    enter(this.keys, callId, idempotencyKey)
    enter(this.calls, idempotencyKey, callId)
    if (name !== 'flaky') this.#ran.set(callId, (this.#ran.get(callId) ?? 0) + 1)
    for (let n = ticks; n > 0; n--) await turn()
    this.#done.add(callId)
    this.log.push(`${name} ${callId} ended`)
    return `${name} done`
  }

  #tools(): readonly AnyTool[] {
    const made = (name: string, settings: object = {}) =>
      tool({
        name,
        description: 'D',
        parameters,
        ...settings,
        execute: async ({ ticks }, ctx: ToolContext) => {
          const text = await this.#deed(ctx, name, ticks)
          if (name === 'flaky' && !this.#failed.has(ctx.callId)) {
            this.#failed.add(ctx.callId)
            throw new CapstanError('network', 'Not now.')
          }
          return text
        },
      })
    return [
      made('save'),
      made('flaky'),
      made('search', { effects: 'read' }),
      made('send', { needsApproval: true }),
      made('paint', { background: true, ...(this.dice.once(3) ? { effects: 'read' } : {}) }),
      made('order', { background: true, needsApproval: true }),
    ]
  }
}

const more = { role: 'user', content: 'More.' } as const

const parameters = jsonSchema<{ ticks: number; name: string }>({
  type: 'object',
  properties: { ticks: { type: 'number' }, name: { type: 'string' } },
})

function isState(input: unknown): input is RunState {
  return typeof input === 'object' && input !== null && !Array.isArray(input)
}
