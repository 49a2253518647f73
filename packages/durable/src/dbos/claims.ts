import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Heartbeat } from './heartbeat.js'

/** An execution's claim on its workflow. Another worker may take over the workflow while this one is slow. */
export interface Claim {
  /**
   * Resolves while this execution owns the workflow and no other worker can take it. Start the work without another
   * await.
   * @throws DBOSWorkflowConflictError if another execution has claimed it; the signal's reason
   */
  check(signal: AbortSignal): Promise<void>
  release(): void
}

type Dbos = Pick<typeof import('@dbos-inc/dbos-sdk'), 'DBOSWorkflowConflictError'>

interface Held {
  readonly workflowID: string
  /** The engine's token for this execution. Each takeover writes a new one. */
  owner?: string
  /** Ends the execution. */
  lose(error: unknown): void
}

/** The workflows that this worker executes, compared with the database. */
export class Claims {
  readonly #dbos: Dbos
  readonly #pool: Pool
  readonly #heartbeat: Heartbeat
  readonly #held = new Set<Held>()

  constructor({ dbos, pool }: { readonly dbos: Dbos; readonly pool: Pool }, heartbeat: Heartbeat) {
    this.#dbos = dbos
    this.#pool = pool
    this.#heartbeat = heartbeat
  }

  /** Claims the workflow of the calling execution. `lose` is called when another worker takes it. */
  add(workflowID: string, lose: (error: unknown) => void): Claim {
    const held: Held = { workflowID, lose }
    this.#held.add(held)
    const reading = this.#read(held).catch(() => {})
    return {
      check: async (signal) => {
        await reading
        await this.#check(held, signal)
      },
      release: () => void this.#held.delete(held),
    }
  }

  /** Ends the executions whose workflows other workers took over. */
  async compare(): Promise<void> {
    const known = [...this.#held].filter(({ owner }) => owner !== undefined)
    if (known.length === 0) return
    const { rows } = await this.#pool.query<{ id: string; owner: string | null }>(
      'SELECT workflow_uuid AS id, owner_xid AS owner FROM dbos.workflow_status WHERE workflow_uuid = ANY($1)',
      [known.map(({ workflowID }) => workflowID)],
    )
    const owners = new Map(rows.map(({ id, owner }) => [id, owner]))
    for (const { workflowID, owner, lose } of known)
      if (owners.get(workflowID) !== owner) lose(this.#conflict(workflowID))
  }

  async #check(held: Held, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted()
      try {
        // A take-over and a heartbeat exclude each other: after this one, no other worker takes the workflow.
        if (this.#heartbeat.isLate()) await this.#heartbeat.beat()
        const { last } = this.#heartbeat
        await this.#read(held)
        // This process may have been stopped meanwhile.
        if (this.#heartbeat.isAlive(last)) return
      } catch (error) {
        if (error instanceof this.#dbos.DBOSWorkflowConflictError) {
          held.lose(error)
          throw error
        }
        // The database is away, and the engine waits for it as well.
        await sleep(100, undefined, { signal })
      }
    }
  }

  /** Reads the token the first time, and compares it after that. */
  async #read(held: Held): Promise<void> {
    const { rows } = await this.#pool.query<{ owner: string | null }>(
      'SELECT owner_xid AS owner FROM dbos.workflow_status WHERE workflow_uuid = $1 AND executor_id = $2',
      [held.workflowID, this.#heartbeat.executor],
    )
    const owner = rows[0]?.owner
    if (owner) held.owner ??= owner
    if (!owner || owner !== held.owner) throw this.#conflict(held.workflowID)
  }

  #conflict(workflowID: string): Error {
    return new this.#dbos.DBOSWorkflowConflictError(workflowID)
  }
}
