import type { Decision, Decisions, PendingCall } from '@capstan/core'
import { isCancel, select, selectKey, text } from '@clack/prompts'
import { count } from '../say/figures.js'
import { type Page, toPages } from '../screen/pages.js'
import { type Screen, sizeOf } from '../screen/screen.js'
import { pendingCall } from './pending-lines.js'

/** Whether somebody is there to be asked. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/** How the user is asked. */
interface Asking {
  readonly screen: Screen
  readonly signal: AbortSignal
}

/** What the user decides of calls, one after another; undefined when they leave a question. */
export async function askDecisions(
  calls: readonly PendingCall[],
  asking: Asking,
): Promise<Decisions | undefined> {
  const decided: [string, Decision][] = []
  for (const call of calls) {
    const decision = call.kind === 'result' ? await askResult(call, asking) : await askApproval(call, asking)
    if (!decision) return undefined
    decided.push([call.callId, decision])
  }
  return Object.fromEntries(decided)
}

const output = process.stderr

async function askApproval(call: PendingCall, asking: Asking): Promise<Decision | undefined> {
  const answer = (await askToTheEnd(call, asking)) ?? (await select({ ...question(asking), options }))
  if (isCancel(answer)) return undefined
  if (answer === 'approve') return { type: 'approve' }
  const reason = await text({
    message: 'Why not? The model is told.',
    defaultValue: 'The user said no.',
    output,
    signal: asking.signal,
  })
  return isCancel(reason) ? undefined : { type: 'deny', reason }
}

const options = [
  { value: 'approve' as const, label: 'Approve' },
  { value: 'deny' as const, label: 'Deny' },
]

function question({ signal }: Asking) {
  return { message: 'Run this call?', output, signal }
}

/** Rows that the question takes below a page. */
const questionRows = 7

/** Shows a call page by page. Undefined once its end was shown; else the answer to what was shown so far. */
async function askToTheEnd(call: PendingCall, asking: Asking): Promise<'deny' | symbol | undefined> {
  const { columns, rows } = sizeOf(output)
  const pages = toPages(pendingCall(call), { columns, rows: rows - questionRows })
  for (const { text: shown, left } of pages) {
    asking.screen.line(shown)
    if (left.lines === 0) return undefined
    const answer = await askToView(left, asking)
    if (answer !== 'v') return answer === 'd' ? 'deny' : answer
  }
  return undefined
}

/** Asks until one of the keys is pressed: Enter answers with none of them. */
async function askToView(left: Page['left'], asking: Asking): Promise<'v' | 'd' | symbol> {
  const rest = `${count(left.lines, 'more line')} (${count(left.characters, 'character')})`
  for (;;) {
    const answer = await selectKey({
      ...question(asking),
      message: `${rest} follow. View them before you approve.`,
      options: [
        { value: 'v', label: 'View the next page' },
        { value: 'd', label: 'Deny' },
      ],
    })
    if (answer === 'v' || answer === 'd' || isCancel(answer)) return answer
  }
}

async function askResult(call: PendingCall, { screen, signal }: Asking): Promise<Decision | undefined> {
  for (const line of pendingCall(call)) screen.line(line)
  const said = await text({
    message: 'Its result?',
    placeholder: 'JSON, or plain words',
    output,
    signal,
  })
  return isCancel(said) ? undefined : { type: 'result', value: toValue(said ?? '') }
}

function toValue(said: string): unknown {
  try {
    return JSON.parse(said)
  } catch {
    return said
  }
}
