import type { PendingCall } from '@capstan/core'

/** A call that waits for a decision, as the application and its clients see it. */
export interface WaitingCall extends PendingCall {
  /** The time after which it is denied, in milliseconds since 1970. */
  readonly expiresAt: number
  /** With `approvals.secrets`: decides on the call at `decisions/TOKEN`, without a login. Absent for calls that need a result. */
  readonly token?: string
}

/** Calls that wait for decisions. */
export interface PendingNotice {
  readonly runId: string
  readonly agent: string
  /** The id of the user. */
  readonly user: string
  readonly session?: string
  readonly calls: readonly WaitingCall[]
}
