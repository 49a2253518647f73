import { setOwn } from './json.js'

/** What a run has used so far. */
export interface Usage {
  /** Model requests answered. */
  readonly requests: number
  /** Requests whose answer named no token counts: the figures below know nothing of them, or hold an estimate where a limit needs one. */
  readonly unreported: number
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
  /** Tool calls answered, whatever their outcome. */
  readonly toolCalls: number
  /** The same by tool name. */
  readonly perTool: Readonly<Record<string, number>>
  /** Calls whose arguments were mended, where the agent asked for that. */
  readonly repairs: number
  readonly images: number
  /** Of audio listened to. */
  readonly audioSeconds: number
  /** Of text spoken. */
  readonly characters: number
  /** Artifacts stored by tools; counted where `limits.artifacts` or `limits.artifactBytes` is set. */
  readonly artifacts?: number
  /** Their bytes; counted likewise. */
  readonly artifactBytes?: number
  /** Time worked; counted where `limits.seconds` is set. */
  readonly seconds?: number
  /** By the agent's price table; `unknown` as soon as anything used has no price in it. Absent without a table. */
  readonly cost?: number | 'unknown'
}

/** The token counts of one answer. */
export interface TokenUsage {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly totalTokens: number
}

/** What a tool uses besides tokens. */
export interface Spending {
  readonly images?: number
  readonly audioSeconds?: number
  readonly characters?: number
  /** Counted by the run itself, where it bounds them. */
  readonly artifacts?: number
  /** Likewise. */
  readonly artifactBytes?: number
  /** Whose prices count. */
  readonly model?: string
}

export const noUsage: Usage = {
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
}

/** An answered request; `tokens` is absent when the server named none and nobody needed an estimate. */
interface AnsweredRequest {
  readonly tokens?: TokenUsage | undefined
  readonly reported: boolean
  readonly repairs?: number
}

/** The usage after one more answered request. */
export function withRequest(usage: Usage, { tokens, reported, repairs = 0 }: AnsweredRequest): Usage {
  return {
    ...usage,
    requests: usage.requests + 1,
    unreported: usage.unreported + (reported ? 0 : 1),
    inputTokens: usage.inputTokens + (tokens?.inputTokens ?? 0),
    outputTokens: usage.outputTokens + (tokens?.outputTokens ?? 0),
    totalTokens: usage.totalTokens + (tokens?.totalTokens ?? 0),
    repairs: usage.repairs + repairs,
  }
}

/** An answered call, as far as it is counted. */
interface CountedCall {
  readonly name: string
  readonly repaired?: boolean
  readonly spent?: readonly Spending[]
}

/** The usage after a turn's calls. */
export function withCalls(usage: Usage, calls: readonly CountedCall[]): Usage {
  const perTool = { ...usage.perTool }
  for (const { name } of calls)
    setOwn(perTool, name, 1 + (Object.hasOwn(perTool, name) ? (perTool[name] ?? 0) : 0))
  let repairs = 0
  for (const { repaired } of calls) if (repaired) repairs += 1
  const counted = {
    ...usage,
    toolCalls: usage.toolCalls + calls.length,
    perTool,
    repairs: usage.repairs + repairs,
  }
  let after: Usage = counted
  for (const { spent = [] } of calls) for (const one of spent) after = withSpending(after, one)
  return after
}

/** Two usages together: that of a run, and of an agent that answered one of its calls. */
export function withUsage(usage: Usage, more: Usage): Usage {
  const perTool = new Map(Object.entries(usage.perTool))
  for (const [name, calls] of Object.entries(more.perTool))
    perTool.set(name, (perTool.get(name) ?? 0) + calls)
  const cost = usage.cost === undefined ? {} : { cost: addCosts(usage.cost, more) }
  return {
    requests: usage.requests + more.requests,
    unreported: usage.unreported + more.unreported,
    inputTokens: usage.inputTokens + more.inputTokens,
    outputTokens: usage.outputTokens + more.outputTokens,
    totalTokens: usage.totalTokens + more.totalTokens,
    toolCalls: usage.toolCalls + more.toolCalls,
    perTool: Object.fromEntries(perTool),
    repairs: usage.repairs + more.repairs,
    images: usage.images + more.images,
    audioSeconds: usage.audioSeconds + more.audioSeconds,
    characters: usage.characters + more.characters,
    ...sumOf('artifacts', usage, more),
    ...sumOf('artifactBytes', usage, more),
    ...(usage.seconds === undefined ? {} : { seconds: usage.seconds }),
    ...cost,
  }
}

/** Costs that were not counted are not known, unless there was nothing to count. */
function addCosts(cost: number | 'unknown', { cost: more, requests }: Usage): number | 'unknown' {
  const known = more ?? (requests === 0 ? 0 : 'unknown')
  return cost === 'unknown' || known === 'unknown' ? 'unknown' : cost + known
}

/** The usage after something more was spent. */
export function withSpending(usage: Usage, spending: Spending): Usage {
  const { images = 0, audioSeconds = 0, characters = 0 } = spending
  return {
    ...usage,
    images: usage.images + images,
    audioSeconds: usage.audioSeconds + audioSeconds,
    characters: usage.characters + characters,
    ...sumOf('artifacts', usage, spending),
    ...sumOf('artifactBytes', usage, spending),
  }
}

type Stored = 'artifacts' | 'artifactBytes'

/** What was never counted is not there. */
function sumOf(name: Stored, one: Pick<Usage, Stored>, other: Pick<Usage, Stored>): Pick<Usage, Stored> {
  if (one[name] === undefined && other[name] === undefined) return {}
  return { [name]: (one[name] ?? 0) + (other[name] ?? 0) }
}

/** Prices by model name, each for one unit, in whatever currency the user counts in. */
export type PriceTable = Readonly<Record<string, Price>>

/** What one unit costs; a unit without a price makes the cost of what uses it unknown. */
export interface Price {
  readonly inputTokens?: number
  readonly outputTokens?: number
  readonly images?: number
  readonly audioSeconds?: number
  readonly characters?: number
}

/** What something costs by a table, or `unknown`. */
export function costOf(
  units: Partial<TokenUsage> | Spending,
  model: string | undefined,
  table: PriceTable,
): number | 'unknown' {
  const price = model !== undefined && Object.hasOwn(table, model) ? table[model] : undefined
  let sum = 0
  for (const unit of priced) {
    const amount = (units as Partial<Record<keyof Price, number>>)[unit] ?? 0
    if (amount === 0) continue
    const each = price?.[unit]
    if (each === undefined) return 'unknown'
    sum += amount * each
  }
  return sum
}

const priced = ['inputTokens', 'outputTokens', 'images', 'audioSeconds', 'characters'] as const

/** Costs together: unknown as soon as one of them is. */
export function addCost(before: Usage['cost'], more: number | 'unknown'): number | 'unknown' {
  return before === 'unknown' || more === 'unknown' ? 'unknown' : (before ?? 0) + more
}

/** A request that was answered, as far as it is counted. */
export interface CountedRequest extends AnsweredRequest {
  /** The model that was asked. */
  readonly model: string
}

/** The usage after more answered requests; as it was where there are none. */
export function withRequests(
  usage: Usage,
  requests: readonly CountedRequest[],
  prices: PriceTable | undefined,
): Usage {
  return requests.reduce((before, request) => {
    const after = withRequest(before, request)
    return prices ? { ...after, cost: addCost(before.cost, costOfRequest(request, prices)) } : after
  }, usage)
}

/** What one costs, or `unknown`. */
export function costOfRequest({ tokens, model }: CountedRequest, prices: PriceTable): number | 'unknown' {
  return tokens ? costOf(tokens, model, prices) : 'unknown'
}
