import { isFunction, visibleText } from '../json.js'
import { checkOptionNames } from '../option-names.js'
import type { Middleware } from '../run/middleware.js'
import { Redactor } from '../secrets/redactor.js'
import { toShownJson } from '../tools/render-result.js'
import type { RunEvent } from '../types/event.js'
import { callsOf, textOf } from '../types/message.js'
import type { Usage } from '../usage.js'

/**
 * Receives log lines. A stream, such as `process.stderr`, gets each line with a line break; a function gets each line
 * without one.
 */
export type LogTarget = ((line: string) => void) | { write(text: string): unknown }

export interface LogOptions {
  /** Default: `process.stderr`, or `console.error` if there is none. */
  readonly to?: LogTarget
}

/**
 * Logs a run with a line per event: model steps, calls, retries, limits, pending calls, handoffs, and the end with its
 * usage. Lines start with the run id, or only its first part if it is a UUID; lines of child runs are indented. Values
 * contain no secrets and no control characters, and are cut after 200 characters. Nothing is stored: a run that is
 * replayed after a crash may write lines again, with durations measured from the replay.
 * @throws CapstanError `invalid_request` for an unknown option
 */
export function logRuns(options: LogOptions = {}): Middleware {
  const to = [
    'a function, or a stream',
    (value: unknown) => isFunction(Object(value).write ?? value),
  ] as const
  checkOptionNames(options, { to }, { of: 'logRuns' })
  const redactor = new Redactor()
  const log = new Log(toWriter(options.to), redactor)
  return {
    name: 'log-runs',
    wholeRun: true,
    async wrapModel(call, next, { runId }) {
      redactor.learn(call.model)
      const reply = await next()
      log.replied(runId, reply.model ?? call.model.name)
      return reply
    },
    observe: (event) => log.take(event),
  }
}

function toWriter(to: LogTarget | undefined): (line: string) => void {
  const target = to ?? globalThis.process?.stderr ?? ((line: string) => console.error(line))
  return typeof target === 'function' ? target : (line) => void target.write(`${line}\n`)
}

/** The timestamps of a run in progress, in milliseconds. */
interface Times {
  readonly started: number
  /** When the current request started. Unset once its reply has arrived. */
  asked?: number | undefined
}

/** Writes the log lines of concurrent runs. */
class Log {
  readonly #write: (line: string) => void
  readonly #redactor: Redactor
  /** Keyed by run and parent call, because each child run has its own timestamps. */
  readonly #times = new Map<string, Times>()
  /** The model that wrote each run's last reply. */
  readonly #models = new Map<string, string>()

  constructor(write: (line: string) => void, redactor: Redactor) {
    this.#write = write
    this.#redactor = redactor
  }

  /** Records which model wrote a reply, because events do not name it. Does nothing for a run without events. */
  replied(runId: string, model: string): void {
    if (this.#times.has(`${runId} `)) this.#models.set(runId, model)
  }

  take(event: RunEvent): void {
    const { runId, parentCallId, type } = event
    const key = `${runId} ${parentCallId ?? ''}`
    const times = this.#times.get(key) ?? { started: Date.now() }
    if (type === 'run-start') this.#times.set(key, times)
    if (type === 'step-start') times.asked = Date.now()
    const text = this.#timed(event, times) ?? this.#describe(event)
    if (text) {
      const depth = 2 * (parentCallId?.split('/').length ?? 0)
      const isEdge = type === 'run-start' || type === 'run-end'
      const indent = '  '.repeat(isEdge ? depth : depth + 1)
      this.#write(visibleText(`${this.#value(shortId(runId))} ${indent}${text}`))
    }
    if (type !== 'run-end') return
    this.#times.delete(key)
    if (parentCallId === undefined) this.#models.delete(runId)
  }

  /** Describes an event that ends a request or a run, with the duration. Undefined for all other events. */
  #timed(event: RunEvent, times: Times): string | undefined {
    if (event.type === 'run-end') {
      const { stopReason, usage } = event
      return `ends: ${stopReason}, ${describeUsage(usage)}, ${Date.now() - times.started} ms`
    }
    if (event.type !== 'message-added' || event.message.role !== 'assistant') return undefined
    // If a tool's result is the final answer, it is added as a message without a request.
    if (times.asked === undefined) return undefined
    const model = event.parentCallId === undefined ? this.#models.get(event.runId) : undefined
    const ms = `${Date.now() - times.asked} ms`
    times.asked = undefined
    const calls = callsOf(event.message).length
    const facts = model === undefined ? [ms] : [this.#value(model), ms]
    if (calls > 0) facts.push(count(calls, 'call'))
    return `step ${event.step}: ${facts.join(', ')}${this.#after(textOf(event.message.content))}`
  }

  #describe(event: RunEvent): string | undefined {
    switch (event.type) {
      case 'run-start':
        return `${this.#value(event.agent)} starts`
      case 'tool-start':
        return `${this.#value(event.name)} starts${this.#after(event.arguments)}`
      case 'tool-end':
        return `${this.#value(event.name)} ${event.status}, ${event.ms} ms${this.#after(event.content)}`
      case 'retry-scheduled': {
        const model = event.model === undefined ? '' : ` with ${this.#value(event.model)}`
        return `retry ${event.attempt}${model} in ${event.delayMs} ms: ${event.code}${this.#after(event.message)}`
      }
      case 'call-pending':
        return `${this.#value(event.name)} awaits ${event.kind}${this.#after(event.arguments)}`
      case 'limit-reached':
        return `limit reached: ${event.limit}`
      case 'handed-off':
        return `handed off to ${this.#value(event.to)}`
    }
    return this.#describeRare(event)
  }

  #describeRare(event: RunEvent): string | undefined {
    switch (event.type) {
      case 'repair-applied':
        return `${this.#value(event.name)} arguments repaired${this.#after(event.repairs.join('; '))}`
      case 'artifact-stored':
        return `${this.#value(event.name ?? event.model)} stored ${event.artifact.id} (${event.artifact.mediaType})`
      case 'stuck-detected':
        return `repetition (${event.stage})${this.#after(event.names.join(', '))}`
      case 'tools-revealed':
        return `tools found: ${event.names.join(', ')}`
      case 'run-tainted':
        return `untrusted text from ${this.#value(event.by)}`
      case 'text-calls':
        return `calls as text${this.#after(event.names.join(', '))}`
      case 'final-answer-failed':
        return `no final answer: ${event.code}${this.#after(event.message)}`
      case 'message-delivered':
        return `message delivered${this.#after(event.text)}`
      case 'context-trimmed':
        return `request with ${event.after} of ${count(event.before, 'message')}`
      case 'prefix-broken':
        return `prefix broken at ${event.at}: ${event.because}`
      case 'effects-left-behind':
        return `effects left behind: ${event.calls.map(({ name }) => name).join(', ')}`
      case 'context-over':
        return `request of ${event.tokens} tokens, ${event.maxTokens} allowed`
      case 'context-lost':
        return `context lost: ${event.reported} of ${event.sent} tokens`
      case 'middleware':
        return `${event.name} ${this.#value(event.action)}${this.#after(event.data ?? '')}`
      case 'step-replayed':
        return `replayed ${event.key}`
    }
    return undefined
  }

  /** Returns a colon and the value, or an empty string if the value is empty. */
  #after(value: unknown): string {
    const text = this.#value(value)
    return text && `: ${text}`
  }

  /** Returns a value on one line, without secrets. Cuts it last, because half of a secret would not be recognized. */
  #value(value: unknown): string {
    const text = typeof value === 'string' ? value : (JSON.stringify(toShownJson(value)) ?? '')
    const line = visibleText(this.#redactor.text(text).trim().replace(/\s+/g, ' '))
    if (line.length <= maxCharacters) return line
    return `${line.slice(0, maxCharacters).toWellFormed()}… (${text.length} characters)`
  }
}

/** The number of characters after which a value is cut. */
const maxCharacters = 200

function shortId(runId: string): string {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-/.test(runId) ? runId.slice(0, 8) : runId
}

function describeUsage({ requests, toolCalls, totalTokens, cost }: Usage): string {
  const facts = [count(requests, 'request'), count(toolCalls, 'call'), count(totalTokens, 'token')]
  return [...facts, ...(cost === undefined ? [] : [`cost ${cost}`])].join(', ')
}

function count(amount: number, unit: string): string {
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`
}
