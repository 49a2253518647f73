import { getOwn, setOwn } from './json.js'

/** The usage of a run so far. */
export interface Usage {
  /** Model requests that got a reply, or whose reply was cut off by an abort, a timeout or `limits.seconds`. */
  readonly requests: number
  /**
   * Requests for which the server reported no token counts. The token counts below omit these requests, or include an
   * estimate if the reply was cut off or a limit needs a count.
   */
  readonly unreported: number
  /** Including cached tokens. */
  readonly inputTokens: number
  /** Including reasoning tokens. */
  readonly outputTokens: number
  readonly totalTokens: number
  /** The part of `totalTokens` that is an estimate. Absent if nothing was estimated. */
  readonly estimatedTokens?: number
  /** The input tokens that servers read from a cache. Absent until a server reports them. */
  readonly cachedInputTokens?: number
  /** The input tokens that servers wrote to a cache. Absent until a server reports them. */
  readonly cacheWriteTokens?: number
  /** The output tokens used for reasoning. Absent until a server reports them. */
  readonly reasoningTokens?: number
  /**
   * The share of `inputTokens`, from 0 to 1, that is the same as in the previous request, so that a server can read it
   * from its cache. Absent until a server reports tokens.
   */
  readonly cacheable?: number
  /** Finished tool calls, including failed ones. */
  readonly toolCalls: number
  /** Finished tool calls by tool name. */
  readonly perTool: Readonly<Record<string, number>>
  /** Calls whose arguments were repaired. Always 0 without the `repair` agent option. */
  readonly repairs: number
  readonly images: number
  /** Seconds of audio that were transcribed. */
  readonly audioSeconds: number
  /** Characters of text that were turned into speech. */
  readonly characters: number
  /** Artifacts stored by tools. Counted if `limits.artifacts` or `limits.artifactBytes` is set. */
  readonly artifacts?: number
  /** Bytes of artifacts stored by tools. Counted if `limits.artifacts` or `limits.artifactBytes` is set. */
  readonly artifactBytes?: number
  /** Working time in seconds. Counted if `limits.seconds` is set. */
  readonly seconds?: number
  /**
   * Cost according to the agent's price table. `unknown` once something without a price has been used. Absent without a
   * table.
   */
  readonly cost?: number | 'unknown'
}

/** The token counts of one reply. */
export interface TokenUsage {
  /** Including cached tokens. */
  readonly inputTokens: number
  /** Including reasoning tokens. */
  readonly outputTokens: number
  readonly totalTokens: number
  /** The input tokens that the server read from its cache. Absent if the server does not report them. */
  readonly cachedInputTokens?: number
  /** The input tokens that the server wrote to its cache. Absent if the server does not report them. */
  readonly cacheWriteTokens?: number
  /** The output tokens used for reasoning. Absent if the server does not report them. */
  readonly reasoningTokens?: number
}

/** What a tool used, other than tokens. */
export interface Spending {
  readonly images?: number
  readonly audioSeconds?: number
  readonly characters?: number
  /** Counted by the run itself if the run limits artifacts or their size. */
  readonly artifacts?: number
  /** Counted by the run itself if the run limits artifacts or their size. */
  readonly artifactBytes?: number
  /** The model whose prices apply. */
  readonly model?: string
}

export const noUsage = {
  requests: 0,
  unreported: 0,
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  toolCalls: 0,
  perTool: {},
  repairs: 0,
  images: 0,
  audioSeconds: 0,
  characters: 0,
} satisfies Usage

export interface CountedRequest {
  /** The token counts, reported or estimated. Absent if the server reported none and no limit needed an estimate. */
  readonly tokens?: TokenUsage | undefined
  readonly reported: boolean
  readonly repairs?: number
  /** The share of the input, from 0 to 1, that is the same as in the previous request. */
  readonly cacheable?: number | undefined
  /** The name of the model that received the request. */
  readonly model: string
}

/** The usage of a run in progress, as an object that is changed in place. Copy it to keep it. */
export type UsageSum = { -readonly [Name in keyof Usage]: Usage[Name] }

export function copyOfUsage(usage: Usage): UsageSum {
  const copy: UsageSum = { ...usage }
  copy.perTool = { ...usage.perTool }
  return copy
}

/** Adds requests to a sum and, if there are prices, their costs. */
export function addRequests(
  sum: UsageSum,
  requests: readonly CountedRequest[],
  prices?: PriceTable | undefined,
): void {
  for (const { tokens, reported, repairs = 0, model, cacheable } of requests) {
    sum.requests += 1
    sum.repairs += repairs
    if (!reported) sum.unreported += 1
    if (tokens) {
      if (!reported) sum.estimatedTokens = (sum.estimatedTokens ?? 0) + tokens.totalTokens
      addCounts(sum, tokens)
      addShare(sum, tokens.inputTokens, cacheable)
    }
    if (prices) sum.cost = addCost(sum.cost, costOfRequest({ tokens, model }, prices))
  }
}

/** What a call spent. */
interface Spent {
  readonly spent?: readonly Spending[]
  /** The usage of the call's child run, if the tool is an agent. */
  readonly usage?: Usage
}

/** Adds the calls of one step, with what they spent. */
export function addCalls(
  sum: UsageSum,
  calls: readonly (Spent & { readonly name: string; readonly repaired?: boolean })[],
  prices?: PriceTable,
): void {
  const perTool: Record<string, number> = sum.perTool
  sum.toolCalls += calls.length
  for (const { name, repaired } of calls) {
    setOwn(perTool, name, (getOwn(perTool, name) ?? 0) + 1)
    if (repaired) sum.repairs += 1
  }
  addSpent(sum, calls, prices)
}

/** Adds what calls spent and, if there are prices, its cost. */
export function addSpent(sum: UsageSum, calls: readonly Spent[], prices: PriceTable | undefined): void {
  if (prices) sum.cost ??= 0
  for (const { spent, usage } of calls) {
    if (spent) addSpending(sum, spent, prices)
    if (usage) addUsage(sum, usage)
  }
}

/** Adds a child run's usage to its parent's. */
export function addUsage(sum: UsageSum, more: Usage): void {
  const perTool: Record<string, number> = sum.perTool
  for (const [name, calls] of Object.entries(more.perTool))
    setOwn(perTool, name, (getOwn(perTool, name) ?? 0) + calls)
  addCounts(sum, more)
  addShare(sum, more.inputTokens, more.cacheable)
  // If the child counted no cost, the cost is unknown, unless the child sent no requests.
  if (sum.cost !== undefined) sum.cost = addCost(sum.cost, more.cost ?? (more.requests === 0 ? 0 : 'unknown'))
}

/** Adds spending and, if there are prices, its cost. */
export function addSpending(sum: UsageSum, spent: readonly Spending[], prices?: PriceTable): void {
  for (const one of spent) {
    addCounts(sum, one)
    if (prices) sum.cost = addCost(sum.cost, costOf(one, one.model, prices))
  }
}

const { perTool: _, ...counts } = noUsage
const counted = [
  ...(Object.keys(counts) as readonly (keyof typeof counts)[]),
  ...(['cachedInputTokens', 'cacheWriteTokens', 'reasoningTokens'] as const),
  ...(['artifacts', 'artifactBytes', 'estimatedTokens'] as const),
]

/** Adds the given counts. A field that is absent on both sides stays absent. */
function addCounts(sum: UsageSum, more: { readonly [Name in (typeof counted)[number]]?: number }): void {
  for (const name of counted) {
    const count = more[name]
    if (count !== undefined) sum[name] = (sum[name] ?? 0) + count
  }
}

/** Updates `cacheable`, weighted by tokens. The tokens must already be in the sum. */
function addShare(sum: UsageSum, tokens: number, share: number | undefined): void {
  const known = sum.cacheable ?? share
  if (known !== undefined && tokens > 0)
    sum.cacheable = known + (((share ?? 0) - known) * tokens) / sum.inputTokens
}

/** Prices per unit (one token, one image, one second), by model name, in any currency. */
export type PriceTable = Readonly<Record<string, Price>>

/** A model's prices per unit. Using a unit without a price makes the cost unknown. */
export interface Price {
  readonly inputTokens?: number
  readonly outputTokens?: number
  /** Default: the price of `inputTokens`. */
  readonly cachedInputTokens?: number
  /** Default: the price of `inputTokens`. */
  readonly cacheWriteTokens?: number
  /** Default: the price of `outputTokens`. */
  readonly reasoningTokens?: number
  readonly images?: number
  readonly audioSeconds?: number
  readonly characters?: number
}

/** Returns the cost of some units, or `unknown` if a used unit has no price. */
export function costOf(
  units: Partial<TokenUsage> | Spending,
  model: string | undefined,
  table: PriceTable,
): number | 'unknown' {
  const price = model === undefined ? undefined : getOwn(table, model)
  const amounts: { -readonly [Unit in keyof Price]: number } = { ...(units as Partial<TokenUsage>) }
  let sum = 0
  for (const [unit, whole] of Object.entries(priced) as [keyof Price, keyof Price][]) {
    const amount = amounts[unit] ?? 0
    if (!(amount > 0)) continue
    const each = price?.[unit] ?? price?.[whole]
    if (each === undefined) return 'unknown'
    sum += amount * each
    // Only the rest of a total is charged at the price of the total.
    if (unit !== whole) amounts[whole] = (amounts[whole] ?? 0) - amount
  }
  return addCost(sum, 0)
}

/** All units of a price, each with the unit whose price applies by default. Parts come before their total. */
export const priced: Readonly<Record<keyof Price, keyof Price>> = {
  cachedInputTokens: 'inputTokens',
  cacheWriteTokens: 'inputTokens',
  reasoningTokens: 'outputTokens',
  inputTokens: 'inputTokens',
  outputTokens: 'outputTokens',
  images: 'images',
  audioSeconds: 'audioSeconds',
  characters: 'characters',
}

/** Adds two costs. The sum is `unknown` if either is. Rounds to 12 digits, which removes floating-point noise. */
export function addCost(before: Usage['cost'] = 0, more: number | 'unknown'): number | 'unknown' {
  return before === 'unknown' || more === 'unknown' ? 'unknown' : Number((before + more).toPrecision(12))
}

/** Returns the cost of a request. `unknown` if its tokens or a price are not known. */
export function costOfRequest(
  { tokens, model }: Pick<CountedRequest, 'tokens' | 'model'>,
  prices: PriceTable,
): number | 'unknown' {
  return tokens ? costOf(tokens, model, prices) : 'unknown'
}
