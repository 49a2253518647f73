import { expect, test } from 'vitest'
import {
  Agent,
  type AgentOptions,
  type AnyTool,
  type RunEvent,
  type RunOptions,
  type RunResult,
  type RunState,
} from '../../src/index.js'
import type { MayBreak } from '../prefix/watch.js'
import type { ScriptedCall } from '../scripted-server.js'
import { expectSound, expectWholeStory, throughJson } from './soundness.js'
import {
  type Line,
  over,
  type Said,
  type Script,
  type StrictServer,
  startStrictServer,
} from './strict-server.js'
import { conflictsOf, enter, type Ledger, toolbox } from './toolbox.js'

/** A run in a few lines: the replies, the options and the expected outcome. */
export interface Scenario extends Act {
  /** A string is a text reply. */
  readonly script: readonly (Line | string)[]
  readonly agent?: Partial<AgentOptions<readonly AnyTool[]>>
  readonly input?: Parameters<Agent['run']>[0]
  /** Further acts, each resumed by a new agent from the JSON of the state before. */
  readonly next?: readonly Act[]
  /** The calls whose functions ran, in order, over all acts. */
  readonly ran?: readonly string[]
  /** Parts of the bodies of the requests, in order, over all acts. */
  readonly asked?: readonly object[]
  /** Types of events that must have come, over all acts. */
  readonly events?: readonly object[]
  /** Whether requests have other tools than the ones before them. */
  readonly mayBreak?: MayBreak
}

export interface Act {
  readonly run?: RunOptions
  /** Aborts the run at an event that this is true of, or as a request comes that is never answered. */
  readonly abortAt?: ((event: RunEvent) => boolean) | 'never'
  /** A part of the result. */
  readonly expect?: object
  /** The results that the model read, in call order. */
  readonly told?: readonly (string | RegExp)[]
  /** The error of a run that is refused; the next act has the state before. */
  readonly refused?: { readonly code: string; readonly message?: RegExp }
}

export const call = (name: string, args: unknown = {}): ScriptedCall => ({ name, arguments: args })
/** An answer that makes calls. */
export const calls = (...made: readonly ScriptedCall[]): Said => ({ calls: made })
/** The same answer with these token counts; `null`: the server tells none. */
export const counted = (line: Said | string, tokens: readonly [number, number] | null): Said => ({
  ...(typeof line === 'string' ? { text: line } : line),
  tokens,
})

/** The facts that hold for every run are checked with it. */
export function scenario(name: string, played: Scenario): void {
  test(name, async () => {
    const stop = { abort: () => {} }
    await using server = await startStrictServer(toScript(played, stop), played.mayBreak)
    const box = toolbox()
    const events: RunEvent[] = []
    const stage: Stage = { played, server, tools: box.tools, ran: box.ran, events, stop }
    let state: RunState | undefined
    for (const act of [played, ...(played.next ?? [])]) state = await perform(act, state, stage)
    expect(server.faults).toEqual([])
    expect(conflictsOf(box.ledger)).toEqual([])
    expect(conflictsOf(requestsByKey(server))).toEqual([])
    expect(server.requests).toHaveLength(played.script.length)
    if (played.ran) expect(box.ran).toEqual(played.ran)
    if (played.asked) expect(server.requests.map(({ body }) => body)).toMatchObject(played.asked)
    for (const event of played.events ?? []) expect(events).toContainEqual(expect.objectContaining(event))
  })
}

interface Stage {
  readonly played: Scenario
  readonly server: StrictServer
  readonly tools: readonly AnyTool[]
  readonly ran: readonly string[]
  readonly events: RunEvent[]
  /** Aborts the act that is played. */
  readonly stop: { abort(): void }
}

function toScript({ script }: Scenario, stop: Stage['stop']): Script {
  return (_request, n) => {
    const line = script[n] ?? over
    if (line === 'never') stop.abort()
    return typeof line === 'string' && line !== 'never' ? { text: line } : line
  }
}

/** Plays one act, from the state of the one before; gives the state for the next. */
async function perform(act: Act, before: RunState | undefined, stage: Stage): Promise<RunState | undefined> {
  const { abortAt, run, refused } = act
  const events: RunEvent[] = []
  const stop = new AbortController()
  const abort = () => stop.abort(new Error('Enough.'))
  stage.stop.abort = () => abortAt === 'never' && abort()
  const observe = (event: RunEvent) => {
    events.push(event)
    stage.events.push(event)
    if (typeof abortAt === 'function' && abortAt(event)) abort()
  }
  const input = before === undefined ? (stage.played.input ?? 'Go.') : throughJson(before)
  const start = () => toAgent(stage).run(input, { observe, signal: stop.signal, runId: 'run-1', ...run })
  if (refused) {
    await expectRefused(start, refused, stage)
    return before
  }
  const result = await start()
  if (act.expect) expect(result).toMatchObject(act.expect)
  if (act.told) expectTold(result, act.told)
  expectSound(result)
  expectWholeStory(events, result)
  return result.state
}

/** Nothing is asked and nothing runs before a refusal. */
async function expectRefused(
  start: () => Promise<unknown>,
  { code, message = /./ }: NonNullable<Act['refused']>,
  { server, ran }: Stage,
): Promise<void> {
  const seen = [server.requests.length, ran.length]
  await expect(start()).rejects.toMatchObject({ code, message: expect.stringMatching(message) })
  expect([server.requests.length, ran.length]).toEqual(seen)
}

function toAgent({ played: { agent }, server, tools }: Stage): Agent<readonly AnyTool[]> {
  return new Agent({ model: server.model, tools, ...agent })
}

function expectTold({ toolCalls }: RunResult<readonly AnyTool[]>, told: readonly (string | RegExp)[]): void {
  expect(toolCalls.map(({ content }) => content)).toEqual(
    told.map((text) => (typeof text === 'string' ? text : expect.stringMatching(text))),
  )
}

/** A service that drops doubles answers one key once: no other request may have it. */
function requestsByKey({ requests }: StrictServer): Ledger {
  const ledger: Ledger = new Map()
  for (const { headers, body } of requests) enter(ledger, String(headers['idempotency-key']), body)
  return ledger
}
