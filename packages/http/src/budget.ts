import type { AnyAgent, Json, RunEvent } from '@capstan/core'
import { AgentCore } from '@capstan/core/internal'
import { HttpError } from './http-error.js'

/** Watches the start of a run, to find out whether the agent's ledgers allow the first request. */
export interface BudgetStart {
  observe(event: RunEvent): void
  /**
   * Resolves once every ledger has reserved budget for the first request, or immediately if there is no ledger. If that
   * request exceeds a budget, the run ends and the promise resolves with an error, which the client gets instead of the
   * run.
   */
  readonly begun: Promise<HttpError | undefined>
}

/** Creates the observer of a run's start. Pass each event of the run to `observe`. */
export function watchBudget(agent: AnyAgent): BudgetStart {
  const ledgers = agent instanceof AgentCore ? agent.middlewares.filter(isLedger).length : 0
  let begin: (error: HttpError | undefined) => void = () => {}
  const begun = new Promise<HttpError | undefined>((resolve) => {
    begin = resolve
  })
  if (ledgers === 0) begin(undefined)
  let reserved = 0
  let refusal: Json | undefined
  return {
    begun,
    observe(event) {
      if (event.type === 'middleware' && isLedger(event)) {
        if (event.action === 'reserved') reserved += 1
        else if (event.callId === undefined) refusal ??= event.data
        if (reserved >= ledgers) begin(undefined)
      } else if (event.type === 'run-end')
        begin(event.stopReason === 'limit' && refusal ? budgetExceeded(refusal) : undefined)
      else if (beginnings.has(event.type)) begin(undefined)
    },
  }
}

function isLedger({ name }: { readonly name: string }): boolean {
  return /^ledger(-|$)/.test(name)
}

/** Event types that occur only after a run's first request has been sent. */
const beginnings: ReadonlySet<RunEvent['type']> = new Set([
  'text-delta',
  'reasoning-delta',
  'call-delta',
  'call-ready',
  'call-pending',
  'retry-scheduled',
  'step-end',
  'tool-start',
  'tool-end',
])

/** Creates the error for a request that exceeds the budget. `Retry-After` is absent if the request would never fit. */
function budgetExceeded(refusal: Json): HttpError {
  const { retryAt } = Object(refusal) as { readonly retryAt?: number }
  const message = 'This request exceeds the remaining budget. Nothing was run.'
  if (retryAt === undefined) return new HttpError(429, 'budget_exceeded', message)
  const seconds = Math.max(1, Math.ceil((retryAt - Date.now()) / 1000))
  return new HttpError(429, 'budget_exceeded', message, { 'retry-after': String(seconds) })
}
