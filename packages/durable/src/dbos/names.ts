import { CapstanError } from '@capstan/core'

/** The workflow that works on a run of an agent, from its beginning or from a state. */
export const runWorkflow = (agent: string) => `capstan.run/${agent}`

/** The workflow that works on a run within one. */
export const childWorkflow = (agent: string) => `capstan.child/${agent}`

/** The workflow that carries out a decision, once the run waits for it. */
export const decisionWorkflow = (agent: string) => `capstan.decision/${agent}`

/** The workflow that ends a run. */
export const abortWorkflow = (agent: string) => `capstan.abort/${agent}`

/** Where the engine keeps what is queued: names of queues, and of versions, are those of a whole database. */
export const placeOf = (application: string, queue: string) => `${application}/${queue}`

/** How ids end that are those of parts of a run. */
const ofParts = /\/(round\d+|abort|decision\/.*|t\d+\/child\d+(r\d+)?)$/s

/** @throws CapstanError `invalid_request` for an id that cannot be a run's */
export function checkRunId(runId: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  const isPlain = runId.length > 0 && runId.length <= 500 && !/[\0-\x1f]/.test(runId)
  if (isPlain && !ofParts.test(runId)) return
  const message = `"${runId.slice(0, 100)}" cannot be the id of a run: give it 1 to 500 characters, no control characters, and no end that names a part of a run ("/round1", "/abort").`
  throw new CapstanError('invalid_request', message, { evidence: { runId: runId.slice(0, 100) } })
}

/** A run is worked on in rounds: one more each time that it goes on from waiting. */
export const roundId = (runId: string, round: number) => (round === 0 ? runId : `${runId}/round${round}`)

/** What was decided of a call; another try where the one before was refused. */
export const decisionId = (runId: string, callId: string, attempt: number) =>
  `${runId}/decision/${callId}${attempt === 0 ? '' : `/${attempt}`}`

export const abortId = (runId: string) => `${runId}/abort`

/** Decisions wait for runs, and must not wait behind them. */
export const decisionsQueue = (queue: string) => `${queue}-decisions`

/** Where runs go on, one at a time, that were there when workers died. */
export const suspectsQueue = (queue: string) => `${queue}-suspects`
