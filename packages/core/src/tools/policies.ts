import { withoutUndefined } from '../json.js'
import type { Usage } from '../usage.js'

/** A policy's decision on a call: it runs, it is denied, or it needs an approval. */
export type Verdict = Allowed | Denied | { readonly type: 'ask'; readonly reason?: string }

export interface Allowed {
  readonly type: 'allow'
}

export interface Denied {
  readonly type: 'deny'
  readonly reason: string
}

/** Judges a call before it runs. If it throws, the error becomes the call's result, and the call does not run. */
export type Policy<Context = unknown> = (
  call: PolicyCall,
  view: PolicyView<Context>,
) => Verdict | Promise<Verdict>

export interface PolicyCall {
  readonly callId: string
  readonly name: string
  /** Validated arguments, as the tool's function gets them. */
  readonly arguments: unknown
  /** Whether the tool's `effects` are `'read'`. */
  readonly readsOnly: boolean
  /** The sources of its arguments. Only for calls that a program makes (`@capstan/code`). */
  readonly sources?: ArgumentSources
}

/** Calls that a call of a program depends on. */
export interface ArgumentSources {
  /**
   * The sources of each argument, by path: `to`, `items[0].id`. An argument without sources comes from the program
   * itself. The sources that decide which fields or items an object or array has are under its own path; for the
   * arguments as a whole, under ''.
   */
  readonly arguments: Readonly<Record<string, readonly ValueSource[]>>
  /** Calls that decide whether this call is made, by conditions, loops and early exits before it. */
  readonly branch: readonly ValueSource[]
  /** The part of the program that could not be traced. Every argument then has all earlier calls as its sources. */
  readonly unclear?: string
}

/** Calls of one tool that a value comes from. */
export interface ValueSource {
  readonly tool: string
  readonly callIds: readonly string[]
  /** Whether one of their results is untrusted. */
  readonly untrusted: boolean
}

export interface PolicyView<Context = unknown> {
  readonly context: Context
  readonly runId: string
  /** The index of the reply that made the call, from 0. */
  readonly step: number
  /** The usage before the calls of this reply. */
  readonly usage: Usage
  /** Names of tools with an approved call in this run. */
  readonly approved: readonly string[]
  /** The untrusted source, usually a tool, whose text the model got. Undefined if there is none. */
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
 * The verdicts of policies and guards. Core imports each function separately, so that bundles contain only the used
 * ones.
 */
export const verdict: {
  /** Lets the call run, or the text stay. */
  readonly allow: Allowed
  /** Makes the call wait for a decision of the caller. */
  readonly ask: (reason?: string) => Verdict
  /** Prevents the call, or removes the text. The model gets the reason. */
  readonly deny: (reason: string) => Denied
  /** Replaces the text that a guard judges. Returning the same text allows it. */
  readonly replace: (text: string) => Replacement
} = { allow, ask, deny, replace }

/**
 * Returns the strictest verdict: deny before ask before allow, and the first of equal ones. Undefined allows. Calls
 * all judges.
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
      // Throwing would leave the promises of other judges without a handler.
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

/** Returns a snapshot of the run. It stays the same if a policy keeps it. */
export function viewOf({ context, runId, step, usage, approved, taintedBy }: PolicyView): PolicyView {
  return { context, runId, step, usage, approved, ...withoutUndefined({ taintedBy }) }
}

/** @throws TypeError for an invalid verdict, which must not count as an approval */
export function checkVerdict(verdict: Verdict): Verdict {
  if (['allow', 'deny', 'ask'].includes(verdict?.type)) return verdict
  throw new TypeError('A policy must return verdict.allow, deny or ask.')
}
