// Random conversations under everything that shortens requests, and what strict servers and people would object to.

import * as z from 'zod'
import {
  Agent,
  type AgentOptions,
  type AnyTool,
  type ArtifactStore,
  type CapstanError,
  type ChatModel,
  clearResults,
  compactHistory,
  type Decisions,
  handoff,
  isCapstanError,
  type Message,
  type Middleware,
  memoryArtifacts,
  memorySessions,
  type RunEvent,
  type RunResult,
  type RunState,
  showImages,
  summarizeHistory,
  tool,
  trimHistory,
} from '../../src/index.js'
import { throughJson } from '../run-control/soundness.js'
import { strictConversation } from '../run-control/strict-conversation.js'
import { oneOf, type Random, randomOf, whole } from './conversations.js'
import {
  type Asked,
  isExtending,
  type Protocol,
  protocolNames,
  type Said,
  startWireServer,
  type WireServer,
} from './wire-server.js'

/** A way of shortening under a bound, with new middlewares for each agent. */
interface Way {
  readonly middleware: (bound: number) => readonly Middleware[]
  /** Whether the model has `contextTokens`, the server a window, or neither. */
  readonly window?: 'given' | 'refused'
  /** Whether a longer request may be sent: `maxTokens` of clearResults bounds nothing. */
  readonly isLoose?: boolean
}

const summarize = (bound: number) => summarizeHistory({ maxTokens: bound })
const trim = (bound: number) => trimHistory({ maxTokens: bound })
const clear = (bound: number) => clearResults({ maxTokens: bound / 2, keep: 2, above: 500 })
const newest = () => compactHistory(({ messages, task }) => dropped(messages, task))

const ways: Readonly<Record<string, Way>> = {
  summarizeHistory: { middleware: (bound) => [summarize(bound)] },
  trimHistory: { middleware: (bound) => [trim(bound)] },
  'trimHistory with messages': { middleware: (bound) => [trimHistory({ maxTokens: bound, maxMessages: 9 })] },
  clearResults: { middleware: (bound) => [clear(bound)], isLoose: true },
  'all three': { middleware: (bound) => [clear(bound), summarize(bound), trim(bound)] },
  'a summary, then clearing': { middleware: (bound) => [summarize(bound), clear(bound)] },
  'two bounds': { middleware: (bound) => [trim(bound), summarize(0.8 * bound)] },
  'a function of its own': { middleware: (bound) => [newest(), trim(bound)] },
  'the default': { middleware: () => [], window: 'given' },
  'the default over a server that refuses': { middleware: () => [], window: 'refused' },
  'no maxTokens': { middleware: () => [clearResults(), summarizeHistory(), trimHistory()], window: 'given' },
}

/** Leaves out the exchanges before the one in front of the run. */
function dropped(messages: readonly Message[], task: number): readonly Message[] {
  const before = messages.findLastIndex(({ role }, at) => at < task && role === 'user')
  return before > 0 ? messages.slice(before) : messages
}

/** What a conversation has shown. */
export interface Findings {
  /** What must not be. */
  readonly faults: readonly string[]
  readonly log: readonly string[]
  readonly requests: number
  readonly trims: number
}

/** Plays the conversation of a seed. */
export async function playHistory(seed: number): Promise<Findings> {
  const world = new World(seed)
  await world.play()
  return world
}

const sentence = 'The harbour opens at six, and the boats go out. '

class World implements Findings {
  readonly faults: string[] = []
  readonly log: string[] = []
  requests = 0
  trims = 0
  readonly #random: Random
  readonly #bound: number
  readonly #way: Way
  readonly #protocol: Protocol
  readonly #isStreamed: boolean
  readonly #hasPictures: boolean
  readonly #artifacts: ArtifactStore = memoryArtifacts()
  readonly #sessions = memorySessions()
  readonly #inSession: boolean
  #facts = 0
  /** What results and messages have said. */
  readonly #said = new Set<string>()
  readonly #untrusted = new Set<string>()
  #wasShortened = false
  #last: Asked | undefined
  /** The last request of all runs, which a resumed run goes on from. Undefined if it was for a final answer. */
  #sent: Asked | undefined

  constructor(seed: number) {
    const random = randomOf(seed)
    this.#random = random
    const name = oneOf(random, Object.keys(ways))
    this.#way = ways[name] as Way
    this.#protocol = oneOf(random, protocolNames)
    this.#hasPictures = random() < 0.4
    this.#bound = this.#hasPictures ? whole(random, 9000, 20_000) : whole(random, 3000, 20_000)
    this.#isStreamed = random() < 0.5
    this.#inSession = random() < 0.3
    this.log.push(`${name}, ${this.#bound} tokens, ${this.#protocol}`)
  }

  async play(): Promise<void> {
    const random = this.#random
    await using server = await startWireServer({
      say: (asked) => this.#reply(asked),
      ...(this.#way.window === 'refused' && { window: this.#bound }),
      tells: random() < 0.6,
    })
    let agent = this.#newAgent(server)
    let messages: readonly Message[] = this.#earlier()
    if (this.#inSession && messages.length > 0) await this.#sessions.append('s', messages, 0)
    for (let runs = whole(random, 1, 3); runs > 0; runs--) {
      if (random() < 0.3) agent = this.#newAgent(server)
      const text = this.#say(random() < 0.2 ? 0.1 : 0.01)
      const input = this.#inSession ? text : [...messages, { role: 'user' as const, content: text }]
      let result = await this.#run(agent, server, input)
      for (let acts = 0; result?.stopReason !== 'done' && acts < 4 && result; acts++) {
        const isFresh = random() < 0.5
        if (isFresh) agent = this.#newAgent(server)
        const state = isFresh ? throughJson(result.state) : result.state
        result = await this.#run(agent, server, state)
      }
      if (!result) return
      messages = result.messages
      // A run that still waits is not in the session.
      if (result.stopReason !== 'pending' || !this.#inSession) continue
      this.#said.clear()
      this.#last = undefined
    }
  }

  async #run(
    agent: Agent<readonly AnyTool[]>,
    server: WireServer,
    input: string | readonly Message[] | RunState,
  ): Promise<RunResult | undefined> {
    const random = this.#random
    const state = typeof input === 'object' && 'stepCount' in input ? input : undefined
    const from = server.answered.length
    const events: RunEvent[] = []
    const sendAt = random() < 0.4 ? whole(random, 3, 60) : -1
    const observe = (event: RunEvent) => events.push(event)
    const limits = { steps: (state?.stepCount ?? 0) + whole(random, 2, 18) }
    const session = this.#inSession ? { session: { store: this.#sessions, id: 's' } } : {}
    const options = { observe, limits, ...session, ...(state && { decisions: this.#decide(state) }) }
    this.log.push(`${state ? `resumes at ${state.stepCount}` : 'begins'} to step ${limits.steps}`)
    let result: RunResult | undefined
    try {
      if (sendAt < 0 && !this.#isStreamed) result = await agent.run(input as RunState, options)
      else {
        const run = agent.stream(input as RunState, options)
        run.result.catch(() => undefined)
        let count = 0
        for await (const event of run) {
          if (event.type === 'message-delivered') this.#said.add(event.text)
          if (count++ === sendAt) run.send(this.#fact())
        }
        result = await run.result
      }
    } catch (error) {
      this.#afterFailure(error)
    }
    this.#check(server.answered.slice(from), events, { server, isResumed: state !== undefined })
    if (result) this.#afterEnd(result)
    return result
  }

  #afterFailure(error: unknown): void {
    const { code, message, state } = error as CapstanError
    this.log.push(`failed: ${message}`)
    this.faults.push(`the run failed: ${isCapstanError(error) ? code : ''} ${message}`)
    if (state) this.#keepsAll(state.messages)
  }

  #afterEnd(result: RunResult): void {
    const { messages, stopReason, state } = result
    this.log.push(`ended at ${state.stepCount}: ${stopReason}`)
    this.#keepsAll(messages)
    if (stopReason === 'pending') return
    const text = JSON.stringify(messages)
    const isTainted = [...this.#untrusted].some((fact) => text.includes(`"${fact} `))
    if (isTainted && state.taintedBy === undefined) this.faults.push('the run is no longer tainted')
    const more = { role: 'user', content: 'And?' } as const
    this.faults.push(...strictConversation([...messages, more]).map((fault) => `result.messages: ${fault}`))
  }

  #keepsAll(messages: readonly Message[]): void {
    const text = JSON.stringify(messages)
    const lost = [...this.#said].filter((fact) => !text.includes(fact))
    if (lost.length > 0) this.faults.push(`the run has lost ${lost.join(', ')}`)
  }

  /** A run goes on with the bytes of the one before, unless something was left out. */
  #checkStart(first: Asked | undefined, { isResumed, isShorter }: Start): void {
    const last = this.#last
    if (!first || !last || isShorter) return
    const isOther = first.model !== last.model || toolsOf(first) !== toolsOf(last)
    const mayBreak = isOther || (!isResumed && this.#wasShortened)
    if (!mayBreak && !isExtending(last, first)) this.faults.push('a run does not go on with the same bytes')
  }

  #check(
    answered: readonly Asked[],
    events: readonly RunEvent[],
    { server, isResumed }: { readonly server: WireServer; readonly isResumed: boolean },
  ): void {
    this.faults.push(...server.faults.splice(0))
    const main = answered.filter(({ isSummary }) => !isSummary)
    this.requests += main.length
    const trimmed = events.flatMap((event) => (event.type === 'context-trimmed' ? [event] : []))
    this.trims += trimmed.length
    this.#wasShortened ||= trimmed.length > 0
    for (const { tokens, isSummary } of answered)
      if (!this.#way.isLoose && tokens > 1.15 * this.#bound)
        this.faults.push(`a ${isSummary ? 'summary' : 'request'} has ${tokens} of ${this.#bound} tokens`)
    const told = events.flatMap((event) => (event.type === 'prefix-broken' ? [event] : []))
    const started = events.flatMap((event) => (event.type === 'step-start' ? [event.step] : []))
    // A resumed run may first run the open calls of a step, which has no request.
    const steps = started.slice(Math.max(0, started.length - main.length))
    for (const [at, one] of main.entries()) {
      const before = main[at - 1] ?? (isResumed ? this.#sent : undefined)
      const isTold = told.some(({ step }) => step === steps[at])
      if (before && !isExtending(before, one) && !isTold) this.faults.push(`request ${at} breaks untold`)
      // A summary behind the one message of the request before extends it, and is another message.
      if (isTold && (before ? one.prompt.startsWith(before.prompt.slice(0, -1)) : !isResumed))
        this.faults.push(`request ${at} is told to break`)
    }
    this.#checkStart(main[0], { isResumed, isShorter: trimmed.some(({ step }) => step === steps[0]) })
    const sent = main.at(-1) ?? this.#sent
    // The note of a final answer is not in the conversation.
    this.#sent = sent && isFinal(sent) ? undefined : sent
    const end = main.findLastIndex((one) => !isFinal(one))
    const isCutLater = trimmed.some(({ step }) => step > (steps[end] ?? -1))
    this.#last = isCutLater ? undefined : (main[end] ?? this.#last)
    for (const { because } of told)
      if (!allowed.has(because)) this.faults.push(`a break because of ${because}`)
  }

  #decide({ pending }: RunState): Decisions {
    const isApproved = () => this.#random() < 0.7
    return Object.fromEntries(
      pending.map(({ callId }) => [
        callId,
        isApproved() ? { type: 'approve' as const } : { type: 'deny' as const, reason: 'No.' },
      ]),
    )
  }

  /** Some exchanges before the first run: now and then two user messages in a row, or none at all. */
  #earlier(): readonly Message[] {
    const random = this.#random
    const messages: Message[] = []
    for (let count = random() < 0.5 ? 0 : whole(random, 1, 25); count > 0; count--) {
      messages.push({ role: 'user', content: this.#say(random() < 0.1 ? 0.15 : 0.01) })
      if (random() < 0.1) messages.push({ role: 'user', content: this.#say(0.01) })
      messages.push({ role: 'assistant', content: this.#say(0.02) })
    }
    return messages
  }

  #fact(): string {
    const fact = `fact-${this.#facts++}`
    return `${fact}.`
  }

  /** A text of a share of the bound at most. */
  #say(share: number): string {
    const fact = this.#fact()
    this.#said.add(fact)
    return `${fact} ${sentence.repeat((this.#random() * share * this.#bound) / 12)}`
  }

  #reply(asked: Asked): Said {
    const { isSummary, body, prompt } = asked
    const random = this.#random
    if (isSummary) return { text: `Facts: ${(prompt.match(/fact-\d+/g) ?? []).slice(-20).join(' ')}` }
    if (isFinal(asked) || random() < 0.06) return { text: this.#say(0.02) }
    const count = random() < 0.3 ? whole(random, 2, 4) : 1
    const isOther = body.model === 'other'
    const names = [
      'look',
      'look',
      'look',
      'fetch',
      ...(random() < 0.3 ? ['pay'] : []),
      ...(random() < 0.15 ? ['long'] : []),
    ]
    const calls = Array.from({ length: count }, () => ({
      name: oneOf(random, names),
      arguments: { page: this.#facts++, size: Math.round(this.#sizeOf(random)) },
    }))
    if (this.#hasPictures && random() < 0.3)
      calls[0] = { name: 'draw', arguments: { page: this.#facts++, size: 0 } }
    if (random() < 0.05)
      return { calls: [{ name: isOther ? 'transfer_to_first' : 'transfer_to_other', arguments: {} }] }
    return random() < 0.3 ? { text: this.#say(0.01), calls } : { calls }
  }

  /** The characters of a result: some are short, some long, and a few longer than the bound. */
  #sizeOf(random: Random): number {
    const share = oneOf(random, [0.01, 0.03, 0.1, 0.2, 0.4, 1.2])
    return Math.min(60_000, random() * share * this.#bound * 4)
  }

  #newAgent(server: WireServer): Agent<readonly AnyTool[]> {
    const { window } = this.#way
    const model = (name: string): ChatModel =>
      server.model(this.#protocol, { name, ...(window === 'given' && { contextTokens: this.#bound }) })
    const options = (name: string): AgentOptions<readonly AnyTool[]> => ({
      name,
      model: model(name),
      instructions: `You are ${name}. Read all pages.`,
      artifacts: this.#artifacts,
      middleware: [...this.#way.middleware(this.#bound), showImages()],
    })
    const other = new Agent({ ...options('other'), tools: [...this.#tools(), handoff('first')] })
    return new Agent({ ...options('first'), tools: [...this.#tools(), handoff(other)] }) as never
  }

  #tools(): readonly AnyTool[] {
    const reading = (name: string, settings: object) =>
      tool({
        name,
        description: `Reads a page: ${name}`,
        parameters: z.object({ page: z.number(), size: z.number() }),
        effects: 'read',
        ...settings,
        execute: ({ page, size }) => {
          const fact = `fact-${page}`
          this.#said.add(fact)
          if (name === 'fetch') this.#untrusted.add(fact)
          return `${fact} ${sentence.repeat(size / 48)}`
        },
      })
    const draw = tool({
      name: 'draw',
      description: 'Draws a picture',
      parameters: z.object({ page: z.number() }),
      effects: 'read',
      show: true,
      execute: ({ page }, { artifacts }) =>
        artifacts.put(Uint8Array.of(...signature, ...Buffer.from(`picture ${page}`)), {
          kind: 'image',
          mediaType: 'image/png',
        }),
    })
    return [
      reading('look', {}),
      reading('fetch', { untrusted: true }),
      reading('pay', { needsApproval: true }),
      reading('long', { maxResultBytes: 1500 }),
      draw,
    ]
  }
}

/** How a run starts. */
interface Start {
  readonly isResumed: boolean
  /** Whether its first request leaves out more than before. */
  readonly isShorter: boolean
}

function toolsOf({ body }: Asked): number {
  return (body.tools as readonly unknown[]).length
}

function isFinal({ body }: Asked): boolean {
  return JSON.stringify(body.tool_choice ?? '').includes('none')
}

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

const allowed: ReadonlySet<string> = new Set([
  ...['summarize-history', 'trim-history', 'clear-results', 'compact-history', 'lost-context'],
  ...['long-results', 'handoff'],
])
