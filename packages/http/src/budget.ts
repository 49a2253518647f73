import type { AnyAgent, Json, RunEvent } from '@capstan/core'
import { AgentCore } from '@capstan/core/internal'
import { HttpError } from './http-error.js'

/** The start of a run whose agent may have a ledger. */
export interface BudgetStart {
  observe(event: RunEvent): void
  /**
   * Resolves once the budget has reserved the first request; immediately without a ledger. Resolves with an error if
   * the run ended because even that request does not fit: its client then gets the error instead of the run.
   */
  readonly begun: Promise<HttpError | undefined>
}

/** Watches the start of an agent's run. */
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

/** Event types that show that a run's first request succeeded. */
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

/** Creates the error for a budget with no room for a request. `Retry-After` is absent if the request never fits. */
function budgetExceeded(refusal: Json): HttpError {
  const { retryAt } = Object(refusal) as { readonly retryAt?: number }
  const message = 'The budget is used up: no request fits. Nothing was done.'
  if (retryAt === undefined) return new HttpError(429, 'budget_exceeded', message)
  const seconds = Math.max(1, Math.ceil((retryAt - Date.now()) / 1000))
  return new HttpError(429, 'budget_exceeded', message, { 'retry-after': String(seconds) })
}
