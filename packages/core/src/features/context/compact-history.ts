import { chain } from '../../async.js'
import { CapstanError, codeOf, messageOf } from '../../errors.js'
import { isString, onceFor, startsWith } from '../../json.js'
import { limitOf } from '../../limits.js'
import { checkModel } from '../../model/retry.js'
import { checkOptionNames, checkRequiredOption, kindOf, type OptionKind } from '../../option-names.js'
import { ratioOf, windows } from '../../run/estimate.js'
import type { Feature } from '../../run/feature.js'
import { middlewareName } from '../../run/hooks.js'
import type { Middleware, NextRequest, RunView, StepRequest } from '../../run/middleware.js'
import type { Message } from '../../types/message.js'
import type { ChatModel } from '../../types/model.js'
import { type ClearOptions, clearing, readers, withShortStep } from './long-results.js'
import {
  type Bounds,
  type Cut,
  estimateInstructions,
  type LongRequest,
  lastReplyIn,
  learnRefusal,
  type Shorten,
  shorteningWith,
  shownWith,
  tellTrimmed,
  tokensIn,
  toLongRequest,
  trim,
  windowOf,
  withWindow,
} from './shorten-history.js'
import { type SummaryOptions, summarizing } from './summarize-history.js'

/**
 * Returns the history to send with one request; the run keeps all messages. Keep each call together with its result.
 * Called before each request, so return quickly if there is nothing to shorten.
 */
export type Compact = (history: History) => readonly Message[] | Promise<readonly Message[]>

export interface History {
  /** The messages without the instructions. Every request of a run gets the same message objects. */
  readonly messages: readonly Message[]
  /** The index of the user message that started the run; -1 if there is none. */
  readonly task: number
  /** Estimated tokens of the instructions and tool definitions. */
  readonly fixed: number
  /** The model's context window, in tokens, if it is known. */
  readonly contextTokens?: number | undefined
  /** Estimates the tokens of messages, without `fixed`. */
  estimate(messages: readonly Message[]): number
  /** The model that will get the request. */
  readonly model: ChatModel
  /**
   * Sends a side request without tools and returns the reply's text. The request's tokens and cost count toward the
   * run. Default: the model of this request.
   * @throws the model's error, or `stopped` if a limit of the run would be exceeded; the run then ends unless you catch
   * it
   */
  ask(messages: readonly Message[], model?: ChatModel): Promise<string>
  readonly signal: AbortSignal
}

/** Bounds that follow from a model's context window. */
interface WindowBounds extends Bounds {
  readonly window: number
}

/** Returns the bounds if the window is known: configured, or reported by the server in this process or run. */
function windowBounds(
  { model, settings }: Pick<StepRequest, 'model' | 'settings'>,
  run: RunView,
  given = model.contextTokens,
): WindowBounds | undefined {
  const window = windowOf(model, given, run.kept[standardName])
  if (!(window < Infinity)) return undefined
  // A request that was rejected becomes shorter, whatever the window is.
  const [first = Infinity, second = Infinity] = refusalsIn(run)
  return { window, maxTokens: Math.min(tokensIn(window, settings), 0.8 * first, second / 2) }
}

const standardName = 'compact-history'

/**
 * Keeps requests within the model's context window, once the window's size is known. Replaces old results with
 * references, then old messages with a summary, and omits messages that still do not fit. If the server rejects a
 * request as too long, shortens it and sends it again, at most twice. The run's state records the omissions, so that
 * another process sends the same requests. If another middleware also shortens requests, this middleware only acts on
 * rejections. On by default.
 */
export function fitWindow(): Feature {
  return {
    ...toMiddleware('recover', false),
    isInner: true,
    forAgent: ({ onContextLost = 'recover', middleware = [] }: Given) =>
      toMiddleware(
        onContextLost,
        middleware.some(({ name }) => shortening.test(name)),
      ),
  }
}

/** The agent options that `fitWindow` reads. */
interface Given {
  readonly onContextLost?: string
  readonly middleware?: readonly Middleware[]
}

/** Matches the names of middlewares that shorten requests themselves. */
const shortening = /^(clear-results|summarize-history|trim-history)$/

/** Returns the token counts of this step's rejected requests. New counts are added to this array. */
function refusalsIn(run: RunView): number[] {
  const { step } = run
  const refused = refusals(run)
  if (refused.step !== step) Object.assign(refused, { step, tried: [] })
  return refused.tried
}

const refusals = /* @__PURE__ */ onceFor((_run: RunView) => ({ step: 0, tried: [] as number[] }))

function toMiddleware(reaction: string, isBeside: boolean): Middleware {
  const ofRefusals = (call: StepRequest, run: RunView) => windowBounds(call, run, 0)
  const fitted = fitting(standardName, isBeside ? ofRefusals : windowBounds, shortenInTurn)
  return {
    ...fitted,
    ...(/^(recover|compact)$/.test(reaction) && {
      retryModel(error: unknown, call: StepRequest, run: RunView) {
        // A summary that was rejected says nothing about this request.
        if (codeOf(error) !== 'context_length_exceeded' || failures.get(run)?.error === error) return false
        const tried = refusalsIn(run)
        const { model, messages } = call
        tried.push(learnRefusal(error, model, toLongRequest(call, run).estimate(messages)))
        Object.assign(error as CapstanError, { evidence: { ...(error as CapstanError).evidence, tried } })
        // A request that cannot be shortened is not sent again.
        return !tried[2] && lastReplyIn(messages) >= 0
      },
    }),
    ...(reaction === 'compact' && {
      async wrapModel(call: StepRequest, next: NextRequest, run: RunView) {
        const reply = await next()
        const { model, window } = Object(reply.kept?.['lost-context'])
        if (model !== call.model.name) return reply
        windows.set(call.model, window)
        // The model has replied, although only to part of the prompt: if the second request fails, this reply is kept.
        const again = await Promise.resolve(fitted.beforeModel(call, run))
          .then(next)
          .catch((error: unknown) => {
            if (call.signal.aborted) throw error
          })
        return { ...reply, ...again, kept: { ...reply.kept, ...again?.kept } }
      },
    }),
  }
}

/** Replaces long results, then replaces old messages with a summary, then omits messages: the smallest loss first. */
const shortenInTurn: Shorten = async (request, cut, bounds) => {
  const tokensWith = (one: typeof cut) => request.tokensOf(shownWith(request, one))
  let shorter = await clear(request, withWindow(cut, request.call.model), bounds)
  let { maxTokens } = bounds
  // With less room, the next steps would soon be too long again.
  if (tokensWith(shorter) <= 0.75 * maxTokens) return shorter
  try {
    shorter = await summarize(request, shorter, bounds)
  } catch (error) {
    tellFailed(request, error)
    maxTokens *= 0.75
  }
  return tokensWith(shorter) <= maxTokens ? shorter : trim(request, shorter, bounds)
}

const clear = /* @__PURE__ */ clearing({})
const summarize = /* @__PURE__ */ summarizing({})

const tokens: OptionKind = 'a number of at least 0'

/** The kind of `keepTokens`. A request that is shortened to its bound would be too long again at the next step. */
const less = (bounds: HistoryBounds): OptionKind => [
  'a number of at least 0, less than maxTokens',
  (value) => typeof value === 'number' && value >= 0 && !(value >= Number(bounds.maxTokens)),
]

/**
 * Sends each request with the history that `compact` returns. A `context-trimmed` event reports each change in which
 * messages are omitted. `name` is the middleware's name, by default `compact-history`.
 * @throws CapstanError `invalid_request` if `compact` is not a function, or for an invalid name
 */
export function compactHistory(compact: Compact, options: { readonly name?: string } = {}): Middleware {
  const of = 'compactHistory'
  checkRequiredOption({ compact }, { compact: 'a function' }, { of, required: 'compact' })
  checkOptionNames(
    options,
    { name: ['a name such as "compact-old"', (given) => isString(given) && middlewareName.test(given)] },
    { of },
  )
  const { name = standardName } = options
  const sent = new WeakMap<RunView, readonly Message[]>()
  return {
    name,
    beforeModel(call, run) {
      const { messages, model, signal } = call
      const request = toLongRequest(call, run)
      const { task, fixed, tokensOf } = request
      const history: History = {
        messages,
        task,
        fixed,
        model,
        signal,
        contextTokens: windowBounds(call, run)?.window,
        estimate: (list) => tokensOf(list) - fixed,
        ask: (asked, other) => call.ask(asked, other),
      }
      return chain(compact(history), (shown) => {
        if (!Array.isArray(shown)) throw notMessages(shown)
        if (shown === messages) return undefined
        const before = sent.get(run)
        sent.set(run, shown)
        if (!before || !startsWith(shown, before)) tellTrimmed(name, request, shown)
        return { messages: shown }
      })
    },
  }
}

function notMessages(given: unknown): CapstanError {
  return new CapstanError(
    'invalid_request',
    `compactHistory returned ${kindOf(given)}. Return an array of messages.`,
  )
}

/** Bounds on a request, in estimated tokens, in messages, or both. */
export interface HistoryBounds {
  /**
   * Requests with more estimated tokens than this are shortened. Messages, instructions, tools and images all count.
   * Default: 0.8 of the context window.
   */
  readonly maxTokens?: number
  readonly maxMessages?: number
  /**
   * The number of tokens to which a request is shortened, counted as for `maxTokens`, and less than it. Default: half of
   * `maxTokens`, or more if instructions and tools are long.
   */
  readonly keepTokens?: number
}

/**
 * Omits the oldest messages from requests that are too long: first entire exchanges before the run, then the run's
 * oldest steps, each call together with its result. Keeps the run's first and last user messages and its newest step.
 * Omits about half of the history at a time, so that the following requests start with the same messages.
 * @throws CapstanError `invalid_request` for an unknown option, or one that is not a number. During a run:
 * `context_length_exceeded` if the kept messages are still too long
 */
export function trimHistory(bounds: HistoryBounds = {}): Middleware {
  const kinds = { maxTokens: tokens, maxMessages: tokens, keepTokens: less(bounds) } as const
  checkOptionNames(bounds, kinds, { of: 'trimHistory' })
  return fitting('trim-history', boundsOf(bounds), trim)
}

/**
 * Summaries that could not be written for the current request, with the bound that the request was to meet. The next
 * middleware that shortens the request meets this bound instead.
 */
const failures = new WeakMap<RunView, { readonly error: unknown; readonly most: number }>()

const mostAfter = (run: RunView) => failures.get(run)?.most ?? Infinity

/**
 * Returns a function that computes a request's bounds from options. Without `maxTokens`, tokens are not bounded until
 * the window is known.
 */
function boundsOf({ maxTokens, maxMessages, keepTokens }: HistoryBounds) {
  return (call: StepRequest, run: RunView): Bounds | undefined => {
    const known = maxTokens === undefined ? windowBounds(call, run) : undefined
    const most = Math.min(known?.maxTokens ?? maxTokens ?? Infinity, mostAfter(run))
    if (most === Infinity && maxMessages === undefined) return undefined
    return { maxTokens: most, keepTokens, maxMessages, option: known ? 'contextTokens' : 'maxTokens' }
  }
}

/**
 * In requests that are too long, replaces the oldest messages with a summary: first earlier exchanges, then the run's
 * older steps. The summary is added to the first user message that is kept. Keeps the run's first and last user
 * messages and its newest step. The summary is reused until a request is too long again; the next summary is written
 * from it and the messages after it. The run's state contains the summary, so that another process sends the same one.
 * Text that is too long for one request is summarized in chunks. Requests for summaries count toward the run's usage
 * and limits. The 1000 most recently used summaries are cached by the messages that they cover. If a summary cannot be
 * written, an event reports it and the next middleware that shortens the history takes over; if there is none, the
 * request fails.
 * @throws CapstanError `invalid_request` for an unknown option, or a value of the wrong type. During a run:
 * `context_length_exceeded` if the kept messages are still too long
 */
export function summarizeHistory(options: SummaryOptions = {}): Middleware {
  const kinds = {
    maxTokens: tokens,
    keepTokens: less(options),
    model: true,
    instructions: 'a string',
  } as const
  checkOptionNames(options, kinds, { of: 'summarizeHistory' })
  if (options.model !== undefined) checkModel(options.model, 'summarizeHistory: model')
  const write = summarizing(options)
  const shorten: Shorten = async (request, cut, given) => {
    try {
      return await write(request, cut, given)
    } catch (error) {
      tellFailed(request, error)
      request.isLeft = true
      failures.set(request.run, { error, most: given.maxTokens })
      return cut
    }
  }
  return {
    ...fitting('summarize-history', boundsOf(options), shorten),
    wrapModel(call, next, run) {
      const failed = failures.get(run)
      if (failed && toLongRequest(call, run).tokensOf(call.messages) > failed.most) throw failed.error
      failures.delete(run)
      return next()
    },
  }
}

/**
 * Reports that a summary could not be written.
 * @throws the error itself if the run was aborted or has reached a limit
 */
function tellFailed({ call, run }: LongRequest, error: unknown): void {
  if (call.signal.aborted || limitOf(error)) throw error
  const data = { code: codeOf(error), message: messageOf(error) }
  run.emit({ name: 'summarize-history', action: 'failed', data })
}

/**
 * In requests that are too long, replaces old, long results with one line that contains an artifact id. The model can
 * read the text with `read_artifact`. Keeps the newest results, the results after the last reply, and results of
 * `read_artifact`.
 * @throws CapstanError `invalid_request` for an unknown option, or a value of the wrong type
 */
export function clearResults(options: ClearOptions = {}): Middleware {
  const kinds = { maxTokens: tokens, keep: tokens, above: tokens, except: 'an array: [one, two]' } as const
  checkOptionNames(options, kinds, { of: 'clearResults' })
  const bounds = (call: StepRequest, run: RunView) => {
    const most = options.maxTokens ?? Number(windowBounds(call, run)?.window) / 2
    return most >= 0 ? { maxTokens: Math.min(most, mostAfter(run)) } : undefined
  }
  return { ...shorteningWith('clear-results', bounds, clearing(options)), tools: readers }
}

/**
 * Creates a middleware that shortens requests with `shorten`, and then the newest step's results if a request is still
 * too long.
 */
function fitting(
  name: string,
  boundsOf: (call: StepRequest, run: RunView) => Bounds | undefined,
  shorten: Shorten,
): ReturnType<typeof shorteningWith> {
  const shortened: Shorten = async (request, cut, bounds) => {
    const { messages, fixed, tokensOf } = request
    const { maxTokens } = bounds
    const lengthWith = (one: Cut) => tokensOf(shownWith(request, one))
    const share = (part: number) => ({ ...bounds, maxTokens: fixed + part * (maxTokens - fixed) })
    const newest = tokensOf(messages.slice(lastReplyIn(messages)))
    // If the newest step alone is too long, it must be shortened anyway. If the other messages leave room for a quarter
    // of it, shortening the step first may be enough.
    const isAlone = newest > maxTokens && !bounds.maxMessages
    let last = cut
    if (isAlone && lengthWith(cut) - newest + fixed <= share(0.75).maxTokens)
      last = await withShortStep(request, cut, share(0.9))
    // Leaves half of the room for the next step. Otherwise each step would need a new cut.
    if (last === cut || lengthWith(last) > maxTokens)
      last = await withShortStep(request, await shorten(request, cut, bounds), isAlone ? share(0.5) : bounds)
    checkFits(request, shownWith(request, last), bounds)
    return last
  }
  return shorteningWith(name, boundsOf, shortened)
}

/**
 * Checks that a request fits its bounds. If not, also emits `context-over`.
 * @throws CapstanError `context_length_exceeded` if it is still too long
 */
function checkFits(
  request: LongRequest,
  messages: readonly Message[],
  { maxTokens, option = 'contextTokens' }: Bounds,
): void {
  const { call, run, fixed, tokensOf } = request
  const tokens = tokensOf(messages)
  if (request.isLeft || tokens <= maxTokens) return
  const instructions = Math.ceil(ratioOf(call.model) * estimateInstructions(call))
  const newest = tokensOf(messages.slice(lastReplyIn(messages))) - fixed
  const parts = { instructions, tools: fixed - instructions, messages: tokens - fixed - newest, newest }
  const evidence = { tokens, maxTokens, parts }
  run.emit({ type: 'context-over', ...evidence })
  const [[name, size] = []] = Object.entries(parts).sort(([, one], [, other]) => other - one)
  const message = `The request has about ${tokens} tokens and cannot be shortened to ${maxTokens} (${option}). Its largest part: the ${name === 'newest' ? 'newest step' : name}, ${size}. Make it shorter, or raise ${option}.`
  throw new CapstanError('context_length_exceeded', message, { evidence })
}
