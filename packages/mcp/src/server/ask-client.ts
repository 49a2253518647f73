// Asks the client's user for approvals, for results of tools without `execute`, and for answers to questions from other
// servers. The call's run waits in this process until the client sends the call again with the answers.
import type { Decision, PendingCall, Run, RunResult } from '@capstan/core'
import { isRecord, tryJson, visibleText } from '@capstan/core/internal'
import type { ClientCapabilities, InputRequest } from '@modelcontextprotocol/server'
import { callerKey } from './auth.js'
import type { McpCall } from './options.js'

/** Returns the request that asks a client's user to decide on a call. Undefined if the client does not support it. */
export function toInputRequest(
  { name, arguments: args, kind, reason, message = '', schema, url }: PendingCall,
  { elicitation }: ClientCapabilities,
): InputRequest | undefined {
  if (!elicitation) return undefined
  const method = 'elicitation/create'
  if (url !== undefined)
    return elicitation.url ? { method, params: { mode: 'url', message, url } as never } : undefined
  // A client that does not declare any mode supports forms.
  if (!elicitation.form && elicitation.url) return undefined
  const shown = visibleText(JSON.stringify(args))
  const what = kind === 'approval' ? `Run ${name} with ${shown}?` : `${name} needs a result for ${shown}.`
  const asked = kind === 'input' ? message : [what, ...(reason === undefined ? [] : [reason])].join('\n')
  const requestedSchema = kind === 'input' ? schema : kind === 'approval' ? approvalSchema : resultSchema
  return { method, params: { mode: 'form', message: asked, requestedSchema } as never }
}

const approvalSchema = {
  type: 'object',
  properties: {
    approve: { type: 'boolean', title: 'Run this call' },
    reason: { type: 'string', title: 'Reason, if not' },
  },
  required: ['approve'],
}

const resultSchema = {
  type: 'object',
  properties: { result: { type: 'string', title: 'Result', description: 'As text or JSON' } },
  required: ['result'],
}

/** Returns the decisions that an answer could mean. The first one that can be applied is used. */
export function toDecisions({ kind }: PendingCall, answer: unknown): readonly Decision[] {
  const { action, content } = isRecord(answer) ? answer : {}
  const { approve, reason, result } = isRecord(content) ? content : {}
  const no = { type: 'deny', reason: typeof reason === 'string' ? reason.slice(0, 1000) : declined } as const
  if (action !== 'accept') return [no]
  if (kind === 'input') return [{ type: 'result', value: content ?? null }, no]
  if (kind === 'approval') return [approve === true ? { type: 'approve' } : no]
  const json = tryJson(String(result))
  return [
    { type: 'result', value: result },
    ...(json === undefined ? [] : [{ type: 'result', value: json } as const]),
    no,
  ]
}

const declined = "The client's user declined."

/** A run that serves a call and is waiting for answers from the client's user. */
export interface AskingRun {
  readonly call: McpCall
  readonly run: Run<RunResult>
  /** The calls to ask about, with their requests. */
  readonly questions: Map<string, { readonly pending: PendingCall; readonly request: InputRequest }>
  /** Called after a question has been added to `questions`. */
  onQuestion(): void
}

/** Stores runs that are waiting between two requests from their clients, under ids that cannot be guessed. */
export class AskingRuns<One extends AskingRun> {
  readonly #runs = new Map<string, { readonly one: One; readonly timer: ReturnType<typeof setTimeout> }>()

  /** Stores a run, and returns its id. If there are too many runs, aborts the oldest one. */
  keep(one: One): string {
    const id = crypto.randomUUID()
    const timer = setTimeout(() => this.#abort(id), maxWaitMs)
    if (typeof timer === 'object') timer.unref()
    this.#runs.set(id, { one, timer })
    const [oldest] = this.#runs.keys()
    if (this.#runs.size > maxRuns && oldest !== undefined) this.#abort(oldest)
    return id
  }

  /**
   * Removes the run with this id and returns it. Undefined if it is unknown, or belongs to a different caller or tool.
   */
  take(id: string, { name, caller }: McpCall): One | undefined {
    const found = this.#runs.get(id)
    if (!found) return undefined
    const { one, timer } = found
    if (one.call.name !== name || callerKey(one.call.caller) !== callerKey(caller)) return undefined
    clearTimeout(timer)
    this.#runs.delete(id)
    return one
  }

  close(): void {
    for (const id of [...this.#runs.keys()]) this.#abort(id)
  }

  #abort(id: string): void {
    const { one, timer } = this.#runs.get(id) ?? {}
    clearTimeout(timer)
    this.#runs.delete(id)
    one?.run.abort(new Error('The answer did not arrive in time.'))
  }
}

const maxWaitMs = 10 * 60_000
const maxRuns = 1000
