import type { Usage } from '../usage.js'

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

/** What stands between a call and its function. */
export interface Guards {
  readonly policies: readonly Policy[]
  /** Whether tools that may change things ask once the model has read untrusted words. */
  readonly taint: boolean
  /** Nobody can be asked: what needs a yes is denied. Default false. */
  readonly unattended?: boolean | undefined
}

/** Only these tools may run; others are denied. */
export function allowOnly(names: readonly string[]): Policy {
  return ({ name }) =>
    names.includes(name) ? allow : deny(`only these tools may run: ${names.join(', ') || 'none'}.`)
}

/** Only tools whose `effects` are `'read'` may run; others are denied. */
export function readOnly(): Policy {
  return ({ name, readsOnly }) =>
    readsOnly ? allow : deny(`"${name}" may change things, and this run may only read.`)
}

/** What a run may have used before each further call is asked about. */
export type Budget = Partial<
  Record<'toolCalls' | 'totalTokens' | 'images' | 'audioSeconds' | 'characters' | 'cost', number>
>

/**
 * Asks about every call once the run has used as much as this; an unknown cost counts as used up. Other than a limit
 * it does not end the run: somebody may say yes.
 */
export function budget(bounds: Budget): Policy {
  return (_call, { usage }) => {
    const passed = (Object.keys(bounds) as (keyof Budget)[]).find((unit) =>
      isUsedUp(unit, bounds[unit], usage),
    )
    return passed === undefined ? allow : ask(`The run's budget (${passed}: ${bounds[passed]}) is used up.`)
  }
}

function isUsedUp(unit: keyof Budget, bound: number | undefined, usage: Usage): boolean {
  const used = usage[unit] ?? 0
  return bound !== undefined && (used === 'unknown' || used >= bound)
}

/** Asks about the first call of each tool that may change things; what was approved once in a run may run on. */
export function askOncePerTool(): Policy {
  return ({ name, readsOnly }, { approved }) =>
    readsOnly || approved.includes(name) ? allow : ask(`"${name}" is used for the first time in this run.`)
}
