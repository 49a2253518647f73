/** A conversation that is measured, as the server and the program both know it. */
export interface Scenario {
  readonly name: string
  /** Answers that make calls, before the one in words. */
  readonly steps: number
  readonly calls: number
  readonly tools: number
  readonly stream: boolean
  /** Pieces of the words of the last answer. */
  readonly deltas: number
  /** Pieces of the arguments of one call. */
  readonly fragments: number
  /** Whether each piece of a stream is written by itself; else 16 KiB at once. */
  readonly each: boolean
  /** Milliseconds a tool waits. */
  readonly waitMs: number
  /** Conversations of one repetition, and how many at once. */
  readonly runs: number
  readonly atOnce: number
  /** What is slow is repeated less: the part of the rounds that it takes part in. */
  readonly share: number
}

const plain = {
  steps: 0,
  calls: 1,
  tools: 1,
  stream: false,
  deltas: 1,
  fragments: 1,
  each: false,
  waitMs: 0,
  runs: 10,
  atOnce: 1,
  share: 1,
}

export const scenarios: readonly Scenario[] = [
  { ...plain, name: 'loop-20x1', steps: 20 },
  { ...plain, name: 'loop-20x8', steps: 20, calls: 8, runs: 5 },
  { ...plain, name: 'loop-20x1-20tools', steps: 20, tools: 20 },
  { ...plain, name: 'loop-20x1-stream', steps: 20, stream: true, fragments: 12, deltas: 12 },
  { ...plain, name: 'text-2000', stream: true, deltas: 2000, runs: 20 },
  { ...plain, name: 'text-5000', stream: true, deltas: 5000, runs: 8 },
  { ...plain, name: 'text-20000', stream: true, deltas: 20_000, runs: 2 },
  { ...plain, name: 'text-5000-each', stream: true, deltas: 5000, each: true, runs: 4 },
  { ...plain, name: 'args-2000', steps: 1, stream: true, fragments: 2000, runs: 16 },
  { ...plain, name: 'args-8000', steps: 1, stream: true, fragments: 8000, runs: 4 },
  { ...plain, name: 'args-20000', steps: 1, stream: true, fragments: 20_000, runs: 2 },
  { ...plain, name: 'concurrent-1000x3', steps: 3, waitMs: 20, runs: 1000, atOnce: 1000, share: 1 / 3 },
  { ...plain, name: 'long-400', steps: 400, runs: 1, share: 1 / 2 },
  { ...plain, name: 'cold', tools: 10, runs: 1 },
]

export function scenarioOf(name: string): Scenario {
  const found = scenarios.find((one) => one.name === name)
  if (!found)
    throw new Error(`No scenario "${name}". There are: ${scenarios.map((one) => one.name).join(', ')}`)
  return found
}
