import {
  type AnyAgent,
  type Decision,
  type Decisions,
  isCapstanError,
  type PendingCall,
  type RunState,
} from '@capstan/core'
import { visibleText } from '@capstan/core/internal'
import { formatPendingCall, parseAnswer } from '../approvals.js'
import { formatCount, formatError } from '../format.js'
import { parseValue } from '../input.js'
import { paginate, type Terminal, terminalSize } from '../terminal.js'
import type { LineEditor } from './line-editor.js'

/** The terminal that prompts for decisions, and the agent that validates them. */
export interface Decider {
  readonly agent: AnyAgent
  readonly editor: LineEditor
  readonly terminal: Terminal
}

/** Why the user made no decision: `interrupt` for Ctrl-C, `closed` for the end of the input (Ctrl-D). */
export type Undecided = 'interrupt' | 'closed'

/**
 * Prompts for a decision on each of a run's pending calls, in order. Ignores keys that were pressed before a prompt.
 */
export async function decideCalls(state: RunState, decider: Decider): Promise<Decisions | Undecided> {
  const decided: [string, Decision][] = []
  for (const call of state.pending) {
    const decision = await decideCall(call, state, decider)
    if (typeof decision === 'string') return decision
    decided.push([call.callId, decision])
  }
  return Object.fromEntries(decided)
}

async function decideCall(
  call: PendingCall,
  state: RunState,
  decider: Decider,
): Promise<Decision | Undecided> {
  const denied = await showPages(call, decider)
  if (denied) return denied
  if (call.kind === 'result') {
    const given = await ask('Result (JSON or text): ', decider)
    return typeof given === 'string' ? given : { type: 'result', value: parseValue(given.text) }
  }
  if (call.kind === 'input') return answerQuestion(call, state, decider)
  for (;;) {
    const entered = await ask('Run this call? [y]es, [n]o REASON, [e]dit: ', decider)
    if (typeof entered === 'string') return entered
    const { text } = entered
    if (/^y(es)?$/i.test(text)) return { type: 'approve' }
    const denial = readDenial(text)
    if (denial) return denial
    if (/^e(dit)?$/i.test(text)) {
      const edited = await editArguments(call, state, decider)
      if (edited) return edited
    } else if (text !== '') {
      decider.terminal.writeLine('Enter y, n REASON or e. Ctrl-D ends the chat; the call stays pending.')
    }
  }
}

/** Prompts until the answer matches the question's schema, or the user declines to answer. */
async function answerQuestion(
  call: PendingCall,
  state: RunState,
  decider: Decider,
): Promise<Decision | Undecided> {
  const wanted = call.url === undefined ? 'Answer as JSON' : 'Enter done once you have'
  for (;;) {
    const entered = await ask(`${wanted}, leave empty to decline: `, decider)
    if (typeof entered === 'string') return entered
    const decision = parseAnswer(entered.text)
    if (await mayDecide(decision, call, state, decider)) return decision
  }
}

/** Terminal rows to reserve below a page for the prompt. */
const questionRows = 4

/** Shows a call page by page. Returns the decision if the user decided before the last page, otherwise undefined. */
async function showPages(call: PendingCall, decider: Decider): Promise<Decision | Undecided | undefined> {
  const { columns, rows } = terminalSize(process.stderr)
  for (const { text, left } of paginate(formatPendingCall(call), { columns, rows: rows - questionRows })) {
    decider.terminal.writeLine(text)
    if (left.lines === 0) return undefined
    const rest = `${formatCount(left.lines, 'more line')} (${formatCount(left.characters, 'character')})`
    for (;;) {
      const entered = await ask(`${rest} follow. [v]iew them, [n]o REASON: `, decider)
      if (typeof entered === 'string') return entered
      if (/^v(iew)?$/i.test(entered.text)) break
      const denial = call.kind === 'approval' && readDenial(entered.text)
      if (denial) return denial
    }
  }
  return undefined
}

function readDenial(text: string): Decision | undefined {
  const found = /^no?(?:\s+(.+))?$/i.exec(text)
  return found ? { type: 'deny', reason: found[1] ?? 'The user denied it.' } : undefined
}

/**
 * Lets the user edit the arguments until they are valid. Returns undefined if the user enters an empty line, which
 * changes nothing.
 */
async function editArguments(
  call: PendingCall,
  state: RunState,
  decider: Decider,
): Promise<Decision | Undecided | undefined> {
  // Shows hidden characters as escapes, which does not change the JSON's value.
  let initial = visibleText(JSON.stringify(call.arguments) ?? '{}')
  for (;;) {
    const entered = await ask('Arguments: ', decider, initial)
    if (typeof entered === 'string') return entered
    if (entered.text === '') return undefined
    initial = entered.text
    const decision = await checkArguments(initial, call, state, decider)
    if (decision) return decision
  }
}

/**
 * Returns the approval with the edited arguments. If the arguments are invalid, prints the reason and returns
 * undefined.
 */
async function checkArguments(
  text: string,
  call: PendingCall,
  state: RunState,
  decider: Decider,
): Promise<Decision | undefined> {
  try {
    const decision: Decision = { type: 'approve', arguments: JSON.parse(text) }
    return (await mayDecide(decision, call, state, decider)) ? decision : undefined
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    tellError(error, decider)
    return undefined
  }
}

/** Whether the agent accepts a decision. If the agent rejects it, prints the reason. */
async function mayDecide(
  decision: Decision,
  { callId }: PendingCall,
  state: RunState,
  decider: Decider,
): Promise<boolean> {
  try {
    await decider.agent.prepare(state, { decisions: { [callId]: decision } })
    return true
  } catch (error) {
    if (!isCapstanError(error)) throw error
    tellError(error, decider)
    return false
  }
}

function tellError(error: Error, { terminal }: Decider): void {
  terminal.writeLine(terminal.paint('bad', formatError(error)))
}

async function ask(
  question: string,
  { editor, terminal }: Decider,
  initial?: string,
): Promise<{ readonly text: string } | Undecided> {
  terminal.startLine()
  const entered = await editor.ask(question, { fresh: true, ...(initial === undefined ? {} : { initial }) })
  if (entered === 'closed') return entered
  return 'text' in entered ? { text: entered.text.trim() } : 'interrupt'
}
