import type { Decision, Decisions, PendingCall } from '@capstan/core'
import { visibleText } from '@capstan/core/internal'
import { isCancel, select, selectKey, text } from '@clack/prompts'
import { UsageError } from './exit-codes.js'
import { count, quoted } from './format.js'
import { readJson } from './input.js'
import { type Page, type Screen, sizeOf, toPages } from './terminal.js'

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

/** What a command line decides of calls that wait. */
interface DecisionFlags {
  readonly approve?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
  readonly result?: readonly string[] | undefined
}

/** Decisions by call id. @throws UsageError for two on one call, or one that is half */
export function decisionsOf({ approve = [], deny = [], result = [] }: DecisionFlags): Decisions {
  const all: (readonly [id: string, decision: Decision])[] = [
    ...approve.map((id) => [id, { type: 'approve' }] as const),
    ...deny.map((text) => denied(text)),
    ...result.map((text) => answered(text)),
  ]
  const ids = all.map(([id]) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw new UsageError(`The call ${twice} is decided twice.`)
  return Object.fromEntries(all)
}

function denied(text: string): readonly [string, Decision] {
  const [id, reason = 'The user said no.'] = halves(text)
  return [id, { type: 'deny', reason }]
}

function answered(text: string): readonly [string, Decision] {
  const [id, json] = halves(text)
  if (json === undefined) throw new UsageError(`--result takes the call and its result: ${id}=JSON.`)
  return [id, { type: 'result', value: readJson(json, `The result of ${id}`) }]
}

function halves(text: string): readonly [id: string, rest?: string] {
  const at = text.indexOf('=')
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

/** How a run that waits was started. */
interface Waiting {
  readonly file: string
  /** The export that is its agent, where one was named. */
  readonly agent?: string | undefined
  /** Where its state was written. */
  readonly state?: string | undefined
}

/** What waits for a decision, and how to go on. */
export function pendingLines(calls: readonly PendingCall[], { file, agent, state }: Waiting): string[] {
  const lines = ['Waiting:', ...calls.flatMap(pendingEntry)]
  if (state === undefined)
    return [...lines, 'To decide later, run it with --state FILE, which keeps the run.']
  const words = [
    'capstan',
    'run',
    file,
    ...(agent === undefined ? [] : ['--agent', agent]),
    '--resume',
    state,
  ]
  return [
    ...lines,
    visibleText(`To go on: ${[...words, ...calls.flatMap(decision)].map(quoted).join(' ')}`),
    ...otherwise(calls),
  ]
}

function decision({ callId, kind }: PendingCall): string[] {
  return kind === 'result' ? ['--result', `${callId}=JSON`] : ['--approve', callId]
}

function otherwise(calls: readonly PendingCall[]): string[] {
  return calls.some(({ kind }) => kind === 'approval')
    ? ['To refuse a call: --deny ID=REASON in place of --approve ID']
    : []
}

function pendingEntry(call: PendingCall): string[] {
  const [first, ...rest] = pendingCall(call)
  return [`  ${visibleText(call.callId)}: ${first}`, ...rest.map((line) => `    ${line}`)]
}

/** A pending call and why it waits, then its arguments: whole, a field a line, with nothing in them hidden. */
function pendingCall({ name, arguments: given, kind, reason, agent }: PendingCall): string[] {
  const why = reason ?? (kind === 'result' ? 'its result is yours to give' : 'it needs a yes or no')
  const whose = agent === undefined ? '' : ` (of ${agent})`
  const lines = (JSON.stringify(given, null, 2) ?? '').split('\n')
  return [`${name}${whose}: ${why}`, ...lines].map(visibleText)
}
