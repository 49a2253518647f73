import { ignore, reportFailure } from '../../async.js'
import { CapstanError, type ErrorCode, forModel, isCapstanError, messageOf } from '../../errors.js'
import type { Json } from '../../json.js'
import { checkRequiredOption, isCount, isWait, type OptionKind } from '../../option-names.js'
import { estimateTokens, mostInputTokens } from '../../run/estimate.js'
import type { Middleware, RunningCall, RunView, ToolOutcome } from '../../run/middleware.js'
import { errorResult } from '../../tools/rejections.js'
import type { ChatModel, ModelReply, ModelRequest } from '../../types/model.js'
import { costOf, type Spending, type TokenUsage } from '../../usage.js'
import {
  addAmounts,
  checkAmounts,
  checkName,
  checkPeriod,
  excess,
  firstExceeded,
  type LedgerAmounts,
  type LedgerFurther,
  type LedgerGrant,
  type LedgerPeriod,
  type LedgerRefusal,
  type LedgerStore,
} from './ledger-store.js'

/** The accounts that a ledger limits, their limits, and the store. */
export interface LedgerOptions<Context> {
  /** Stores the usage of accounts: `memoryLedger()`, or a store that several processes share. */
  readonly store: LedgerStore
  /**
   * Returns a run's account from its `context`, such as the user id: 1 to 500 characters. If `key` throws or returns
   * anything else, the run fails with `invalid_request` and nothing is sent.
   */
  readonly key: (context: Context) => string
  /** The amounts that an account may use in each period. `cost` requires the agent's price table. */
  readonly limits: LedgerAmounts
  /** `'hour'`, `'day'`, `'week'`, `'month'`, or milliseconds. Windows start in UTC, weeks on Monday. */
  readonly per: LedgerPeriod
  /** Maximum tokens in a reply. Lower if the request's own limit or the remaining budget is lower. Default 4096. */
  readonly maxOutputTokens?: number
  /** Milliseconds after which an open reservation counts as spent. Default 120,000. */
  readonly reserveMs?: number
  /** The middleware's name. If an agent has several ledgers, give each a different name. Default `ledger`. */
  readonly name?: `ledger-${string}`
}

/**
 * A budget across many runs. Each request and each call reserves what it may spend before it starts, and settles what
 * it has spent afterwards. Child runs, handoffs, background calls and side requests count too. If a request does not
 * fit, the run ends with `stopReason: 'limit'` and `limit: 'ledger'`. Put the ledger last in `middleware`, so that it
 * counts each attempt.
 * @throws CapstanError `invalid_request` for an invalid option
 */
export function ledger<Context>(options: LedgerOptions<Context>): Middleware<Context> {
  checkOptions(options)
  const budgets = new WeakMap<RunView<Context>, RunBudget>()
  const budgetOf = (run: RunView<Context>) => {
    const known = budgets.get(run) ?? new RunBudget(options, accountOf(options, run), run)
    budgets.set(run, known)
    return known
  }
  return {
    name: options.name ?? 'ledger',
    wholeRun: true,
    childRuns: true,
    beforeRun(run) {
      budgetOf(run)
      return undefined
    },
    wrapRequest: (request, next, model, run) => sendWithin(budgetOf(run), { request, model }, next),
    wrapTool: (call, next, run) => callWithin(budgetOf(run), call, next),
    beforeSpend: (spending, call, run) => spendWithin(budgetOf(run), spending, call),
  }
}

const optionKinds: Readonly<Record<keyof LedgerOptions<unknown>, OptionKind>> = {
  store: [
    'memoryLedger()',
    (value: unknown) => ['reserve', 'settle'].every((name) => Object(value)[name] instanceof Function),
  ],
  key: 'a function',
  limits: 'an object',
  per: true,
  maxOutputTokens: ['a whole number of at least 1', (value: unknown) => value !== Infinity && isCount(value)],
  reserveMs: ['milliseconds, 1 or more', isWait],
  name: ['a name such as "ledger-tenant"', (value: unknown) => /^ledger-[a-z0-9-]+$/.test(String(value))],
}

function checkOptions({ ...options }: LedgerOptions<never>): void {
  for (const required of ['store', 'key', 'limits', 'per'])
    checkRequiredOption(options, optionKinds, { of: 'ledger', required })
  checkPeriod(options.per)
  checkAmounts(options.limits)
  if (Object.keys(options.limits).length === 0) {
    const message = 'ledger: limits is empty. Use { cost: 5 } or { tokens: 100_000 }.'
    throw new CapstanError('invalid_request', message, { evidence: { option: 'limits' } })
  }
}

/** Returns a run's account. @throws CapstanError `invalid_request` if `key` throws or returns an invalid name */
function accountOf<Context>({ key }: LedgerOptions<Context>, { context }: RunView<Context>): string {
  let account: unknown
  try {
    account = key(context)
  } catch (error) {
    const message = `ledger: the key function failed: ${messageOf(error)}`
    throw new CapstanError('invalid_request', message, { cause: error })
  }
  checkName('the result of key', account)
  return account
}

/** A run's access to its account's budget. */
class RunBudget {
  /** What remains of the limits: the store's last result, updated by later settlements. */
  left: LedgerAmounts = {}
  readonly calls = new WeakMap<RunningCall, CallBudget>()
  #isTold = false

  constructor(
    readonly options: Omit<LedgerOptions<never>, 'key'>,
    readonly account: string,
    readonly run: Pick<RunView, 'prices' | 'emit'>,
  ) {}

  /** Whether any of these amounts has a limit. */
  limits(amounts: LedgerAmounts): boolean {
    return firstExceeded(amounts, amounts, zero(this.options.limits)) !== undefined
  }

  /** Reserves amounts, and as many additional units as fit. */
  async reserve(
    amounts: LedgerAmounts,
    { callId, ...rest }: { readonly further?: LedgerFurther; readonly callId?: string } = {},
  ): Promise<Reserved | LedgerRefusal> {
    const { store, limits, per, reserveMs = 120_000, name = 'ledger' } = this.options
    // A request that is sent again, in this or another process, may be charged again, so it has a new id.
    const id = crypto.randomUUID()
    const { account } = this
    const answer = await store.reserve({ id, account, per, limits, amounts, reserveMs, ...rest })
    this.left = answer.left
    const about = callId === undefined ? {} : { callId }
    if (answer.granted) {
      if (!this.#isTold) this.run.emit({ name, action: 'reserved', ...about })
      this.#isTold = true
      return { id, ...answer }
    }
    const { granted: _, ...facts } = answer
    this.run.emit({ name, action: 'refused', ...about, data: facts as unknown as Json })
    return answer
  }

  /** Settles a reservation. If that fails, the reserved amounts still count, and the run continues. */
  async settle({ id, reserved }: Reserved, spent: LedgerAmounts): Promise<void> {
    try {
      await this.options.store.settle(id, spent)
      const { left } = this
      const rest = addAmounts(left, addAmounts(reserved, spent, -1))
      // Units without a limit are not in `left`.
      this.left = Object.fromEntries(Object.entries(rest).filter(([unit]) => unit in left))
    } catch (error) {
      reportFailure(error)
    }
  }

  /** Returns the cost of usage or spending. Undefined if the price is unknown. */
  costOf(units: Spending | Partial<TokenUsage>, model: string | undefined): number | undefined {
    const cost = costOf(units, model, this.run.prices ?? {})
    return cost === 'unknown' ? undefined : cost
  }
}

interface Reserved extends LedgerGrant {
  readonly id: string
}

function zero(limits: LedgerAmounts): LedgerAmounts {
  return Object.fromEntries(Object.keys(limits).map((unit) => [unit, 0]))
}

function usedUp({ options }: RunBudget, { limit, retryAt }: LedgerRefusal, what: string): CapstanError {
  const { per, limits } = options
  const period = typeof per === 'number' ? `${per} ms` : per
  const message = `The budget of ${limits[limit]} ${limit} per ${period} has no room for this ${what}. Nothing was done.`
  const evidence = { limit: 'ledger', unit: limit, retryAt }
  return forModel(new CapstanError('stopped', message, { evidence }))
}

/** Returns the error for a cost limit when a price is missing. */
function noPrice(model: string | undefined): CapstanError {
  const what = model === undefined ? 'spending without a model' : `"${model}"`
  const message = `ledger: limits.cost needs a price for ${what}. Add it to price.`
  return new CapstanError('invalid_request', message, { evidence: { model } })
}

// Requests.

interface Outgoing {
  readonly request: ModelRequest
  readonly model: ChatModel
}

/**
 * Sends a request within the budget. Each attempt has its own reservation, since a server may charge for a failed
 * attempt. The first reservation is made before the model gets the request.
 */
async function sendWithin(
  budget: RunBudget,
  { request, model }: Outgoing,
  next: (request: ModelRequest) => Promise<ModelReply>,
): Promise<ModelReply> {
  if (!budget.limits({ requests: 1, tokens: 1, cost: 1 })) return next(request)
  let first: Reserved | undefined = await reserveRequest(budget, { request, model })
  const takeFirst = () => {
    const taken = first
    first = undefined
    return taken
  }
  const attempt = async (sent: ModelRequest, send: typeof next) => {
    attempting.add(model)
    const outgoing = { request: sent, model }
    const reserved = takeFirst() ?? (await reserveRequest(budget, outgoing))
    return settling(
      budget,
      () => reserved,
      outgoing,
      () => send(withMost(sent, reserved)),
    )
  }
  const { wrapAttempt: outer } = request
  const wrapAttempt: typeof attempt = (sent, send) =>
    outer ? outer(sent, (given) => attempt(given, send)) : attempt(sent, send)
  const sent = { ...withMost(request, first), wrapAttempt }
  return settling(budget, takeFirst, { request, model }, async () => {
    let isSent = false
    try {
      request.signal.throwIfAborted()
      isSent = !attempting.has(model)
      return await next(sent)
    } catch (error) {
      // The request was aborted before it was sent.
      const unsent = isSent ? undefined : takeFirst()
      if (unsent) await budget.settle(unsent, {})
      throw error
    }
  })
}

/** Models that report their attempts. */
const attempting = new WeakSet<ChatModel>()

/** Sends a request and then settles its reservation, unless an attempt has taken the reservation in the meantime. */
async function settling(
  budget: RunBudget,
  take: () => Reserved | undefined,
  outgoing: Outgoing,
  send: () => Promise<ModelReply>,
): Promise<ModelReply> {
  const settle = async (spentOf: (reserved: Reserved) => LedgerAmounts) => {
    const reserved = take()
    if (reserved) await budget.settle(reserved, spentOf(reserved))
  }
  try {
    const reply = await send()
    await settle((reserved) => spentOn(reply, outgoing, { budget, reserved }))
    return reply
  } catch (error) {
    await settle(({ reserved }) => (mayBeAnswered(error) ? reserved : {}))
    throw error
  }
}

/** @throws CapstanError `stopped` if a request does not fit, `invalid_request` if a cost limit needs a missing price */
async function reserveRequest(budget: RunBudget, outgoing: Outgoing): Promise<Reserved> {
  const { limits } = budget.options
  const isMetered = limits.tokens !== undefined || limits.cost !== undefined
  const answer = await (isMetered ? reserveTokens(budget, outgoing) : budget.reserve({ requests: 1 }))
  if (answer.granted) return answer as Reserved
  throw usedUp(budget, answer, 'request')
}

/** The minimum tokens to request for a reply. Shorter replies are useless, and some servers reject lower limits. */
const leastOutput = 16

function reserveTokens(budget: RunBudget, { request, model }: Outgoing): Promise<Reserved | LedgerRefusal> {
  const { maxOutputTokens = 4096, limits } = budget.options
  const { settings = {} } = request
  // If the model has fallbacks, any of them may reply.
  const names = [model.name, ...(model.others ?? [])]
  const dearest = (...ways: readonly Partial<TokenUsage>[]) => {
    const costs = names.flatMap((name) =>
      ways.map((way) => {
        const cost = budget.costOf(way, name)
        if (cost === undefined && limits.cost !== undefined) throw noPrice(name)
        return cost ?? 0
      }),
    )
    return Math.max(...costs)
  }
  const input = mostInputTokens(request, model)
  const ofInput = dearest({ inputTokens: input }, { inputTokens: input, cacheWriteTokens: input })
  const ofOutput = dearest({ outputTokens: 1 }, { outputTokens: 1, reasoningTokens: 1 })
  const asked = outputFields.flatMap((field) => (isCount(settings[field]) ? Number(settings[field]) : []))
  const most = Math.min(maxOutputTokens, ...asked)
  // If several choices are requested, each may have the maximum length.
  const choices = isCount(settings.n) ? Number(settings.n) : 1
  const each = { tokens: choices, cost: ofOutput * choices }
  const amounts = { requests: 1, tokens: input, cost: ofInput }
  return budget.reserve(amounts, { further: { each, least: Math.min(leastOutput, most), most } })
}

/** The request fields that limit the length of a reply. */
const outputFields = ['max_tokens', 'max_completion_tokens', 'max_output_tokens']

/** Returns the request with its reply limited to the tokens that were reserved for it. */
function withMost(request: ModelRequest, { further }: LedgerGrant): ModelRequest {
  const { settings = {} } = request
  if (further === 0) return request
  const given = outputFields.filter((field) => settings[field] !== undefined)
  const fields = given.length > 0 ? given : outputFields.slice(0, 1)
  const own = Object.fromEntries(fields.map((field) => [field, further]))
  return { ...request, settings: { ...settings, ...own } }
}

/** Returns what a request and its reply used, as reported by the server, or else as estimated. */
function spentOn(
  reply: ModelReply,
  { request, model }: Outgoing,
  { budget, reserved }: { readonly budget: RunBudget; readonly reserved: Reserved },
): LedgerAmounts {
  const counted = reply.tokens ?? estimateTokens(request.messages, reply.message, request.tools)
  const { cachedInputTokens = 0, cacheWriteTokens = 0, reasoningTokens = 0 } = counted
  // Some servers omit cached or reasoning tokens from their totals.
  const inputTokens = Math.max(counted.inputTokens, cachedInputTokens + cacheWriteTokens)
  const outputTokens = Math.max(counted.outputTokens, reasoningTokens)
  const tokens = Math.max(counted.totalTokens, inputTokens + outputTokens)
  const cost = budget.costOf({ ...counted, inputTokens, outputTokens }, reply.model ?? model.name)
  return { requests: 1, tokens, cost: cost ?? reserved.reserved.cost ?? 0 }
}

/** Whether a server may have processed a failed request and may charge for it. */
function mayBeAnswered(error: unknown): boolean {
  let last = error
  for (let depth = 0; depth < 10; depth++) {
    if (neverSent.includes(Object(last).code)) return false
    last = Object(last).cause
  }
  return !(isCapstanError(error) && refusals.includes(error.code))
}

const neverSent: readonly unknown[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']

/** Codes of requests that a server rejected, or that were not sent. */
const refusals: readonly ErrorCode[] = [
  ...(['auth', 'rate_limit', 'quota', 'invalid_request', 'context_length_exceeded'] as const),
  ...(['not_found', 'unsupported', 'invalid_tool', 'unknown_tool', 'stopped'] as const),
]

// Calls.

/** The amounts that one tool call has reserved and spent. */
interface CallBudget {
  /** The amounts reserved before the function starts, and later by `ctx.spend`. */
  reserved: LedgerAmounts
  /** The part of `reserved` that was reserved by `ctx.spend`. */
  late: LedgerAmounts
  /** The amounts that were reported to `ctx.spend`. */
  spent: LedgerAmounts
  readonly waiting: Promise<void>[]
}

/** Runs a call within the budget. The amounts that its tool declares are reserved before the function starts. */
async function callWithin(
  budget: RunBudget,
  call: RunningCall,
  next: () => Promise<ToolOutcome>,
): Promise<ToolOutcome> {
  const { spends } = call.tool.settings
  const declared = spends ? amountsOf(budget, spends(call.arguments)) : {}
  const own: CallBudget = { reserved: declared, late: {}, spent: {}, waiting: [] }
  budget.calls.set(call, own)
  const { callId } = call
  const answer = budget.limits(declared) ? await budget.reserve(declared, { callId }) : undefined
  if (answer && !answer.granted) {
    const { message } = usedUp(budget, answer, 'call')
    return { ...errorResult('not_run', message), limit: 'ledger' }
  }
  let outcome: ToolOutcome | undefined
  try {
    outcome = await next()
    const refused = (await Promise.allSettled(own.waiting)).find(({ status }) => status === 'rejected')
    if (refused?.status === 'rejected' && outcome.status === 'ok')
      outcome = errorResult('error', messageOf(refused.reason))
    return refused ? { ...outcome, limit: 'ledger' } : outcome
  } finally {
    if (answer) await budget.settle(answer as Reserved, spentBy(own, declared, outcome))
  }
}

/** Returns the amounts to settle for a call: the reported spending or, if there is none, what the tool declares. */
function spentBy(
  { spent, late }: CallBudget,
  declared: LedgerAmounts,
  outcome: ToolOutcome | undefined,
): LedgerAmounts {
  const isSilent = Object.keys(spent).length === 0
  const hasRun = outcome?.status === 'ok' || outcome?.status === 'cut_off'
  return isSilent && hasRun && !outcome.background ? declared : addAmounts(spent, late, -1)
}

/**
 * Counts the spending that a call reports. Reserves what exceeds the earlier reservation.
 * @throws CapstanError `stopped` if the spending does not fit: immediately if that is already known, otherwise as a
 * rejection
 */
function spendWithin(budget: RunBudget, spending: Spending, call: RunningCall): void | Promise<void> {
  const amounts = amountsOf(budget, spending)
  const own = budget.calls.get(call)
  if (!own || !budget.limits(amounts)) return undefined
  const spent = addAmounts(own.spent, amounts)
  const more = excess(spent, own.reserved)
  const limit = budget.limits(more) && firstExceeded(more, more, budget.left)
  if (limit) throw usedUp(budget, { granted: false, limit, left: budget.left }, 'call')
  own.spent = spent
  if (!budget.limits(more)) return undefined
  own.reserved = addAmounts(own.reserved, more)
  own.late = addAmounts(own.late, more)
  const reserve = async () => {
    const answer = await budget.reserve(more, { callId: call.callId })
    if (!answer.granted) throw usedUp(budget, answer, 'call')
    await budget.settle(answer as Reserved, more)
  }
  const waiting = reserve()
  own.waiting.push(waiting)
  waiting.catch(ignore)
  return waiting
}

/** Converts spending to ledger units. @throws CapstanError `invalid_request` if a cost limit needs a missing price */
function amountsOf(budget: RunBudget, spending: Spending): LedgerAmounts {
  const { images = 0, audioSeconds = 0, characters = 0, model } = spending
  if (images === 0 && audioSeconds === 0 && characters === 0) return {}
  const cost = budget.costOf(spending, model)
  if (cost === undefined && budget.options.limits.cost !== undefined) throw noPrice(model)
  const amounts = { images, audioSeconds, characters, cost: cost ?? 0 }
  checkAmounts(amounts)
  return amounts
}
