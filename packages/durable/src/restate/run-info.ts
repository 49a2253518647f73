import type { RunStatus } from '../durable-agent.js'
import type { RestateServer, Row } from './server.js'
import { decisionKey, type RunMetadata, type RunStart, reasonKey } from './stored.js'

/** What Restate knows of a run. */
export interface RunInfo {
  /** Of its work. */
  readonly id: string
  readonly phase: RunStatus['phase']
  readonly row: Row
  readonly metadata: Partial<RunMetadata>
  /** The work that was set aside: its own, or that of runs within it. */
  readonly paused: readonly string[]
  /** Why it was ended, where somebody said. */
  readonly reason?: string
  /** What Restate says that it failed with, lately or for good. */
  readonly failure?: string
}

/** Looks at a run; undefined where there is none. */
export async function getRunInfo(
  server: RestateServer,
  service: string,
  runId: string,
): Promise<RunInfo | undefined> {
  const of = `service_name = ${sqlString(service)} and service_key = ${sqlString(runId)}`
  const work = (await server.query(invocationsQuery(service, runId))).filter(({ key }) =>
    belongsTo(runId, String(key)),
  )
  const row = work.find(({ handler, key }) => handler === 'run' && key === runId)
  if (!row) return undefined
  // Asked for after that: of work that is over, all is kept.
  const [state, promises] = await Promise.all([
    server.query(`select key, value_utf8 from state where ${of}`),
    server.query(
      `select key, case when key = ${sqlString(reasonKey)} then completion_success_value_utf8 end as value from sys_promise where completed and ${of}`,
    ),
  ])
  const notes: Partial<RunMetadata> = Object.fromEntries(
    state.map(({ key, value_utf8 }) => [key, JSON.parse(String(value_utf8))]),
  )
  const isDecided = work.some(({ handler, status }) => handler === 'decide' && status !== 'completed')
  const waits = !isDecided && isUndecided(notes, new Set(promises.map(({ key }) => key)))
  const said = promises.find(({ key }) => key === reasonKey)?.value
  const stuck = work.flatMap(({ id, status }) => (status === 'paused' ? [String(id)] : []))
  const [first] = stuck
  const failure = first ? await lastFailure(server, first) : (row.completion_failure ?? row.last_failure)
  const id = String(row.id)
  const phase = await phaseOf(row, {
    metadata: notes,
    waits,
    first,
    isEnding: () => isBeingCancelled(server, first ?? id),
  })
  return {
    id,
    row,
    metadata: notes,
    phase,
    paused: stuck,
    ...(typeof said === 'string' ? { reason: JSON.parse(said) as string } : {}),
    ...(typeof failure === 'string' ? { failure } : {}),
  }
}

/** What is worked on of a run; of the runs within it, those that were set aside: it waits for them. */
function invocationsQuery(service: string, runId: string): string {
  return [
    'select i.id, i.target_service_key as key, i.target_handler_name as handler, i.status, i.retry_count,',
    'i.last_failure, i.completion_result, i.completion_failure, i.pinned_deployment_id as deployment,',
    's.deployment_id as latest, d.endpoint',
    'from sys_invocation i left join sys_service s on s.name = i.target_service_name',
    'left join sys_deployment d on d.id = coalesce(i.last_attempt_deployment_id, i.pinned_deployment_id)',
    `where i.target_service_name = ${sqlString(service)} and (i.target_service_key = ${sqlString(runId)}`,
    `or (i.status = 'paused' and starts_with(i.target_service_key, ${sqlString(`${runId}/t`)})))`,
  ].join(' ')
}

/** Whether a key is that of a run, or of one within it. */
function belongsTo(runId: string, key: string): boolean {
  return key === runId || /^(\/t\d+\/child\d+(r\d+)?)+$/.test(key.slice(runId.length))
}

interface PhaseFacts {
  readonly metadata: Partial<RunMetadata>
  readonly waits: boolean
  /** What was set aside. */
  readonly first: string | undefined
  isEnding(): Promise<boolean>
}

async function phaseOf(
  row: Row,
  { metadata: notes, waits, first, isEnding }: PhaseFacts,
): Promise<RunStatus['phase']> {
  if (row.status === 'completed') return notes.ended?.stopReason || wasCancelled(row) ? 'ended' : 'failed'
  if ((waits || first) && !(await isEnding())) return first ? 'set_aside' : 'pending'
  return notes.definition === undefined ? 'queued' : 'running'
}

/** Ended before any worker had it: no word of ours is there. */
export function wasCancelled({ completion_failure: failure }: Row): boolean {
  return typeof failure === 'string' && /cancell?ed/i.test(failure)
}

/** Whether a run waits, and none of the decisions that it waits for was given. */
function isUndecided({ waiting, refused }: Partial<RunMetadata>, given: ReadonlySet<unknown>): boolean {
  return waiting?.state.pending.every(({ callId }) => !given.has(decisionKey(callId, refused))) ?? false
}

async function isBeingCancelled(server: RestateServer, id: string): Promise<boolean> {
  const type = sqlString('Notification: Signal')
  const sql = `select index from sys_journal where id = ${sqlString(id)} and entry_type = ${type}`
  return (await server.query(sql)).length > 0
}

/** What a run was begun with, as long as its journal is kept. */
export async function getRunStart(server: RestateServer, id: string): Promise<RunStart | undefined> {
  const [row] = await server.query(
    `select entry_json from sys_journal where id = ${sqlString(id)} and index = 0`,
  )
  if (!row) return undefined
  const { Command } = JSON.parse(String(row.entry_json)) as { Command: { Input: { payload: number[] } } }
  return JSON.parse(Buffer.from(Command.Input.payload).toString()) as RunStart
}

/** Of work that was set aside its journal knows. */
async function lastFailure(server: RestateServer, id: string): Promise<string | undefined> {
  const sql = `select event_json from sys_journal_events where event_type = 'Paused' and id = ${sqlString(id)} order by appended_at desc limit 1`
  const [row] = await server.query(sql)
  const event = row && (JSON.parse(String(row.event_json)) as { last_failure?: { error_message?: string } })
  return event?.last_failure?.error_message
}

function sqlString(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Where a run stands, as its callers are told. */
export function toRunStatus(runId: string, sight: RunInfo): RunStatus {
  const { row, metadata: notes, phase, reason } = sight
  const { waiting, ended } = notes
  const progress = waiting ? { steps: waiting.state.turn, usage: waiting.state.usage } : notes.progress
  const stopReason = wasCancelled(row) ? 'aborted' : ended?.stopReason
  const error = ended?.error ?? errorOf(sight)
  return {
    runId,
    phase,
    ...(stopReason ? { stopReason } : {}),
    ...(stopReason === 'aborted' && reason !== undefined ? { reason } : {}),
    ...progress,
    pending: phase === 'pending' ? (waiting?.state.pending ?? []) : [],
    ...(error ? { error: { code: error.code ?? 'api', message: error.message } } : {}),
    attempts: Number(row.retry_count ?? 0),
    ...(row.endpoint ? { worker: String(row.endpoint) } : {}),
    ...(row.deployment ? { version: String(row.deployment) } : {}),
  }
}

/** What keeps it from getting on, as Restate tells it. */
function errorOf({ row, failure }: RunInfo): { readonly code: string; readonly message: string } | undefined {
  if (failure === undefined || wasCancelled(row)) return undefined
  return { code: /This worker has other tools/.test(failure) ? 'conflict' : 'api', message: failure }
}
