import * as z from 'zod'
import {
  Agent,
  type AnyTool,
  CapstanError,
  type ChatModel,
  cacheTools,
  guard,
  logRuns,
  type Message,
  type Middleware,
  modelPerStep,
  retryTools,
  tool,
  verdict,
} from '../../src/index.js'
import { callsOf } from '../../src/types/message.js'
import type { MayBreak } from '../prefix/watch.js'
import { longScript, turnOf } from './long-run.js'
import { call } from './scenario.js'
import type { Said, Script } from './strict-server.js'
import { enter, type Toolbox } from './toolbox.js'

/** An agent for the long run, with the calls that it makes. */
export interface Variant {
  readonly name: string
  readonly script: Script
  agentOf(model: ChatModel, box: Toolbox, options?: { readonly concurrency?: number }): LongAgent
  /** The keys of all effects, in order of their names. */
  readonly keys: readonly string[]
  /** The key of a call that runs only when a cache was lost with its process. */
  readonly cachedKey?: string
  /** The moments before and after the steps of the run. */
  readonly moments: number
  /** A conversation goes on in another run without what a guard has replaced. */
  readonly mayBreak?: MayBreak
}

export type LongAgent = Agent<readonly AnyTool[]>

const keys = [
  'run-1/step0/call0',
  'run-1/step0/call1',
  'run-1/step0/call2',
  'run-1/step0/request',
  'run-1/step1/call0',
  'run-1/step1/call1',
  'run-1/step1/call2',
  'run-1/step1/request',
  'run-1/step2/call0',
  'run-1/step2/request',
  'run-1/step3/call0',
  'run-1/step3/call1',
  'run-1/step3/request',
  'run-1/step4/request',
]

const byDefault: Variant = {
  name: 'the default middlewares',
  script: longScript,
  agentOf: (model, { tools }, options) => new Agent({ model, tools, ...options }),
  keys,
  moments: 38,
}

const cachedQuery = 'c'

/** Calls that are retried and cached beside those of the long run. */
const withMoreCalls: Script = (request, n) => {
  const line = longScript(request, n) as Said
  const messages = request.body.messages as readonly Message[]
  const more = (...made: readonly ReturnType<typeof call>[]) => ({
    ...line,
    calls: [...(line.calls ?? []), ...made],
  })
  if (turnOf(messages) === 2) return more(call('search', { q: cachedQuery, n }), call('flaky', { n }))
  if (turnOf(messages) !== 3) return line
  const first = messages
    .flatMap(callsOf)
    .find((made) => made.function.arguments.includes(`"q":"${cachedQuery}"`))
  return more(call('search', first?.function.arguments))
}

const withAllFive: Variant = {
  name: 'five further middlewares',
  script: withMoreCalls,
  agentOf: (model, box, options) =>
    new Agent({
      // Its later requests go to another model.
      model: {
        ...model,
        name: 'first',
        complete: (request, sink) => refuseLater(request.messages) ?? model.complete(request, sink),
      },
      tools: [...box.tools, flaky(box)],
      middleware: fiveMiddlewares(model),
      ...options,
    }),
  keys: [...keys, 'run-1/step2/call3', 'run-1/step2/call4'].toSorted(),
  cachedKey: 'run-1/step3/call2',
  moments: 44,
  mayBreak: 'messages[0]',
}

/** The agents that every suite of the long run uses. */
export const variants: readonly Variant[] = [byDefault, withAllFive]

/** Verdicts need a turn of the event loop. */
function fiveMiddlewares(strong: ChatModel): readonly Middleware[] {
  const later = () => new Promise((resolve) => setImmediate(resolve))
  const replacing = (from: string, to: string) => async (text: string) => {
    await later()
    return text.includes(from) ? verdict.replace(text.replace(from, to)) : undefined
  }
  return [
    retryTools({ delayMs: 0, idempotent: ['flaky'] }),
    cacheTools({ ttlMs: 3_600_000 }),
    guard({
      input: replacing('Go.', 'Go on.'),
      reply: replacing('Looking around.', 'Looking.'),
      result: replacing('about', 'checked'),
    }),
    logRuns({ to: () => {} }),
    modelPerStep(({ messages }) => (turnOf(messages) > 0 ? strong : undefined)),
  ]
}

function refuseLater(messages: readonly Message[]): Promise<never> | undefined {
  if (turnOf(messages) === 0) return undefined
  return Promise.reject(new Error('The first model was asked for a later step.'))
}

/** Fails the first time under each key. */
function flaky({ ran, ledger }: Toolbox): AnyTool {
  return tool({
    name: 'flaky',
    description: 'Fails the first time',
    parameters: z.object({}).loose(),
    execute: (args, { idempotencyKey }) => {
      const isFirst = !ledger.has(idempotencyKey)
      ran.push(`flaky ${JSON.stringify(args)}`)
      enter(ledger, idempotencyKey, ['flaky', args])
      if (isFirst) throw new CapstanError('network', 'The service cannot be reached.')
      return 'done'
    },
  })
}

/** The effects without those that a cache usually prevents. */
export function withoutCached(keysOfRun: Iterable<string>, { cachedKey }: Variant): string[] {
  return [...keysOfRun].filter((key) => key !== cachedKey).toSorted()
}

/** Whether a call that ran is one that a cache prevents as long as it is in memory. */
export function isCachedCall(ran: string): boolean {
  return ran.startsWith(`search {"q":"${cachedQuery}"`)
}
