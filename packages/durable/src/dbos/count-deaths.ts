import type { PoolClient } from 'pg'

/** A round of a run with the runs within it that a dead worker held. */
export interface Held {
  readonly top: string
  readonly ids: readonly string[]
  /** How many deaths it may cost. */
  readonly most: number
}

/**
 * How many workers in a row have died over a run while it came no further. Many runs share a worker: those that were
 * only beside the one that killed it come further from one death to the next.
 */
export async function countDeaths(connection: PoolClient, { top, ids, most }: Held): Promise<number> {
  const counted = await connection.query<{ steps: string }>(
    'SELECT count(*) AS steps FROM dbos.operation_outputs WHERE workflow_uuid = ANY($1)',
    [ids],
  )
  // What comes further begins and ends runs within it: any other sum is another place.
  const place = `${counted.rows[0]?.steps}/${ids.length}`
  const { rows } = await connection.query<{ times: number }>(
    `INSERT INTO capstan.rescues AS before (workflow_id, place, times) VALUES ($1, $2, 1)
     ON CONFLICT (workflow_id) DO UPDATE SET place = $2,
       times = CASE WHEN before.place = $2 THEN before.times + 1 ELSE 1 END,
       set_aside = before.place = $2 AND before.times >= $3
     RETURNING times`,
    [top, place, most],
  )
  return rows[0]?.times ?? 0
}
