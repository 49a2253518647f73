// The keys of host steps. These keys are stored: in idempotency keys (`RUN/step0/call1`), in ids of child runs
// (`RUN/step0/child1`), in the stores of durable hosts, and in recordings.

const kinds = [
  /** A request to the model. */
  'request',
  /** The request for a final answer. */
  'final',
  /** The function of a call. */
  'call',
  /** The wait for the decision on a call. */
  'decision',
  /** The function of a call after the decision on it. */
  'decided',
  /** The child run of a call. */
  'child',
  /** The function of a background call. */
  'background',
  /** The caller's messages. */
  'messages',
  /** Results of background calls. */
  'results',
  /** A middleware's own work, with a name: `work/index`. */
  'work',
  /** Not a host step. In recordings, events after a step's calls have this key. */
  'end',
] as const
export type StepKind = (typeof kinds)[number]

/** A part of a step: `request`, or `call1` for the second call. For a child run that was resumed twice: `child1.2`. */
export type StepPart = StepKind | `${StepKind}${number}` | `${StepKind}${number}.${number}` | `work/${string}`

/** Returns the key of a host step: `step0/call1`. */
export function stepKey(step: number, part: StepPart): string {
  return `step${step}/${part}`
}

/** Prefixes a key with the keys of the child runs that contain it: `step0/child1/step2/request`. */
export function keyWithin(run: string, key: string): string {
  return run === '' ? key : `${run}/${key}`
}

/** A step key, split into its parts. */
export interface StepKey {
  /** The keys of the child runs that contain the step: `step0/child1`. Empty in the outermost run. */
  readonly run: string
  readonly step: number
  readonly kind: StepKind
  /** The call's index; 0 if the key has none. */
  readonly index: number
  readonly round: number
  /** The end of an additional request's key: `1`, `again`, `1/again`, `ask-0f3a`. Empty in a host step's key. */
  readonly further: string
}

const keyPattern = /^(?:(.*)\/)?step(\d+)\/([a-z]+)(\d*)(?:\.(\d+))?(?:\/(.*))?$/s

/** Parses a step key. Undefined for other text, such as the positions `begin` and `end` in a recording. */
export function readStepKey(key: string): StepKey | undefined {
  const [, run = '', step, name, index, round = 0, further = ''] = keyPattern.exec(key) ?? []
  const kind = kinds.find((one) => one === name)
  return kind && { run, step: Number(step), kind, index: Number(index), round: Number(round), further }
}

const sideRequest = 'ask-'

/** Whether a key belongs to a step's model request or a retry of it. False for side requests. */
export function isRequestKey({ kind, further }: StepKey): boolean {
  return (kind === 'request' || kind === 'final') && !further.startsWith(sideRequest)
}

/** Whether a key belongs to a middleware's own request, such as a summary. */
export function isSideRequestKey({ further }: StepKey): boolean {
  return further.startsWith(sideRequest)
}

/** Returns the step number in the outermost run: 0 for `step0/child1/step2/request`. */
export function outermostStep(key: string): number {
  return Number(/^step(\d+)/.exec(key)?.[1] ?? 0)
}

const childRuns = /(?:\/step\d+\/child\d+(?:\.\d+)?)+$/

/** Returns the id of the run that started a child run, directly or through other child runs: `a` for `a/step0/child1.2`. */
export function outermostRun(id: string): string {
  return id.replace(childRuns, '')
}

/** Whether the first run is a child run of the second one, at any depth. */
export function isChildRunOf(id: string, runId: string): boolean {
  return id.startsWith(runId) && childRuns.exec(id.slice(runId.length))?.index === 0
}

/** Splits the idempotency key of a request into the id of the outermost run and the key within that run. */
export function splitIdempotencyKey(idempotencyKey: string): { readonly runId: string; readonly at: string } {
  const start = /\/step\d+\/(?:request|final|child\d+)/.exec(idempotencyKey)?.index
  if (start === undefined) return { runId: '', at: idempotencyKey }
  return { runId: idempotencyKey.slice(0, start), at: idempotencyKey.slice(start + 1) }
}

/** Compares keys by the order of events, independent of concurrency. Equal keys keep their order. */
export function compareStepKeys(one: string, other: string): number {
  const [ones, others] = [one.split('/'), other.split('/')]
  for (let at = 0; at < Math.min(ones.length, others.length); at++) {
    const [a, b] = [toRank(ones[at] ?? ''), toRank(others[at] ?? '')]
    const difference = a.place - b.place || a.number - b.number || a.round - b.round
    if (difference !== 0) return difference
  }
  // Inner keys come before the end of the outer key; a request that is sent again comes after that end.
  const longer = ones.length > others.length ? ones : others
  return (others.length - ones.length) * (/^(?:again|\d+)$/.test(longer.at(-1) ?? '') ? -1 : 1)
}

/** The parts of a key in the order of events. A part that is only a number is an additional request by a middleware. */
const order = [
  ...['begin', 'step', 'request', sideRequest, 'again', ''],
  ...['call', 'child', 'decision', 'decided', 'final', 'end', 'background', 'work'],
]

function toRank(part: string) {
  const [, name = part, number = 0, round = 0] = /^([a-z]*)(?:(\d+)(?:\.(\d+))?)?$/.exec(part) ?? []
  const place = order.indexOf(name.startsWith(sideRequest) ? sideRequest : name)
  return { place: place === -1 ? order.length : place, number: Number(number), round: Number(round) }
}
