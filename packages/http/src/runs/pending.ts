import type { AnyAgent, PendingCall } from '@capstan/core'
import { approvalToken } from '../approval-tokens.js'
import type { PendingNotice, WaitingCall } from '../approvals.js'
import { reportError } from '../http-error.js'
import type { RunOwner } from '../start-run.js'
import { type FoundRun, waitOf } from './record.js'

/** Calls `onPending` with pending calls and their tokens. Reports errors from it to `onError`. */
export function tellPending(found: FoundRun, calls: readonly PendingCall[], ctx: RunOwner): void {
  const { onPending, approvals } = ctx.handler.options
  if (!onPending) return
  const [secret] = approvals.secrets
  const tellAll = async (notice: PendingNotice) =>
    onPending({
      ...notice,
      calls: await Promise.all(notice.calls.map((call) => withToken(call, found, secret))),
    })
  tell(tellAll, toNotice(found, calls), ctx)
}

async function withToken(
  call: WaitingCall,
  { runId, record }: FoundRun,
  secret: string | undefined,
): Promise<WaitingCall> {
  const { definitionHash } = record.state ?? {}
  if (secret === undefined || definitionHash === undefined || call.kind === 'result') return call
  const { expiresAt, ...asked } = call
  return {
    ...call,
    token: await approvalToken({ runId, call: asked, definitionHash }, { secret, expiresAt }),
  }
}

/** Calls one of the application's callbacks without waiting for its promise. Reports its errors to `onError`. */
export function tell<Notice>(
  callback: ((notice: Notice) => unknown) | undefined,
  notice: Notice,
  { handler, request }: Pick<RunOwner, 'handler' | 'request'>,
): void {
  const told = async () => callback?.(notice)
  told()
    .catch((error: unknown) => reportError(error, request, handler.options))
    .catch(() => {})
}

export function toNotice(
  { runId, entry, record }: FoundRun,
  calls: readonly Pick<PendingCall, 'callId'>[],
): PendingNotice {
  const { agent, owner: user, session } = entry
  const waiting = calls.flatMap(({ callId }) => {
    const wait = waitOf(callId, record)
    return wait ? [{ ...wait.call, expiresAt: wait.expiresAt }] : []
  })
  return { runId, agent, user, ...(session === undefined ? {} : { session }), calls: waiting }
}

/** Returns how long a call to this tool may stay pending, in milliseconds. Undefined if the tool sets no limit. */
export function expiryOf(agent: AnyAgent, { name }: PendingCall): number | undefined {
  return settingsOf(agent, name)?.approvalExpiresInMs
}

/**
 * Returns a tool's settings, from the agent or from an agent that it can reach. Undefined if none of them has the tool.
 */
export function settingsOf(agent: AnyAgent, name: string): ToolSettings | undefined {
  for (const one of agent.agents.values()) {
    const { toolset } = one as { readonly toolset?: Toolset }
    const tool = toolset?.get(name)
    if (tool) return tool.settings
  }
  return undefined
}

type Toolset = { get(name: string): { readonly settings: ToolSettings } | undefined }
type ToolSettings = { readonly approvalExpiresInMs?: number; readonly effects?: unknown }
