import type { PendingCall, ResultStatus, RunEvent } from '@capstan/core'
import { toJsonText } from '@capstan/core/internal'

/** A tool call to display. If the tool is an agent, `calls` contains that agent's own calls. */
export interface CallNode {
  /** The ids of the parent calls and of the call itself, joined by slashes. */
  readonly id: string
  readonly name: string
  readonly arguments: string
  /** The source code of the saved program that the call runs, if it runs one. */
  readonly source?: string
  /** When the call started, in milliseconds. Absent until it has started. */
  readonly since?: number
  /** `ready`: the model has made the call, but the call has neither started nor become pending yet. */
  readonly state: 'ready' | 'pending' | 'running' | ResultStatus
  /** The latest progress that the tool has reported, as text. */
  readonly progress?: string
  readonly ms?: number
  /** The result that is sent to the model. */
  readonly content?: string
  readonly artifacts?: readonly string[]
  readonly calls: readonly CallNode[]
}

/** Calls that have not been printed yet, in call order. */
export type CallTree = readonly CallNode[]

/** Returns the tree after one more event. A call that starts gets `now`, in milliseconds, as its start time. */
export function applyEvent(tree: CallTree, event: RunEvent, now: number): CallTree {
  switch (event.type) {
    case 'call-ready':
      return updateCall(tree, event, { arguments: event.arguments })
    case 'tool-start':
      return updateCall(tree, event, { arguments: toJsonText(event.arguments), state: 'running', since: now })
    case 'tool-progress':
      return updateCall(tree, event, { progress: toText(event.value) })
    case 'call-pending':
      return updateCall(tree, event, { arguments: JSON.stringify(event.arguments), state: 'pending' })
    case 'tool-end': {
      const { status: state, ms, content } = event
      // A background call is printed once, when its result arrives.
      if (event.background) return updateCall(tree, event, { state: 'running', since: now })
      return updateCall(tree, event, { state, ms, content, artifacts: event.artifacts.map(({ id }) => id) })
    }
    case 'middleware': {
      const source = programIn(event)
      if (source === undefined || event.parentCallId === undefined) return tree
      return updateNode(tree, event.parentCallId, { source })
    }
    default:
      return tree
  }
}

/** Returns the source code if the event is the start of a saved program (`@capstan/code`), otherwise undefined. */
export function programIn(event: RunEvent): string | undefined {
  if (event.type !== 'middleware' || event.name !== 'program-runs') return undefined
  const { source } = Object(event.data)
  return typeof source === 'string' ? source : undefined
}

/** Returns the call tree that a resumed run starts with. */
export function pendingCallTree(pending: readonly PendingCall[]): CallTree {
  return pending.map(({ callId: id, name, arguments: given }) => ({
    id,
    name,
    arguments: JSON.stringify(given),
    state: 'pending',
    calls: [],
  }))
}

/** Whether a call has ended, so that its line no longer changes. */
export function isFinished({ state }: CallNode): boolean {
  return state !== 'ready' && state !== 'running' && state !== 'pending'
}

/** Splits a tree before its first unfinished call. Later calls are in `open` too, even if they have finished. */
export function splitFinished(tree: CallTree): { readonly over: CallTree; readonly open: CallTree } {
  const index = tree.findIndex((call) => !isFinished(call))
  const at = index === -1 ? tree.length : index
  return { over: tree.slice(0, at), open: tree.slice(at) }
}

interface EventCall {
  readonly callId: string
  readonly name: string
  readonly parentCallId?: string
}

function updateCall(
  tree: CallTree,
  { callId, name, parentCallId: parent }: EventCall,
  change: Partial<CallNode>,
): CallTree {
  const isWithin = parent !== undefined && !callId.startsWith(`${parent}/`)
  return updateNode(tree, isWithin ? `${parent}/${callId}` : callId, { name, ...change })
}

/** Changes the unfinished call with this id. If there is none, adds it to its parent call or to the top level. */
function updateNode(tree: CallTree, id: string, change: Partial<CallNode>): CallTree {
  const at = tree.findLastIndex(
    (call) => !isFinished(call) && (id === call.id || id.startsWith(`${call.id}/`)),
  )
  const call = tree[at] ?? { id, name: '', arguments: '', state: 'ready', calls: [] }
  const next =
    call.id === id ? { ...call, ...change } : { ...call, calls: updateNode(call.calls, id, change) }
  return at === -1 ? [...tree, next] : tree.with(at, next)
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
