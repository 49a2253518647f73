import type { Usage } from '@capstan/core'
import { readStepKey } from '@capstan/core/internal'
import type { Entry } from '../../types.js'
import type {
  CallNode,
  EndNode,
  NoteNode,
  ParentNode,
  RequestNode,
  RootNode,
  RunNode,
  StepNode,
} from './run-nodes.js'

/** A run in a tree that is being built: the outermost run, or the run of an agent or program that a call started. */
export interface Scope {
  readonly owner: RootNode | CallNode
  /** The parent run, which made the call that started this run. Undefined for the outermost run. */
  readonly outer: Scope | undefined
  agent: string
  step: StepNode | undefined
  readonly steps: Map<number, StepNode>
  readonly calls: Map<string, CallNode>
  usage: Usage | undefined
}

/** Builds a run's tree. Finds the node for each event, or creates it. */
export class TreeBuilder {
  readonly root: RootNode = {
    kind: 'root',
    id: '',
    parent: undefined,
    children: [],
    start: 0,
    status: 'running',
    agent: '',
    rounds: 0,
  }
  readonly nodes = new Map<string, RunNode>()
  /** The calls by path: the ids of the enclosing calls and the call's own id, joined by slashes. */
  readonly calls = new Map<string, CallNode>()
  readonly callsById = new Map<string, CallNode>()
  readonly #places = new Map<CallNode, { readonly path: string; readonly scope: Scope }>()
  readonly requests = new Map<number, RequestNode>()
  /** The calls that are currently pending. */
  readonly waiting = new Set<CallNode>()
  /** The newest state's number. Undefined before the first state. */
  checkpoint: number | undefined
  newestStep: StepNode | undefined
  readonly outer: Scope = newScope(this.root)
  readonly #scopes = new Map<string, Scope>([['', this.outer]])

  scopeOf(parentCallId: string | undefined): Scope {
    if (parentCallId === undefined) return this.outer
    const known = this.#scopes.get(parentCallId)
    if (known) return known
    const owner = this.calls.get(parentCallId)
    if (!owner) return this.outer
    const scope = newScope(owner, this.#places.get(owner)?.scope)
    this.#scopes.set(parentCallId, scope)
    return scope
  }

  step(scope: Scope, number: number, entry: Entry): StepNode {
    const known = scope.steps.get(number)
    if (known) return known
    const { owner } = scope
    const step: StepNode = {
      kind: 'step',
      id: owner.kind === 'root' ? `step${number}` : `${owner.id}/step${number}`,
      parent: owner,
      children: [],
      start: entry.t,
      status: 'running',
      step: number,
      agent: scope.agent,
      text: '',
      reasoning: '',
      drafts: [],
      artifacts: [],
      replayed: [],
      seq: entry.seq,
      ...(owner.kind === 'root' && this.checkpoint !== undefined && { checkpoint: this.checkpoint }),
    }
    scope.steps.set(number, step)
    scope.step = step
    // In a program's run, the engine acts as the model. Its steps have no rows, because they would not tell the user
    // anything.
    if (owner.kind === 'call' && owner.isProgram) return step
    this.newestStep = step
    return this.insert(step)
  }

  call(
    scope: Scope,
    event: { readonly callId: string; readonly name: string; readonly step: number },
    entry: Entry,
  ): CallNode {
    // The id of an agent's pending call is its path, because an inner call can have the same id as an outer one.
    const { owner } = scope
    const above = owner.kind === 'call' ? `${this.#places.get(owner)?.path}/` : ''
    const isPath = above !== '' && event.callId.startsWith(above)
    const known = scope.calls.get(isPath ? event.callId.slice(above.length) : event.callId)
    if (known) return known
    const step = this.step(scope, event.step, entry)
    const row = this.rowOf(step, scope)
    const call: CallNode = {
      kind: 'call',
      id: `${row.id}/${event.callId}`,
      parent: row,
      children: [],
      start: entry.t,
      readyAt: entry.t,
      status: 'note',
      callId: event.callId,
      name: event.name,
      index: step.children.filter(({ kind }) => kind === 'call').length,
      progress: [],
      artifacts: [],
      repairs: [],
      console: [],
      seqs: {},
    }
    const path = above + event.callId
    this.calls.set(path, call)
    this.callsById.set(event.callId, call)
    this.#places.set(call, { path, scope })
    scope.calls.set(event.callId, call)
    if (row !== step) step.children.push(call)
    return this.insert(call)
  }

  end(entry: Entry, stopReason: EndNode['stopReason'], text: string, data: unknown): void {
    const isProblem = !['done', 'pending', 'condition'].includes(stopReason)
    this.insert<EndNode>({
      kind: 'end',
      id: `e${entry.seq}`,
      parent: this.root,
      children: [],
      start: entry.t,
      status: stopReason === 'pending' ? 'waiting' : isProblem ? 'problem' : 'ok',
      stopReason,
      text,
      data,
    })
  }

  note(
    entry: Entry,
    scope: Scope,
    note: {
      title: string
      text: string
      data: unknown
      callId?: string
      isProblem?: boolean
      under?: ParentNode | undefined
    },
  ): void {
    const { step, owner } = scope
    const open = step && step.end === undefined ? this.rowOf(step, scope) : owner
    this.insert<NoteNode>({
      kind: 'note',
      id: `e${entry.seq}`,
      parent: note.under ?? open,
      children: [],
      start: entry.t,
      status: note.isProblem ? 'problem' : 'note',
      title: note.title,
      text: note.text,
      data: note.data,
      ...(note.callId !== undefined && { callId: note.callId }),
    })
  }

  insert<Node extends RunNode>(node: Node): Node {
    node.parent?.children.push(node)
    this.nodes.set(node.id, node)
    return node
  }

  /** Returns the row for a step's events: the step itself or, in a program's run, the call that runs the program. */
  rowOf(step: StepNode, { owner }: Scope): StepNode | RootNode | CallNode {
    return this.nodes.get(step.id) === step ? step : owner
  }

  /** Finds the row for a step key, such as `step1/child0/step0/request`. Undefined if there is none yet. */
  rowAt(at: string): StepNode | RootNode | CallNode | undefined {
    const found = this.#stepAt(at)
    return found && this.rowOf(found.step, found.scope)
  }

  #stepAt(at: string): { readonly step: StepNode; readonly scope: Scope } | undefined {
    const key = readStepKey(at)
    const scope = key && this.#scopeAt(key.run)
    const step = scope?.steps.get(key?.step ?? -1)
    return scope && step && { step, scope }
  }

  #scopeAt(run: string): Scope | undefined {
    if (run === '') return this.outer
    const index = readStepKey(run)?.index
    const call = this.#stepAt(run)?.step.children.find((node) => node.kind === 'call' && node.index === index)
    return [...this.#scopes.values()].find(({ owner }) => owner === call)
  }
}

function newScope(owner: RootNode | CallNode, outer?: Scope): Scope {
  return { owner, outer, agent: '', step: undefined, steps: new Map(), calls: new Map(), usage: undefined }
}
