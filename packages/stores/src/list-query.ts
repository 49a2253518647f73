import { checkRunId, type RunEntry, type RunPage, type RunQuery, type RunStatus } from './run-store.js'
import { checkLimit, invalid } from './stored-json.js'

/** The fields of an entry that `list` filters and sorts by. */
export interface ListedFields {
  readonly runId: string
  readonly owner: string
  readonly status: RunStatus
  readonly callIds: readonly string[]
  readonly chat?: string
  readonly dueAt?: number
  readonly updatedAt: number
}

export function listedFields(runId: string, entry: RunEntry): ListedFields {
  const { owner, status, callIds, chat, dueAt, updatedAt } = entry
  return {
    runId,
    owner,
    status,
    callIds,
    ...(chat !== undefined && { chat }),
    ...(dueAt !== undefined && { dueAt }),
    updatedAt,
  }
}

/** A run's position in a list. Runs are sorted by the time of their last update, newest first, then by id. */
export interface Place {
  readonly updatedAt: number
  readonly runId: string
}

/**
 * Returns the runs for a page, in order. If there is a next page, also includes its first run.
 * @throws CapstanError `invalid_request` for an invalid `limit` or `after`
 */
export function selectRuns<Run extends ListedFields>(all: Iterable<Run>, query: RunQuery): readonly Run[] {
  checkLimit(query.limit)
  const after = placeAfter(query)
  const found: Run[] = []
  for (const run of all)
    if (fits(run, query) && (after === undefined || comparePlaces(run, after) > 0)) found.push(run)
  return found.sort(comparePlaces).slice(0, query.limit + 1)
}

export function fits(run: ListedFields, { owner, status, callId, chat, dueBefore }: RunQuery): boolean {
  return (
    (owner === undefined || run.owner === owner) &&
    (status === undefined || run.status === status) &&
    (callId === undefined || run.callIds.includes(callId)) &&
    (chat === undefined || run.chat === chat) &&
    (dueBefore === undefined || (run.dueAt !== undefined && run.dueAt < dueBefore))
  )
}

/** Creates a page from runs in order. If there is a run beyond `limit`, omits it and sets `after`. */
export function toPage(runs: RunPage['runs'], { limit }: RunQuery): RunPage {
  const last = runs[limit - 1]
  if (runs.length <= limit || !last) return { runs }
  return {
    runs: runs.slice(0, limit),
    after: toAfter({ updatedAt: last.entry.updatedAt, runId: last.runId }),
  }
}

/** Returns the `after` value for a query that continues after this position. */
export function toAfter({ updatedAt, runId }: Place): string {
  return `${updatedAt}.${runId}`
}

/**
 * Returns the position after which a query continues. Undefined for the first page.
 * @throws CapstanError `invalid_request` for an invalid `after`
 */
export function placeAfter({ after }: RunQuery): Place | undefined {
  if (after === undefined) return undefined
  const [, updatedAt, runId] = /^(\d{1,16})\.(.+)$/su.exec(String(after)) ?? []
  if (runId === undefined)
    throw invalid('after does not come from a page of a list. Pass the `after` of the previous page.')
  checkRunId(runId)
  return { updatedAt: Number(updatedAt), runId }
}

function comparePlaces(a: Place, b: Place): number {
  return b.updatedAt - a.updatedAt || (a.runId < b.runId ? -1 : a.runId > b.runId ? 1 : 0)
}
