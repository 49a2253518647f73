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
