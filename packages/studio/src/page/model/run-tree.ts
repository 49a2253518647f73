import type { RunEvent } from '@capstan/core'
import type { Entry, Exchange } from '../../types.js'
import { eventHandlers } from './run-events.js'
import type { CallNode, ParentNode, RequestNode, RootNode, RunNode } from './run-nodes.js'
import { type Scope, TreeBuilder } from './tree-builder.js'

/**
 * A run as a tree. Loaded and live entries are added one by one. The time to add an entry does not depend on the length
 * of the run.
 */
export class RunTree {
  /** The `seq` of the last entry that was added. Adding this entry or earlier ones again has no effect. */
  lastSeq = -1
  /** The latest timestamp of all entries, in milliseconds since the run started. */
  lastTime = 0
  readonly #tree = new TreeBuilder()

  get root(): RootNode {
    return this.#tree.root
  }

  /** All rows by id. */
  get nodes(): ReadonlyMap<string, RunNode> {
    return this.#tree.nodes
  }

  /** The calls that are currently pending. */
  get waiting(): readonly CallNode[] {
    return [...this.#tree.waiting]
  }

  add(entry: Entry): void {
    if (entry.seq <= this.lastSeq) return
    this.lastSeq = entry.seq
    this.lastTime = Math.max(this.lastTime, entry.t)
    if ('event' in entry) this.#addEvent(entry, entry.event)
    else if ('exchange' in entry) this.#addExchange(entry)
    else if ('console' in entry) this.#addConsole(entry)
    else if ('round' in entry) this.#addRound(entry)
    else if ('checkpoint' in entry) this.#addCheckpoint(entry.checkpoint)
    else if ('lost' in entry) this.#addLost(entry)
  }

  /** Moves requests to their steps. Exchanges name the step, but entries do not. */
  placeExchanges(exchanges: readonly Pick<Exchange, 'number' | 'at'>[]): void {
    for (const { number, at } of exchanges) {
      const request = this.#tree.requests.get(number)
      const row = this.#tree.rowAt(at)
      if (!request || !row || request.parent === row) continue
      const siblings = request.parent?.children
      siblings?.splice(siblings.indexOf(request), 1)
      const moved: RequestNode = { ...request, parent: row }
      row.children.splice(requestsOf(row).length, 0, moved)
      this.#tree.requests.set(number, moved)
      this.#tree.nodes.set(moved.id, moved)
    }
  }

  /** Finds a call by its path: the ids of the enclosing agent calls and the call's own id, such as `outer/inner`. */
  call(callId: string): CallNode | undefined {
    return this.#tree.calls.get(callId) ?? this.#tree.callsById.get(callId)
  }

  #addEvent(entry: Entry, event: RunEvent): void {
    const scope = this.#tree.scopeOf(event.parentCallId)
    const handler = eventHandlers[event.type] as
      | ((tree: TreeBuilder, scope: Scope, event: RunEvent, entry: Entry) => void)
      | undefined
    if (handler) handler(this.#tree, scope, event, entry)
    else this.#tree.note(entry, scope, { title: String(event.type), text: '', data: event })
  }

  /**
   * Sets the state that the current step starts from. If several states come before the step's reply, the last one is
   * used.
   */
  #addCheckpoint(checkpoint: number): void {
    this.#tree.checkpoint = checkpoint
    const { step } = this.#tree.outer
    if (step && step.repliedAt === undefined) step.checkpoint = checkpoint
  }

  #addExchange(entry: Entry & { readonly exchange: number; readonly is: string }): void {
    let request = this.#tree.requests.get(entry.exchange)
    if (!request) {
      const parent = this.#tree.newestStep ?? this.root
      request = {
        kind: 'request',
        id: `x${entry.exchange}`,
        parent,
        children: [],
        start: entry.t,
        status: 'running',
        exchange: entry.exchange,
      }
      this.#tree.requests.set(entry.exchange, request)
      this.#tree.insert(request)
    }
    if (entry.is === 'headers') request.headersAt = entry.t
    if (entry.is === 'first-byte') request.firstByteAt = entry.t
    if (entry.is !== 'ended') return
    request.end = entry.t
    request.status = 'ok'
  }

  #addConsole(
    entry: Entry & { readonly console: string; readonly text: string; readonly callId?: string },
  ): void {
    const level = entry.console as 'log'
    const call = entry.callId === undefined ? undefined : this.call(entry.callId)
    const { text, t } = entry
    if (call) call.console.push({ level, text, t })
    else {
      const isProblem = entry.console === 'error'
      this.#tree.note(entry, this.#tree.outer, {
        title: `console.${level}`,
        text,
        data: { level, text },
        isProblem,
      })
    }
  }

  #addRound(entry: Entry & { readonly round: number; readonly decisions?: Record<string, unknown> }): void {
    this.root.rounds = Math.max(this.root.rounds, entry.round)
    this.root.status = 'running'
    delete this.root.end
    this.#endWait()
    const words: string[] = []
    for (const [callId, decision] of Object.entries(entry.decisions ?? {})) {
      const call = this.call(callId)
      const given = decision as NonNullable<CallNode['decision']>
      if (call) {
        call.decision = given
        call.status = 'note'
        this.#tree.waiting.delete(call)
      }
      words.push(`${call?.name ?? callId}: ${wordOf(given)}`)
    }
    if (words.length > 0)
      this.#tree.note(entry, this.#tree.outer, {
        title: 'decided',
        text: words.join('; '),
        data: entry.decisions,
      })
    else if (entry.round > 1)
      this.#tree.note(entry, this.#tree.outer, {
        title: 'continued',
        text: `round ${entry.round}`,
        data: entry,
      })
  }

  /** Marks the rows of earlier rounds as no longer pending. */
  #endWait(): void {
    for (const node of this.root.children) {
      if (node.status !== 'waiting') continue
      if (node.kind === 'end') {
        node.status = 'note'
        node.text = 'The run waited for a decision.'
      } else if (node.kind === 'step') node.status = 'running'
    }
  }

  #addLost(entry: Entry & { readonly lost: { exitCode?: number; signal?: string; stderr?: string } }): void {
    const { exitCode, signal } = entry.lost
    const how = signal ?? (exitCode === undefined ? undefined : `exit code ${exitCode}`)
    this.root.status = 'error'
    this.root.end = entry.t
    for (const call of this.#tree.calls.values()) if (call.status === 'running') call.status = 'cut_off'
    if (this.#tree.newestStep?.status === 'running') this.#tree.newestStep.status = 'cut_off'
    this.#tree.end(entry, 'lost', `The run's process ended${how ? ` (${how})` : ''}.`, entry.lost)
  }
}

function requestsOf(row: ParentNode): RunNode[] {
  return row.children.filter(({ kind }) => kind === 'request')
}

function wordOf(decision: NonNullable<CallNode['decision']>): string {
  if (decision.type === 'approve') return decision.arguments ? 'approved with changed arguments' : 'approved'
  return decision.type === 'deny' ? `denied: ${decision.reason}` : 'answered'
}
