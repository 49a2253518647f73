import type { WireNote, WireNoteCode } from '@capstan/core'
import { resultOf } from './follow-up.js'
import { judge } from './judge.js'
import type { Ending, Outcome, WireFailure } from './outcome.js'
import { type Replay, startReplay } from './replay.js'
import { toOwn } from './same-json.js'
import type { WireCase } from './wire-case.js'
import type { WireClient, WireTool } from './wire-client.js'

/** A case and what the client got wrong in it. */
export interface Verdict {
  readonly wireCase: WireCase
  readonly faults: readonly string[]
}

/** Runs one case, once with each of its numbers of retries. Resolves whatever the client does. */
async function examine(wireCase: WireCase, client: WireClient): Promise<Verdict> {
  const faults: string[] = []
  for (const maxRetries of wireCase.retries) {
    const found = judge(wireCase, await runOnce(wireCase, client, maxRetries))
    const where = wireCase.retries.length > 1 ? `with ${maxRetries} retries: ` : ''
    faults.push(...found.map((fault) => where + fault))
  }
  return { wireCase, faults }
}

/** The cases with time for a busy machine. What must end in them ends by itself, or never. */
export function unhurried(cases: readonly WireCase[]): readonly WireCase[] {
  return cases.map((wireCase) => ({ ...wireCase, timeLimitMs: 50_000 }))
}

/** Starts cases in order, so many at a time, each against a server of its own. */
export function examineAll(
  cases: readonly WireCase[],
  client: WireClient,
  sideBySide = 10,
): readonly Promise<Verdict>[] {
  const waiting: (() => void)[] = []
  let free = sideBySide
  return cases.map(async (wireCase) => {
    if (free > 0) free--
    else await new Promise<void>((start) => waiting.push(start))
    const verdict = await examine(wireCase, client)
    const next = waiting.shift()
    if (next) next()
    else free++
    return verdict
  })
}

async function runOnce(wireCase: WireCase, client: WireClient, maxRetries: number): Promise<Outcome> {
  const runs: { name: string; arguments: unknown }[] = []
  const tools = wireCase.tools.map((shape) => ({
    ...shape,
    execute(args: unknown) {
      runs.push({ name: shape.name, arguments: toOwn(args) })
      return resultOf(shape.name, args)
    },
  }))
  const codes = new Set<WireNoteCode>()
  const noted = ({ code }: WireNote) => void codes.add(code)
  const replay = await startReplay(wireCase)
  try {
    const end = await ask(client, { wireCase, replay, tools, maxRetries, noted })
    const notes = client.tellsNotes && maxRetries === wireCase.retries[0] ? [...codes].sort() : undefined
    return { runs, requests: replay.requests, end, maxRetries, pollution: takePollution(), notes }
  } finally {
    await replay.close()
  }
}

interface Setting {
  readonly wireCase: WireCase
  readonly replay: Replay
  readonly tools: readonly WireTool[]
  readonly maxRetries: number
  readonly noted: (note: WireNote) => void
}

async function ask(
  client: WireClient,
  { wireCase, replay, tools, maxRetries, noted }: Setting,
): Promise<Ending> {
  const stop = new AbortController()
  const { question: text, streamed: stream, timeLimitMs } = wireCase
  const where = { baseURL: replay.baseURL, apiKey: 'test-key', model: 'test-model' }
  const answered = client
    .run({ ...where, text, tools, stream, maxRetries, noted, signal: stop.signal })
    .then((report): Ending => ({ kind: 'answer', ...report, text: toText(report.text) }))
    .catch((error: unknown): Ending => ({ kind: 'thrown', ...toFailure(error, client) }))
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Ending>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'late' }), timeLimitMs)
  })
  const end = await Promise.race([answered, late])
  clearTimeout(timer)
  stop.abort()
  return end
}

/** A client that is written loosely may hand over anything for a text. */
function toText(text: unknown): string {
  return typeof text === 'string' ? text : text == null ? '' : JSON.stringify(text)
}

function toFailure(error: unknown, { reportsCodes = false }: WireClient): WireFailure {
  const { code, retryable, retryAfterMs } = error as WireFailure
  return { said: sayAll(error), ...(reportsCodes ? { code, retryable, retryAfterMs } : {}) }
}

/** The messages of an error and of what caused it. */
function sayAll(error: unknown, depth = 0): string {
  if (depth > 3 || typeof error !== 'object' || error === null) return depth === 0 ? String(error) : ''
  const { message, status, cause } = error as { message?: unknown; status?: unknown; cause?: unknown }
  const said = `${String(message ?? error)}${status === undefined ? '' : ` [status ${String(status)}]`}`
  const because = sayAll(cause, depth + 1)
  return because === '' ? said : `${said} <- ${because}`
}

const inherited = new Set(Object.getOwnPropertyNames(Object.prototype))

/** What was added to every object's prototype; it is taken away again. */
function takePollution(): readonly string[] {
  const added = Object.getOwnPropertyNames(Object.prototype).filter((name) => !inherited.has(name))
  for (const name of added) Reflect.deleteProperty(Object.prototype, name)
  return added
}
