// Two runs side by side: which steps belong together, and what is different in them.

/** What is compared of a step. */
export interface ComparableStep {
  /** The number of the step in its run. */
  readonly step: number
  /** Absent where the request is not known. */
  readonly request?: ComparableRequest
  readonly text: string
  readonly calls: readonly ComparableCall[]
}

export interface ComparableRequest {
  readonly instructions: string
  readonly messages: readonly unknown[]
  readonly tools: unknown
  /** All other fields of the body. */
  readonly settings: Readonly<Record<string, unknown>>
}

export interface ComparableCall {
  readonly name: string
  readonly arguments: unknown
  readonly result: unknown
}

/** Parts of a step, in the order they come to pass. */
export type DifferentPart =
  | 'model'
  | 'instructions'
  | 'messages'
  | 'tools'
  | 'settings'
  | 'calls'
  | 'text'
  | 'results'

/** Two steps that belong together; or one that the other run did not take. */
export interface StepPair<Step> {
  readonly a?: Step
  readonly b?: Step
}

/**
 * Aligns the steps of two runs: in order while they call the same tools, then by the longest common subsequence of the
 * names of their calls.
 */
export function alignSteps<Step extends ComparableStep>(
  a: readonly Step[],
  b: readonly Step[],
): readonly StepPair<Step>[] {
  let same = 0
  while (same < a.length && same < b.length && nameKey(a[same]) === nameKey(b[same])) same += 1
  const first = a.slice(0, same).map((step, at) => pair(step, b[at]))
  return [...first, ...alignRest(a.slice(same), b.slice(same))]
}

function pair<Step>(a: Step | undefined, b: Step | undefined): StepPair<Step> {
  return { ...(a !== undefined && { a }), ...(b !== undefined && { b }) }
}

function nameKey(step: ComparableStep | undefined): string {
  return JSON.stringify(step?.calls.map(({ name }) => name))
}

function alignRest<Step extends ComparableStep>(
  a: readonly Step[],
  b: readonly Step[],
): readonly StepPair<Step>[] {
  const lengths = commonLengths(a.map(nameKey), b.map(nameKey))
  const pairs: StepPair<Step>[] = []
  let left: Step[] = []
  let right: Step[] = []
  // Steps between common ones stand side by side: one took the place of the other.
  const flush = () => {
    for (let at = 0; at < Math.max(left.length, right.length); at++) pairs.push(pair(left[at], right[at]))
    left = []
    right = []
  }
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    const one = a[i]
    const other = b[j]
    if (one && other && nameKey(one) === nameKey(other)) {
      flush()
      pairs.push(pair(one, other))
      i += 1
      j += 1
    } else if (other && (!one || (lengths[i]?.[j + 1] ?? 0) > (lengths[i + 1]?.[j] ?? 0))) {
      right.push(other)
      j += 1
    } else if (one) {
      left.push(one)
      i += 1
    }
  }
  flush()
  return pairs
}

/** `[i][j]`: the length of the longest common subsequence of both lists from there. */
function commonLengths(a: readonly string[], b: readonly string[]): number[][] {
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0
  for (let i = a.length - 1; i >= 0; i--) {
    const row = lengths[i] ?? []
    for (let j = b.length - 1; j >= 0; j--) {
      row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  }
  return lengths
}

/** The parts that are different in two steps. */
export function differentParts({ a, b }: StepPair<ComparableStep>): readonly DifferentPart[] {
  if (!a || !b) return []
  const parts: DifferentPart[] = []
  if (a.request && b.request) {
    const { model: modelA, ...settingsA } = a.request.settings
    const { model: modelB, ...settingsB } = b.request.settings
    if (!isSameJson(modelA, modelB)) parts.push('model')
    for (const part of ['instructions', 'messages', 'tools'] as const) {
      if (!isSameJson(a.request[part], b.request[part])) parts.push(part)
    }
    if (!isSameJson(settingsA, settingsB)) parts.push('settings')
  }
  const callsOf = (step: ComparableStep) => step.calls.map(({ name, arguments: args }) => ({ name, args }))
  const resultsOf = (step: ComparableStep) => step.calls.map(({ result }) => result)
  if (!isSameJson(callsOf(a), callsOf(b))) parts.push('calls')
  if (a.text !== b.text) parts.push('text')
  if (!isSameJson(resultsOf(a), resultsOf(b))) parts.push('results')
  return parts
}

/** The first pair that is not the same, by its place; undefined if all are. */
export function firstDifference(pairs: readonly StepPair<ComparableStep>[]): number | undefined {
  const at = pairs.findIndex((one) => !one.a || !one.b || differentParts(one).length > 0)
  return at === -1 ? undefined : at
}

/** Reads the body of a request of a chat or Messages server. Undefined if it is not JSON. */
export function readRequest(body: string): ComparableRequest | undefined {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const {
    messages = [],
    input,
    system,
    instructions,
    tools,
    ...settings
  } = value as Readonly<Record<string, unknown>>
  const list = Array.isArray(messages) && messages.length > 0 ? messages : Array.isArray(input) ? input : []
  const isInstruction = (one: unknown) => /^(system|developer)$/.test(String(Object(one).role))
  const given = [system, instructions, ...list.filter(isInstruction).map((one) => Object(one).content)]
  return {
    instructions: given
      .filter((one) => one !== undefined)
      .map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
      .join('\n\n'),
    messages: list.filter((one) => !isInstruction(one)),
    tools,
    settings,
  }
}

/** Whether two values are the same JSON. The order of names does not matter. Ids of calls are new in each run. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return canonical(one) === canonical(other)
}

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (key, inner: unknown) => {
      if (/^(tool_call_id|call_id|tool_use_id)$/.test(key)) return undefined
      if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner
      const isCall = 'function' in inner && 'id' in inner
      const entries = Object.entries(inner).filter(([name]) => !(isCall && name === 'id'))
      return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
    }) ?? 'undefined'
  )
}
