import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Heartbeat } from './heartbeat.js'

/** An execution's claim on its workflow. If this worker is too slow, another worker can take over the workflow. */
export interface Claim {
  /**
   * Resolves when it is certain that this execution owns the workflow and that no other worker can take it over. Start
   * the work immediately after that, without another `await`.
   * @throws DBOSWorkflowConflictError if another execution has claimed the workflow; the signal's reason if the signal
   * aborts
   */
  check(signal: AbortSignal): Promise<void>
  release(): void
}

type Dbos = Pick<typeof import('@dbos-inc/dbos-sdk'), 'DBOSWorkflowConflictError'>

interface Held {
  readonly workflowID: string
  /** The engine's token for this execution. Each takeover writes a new one. */
  owner?: string
  /** Aborts the execution with this error. */
  lose(error: unknown): void
}

/** The workflows that this worker is executing. Their owners are compared with the owners in the database. */
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

  /** Registers the claim of the calling execution. `lose` is called if another worker has taken over the workflow. */
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

  /** Calls `lose` for each workflow that another worker has taken over. */
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
        // Takeovers and heartbeats exclude each other, so no worker can take over the workflow right after this
        // heartbeat.
        if (this.#heartbeat.isLate()) await this.#heartbeat.beat()
        const { last } = this.#heartbeat
        await this.#read(held)
        // This process may have been suspended since the query.
        if (this.#heartbeat.isAlive(last)) return
      } catch (error) {
        if (error instanceof this.#dbos.DBOSWorkflowConflictError) {
          held.lose(error)
          throw error
        }
        // The database is unreachable. The engine is also waiting for it.
        await sleep(100, undefined, { signal })
      }
    }
  }

  /**
   * Reads the workflow's token. The first call remembers the token, and later calls compare it.
   * @throws DBOSWorkflowConflictError if the token differs or the workflow has a different executor
   */
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
