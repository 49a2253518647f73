import type { Decision, Decisions } from '@capstan/core'
import { readJson } from '../file/read-json.js'
import { UsageError } from '../line/usage-error.js'

/** What a command line decides of calls that wait. */
export interface DecisionFlags {
  readonly approve?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
  readonly result?: readonly string[] | undefined
}

/** Decisions by call id. @throws UsageError for two on one call, or one that is half */
export function decisionsOf({ approve = [], deny = [], result = [] }: DecisionFlags): Decisions {
  const all: (readonly [id: string, decision: Decision])[] = [
    ...approve.map((id) => [id, { type: 'approve' }] as const),
    ...deny.map((text) => denied(text)),
    ...result.map((text) => answered(text)),
  ]
  const ids = all.map(([id]) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw new UsageError(`The call ${twice} is decided twice.`)
  return Object.fromEntries(all)
}

function denied(text: string): readonly [string, Decision] {
  const [id, reason = 'The user said no.'] = halves(text)
  return [id, { type: 'deny', reason }]
}

function answered(text: string): readonly [string, Decision] {
  const [id, json] = halves(text)
  if (json === undefined) throw new UsageError(`--result takes the call and its result: ${id}=JSON.`)
  return [id, { type: 'result', value: readJson(json, `The result of ${id}`) }]
}

function halves(text: string): readonly [id: string, rest?: string] {
  const at = text.indexOf('=')
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}
