import type { Usage } from '@capstan/core'
import { formatMs, oneLine, plural, shorten } from './format.js'
import type { CallNode, RunNode, Status } from './run-nodes.js'
import type { RunTree } from './run-tree.js'
import { parsed } from './values.js'

/** Selects rows of the timeline. A row must match all fields that are set. */
export interface Filter {
  readonly show: 'all' | 'calls' | 'problems'
  /** Shows only calls to this tool. */
  readonly tool?: string
  /** Shows only rows that contain this text, ignoring case. */
  readonly find?: string
}

/** A visible row in the timeline. */
export interface Row {
  readonly id: string
  readonly node: RunNode
  /** The level in the tree, starting at 1, as in `aria-level`. */
  readonly level: number
  readonly posInSet: number
  readonly setSize: number
  /** Whether the rows below this one are shown. Absent if there are none. */
  readonly isOpen?: boolean
}

const problems: readonly Status[] = [
  'error',
  'rejected',
  'denied',
  'cut_off',
  'not_run',
  'problem',
  'waiting',
]

/** Whether a row reports a problem or needs a decision. */
export function isProblem(node: RunNode): boolean {
  if (node.kind === 'step') return node.status === 'error' || node.status === 'cut_off'
  return problems.includes(node.status) || (node.kind === 'note' && node.title === 'repaired')
}

/**
 * Returns the visible rows of a tree: the rows that match the filter, and their ancestors. `closed` contains the ids of
 * rows whose descendants are hidden.
 */
export function rowsOf(tree: RunTree, closed: ReadonlySet<string>, filter: Filter = { show: 'all' }): Row[] {
  const rows: Row[] = []
  const isFiltered = filter.show !== 'all' || filter.tool !== undefined || !!filter.find
  const fits = isFiltered ? fittingNodes(tree, filter) : undefined
  const visit = (nodes: readonly RunNode[], level: number) => {
    const shown = fits ? nodes.filter((node) => fits.has(node)) : nodes
    shown.forEach((node, index) => {
      const hasChildren = fits ? node.children.some((child) => fits.has(child)) : node.children.length > 0
      const isOpen = hasChildren && !closed.has(node.id)
      rows.push({
        id: node.id,
        node,
        level,
        posInSet: index + 1,
        setSize: shown.length,
        ...(hasChildren && { isOpen }),
      })
      if (isOpen) visit(node.children, level + 1)
    })
  }
  visit(tree.root.children, 1)
  return rows
}

function fittingNodes(tree: RunTree, filter: Filter): ReadonlySet<RunNode> {
  const found = new Set<RunNode>()
  const find = filter.find?.toLowerCase()
  for (const node of tree.nodes.values()) {
    if (filter.show === 'calls' && node.kind !== 'call') continue
    if (filter.show === 'problems' && !isProblem(node)) continue
    if (filter.tool !== undefined && !(node.kind === 'call' && node.name === filter.tool)) continue
    if (find && !textOfNode(node).toLowerCase().includes(find)) continue
    for (let at: RunNode | undefined = node; at && !found.has(at); at = aboveOf(at)) found.add(at)
  }
  return found
}

function aboveOf(node: RunNode): RunNode | undefined {
  return node.parent?.kind === 'root' ? undefined : node.parent
}

/** Returns the content of a row's first cell: a title, and a short description next to it. */
export function describe(node: RunNode): { readonly title: string; readonly detail: string } {
  switch (node.kind) {
    case 'step':
      return {
        title: `step ${node.step}`,
        detail: node.agent + (node.replayed.length > 0 ? ' (replayed)' : ''),
      }
    case 'call':
      return { title: node.name, detail: detailOfCall(node) }
    case 'request':
      return { title: `request ${node.exchange}`, detail: timesOf(node) }
    case 'note':
      return { title: node.title, detail: shorten(node.text) }
    case 'end':
      return { title: 'end', detail: node.text }
  }
}

function detailOfCall(node: CallNode): string {
  if (node.agent !== undefined) return `agent ${node.agent}`
  return oneLine(writtenSource(node) ?? node.arguments ?? node.argumentsText, 80)
}

/** Returns the source code of the program that a call runs. Undefined if the call does not run a program. */
export function sourceOf(call: CallNode): string | undefined {
  return call.source ?? writtenSource(call)
}

/** Returns the source code that the model wrote in the call. Undefined for other calls, including saved programs. */
export function writtenSource(call: CallNode): string | undefined {
  const { name, isProgram, arguments: given, argumentsText } = call
  // A rejected program has no run, so `isProgram` is not set.
  if (!isProgram && name !== 'run_program') return undefined
  const { code } = Object(given ?? parsed(argumentsText))
  return typeof code === 'string' ? code : undefined
}

function timesOf(node: RunNode & { kind: 'request' }): string {
  if (node.end === undefined) return 'sent'
  const first = node.firstByteAt ?? node.headersAt
  return first === undefined ? '' : `first byte after ${formatMs(first - node.start)}`
}

/** Returns all text in a row that `Filter.find` searches. */
function textOfNode(node: RunNode): string {
  const { title, detail } = describe(node)
  const texts: unknown[] = [title, detail]
  if (node.kind === 'step') texts.push(node.text, node.reasoning)
  if (node.kind === 'call')
    texts.push(
      sourceOf(node),
      node.arguments,
      node.argumentsText,
      node.content,
      ...node.console.map(({ text }) => text),
    )
  if (node.kind === 'note') texts.push(node.text)
  return texts.map((text) => (typeof text === 'string' ? text : (JSON.stringify(text) ?? ''))).join('\n')
}

/**
 * Returns a row's duration in milliseconds. Undefined while the row is in progress, and for events, which have no
 * duration.
 */
export function durationOf(node: RunNode): number | undefined {
  if (node.kind === 'note' || node.kind === 'end') return undefined
  if (node.kind === 'call') return node.ms
  const end = node.kind === 'step' ? (node.repliedAt ?? node.end) : node.end
  return end === undefined ? undefined : end - node.start
}

/**
 * Returns the tokens to show in a row. The last request of a step shows the step's tokens, and the end row the run's.
 */
export function tokensOf(node: RunNode): number | undefined {
  if (node.kind === 'step') return node.tokens
  if (node.kind === 'end') return (Object(node.data) as { readonly usage?: Usage }).usage?.totalTokens
  if (node.kind !== 'request' || node.parent?.kind !== 'step') return undefined
  const isLast = node.parent.children.findLast(({ kind }) => kind === 'request') === node
  return isLast ? node.parent.tokens : undefined
}

/** Returns the start and width of a row's time bar, in percent of the run's duration. */
export function barOf(node: RunNode, runEnd: number): { readonly left: number; readonly width: number } {
  const whole = Math.max(1, runEnd)
  const left = Math.min(100, (node.start / whole) * 100)
  const end = node.kind === 'step' ? (node.repliedAt ?? node.end) : node.end
  const isMoment = node.kind === 'note' || node.kind === 'end'
  const width = isMoment ? 0 : (((end ?? runEnd) - node.start) / whole) * 100
  return { left, width: Math.max(0, Math.min(100 - left, width)) }
}

/** Returns the tools that a run has called and how often, for the tool filter. */
export function toolsOf(tree: RunTree): { readonly name: string; readonly count: number }[] {
  const counts = new Map<string, number>()
  for (const node of tree.nodes.values())
    if (node.kind === 'call') counts.set(node.name, (counts.get(node.name) ?? 0) + 1)
  return [...counts].map(([name, count]) => ({ name, count }))
}

/** Formats the numbers of steps and calls: `2 steps, 3 calls`. */
export function summarise(tree: RunTree): string {
  const calls = [...tree.nodes.values()].filter(({ kind }) => kind === 'call').length
  return `${plural(tree.root.children.filter(({ kind }) => kind === 'step').length, 'step')}, ${plural(calls, 'call')}`
}
