/**
 * Where in a run a step of it is: its key, with those of the runs around it, such as `t0/child1/t0/model`. An
 * idempotency key is a run's id and that.
 */
export function placeOf(idempotencyKey: string): { readonly runId: string; readonly at: string } {
  const start = /\/t\d+\/(?:model|landing|child\d+)/.exec(idempotencyKey)
  if (!start) return { runId: '', at: idempotencyKey }
  return { runId: idempotencyKey.slice(0, start.index), at: idempotencyKey.slice(start.index + 1) }
}

/** Whether a place is of the run itself, and of none within it. */
export function isOutermost(at: string): boolean {
  return at.split('/').length <= 2
}

/** Whether a place is of a run that answers a call. */
export function isInside(at: string): boolean {
  return /(?:^|\/)child\d/.test(at)
}

/** The order in which things happen, whichever of those side by side was first. Places alike keep their order. */
export function comparePlaces(one: string, other: string): number {
  const [ones, others] = [one.split('/'), other.split('/')]
  for (let at = 0; at < Math.min(ones.length, others.length); at++) {
    const [a, b] = [rankOf(ones[at] ?? ''), rankOf(others[at] ?? '')]
    const difference = a.phase - b.phase || a.number - b.number || a.round - b.round
    if (difference !== 0) return difference
  }
  // What is inside something happens before that is over; what is asked again, after.
  const longer = ones.length > others.length ? ones : others
  return (others.length - ones.length) * (longer.at(-1) === 'again' ? -1 : 1)
}

/** In a turn: the model is asked, calls run, agents answer, decisions come, and it is over. */
const phases = [
  'begin',
  't',
  'model',
  'again',
  'aside-',
  'tool',
  'child',
  'pending',
  'decided',
  'landing',
  'end',
]

function rankOf(part: string) {
  const [, name = part, number = '0', round = '0'] = /^([a-z-]+?)(\d+)?(?:r(\d+))?$/.exec(part) ?? []
  const phase = phases.indexOf(name)
  return { phase: phase === -1 ? phases.length : phase, number: Number(number), round: Number(round) }
}
