import { chain } from '../async.js'
import type { Usage } from '../usage.js'

/** A policy's decision on a call: it runs, it is denied, or it waits for the approval of a person. */
export type Verdict = Allowed | Denied | { readonly type: 'ask'; readonly reason?: string }

export interface Allowed {
  readonly type: 'allow'
}

export interface Denied {
  readonly type: 'deny'
  readonly reason: string
}

/** Judges a call before it runs. An error that it throws becomes the result of the call, which then does not run. */
export type Policy<Context = unknown> = (
  call: PolicyCall,
  view: PolicyView<Context>,
) => Verdict | Promise<Verdict>

/** A call as policies see it. */
export interface PolicyCall {
  readonly callId: string
  readonly name: string
  /** Validated arguments, as the tool's function gets them. */
  readonly arguments: unknown
  /** Whether the tool's `effects` are `'read'`. */
  readonly readsOnly: boolean
}

/** A run as policies see it. */
export interface PolicyView<Context = unknown> {
  readonly context: Context
  readonly runId: string
  /** The index of the reply that made the call, from 0. */
  readonly step: number
  /** The usage before the calls of this reply. */
  readonly usage: Usage
  /** Names of tools with an approved call in this run. */
  readonly approved: readonly string[]
  /** The untrusted source, usually a tool, whose text the model has read; undefined if there is none. */
  readonly taintedBy?: string | undefined
}

export interface Replacement {
  readonly type: 'replace'
  readonly text: string
}

export const allow: Allowed = Object.freeze({ type: 'allow' })

function deny(reason: string): Denied {
  return { type: 'deny', reason }
}

export function ask(reason?: string): Verdict {
  return reason === undefined ? { type: 'ask' } : { type: 'ask', reason }
}

export function replace(text: string): Replacement {
  return { type: 'replace', text }
}

/** The verdicts of policies and guards. Within core they are imported one by one, so that a bundle has those it uses. */
export const verdict: {
  /** Lets the call run, or the text stay. */
  readonly allow: Allowed
  /** Makes the call wait for a decision of the caller. */
  readonly ask: (reason?: string) => Verdict
  /** Prevents the call, or takes the text back. The model reads the reason. */
  readonly deny: (reason: string) => Denied
  /** Replaces the text that a guard judges. The same text allows it. */
  readonly replace: (text: string) => Replacement
} = { allow, ask, deny, replace }

/** Returns the strictest verdict of judges: deny before ask before allow, and the first of its kind. */
export function strictest(judges: readonly (() => Verdict | Promise<Verdict>)[]): Verdict | Promise<Verdict> {
  const verdicts = judges.map(attempt)
  return verdicts.some((verdict) => verdict instanceof Promise)
    ? Promise.all(verdicts).then(strictestOf)
    : strictestOf(verdicts as readonly Verdict[])
}

function strictestOf(verdicts: readonly Verdict[]): Verdict {
  return verdicts.find(({ type }) => type === 'deny') ?? verdicts.find(({ type }) => type === 'ask') ?? allow
}

/** A run as it is now: what a policy keeps of it does not change later. */
export function viewOf({ context, runId, step, usage, approved, taintedBy }: PolicyView): PolicyView {
  return { context, runId, step, usage, approved, ...(taintedBy === undefined ? {} : { taintedBy }) }
}

/** The option `policy` as a middleware: each policy judges every call. */
export function policies(list: readonly Policy[]): {
  readonly name: string
  beforeTool(call: PolicyCall, run: PolicyView): Verdict | Promise<Verdict>
} {
  return {
    name: 'policy',
    beforeTool(call, run) {
      const view = viewOf(run)
      return strictest(list.map((policy) => () => chain(policy(call, view), checkVerdict)))
    },
  }
}

/** Returns what is thrown as a rejection: throwing would leave the promises of other judges without a handler. */
function attempt<T>(judge: () => T | Promise<T>): T | Promise<T> {
  try {
    return judge()
  } catch (error) {
    return Promise.reject(error)
  }
}

/** @throws TypeError for an invalid verdict, which must not count as an approval */
export function checkVerdict(verdict: Verdict): Verdict {
  if (['allow', 'deny', 'ask'].includes(verdict?.type)) return verdict
  throw new TypeError('A policy must return verdict.allow, deny or ask.')
}

/** Allows only the named tools and denies others. */
export function allowOnly(names: readonly string[]): Policy {
  return ({ name }) =>
    names.includes(name) ? allow : deny(`only these tools may run: ${names.join(', ') || 'none'}.`)
}

/** Allows only tools whose `effects` are `'read'` and denies others. */
export function readOnly(): Policy {
  return ({ name, readsOnly }) =>
    readsOnly ? allow : deny(`"${name}" may change things, and this run may only read.`)
}

/** The usage of a run from which every further call needs an approval. */
export type Budget = Partial<
  Record<'toolCalls' | 'totalTokens' | 'images' | 'audioSeconds' | 'characters' | 'cost', number>
>

/**
 * Requests an approval for every call once the run has used up the budget. An unknown cost counts as used up.
 * Unlike a limit it does not end the run.
 */
export function budget(limits: Budget): Policy {
  return (_call, { usage }) => {
    const usedUp = (Object.keys(limits) as (keyof Budget)[]).find((unit) =>
      isUsedUp(unit, limits[unit], usage),
    )
    return usedUp === undefined ? allow : ask(`The run's budget (${usedUp}: ${limits[usedUp]}) is used up.`)
  }
}

function isUsedUp(unit: keyof Budget, limit: number | undefined, usage: Usage): boolean {
  const used = usage[unit] ?? 0
  return limit !== undefined && (used === 'unknown' || used >= limit)
}

/** Requests an approval for the first call of each tool that may change things. Later calls of the tool run. */
export function askOncePerTool(): Policy {
  return ({ name, readsOnly }, { approved }) =>
    readsOnly || approved.includes(name) ? allow : ask(`"${name}" is used for the first time in this run.`)
}
