import { isChildRunOf } from '@capstan/core/internal'
import type { RunStatus } from '../durable-agent.js'
import type { RestateServer, Row } from './server.js'
import { decisionKey, type RunMetadata, type RunStart, reasonKey, toolsHaveChanged } from './stored.js'

/** What Restate's tables contain about a run. */
export interface RunInfo {
  /** The id of the invocation that executes the run. */
  readonly id: string
  readonly phase: RunStatus['phase']
  readonly row: Row
  readonly metadata: Partial<RunMetadata>
  /** The ids of paused invocations, which execute the run itself or its child runs. */
  readonly paused: readonly string[]
  /** The reason passed to `abort`. */
  readonly reason?: string
  /** The invocation's most recent or final error, as reported by Restate. */
  readonly failure?: string
}

/** Reads what Restate's tables contain about a run. Undefined for an unknown run. */
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
  // Query these after the invocations: by then, everything about a completed invocation is stored.
  const [state, promises] = await Promise.all([
    server.query(`select key, value_utf8 from state where ${of}`),
    server.query(
      `select key, case when key = ${sqlString(reasonKey)} then completion_success_value_utf8 end as value from sys_promise where completed and ${of}`,
    ),
  ])
  const metadata: Partial<RunMetadata> = Object.fromEntries(
    state.map(({ key, value_utf8 }) => [key, JSON.parse(String(value_utf8))]),
  )
  const isDecided = work.some(({ handler, status }) => handler === 'decide' && status !== 'completed')
  const waits = !isDecided && isUndecided(metadata, new Set(promises.map(({ key }) => key)))
  const said = promises.find(({ key }) => key === reasonKey)?.value
  const paused = work.flatMap(({ id, status }) => (status === 'paused' ? [String(id)] : []))
  const [first] = paused
  const failure = first ? await lastFailure(server, first) : (row.completion_failure ?? row.last_failure)
  const id = String(row.id)
  const phase = await phaseOf(row, {
    metadata,
    waits,
    first,
    isEnding: () => isBeingCancelled(server, first ?? id),
  })
  return {
    id,
    row,
    metadata,
    phase,
    paused,
    ...(typeof said === 'string' ? { reason: JSON.parse(said) as string } : {}),
    ...(typeof failure === 'string' ? { failure } : {}),
  }
}

/** Returns the SQL query for a run's invocations, and for the paused invocations of its child runs. */
function invocationsQuery(service: string, runId: string): string {
  return [
    'select i.id, i.target_service_key as key, i.target_handler_name as handler, i.status, i.retry_count,',
    'i.last_failure, i.completion_result, i.completion_failure, i.pinned_deployment_id as deployment,',
    's.deployment_id as latest, d.endpoint',
    'from sys_invocation i left join sys_service s on s.name = i.target_service_name',
    'left join sys_deployment d on d.id = coalesce(i.last_attempt_deployment_id, i.pinned_deployment_id)',
    `where i.target_service_name = ${sqlString(service)} and (i.target_service_key = ${sqlString(runId)}`,
    `or (i.status = 'paused' and starts_with(i.target_service_key, ${sqlString(`${runId}/step`)})))`,
  ].join(' ')
}

/** Whether an invocation's key belongs to a run or one of its child runs. */
function belongsTo(runId: string, key: string): boolean {
  return key === runId || isChildRunOf(key, runId)
}

interface PhaseFacts {
  readonly metadata: Partial<RunMetadata>
  readonly waits: boolean
  /** The id of the first paused invocation. Undefined if none is paused. */
  readonly first: string | undefined
  isEnding(): Promise<boolean>
}

async function phaseOf(
  row: Row,
  { metadata, waits, first, isEnding }: PhaseFacts,
): Promise<RunStatus['phase']> {
  if (row.status === 'completed') return metadata.ended?.stopReason || wasCancelled(row) ? 'ended' : 'failed'
  if ((waits || first) && !(await isEnding())) return first ? 'set_aside' : 'pending'
  return metadata.definition === undefined ? 'queued' : 'running'
}

/** Whether a run was cancelled before a worker executed it. Such a run has no metadata. */
export function wasCancelled({ completion_failure: failure }: Row): boolean {
  return typeof failure === 'string' && /cancell?ed/i.test(failure)
}

/** Whether a run is waiting for decisions, and none of them has been made. */
function isUndecided({ waiting, refused }: Partial<RunMetadata>, given: ReadonlySet<unknown>): boolean {
  return waiting?.state.pending.every(({ callId }) => !given.has(decisionKey(callId, refused))) ?? false
}

async function isBeingCancelled(server: RestateServer, id: string): Promise<boolean> {
  const type = sqlString('Notification: Signal')
  const sql = `select index from sys_journal where id = ${sqlString(id)} and entry_type = ${type}`
  return (await server.query(sql)).length > 0
}

/** Returns a run's input from its journal. Undefined if Restate has deleted the journal. */
export async function getRunStart(server: RestateServer, id: string): Promise<RunStart | undefined> {
  const [row] = await server.query(
    `select entry_json from sys_journal where id = ${sqlString(id)} and index = 0`,
  )
  if (!row) return undefined
  const { Command } = JSON.parse(String(row.entry_json)) as { Command: { Input: { payload: number[] } } }
  return JSON.parse(Buffer.from(Command.Input.payload).toString()) as RunStart
}

/** Returns the error that paused an invocation. Reads it from the invocation's journal. */
async function lastFailure(server: RestateServer, id: string): Promise<string | undefined> {
  const sql = `select event_json from sys_journal_events where event_type = 'Paused' and id = ${sqlString(id)} order by appended_at desc limit 1`
  const [row] = await server.query(sql)
  const event = row && (JSON.parse(String(row.event_json)) as { last_failure?: { error_message?: string } })
  return event?.last_failure?.error_message
}

function sqlString(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Converts what Restate's tables contain about a run to its public status. */
export function toRunStatus(runId: string, info: RunInfo): RunStatus {
  const { row, metadata, phase, reason } = info
  const { waiting, ended } = metadata
  const { steps, usage } = metadata.progress ?? {}
  const progress = waiting
    ? { stepCount: waiting.state.stepCount, usage: waiting.state.usage }
    : { ...(steps !== undefined && { stepCount: steps }), ...(usage && { usage }) }
  const stopReason = wasCancelled(row) ? 'aborted' : ended?.stopReason
  const error = ended?.error ?? errorOf(info)
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

/** Returns the error that is blocking a run, as reported by Restate. Undefined if there is none. */
function errorOf({ row, failure }: RunInfo): { readonly code: string; readonly message: string } | undefined {
  if (failure === undefined || wasCancelled(row)) return undefined
  return { code: failure.includes(toolsHaveChanged) ? 'conflict' : 'api', message: failure }
}
