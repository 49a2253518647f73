// Compares two runs step by step. It imports nothing at run time, so that web pages can bundle it.

/** The parts of a step that are compared. */
export interface ComparedStep {
  /** The key of the step's request, such as `step2/request` or `step3/final`. */
  readonly at: string
  readonly request: {
    readonly model?: string | undefined
    readonly instructions?: string | undefined
    /**
     * The messages that are new since the previous request. Contains all messages if the request does not continue the
     * previous one.
     */
    readonly messages: readonly unknown[]
    readonly tools: readonly unknown[]
    readonly toolChoice?: unknown
    readonly settings?: unknown
  }
  /** The reply. Absent if the recording contains none. */
  readonly reply?: {
    readonly text: string
    readonly calls: readonly { readonly name: string; readonly arguments: unknown }[]
    readonly failure?: { readonly code: string; readonly message: string } | undefined
  }
  /** The results of the step's calls, in the same order as the calls. */
  readonly results: readonly { readonly name: string; readonly status: string; readonly content: string }[]
  /** The ids of the artifacts that the step's calls created. */
  readonly artifacts: readonly string[]
  readonly ms?: number | undefined
  readonly tokens?: number | undefined
  readonly cost?: number | undefined
}

/** The parts of a step that are compared, in the order in which they occur. */
export const stepParts = [
  'model',
  'instructions',
  'tools',
  'settings',
  'messages',
  'text',
  'calls',
  'failure',
  'results',
  'artifacts',
] as const
export type StepPart = (typeof stepParts)[number]

/** A part that differs between two steps. `a` or `b` is undefined if that side has no such part. */
export interface PartDifference {
  readonly part: StepPart
  readonly a: unknown
  readonly b: unknown
}

/** Two matching steps, or one step that has no match in the other run. */
export interface StepPair {
  /** The step's index in its run. `a` or `b` is absent if that run has no matching step. */
  readonly a?: number
  readonly b?: number
  /** The parts that differ. Empty if the steps are equal or a step has no match. */
  readonly differences: readonly PartDifference[]
}

/** The total of an amount in each run. */
export interface AmountPair {
  readonly a: number
  readonly b: number
}

export interface StepComparison {
  readonly isSame: boolean
  readonly pairs: readonly StepPair[]
  /**
   * The first pair that differs, and the first part that differs in it. If a step has no match, `difference` is absent.
   */
  readonly first?: { readonly pair: number; readonly difference?: PartDifference }
  /** The totals over all steps. If no step contains an amount, its total is absent. */
  readonly totals: { readonly ms?: AmountPair; readonly tokens?: AmountPair; readonly cost?: AmountPair }
}

/**
 * Compares the steps of two runs. Steps are paired in order up to the first difference. After that, they are paired by
 * the longest common subsequence of the tools that they call. Durations, costs and call ids are ignored.
 */
export function compareSteps(a: readonly ComparedStep[], b: readonly ComparedStep[]): StepComparison {
  const pairs = alignSteps(a, b).map(({ a: left, b: right }): StepPair => {
    const [one, other] = [
      left === undefined ? undefined : a[left],
      right === undefined ? undefined : b[right],
    ]
    const differences = one && other ? differencesOf(one, other) : []
    return {
      ...(left === undefined ? {} : { a: left }),
      ...(right === undefined ? {} : { b: right }),
      differences,
    }
  })
  const pair = pairs.findIndex(isDifferent)
  const [difference] = pairs[pair]?.differences ?? []
  return {
    isSame: pair === -1,
    pairs,
    ...(pair === -1 ? {} : { first: { pair, ...(difference ? { difference } : {}) } }),
    totals: {
      ...totalOf('ms', a, b),
      ...totalOf('tokens', a, b),
      ...totalOf('cost', a, b),
    },
  }
}

function isDifferent({ a, b, differences }: StepPair): boolean {
  return a === undefined || b === undefined || differences.length > 0
}

/** Returns the parts that differ between two steps, in the order in which they occur. */
export function differencesOf(a: ComparedStep, b: ComparedStep): readonly PartDifference[] {
  const [one, other] = [partsOf(a), partsOf(b)]
  return stepParts.flatMap((part) =>
    isEqual(one[part], other[part]) ? [] : [{ part, a: one[part], b: other[part] }],
  )
}

function partsOf({ request, reply, results, artifacts }: ComparedStep): Readonly<Record<StepPart, unknown>> {
  const { model, instructions, messages, tools, toolChoice = 'auto', settings = {} } = request
  return {
    model,
    instructions,
    tools,
    settings: { settings, toolChoice },
    messages: messages.map(withoutCallIds),
    text: reply?.text,
    calls: reply?.calls,
    failure: reply?.failure,
    results,
    artifacts,
  }
}

/** Returns a message without call ids, because they are different in each run. */
function withoutCallIds(message: unknown): unknown {
  if (typeof message !== 'object' || message === null) return message
  const { tool_call_id: _, tool_calls: calls, ...rest } = message as Readonly<Record<string, unknown>>
  if (!Array.isArray(calls)) return rest
  return { ...rest, tool_calls: calls.map(({ id: _, ...call }) => call) }
}

function totalOf(
  name: 'ms' | 'tokens' | 'cost',
  a: readonly ComparedStep[],
  b: readonly ComparedStep[],
): { readonly [Name in typeof name]?: AmountPair } {
  if (![...a, ...b].some((step) => step[name] !== undefined)) return {}
  const sum = (steps: readonly ComparedStep[]) => steps.reduce((all, step) => all + (step[name] ?? 0), 0)
  return { [name]: { a: sum(a), b: sum(b) } }
}

/** Whether two values are equal as JSON. The order of fields does not matter. */
function isEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) !== Array.isArray(other)) return false
  const [left, right] = [fieldsOf(one), fieldsOf(other)]
  return (
    left.size === right.size &&
    [...left].every(([name, value]) => right.has(name) && isEqual(value, right.get(name)))
  )
}

/** Returns an object's fields, except those whose value is undefined. */
function fieldsOf(value: object): Map<string, unknown> {
  return new Map(Object.entries(value).filter(([, inner]) => inner !== undefined))
}

/** The indexes of two matching entries in two arrays. If an entry has no match, the other index is absent. */
export interface AlignedPair {
  readonly a?: number
  readonly b?: number
}

/** Pairs the steps of two runs. If you swap the runs, the result is the same with `a` and `b` swapped. */
export function alignSteps(a: readonly ComparedStep[], b: readonly ComparedStep[]): readonly AlignedPair[] {
  const most = Math.min(a.length, b.length)
  let same = 0
  while (same < most && differencesOf(a[same] as ComparedStep, b[same] as ComparedStep).length === 0)
    same += 1
  // The first two steps that differ form a pair, because the runs diverge there.
  if (same < most) same += 1
  const start = Array.from({ length: same }, (_, at): AlignedPair => ({ a: at, b: at }))
  const [left, right] = [a.slice(same).map(nameOf), b.slice(same).map(nameOf)]
  const isSwapped = JSON.stringify(left) > JSON.stringify(right)
  const rest = isSwapped ? align(right, left) : align(left, right)
  return [...start, ...rest.map((pair) => shifted(isSwapped ? swapped(pair) : pair, same))]
}

/** Returns the names of the tools that a step calls, joined for comparison. */
function nameOf({ reply }: ComparedStep): string {
  return JSON.stringify((reply?.calls ?? []).map(({ name }) => name))
}

function swapped({ a, b }: AlignedPair): AlignedPair {
  return { ...(b === undefined ? {} : { a: b }), ...(a === undefined ? {} : { b: a }) }
}

/** Returns a pair whose indexes are increased by `by`. */
export function shifted({ a, b }: AlignedPair, by: number): AlignedPair {
  return { ...(a === undefined ? {} : { a: a + by }), ...(b === undefined ? {} : { b: b + by }) }
}

/**
 * Maximum number of combinations to compare, to limit how long the comparison takes. If there are more, entries are not
 * matched.
 */
const maxPairs = 4_000_000

/**
 * Pairs the entries of two arrays by their longest common subsequence. Entries without a match are listed between the
 * pairs.
 */
export function align(a: readonly string[], b: readonly string[]): readonly AlignedPair[] {
  const isTooLong = a.length * b.length > maxPairs
  const lengths = isTooLong ? [] : commonLengths(a, b)
  const lengthAt = (left: number, right: number) => lengths[left]?.[right] ?? 0
  const pairs: AlignedPair[] = []
  let [left, right] = [0, 0]
  while (left < a.length || right < b.length) {
    if (!isTooLong && left < a.length && right < b.length && a[left] === b[right])
      pairs.push({ a: left++, b: right++ })
    else if (
      left < a.length &&
      (right === b.length || lengthAt(left + 1, right) >= lengthAt(left, right + 1))
    )
      pairs.push({ a: left++ })
    else pairs.push({ b: right++ })
  }
  return pairs
}

/**
 * Returns a table of lengths: for each pair of indexes, the length of the longest common subsequence from there to the
 * ends of `a` and `b`.
 */
function commonLengths(a: readonly string[], b: readonly string[]): readonly Uint32Array[] {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1))
  for (let left = a.length - 1; left >= 0; left--) {
    const [row, below] = [rows[left] as Uint32Array, rows[left + 1] as Uint32Array]
    for (let right = b.length - 1; right >= 0; right--)
      row[right] =
        a[left] === b[right] ? (below[right + 1] ?? 0) + 1 : Math.max(below[right] ?? 0, row[right + 1] ?? 0)
  }
  return rows
}
