import type { CallStatus, PendingCall, RunEvent } from '@capstan/core'
import { toJsonText } from '@capstan/core/internal'

/** A call as it is shown, with those of the agent that answers it. */
export interface ShownCall {
  /** With the ids of the calls that it is within in front. */
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** Milliseconds at which it began to run. */
  readonly since?: number
  readonly state: 'waits' | 'runs' | CallStatus
  /** What it reports while it runs. */
  readonly progress?: string
  readonly ms?: number
  /** What the model is told. */
  readonly content?: string
  readonly artifacts?: readonly string[]
  readonly calls: readonly ShownCall[]
}

/** The calls that are not told yet, in the order in which they were made. */
export type CallTree = readonly ShownCall[]

/** The calls after one more event; `now` in milliseconds. */
export function withEvent(tree: CallTree, event: RunEvent, now: number): CallTree {
  switch (event.type) {
    case 'call-ready':
      return changed(tree, event, { arguments: event.arguments })
    case 'tool-start':
      return changed(tree, event, { arguments: toJsonText(event.arguments), state: 'runs', since: now })
    case 'tool-progress':
      return changed(tree, event, { progress: toText(event.value) })
    case 'call-pending':
      return changed(tree, event, { arguments: JSON.stringify(event.arguments), state: 'waits' })
    case 'tool-end': {
      const { status: state, ms, content } = event
      return changed(tree, event, { state, ms, content, artifacts: event.artifacts.map(({ id }) => id) })
    }
    default:
      return tree
  }
}

/** Calls of a run that is gone on with. */
export function treeOf(pending: readonly PendingCall[]): CallTree {
  return pending.map(({ callId: id, name, arguments: given }) => ({
    id,
    name,
    arguments: JSON.stringify(given),
    state: 'waits',
    calls: [],
  }))
}

/** Whether nothing more will come of a call by itself. */
export function isOver({ state }: ShownCall): boolean {
  return state !== 'runs' && state !== 'waits'
}

/** The calls at the front that are over, and those after them. */
export function split(tree: CallTree): { readonly over: CallTree; readonly open: CallTree } {
  const index = tree.findIndex((call) => !isOver(call))
  const at = index === -1 ? tree.length : index
  return { over: tree.slice(0, at), open: tree.slice(at) }
}

interface Place {
  readonly callId: string
  readonly name: string
  readonly parentCallId?: string
}

function changed(
  tree: CallTree,
  { callId, name, parentCallId: parent }: Place,
  change: Partial<ShownCall>,
): CallTree {
  const isWithin = parent !== undefined && !callId.startsWith(`${parent}/`)
  return put(tree, isWithin ? `${parent}/${callId}` : callId, { name, ...change })
}

/** With a call changed, or added to those of the call that it is within. */
function put(tree: CallTree, id: string, change: Partial<ShownCall>): CallTree {
  const at = tree.findLastIndex((call) => !isOver(call) && (id === call.id || id.startsWith(`${call.id}/`)))
  const call = tree[at] ?? { id, name: '', arguments: '', state: 'waits', calls: [] }
  const next = call.id === id ? { ...call, ...change } : { ...call, calls: put(call.calls, id, change) }
  return at === -1 ? [...tree, next] : tree.with(at, next)
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
