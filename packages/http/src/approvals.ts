import type { PendingCall } from '@capstan/core'
import { checkOptionNames, isRecord } from '@capstan/core/internal'
import { checkSecret } from './approval-tokens.js'

/** Sets how long calls stay pending, and who may decide on them without a login. */
export interface ApprovalOptions {
  /**
   * Secrets for the tokens in approval links, at least 32 random characters each. New tokens are signed with the first
   * one; tokens signed with any of them are accepted. To replace a secret, put the new one first, and remove the old
   * one when its tokens have expired. Default: none, so no tokens are created.
   */
  readonly secrets?: readonly string[]
  /** Milliseconds after which a pending call is denied. Default: 604,800,000 (7 days). */
  readonly expiresInMs?: number
  /** Called with calls that expired without a decision and were denied. May return a promise. Errors go to `onError`. */
  readonly onExpiry?: (expired: PendingNotice) => unknown
}

/** A pending call, as the application and its clients receive it. */
export interface WaitingCall extends PendingCall {
  /** The time when the call expires and is denied, in milliseconds since 1970. */
  readonly expiresAt: number
  /**
   * A token that lets its holder decide at `decisions/TOKEN` without a login. Absent without `approvals.secrets`, and
   * for calls that need a result.
   */
  readonly token?: string
}

/** Calls of one run that need a decision, or that have expired without one. */
export interface PendingNotice {
  readonly runId: string
  readonly agent: string
  /** The id of the user who owns the run. */
  readonly user: string
  readonly session?: string
  readonly calls: readonly WaitingCall[]
}

/** The options, with defaults filled in. */
export type ApprovalSettings = ApprovalOptions & Required<Pick<ApprovalOptions, 'secrets' | 'expiresInMs'>>

/**
 * Checks the options and adds their defaults.
 * @throws TypeError for an invalid value; CapstanError `invalid_request` for an unknown option
 */
export function toApprovalSettings(options: ApprovalOptions = {}): ApprovalSettings {
  if (!isRecord(options)) throw invalid('', options, 'Pass an object.')
  checkOptionNames(options, optionNames, { of: "agentHandler's approvals", code: 'invalid_request' })
  const { secrets = [], expiresInMs = 7 * 24 * 60 * 60 * 1000, onExpiry } = options
  if (!Array.isArray(secrets)) throw invalid('.secrets', typeof secrets, 'Pass an array of strings.')
  secrets.forEach(checkSecret)
  if (typeof expiresInMs !== 'number' || !(expiresInMs > 0) || expiresInMs === Number.POSITIVE_INFINITY)
    throw invalid('.expiresInMs', expiresInMs, 'Pass a positive number of milliseconds.')
  if (onExpiry !== undefined && typeof onExpiry !== 'function')
    throw invalid('.onExpiry', onExpiry, 'Pass a function.')
  return { ...options, secrets, expiresInMs }
}

const optionNames: Readonly<Record<keyof ApprovalOptions, true>> = {
  secrets: true,
  expiresInMs: true,
  onExpiry: true,
}

function invalid(field: string, value: unknown, advice: string): TypeError {
  return new TypeError(`agentHandler: approvals${field} cannot be ${String(value).slice(0, 100)}. ${advice}`)
}
