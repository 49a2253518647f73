import { withoutUndefined } from '../json.js'
import type { Usage } from '../usage.js'

/** A policy's decision on a call: it may run, it is denied, or it needs approval. */
export type Verdict = Allowed | Denied | { readonly type: 'ask'; readonly reason?: string }

export interface Allowed {
  readonly type: 'allow'
}

export interface Denied {
  readonly type: 'deny'
  readonly reason: string
}

/** Decides on a call before it runs. If the policy throws, the call does not run, and the error becomes its result. */
export type Policy<Context = unknown> = (
  call: PolicyCall,
  view: PolicyView<Context>,
) => Verdict | Promise<Verdict>

export interface PolicyCall {
  readonly callId: string
  readonly name: string
  /** The validated arguments, as the tool's function will get them. */
  readonly arguments: unknown
  /** Whether the tool's `effects` are `'read'`. */
  readonly readsOnly: boolean
  /** The sources of the arguments. Set only for calls that a program makes (`@capstan/code`). */
  readonly sources?: ArgumentSources
}

/** The earlier calls that a program's call depends on. */
export interface ArgumentSources {
  /**
   * The sources of each argument, by path: `to`, `items[0].id`. An argument without sources comes from the program
   * itself. Sources that determine which fields or items an object or array has are listed under the path of that
   * object or array, which is `''` for the arguments as a whole.
   */
  readonly arguments: Readonly<Record<string, readonly ValueSource[]>>
  /**
   * The calls whose results determine whether this call is made, through conditions, loops and early exits before it.
   */
  readonly branch: readonly ValueSource[]
  /**
   * The part of the program that could not be traced. If set, all earlier calls are listed as sources of every
   * argument.
   */
  readonly unclear?: string
}

/** The calls to one tool that a value comes from. */
export interface ValueSource {
  readonly tool: string
  readonly callIds: readonly string[]
  /** Whether any of these calls returned an untrusted result. */
  readonly untrusted: boolean
}

export interface PolicyView<Context = unknown> {
  readonly context: Context
  readonly runId: string
  /** The index of the reply that made the call, from 0. */
  readonly step: number
  /** The run's usage before this reply's calls. */
  readonly usage: Usage
  /** The names of tools for which a call has been approved in this run. */
  readonly approved: readonly string[]
  /** The untrusted source, usually a tool, whose text the model has read. Undefined if there is none. */
  readonly taintedBy?: string | undefined
}

export interface Replacement {
  readonly type: 'replace'
  readonly text: string
}

export const allow: Allowed = Object.freeze({ type: 'allow' })

export function deny(reason: string): Denied {
  return { type: 'deny', reason }
}

export function ask(reason?: string): Verdict {
  return withoutUndefined({ type: 'ask', reason })
}

export function replace(text: string): Replacement {
  return { type: 'replace', text }
}

/**
 * The verdicts that policies and guards return. Core itself imports each function separately, so that bundles contain
 * only the functions that are used.
 */
export const verdict: {
  /** Allows the call, or leaves the text unchanged. */
  readonly allow: Allowed
  /** Makes the call wait for the caller's decision. The reason is shown with the pending call. */
  readonly ask: (reason?: string) => Verdict
  /** Prevents the call, or removes the text. The model gets the reason. */
  readonly deny: (reason: string) => Denied
  /** Replaces the text that a guard is checking. Replacing it with the same text counts as `allow`. */
  readonly replace: (text: string) => Replacement
} = { allow, ask, deny, replace }

/**
 * Calls all judges and returns the strictest verdict: `deny`, then `ask`, then `allow`. Of equally strict verdicts, the
 * first is returned. Undefined counts as `allow`.
 */
export function strictest<Judge>(
  judges: readonly Judge[],
  judge: (one: Judge) => Judgement | Promise<Judgement>,
): Verdict | Promise<Verdict> {
  const verdicts: (Verdict | Promise<Verdict>)[] = []
  for (const one of judges)
    try {
      const given = judge(one)
      if (given instanceof Promise)
        verdicts.push(given.then((late) => (late === undefined ? allow : checkVerdict(late))))
      else if (given !== undefined) verdicts.push(checkVerdict(given))
    } catch (error) {
      // Throwing here would leave promises of earlier judges without a handler.
      verdicts.push(Promise.reject(error))
    }
  if (verdicts.length === 0) return allow
  const isLate = verdicts.some((verdict) => verdict instanceof Promise)
  return isLate ? Promise.all(verdicts).then(strictestOf) : strictestOf(verdicts as readonly Verdict[])
}

type Judgement = Verdict | undefined | void

function strictestOf(verdicts: readonly Verdict[]): Verdict {
  return verdicts.find(({ type }) => type === 'deny') ?? verdicts.find(({ type }) => type === 'ask') ?? allow
}

/** Returns a snapshot of the run, which does not change if a policy keeps it. */
export function viewOf({ context, runId, step, usage, approved, taintedBy }: PolicyView): PolicyView {
  return { context, runId, step, usage, approved, ...withoutUndefined({ taintedBy }) }
}

/** Returns the verdict unchanged. @throws TypeError for an invalid verdict, which must not count as `allow` */
export function checkVerdict(verdict: Verdict): Verdict {
  if (['allow', 'deny', 'ask'].includes(verdict?.type)) return verdict
  throw new TypeError('A policy must return verdict.allow, deny or ask.')
}
