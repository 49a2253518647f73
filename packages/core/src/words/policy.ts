import type { Usage } from './usage.js'

/** Whether a call may run: at once, never, or when a person has said yes. */
export type Verdict =
  | { readonly type: 'allow' }
  | { readonly type: 'deny'; readonly reason: string }
  | { readonly type: 'ask'; readonly reason?: string }

/** Looks at a call before it runs. What it throws becomes the call's error: nothing runs unseen. */
export type Policy<Context = unknown> = (
  call: PolicyCall,
  view: PolicyView<Context>,
) => Verdict | Promise<Verdict>

export interface PolicyCall {
  readonly callId: string
  readonly name: string
  /** Checked, as the tool's function would get them. */
  readonly arguments: unknown
  /** Whether the tool says that it only reads. */
  readonly readsOnly: boolean
}

export interface PolicyView<Context = unknown> {
  readonly context: Context
  readonly runId: string
  /** Which answer of the model made the call, from 0. */
  readonly step: number
  /** Before this answer's calls. */
  readonly usage: Usage
  /** Tools of which a call was approved in this run. */
  readonly approved: readonly string[]
  /** The untrusted source whose text the model has read, if any: a tool, as a rule. */
  readonly taintedBy?: string
}

/** The call may run. */
export const allow: Verdict = Object.freeze({ type: 'allow' })

/** The call does not run; the model is told why. */
export function deny(reason: string): Verdict {
  return { type: 'deny', reason }
}

/** The call waits for a decision of the caller. */
export function ask(reason?: string): Verdict {
  return reason === undefined ? { type: 'ask' } : { type: 'ask', reason }
}

/** The strictest of several verdicts: no before ask before yes, the first of a kind counts. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  return verdicts.find(({ type }) => type === 'deny') ?? verdicts.find(({ type }) => type === 'ask') ?? allow
}
