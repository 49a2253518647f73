// A model's values are matched against the regular expressions in JSON Schemas. With backtracking, the time can grow
// exponentially with the value's length, because each part that can match in two ways doubles the number of ways to
// try. To detect such expressions, each is converted to an automaton, whose states are the positions in the expression
// that match one character.

/**
 * Whether matching a value against a regular expression may take almost forever. `pattern` must be valid with the flag
 * `u`.
 */
export function runsAway(pattern: string): boolean {
  // Without a repeated group, and with few repetitions, no value can be matched in many ways.
  if (!/\)[*+{]|\\[1-9k]/.test(pattern) && pattern.split(/[*+]|,(?:\d\d+)?\}/).length <= maxChain)
    return false
  const automaton = new Automaton(pattern)
  return (
    automaton.isTooLarge ||
    automaton.hasManyWays ||
    isAmbiguous(automaton) ||
    longestChain(automaton) >= maxChain
  )
}

/**
 * The number of unbounded repetitions in a row, all matching the same character, that is too many. For n repetitions,
 * the matching time grows with the nth power of the number of such characters in a row.
 */
const maxChain = 4
const maxTokens = 3000
const maxStates = 1500
const maxWork = 4_000_000
/** A repetition is expanded up to this count. A higher count is treated as unlimited. */
const fewRounds = 3
/** A repetition with at least this many rounds counts as endless. */
const manyRounds = 10
/** A repetition with a fixed count that contains no other repetition is expanded up to this count. */
const maxCopies = 8

interface State {
  /** The sample characters that the state matches. */
  readonly matches: ReadonlySet<string>
  /** A number that identifies this set of characters. */
  readonly kind: number
  /** The number of ways to reach each next state, at most 2. */
  readonly next: Map<number, number>
  /** Whether the state can repeat without a bound. */
  isEndless: boolean
}

/**
 * A part of an expression. `first` and `last` contain the states that can match its first and last character, with the
 * number of ways to each. `empty` is the number of ways to match nothing.
 */
interface Part {
  readonly first: ReadonlyMap<number, number>
  readonly last: ReadonlyMap<number, number>
  readonly empty: number
  /** Whether the part contains a repetition with a variable count. */
  readonly repeats: boolean
}

const none: ReadonlyMap<number, number> = new Map()
const nothing: Part = { first: none, last: none, empty: 1, repeats: false }

class Automaton {
  readonly states: State[] = []
  /** Whether a bounded repetition can match in too many ways. */
  hasManyWays = false
  readonly #tokens: readonly string[]
  readonly #samples: readonly string[]
  readonly #classes = new Map<string, Pick<State, 'matches' | 'kind'>>()
  #at = 0

  constructor(pattern: string) {
    this.#tokens = pattern.match(token) ?? []
    this.#samples = [...new Set(commonSamples + pattern)]
    if (!this.isTooLarge) this.#alternatives()
  }

  get isTooLarge(): boolean {
    return this.#tokens.length > maxTokens || this.states.length >= maxStates
  }

  /** Returns, for each pair of kinds, whether some character matches both. */
  overlaps(): readonly (readonly boolean[])[] {
    const kinds = [...this.#classes.values()].map(({ matches }) => [...matches])
    return kinds.map((one) =>
      [...this.#classes.values()].map(({ matches }) => one.some((sample) => matches.has(sample))),
    )
  }

  #alternatives(): Part {
    let part = this.#sequence()
    while (this.#tokens[this.#at] === '|') {
      this.#at += 1
      const other = this.#sequence()
      const [first, last] = [merged(part.first, other.first), merged(part.last, other.last)]
      part = { first, last, empty: few(part.empty + other.empty), repeats: part.repeats || other.repeats }
    }
    return part
  }

  #sequence(): Part {
    let part = nothing
    for (
      let token = this.#tokens[this.#at];
      token !== undefined && !/^[|)]$/.test(token) && !this.isTooLarge;
      token = this.#tokens[this.#at]
    )
      part = this.#joined(part, this.#repetition())
    return part
  }

  #joined(one: Part, other: Part): Part {
    this.#connect(one.last, other.first)
    return {
      first: merged(one.first, times(other.first, one.empty)),
      last: merged(other.last, times(one.last, other.empty)),
      empty: few(one.empty * other.empty),
      repeats: one.repeats || other.repeats,
    }
  }

  #repetition(): Part {
    const from = this.#at
    const part = this.#atom()
    const quantifier = /^(?:([*+?])|\{(\d+)(,?)(\d*)\})\??$/.exec(this.#tokens[this.#at] ?? '')
    if (!quantifier) return part
    this.#at += 1
    const [, sign, low = sign === '+' ? '1' : '0', comma = ',', high = sign === '?' ? '1' : ''] = quantifier
    const least = Number(low)
    const most = comma === '' ? least : high === '' ? Infinity : Number(high)
    if (most === 0) return nothing
    // If a round can also match nothing, each round adds a choice.
    if (part.empty > 0 && part.first.size > 0 && least >= maxCopies) this.hasManyWays = true
    if (most <= fewRounds) return this.#copies(part, { least, most, from })
    if (least === most && !part.repeats) {
      const count = Math.min(most, maxCopies)
      return this.#copies(part, { least: count, most: count, from })
    }
    this.#connect(part.last, part.first)
    if (most >= manyRounds)
      for (const at of part.first.keys()) {
        const state = this.states[at]
        if (state?.next.has(at)) state.isEndless = true
      }
    return { ...part, empty: least === 0 ? 1 : part.empty, repeats: true }
  }

  /**
   * Expands a repetition by reading its tokens again for each copy. Each optional copy is nested in the previous one.
   */
  #copies(part: Part, { least, most, from }: { least: number; most: number; from: number }): Part {
    const after = this.#at
    const copies = [part]
    while (copies.length < most && !this.isTooLarge) {
      this.#at = from
      copies.push(this.#atom())
    }
    this.#at = after
    const isOptional = (copy: number) => copy >= least
    return copies.reduceRight((rest, copy, at) => {
      const all = this.#joined(copy, rest)
      return isOptional(at) ? { ...all, empty: 1 } : all
    }, nothing)
  }

  #atom(): Part {
    const token = this.#tokens[this.#at] ?? ''
    this.#at += 1
    if (/^\((?!\?<?[=!])/.test(token)) return this.#group()
    // The expression inside a lookaround is checked separately.
    if (token.startsWith('(')) return this.#group() && nothing
    if (/^(?:[\^$]|\\[bB])$/.test(token)) return nothing
    // A back reference can match any text, because its group can.
    const isReference = /^\\[1-9k]/.test(token)
    const at = this.#state(isReference ? '[^]' : token)
    const way = new Map([[at, 1]])
    if (isReference) this.#connect(way, way)
    return { first: way, last: way, empty: isReference ? 1 : 0, repeats: isReference }
  }

  #group(): Part {
    const part = this.#alternatives()
    this.#at += 1
    return part
  }

  #state(atom: string): number {
    let known = this.#classes.get(atom)
    if (!known) {
      const one = RegExp(`^(?:${atom})$`, 'u')
      const matches = new Set(this.#samples.filter((sample) => one.test(sample)))
      known = { matches, kind: this.#classes.size }
      this.#classes.set(atom, known)
    }
    return this.states.push({ ...known, next: new Map(), isEndless: false }) - 1
  }

  #connect(from: ReadonlyMap<number, number>, to: ReadonlyMap<number, number>): void {
    if (this.isTooLarge) return
    for (const [one, ways] of from) {
      const { next } = this.states[one] as State
      for (const [other, more] of to) next.set(other, few((next.get(other) ?? 0) + ways * more))
    }
  }
}

/** Matches the tokens of a regular expression that is valid with the flag `u`. */
const token =
  /\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[dD][89abAB]..\\u....|\\u....|\\x..|\\c.|\\k<[^>]*>|\\[1-9]\d*|\\.|\[(?:\\.|[^\]\\])*\]|\(\?(?:[:=!]|<[=!]|<[^>]*>)|[*+?]\??|\{\d+(?:,\d*)?\}\??|./gsu

const commonSamples = `${String.fromCharCode(...Array(128).keys())}\u00a0\u00e9\u00df\u017f\u0416\u2028\u4e2d\u{1f642}`

function few(count: number): number {
  return Math.min(count, 2)
}

function merged(
  one: ReadonlyMap<number, number>,
  other: ReadonlyMap<number, number>,
): ReadonlyMap<number, number> {
  const all = new Map(one)
  for (const [at, ways] of other) all.set(at, few((all.get(at) ?? 0) + ways))
  return all
}

function times(ways: ReadonlyMap<number, number>, factor: number): ReadonlyMap<number, number> {
  return factor === 0 ? none : new Map([...ways].map(([at, count]) => [at, few(count * factor)]))
}

/**
 * Whether two paths with the same text lead from a state back to itself, so that each repetition of that text doubles
 * the number of paths. Also true if the check takes too long.
 */
function isAmbiguous(automaton: Automaton): boolean {
  const { states } = automaton
  const overlaps = automaton.overlaps()
  const cycles = cyclesOf(states)
  const nexts = states.map(({ next }, at) => [...next.keys()].filter((to) => cycles[to] === cycles[at]))
  const isDouble = (to: number, at: number) => (states[at]?.next.get(to) ?? 0) > 1
  if (nexts.some((next, at) => next.some((to) => isDouble(to, at)))) return true
  const size = states.length
  const kinds = states.map(({ kind }) => kind)
  const pairs = states.map((_, at) => at * size + at)
  const seen = new Set(pairs)
  const before = new Map<number, number[]>()
  let work = 0
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    for (const to of nexts[Math.floor(pair / size)] ?? []) {
      const fitting = overlaps[kinds[to] ?? 0]
      for (const also of nexts[pair % size] ?? []) {
        if (++work > maxWork) return true
        if (!fitting?.[kinds[also] ?? 0]) continue
        const next = Math.min(to, also) * size + Math.max(to, also)
        const known = before.get(next)
        if (known) known.push(pair)
        else before.set(next, [pair])
        if (!seen.has(next)) pairs.push(next)
        seen.add(next)
      }
    }
  }
  return meetAgain(before, size)
}

/** Whether a pair of two different states can lead to a pair of equal states. */
function meetAgain(before: ReadonlyMap<number, readonly number[]>, size: number): boolean {
  const seen = new Set<number>()
  const open = [...before.keys()].filter((pair) => pair % (size + 1) === 0)
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    for (const from of before.get(pair) ?? []) {
      if (from % (size + 1) !== 0) return true
      if (!seen.has(from)) open.push(from)
      seen.add(from)
    }
  }
  return false
}

/** Returns a number for each state. States that can reach each other have the same number. */
function cyclesOf(states: readonly State[]): readonly number[] {
  const order = new Map<number, number>()
  const cycles: number[] = []
  const stack: number[] = []
  /** Returns the number of the earliest visited state that this state can reach. */
  const visit = (at: number): number => {
    const own = order.size
    order.set(at, own)
    stack.push(at)
    let lowest = own
    for (const to of states[at]?.next.keys() ?? [])
      if (cycles[to] === undefined) lowest = Math.min(lowest, order.get(to) ?? visit(to))
    if (lowest < own) return lowest
    for (let inner = stack.pop(); inner !== undefined; inner = stack.pop()) {
      cycles[inner] = at
      if (inner === at) break
    }
    return own
  }
  for (const at of states.keys()) if (!order.has(at)) visit(at)
  return cycles
}

function reachable(states: readonly State[], from: number, allows: (at: number) => boolean): Set<number> {
  const seen = new Set<number>()
  const open = [from]
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const to of states[at]?.next.keys() ?? [])
      if (!seen.has(to) && allows(to)) {
        seen.add(to)
        open.push(to)
      }
  return seen
}

/**
 * Returns the largest number of endless repetitions that a run of one character can pass through, one after the other.
 */
function longestChain({ states }: Automaton): number {
  const endless = states.flatMap(({ isEndless }, at) => (isEndless ? [at] : []))
  const samples = new Set(endless.flatMap((at) => [...(states[at]?.matches ?? [])]))
  let longest = 0
  for (const sample of samples) {
    const allows = (at: number) => states[at]?.matches.has(sample) === true
    const chain = endless.filter(allows)
    const lengths = new Map<number, number>()
    for (const at of chain.toReversed()) {
      const after = [...reachable(states, at, allows)].map((to) => (to === at ? 0 : (lengths.get(to) ?? 0)))
      lengths.set(at, 1 + Math.max(0, ...after))
      longest = Math.max(longest, lengths.get(at) ?? 0)
    }
  }
  return longest
}
