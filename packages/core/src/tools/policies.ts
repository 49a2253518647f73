import type { Usage } from '../usage.js'

/** A policy's decision on a call: it runs, it is denied, or it waits for the approval of a person. */
export type Verdict =
  | { readonly type: 'allow' }
  | { readonly type: 'deny'; readonly reason: string }
  | { readonly type: 'ask'; readonly reason?: string }

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
  readonly taintedBy?: string
}

/** Lets the call run. */
export const allow: Verdict = Object.freeze({ type: 'allow' })

/** Prevents the call. The model reads the reason. */
export function deny(reason: string): Verdict {
  return { type: 'deny', reason }
}

/** Makes the call wait for a decision of the caller. */
export function ask(reason?: string): Verdict {
  return reason === undefined ? { type: 'ask' } : { type: 'ask', reason }
}

/** Returns the strictest verdict: deny before ask before allow, and the first of its kind. */
export function strictest(verdicts: readonly Verdict[]): Verdict {
  return verdicts.find(({ type }) => type === 'deny') ?? verdicts.find(({ type }) => type === 'ask') ?? allow
}

/** The checks of a run on its calls. */
export interface Guards {
  readonly policies: readonly Policy[]
  /** Whether tools that may change things need an approval once the model has read untrusted text. */
  readonly taint: boolean
  /** Whether calls that need an approval are denied, because no person can give one. Default false. */
  readonly unattended?: boolean | undefined
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
