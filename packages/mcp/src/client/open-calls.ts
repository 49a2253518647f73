// Servers that use the 2025 protocol ask questions while a call is open. The call stays open, outside its run, until
// the answer arrives.
import { CapstanError } from '@capstan/core'
import type {
  CallToolResult,
  ElicitResult,
  InputRequiredResult,
  Progress,
} from '@modelcontextprotocol/client'
import type { Question } from './question.js'

type Result = CallToolResult | InputRequiredResult

/** A question that an open call has asked. */
interface OpenQuestion {
  readonly question: Question
  answer(result: ElicitResult): void
}

/** A call's result, or a question that must be answered before there is one. */
export type Next = { readonly result: Result } | OpenQuestion

/**
 * A call whose request was sent to the server. While the call is waiting for an answer, the request can outlive the
 * function that sent it.
 */
export class OpenCall {
  readonly id = crypto.randomUUID()
  readonly #stop = new AbortController()
  readonly #result: Promise<{ readonly result: Result }>
  #questions: OpenQuestion[] = []
  #wake: (() => void) | undefined
  /** Called with the call's progress. */
  progress: (progress: Progress) => void = () => {}

  constructor(start: (call: OpenCall, signal: AbortSignal) => Promise<Result>) {
    this.#result = start(this, this.#stop.signal).then((result) => ({ result }))
    // The request may fail while nothing is waiting for its result.
    this.#result.catch(() => {})
  }

  /**
   * Queues a question for the run, and resolves with the answer, or with `cancel` if the server withdraws the question.
   */
  ask(question: Question, signal: AbortSignal): Promise<ElicitResult> {
    return new Promise((resolve) => {
      const asked: OpenQuestion = { question, answer: resolve }
      this.#questions.push(asked)
      signal.addEventListener('abort', () => {
        this.#questions = this.#questions.filter((one) => one !== asked)
        resolve({ action: 'cancel' })
      })
      this.#wake?.()
    })
  }

  /**
   * Resolves with the call's result, or with a question that must be answered first.
   * @throws the call's error, or the signal's reason
   */
  async next(signal: AbortSignal): Promise<Next> {
    const asked = new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    const stop = () => this.#stop.abort(signal.reason)
    signal.addEventListener('abort', stop)
    try {
      if (signal.aborted) stop()
      const result = this.#questions.length > 0 ? undefined : await Promise.race([this.#result, asked])
      return result ?? (this.#questions.shift() as OpenQuestion)
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  cancel(reason: Error): void {
    this.#stop.abort(reason)
  }
}

/** A call whose run is waiting for an answer. */
interface WaitingCall {
  readonly call: OpenCall
  readonly asked: OpenQuestion
  readonly timer: ReturnType<typeof setTimeout>
}

/** Waiting calls by idempotency key. A call has the same key in each run that continues it. */
const waiting = new Map<string, WaitingCall>()

/** Keeps a call open until its answer arrives, for at most an hour. */
export function keepOpen(key: string, call: OpenCall, asked: OpenQuestion): void {
  const timer = setTimeout(() => {
    waiting.delete(key)
    call.cancel(
      new CapstanError('timeout', 'The question was not answered within an hour. Call the tool again.'),
    )
  }, maxWaitMs)
  // The timer must not keep the process alive.
  if (typeof timer === 'object') timer.unref()
  waiting.set(key, { call, asked, timer })
}

/**
 * Passes the answer to a call that was kept open, and returns the call. Undefined if the call is not open in this
 * process.
 */
export function answerOpenCall(key: string, answer: ElicitResult): OpenCall | undefined {
  const found = waiting.get(key)
  if (!found) return undefined
  waiting.delete(key)
  clearTimeout(found.timer)
  found.asked.answer(answer)
  return found.call
}

/** Cancels the calls that a run, or one of its child runs, has kept open. */
export function cancelOpenCalls(runId: string): void {
  for (const [key, { call, timer }] of waiting) {
    if (!key.startsWith(`${runId}/`)) continue
    waiting.delete(key)
    clearTimeout(timer)
    call.cancel(new CapstanError('stopped', 'The run has ended.'))
  }
}

const maxWaitMs = 60 * 60_000
