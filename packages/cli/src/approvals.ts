import type { Decision, Decisions, PendingCall } from '@capstan/core'
import { visibleText } from '@capstan/core/internal'
import { isCancel, select, selectKey, text } from '@clack/prompts'
import { UsageError } from './exit-codes.js'
import { formatCount, shellQuote } from './format.js'
import { parseJson, parseValue } from './input.js'
import { type Page, paginate, type Terminal, terminalSize } from './terminal.js'

/** Whether the user can be prompted. Stdin and stderr must both be terminals. */
export function canPrompt(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

/** Where a prompt is shown, and the signal that cancels it. */
interface PromptContext {
  readonly screen: Terminal
  readonly signal: AbortSignal
}

/** Prompts for a decision on each call, in order. Resolves to undefined as soon as the user cancels a prompt. */
export async function promptDecisions(
  calls: readonly PendingCall[],
  asking: PromptContext,
): Promise<Decisions | undefined> {
  const decided: [string, Decision][] = []
  for (const call of calls) {
    const decision =
      call.kind === 'approval' ? await promptApproval(call, asking) : await promptResult(call, asking)
    if (!decision) return undefined
    decided.push([call.callId, decision])
  }
  return Object.fromEntries(decided)
}

const output = process.stderr

async function promptApproval(call: PendingCall, asking: PromptContext): Promise<Decision | undefined> {
  const answer = (await showPages(call, asking)) ?? (await select({ ...question(asking), options }))
  if (isCancel(answer)) return undefined
  if (answer === 'approve') return { type: 'approve' }
  const reason = await text({
    message: 'Reason for the denial (sent to the model):',
    defaultValue: 'The user denied it.',
    output,
    signal: asking.signal,
  })
  return isCancel(reason) ? undefined : { type: 'deny', reason }
}

const options = [
  { value: 'approve' as const, label: 'Approve' },
  { value: 'deny' as const, label: 'Deny' },
]

function question({ signal }: PromptContext) {
  return { message: 'Run this call?', output, signal }
}

/** Terminal rows to reserve below a page for the prompt. */
const questionRows = 7

/**
 * Shows a call page by page. Returns the user's answer if the user answered before the last page, otherwise undefined.
 */
async function showPages(call: PendingCall, asking: PromptContext): Promise<'deny' | symbol | undefined> {
  const { columns, rows } = terminalSize(output)
  const pages = paginate(formatPendingCall(call), { columns, rows: rows - questionRows })
  for (const { text: shown, left } of pages) {
    asking.screen.writeLine(shown)
    if (left.lines === 0) return undefined
    const answer = await promptNextPage(left, asking)
    if (answer !== 'v') return answer === 'd' ? 'deny' : answer
  }
  return undefined
}

/** Prompts until the user presses one of the listed keys. Enter alone selects nothing. */
async function promptNextPage(left: Page['left'], asking: PromptContext): Promise<'v' | 'd' | symbol> {
  const rest = `${formatCount(left.lines, 'more line')} (${formatCount(left.characters, 'character')})`
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

async function promptResult(
  call: PendingCall,
  { screen: terminal, signal }: PromptContext,
): Promise<Decision | undefined> {
  for (const line of formatPendingCall(call)) terminal.writeLine(line)
  const isQuestion = call.kind === 'input'
  const said = await text({
    message: isQuestion ? 'Answer (leave empty to decline):' : 'Result:',
    placeholder: isQuestion ? (call.url === undefined ? 'JSON' : 'done') : 'JSON or plain text',
    output,
    signal,
  })
  if (isCancel(said)) return undefined
  return isQuestion ? parseAnswer(said ?? '') : { type: 'result', value: parseValue(said ?? '') }
}

/** Parses the user's answer to a tool's question. An empty answer declines the question. */
export function parseAnswer(text: string): Decision {
  if (text.trim() === '') return { type: 'deny', reason: 'The user declined.' }
  return { type: 'result', value: parseValue(text) }
}

interface DecisionFlags {
  readonly approve?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
  readonly result?: readonly string[] | undefined
}

/** Returns the decisions by call id. @throws UsageError if a call has two decisions, or a result has no value */
export function parseDecisions({ approve = [], deny = [], result = [] }: DecisionFlags): Decisions {
  const all: (readonly [id: string, decision: Decision])[] = [
    ...approve.map((id) => [id, { type: 'approve' }] as const),
    ...deny.map((text) => parseDenial(text)),
    ...result.map((text) => parseResult(text)),
  ]
  const ids = all.map(([id]) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw new UsageError(`Call ${twice} has two decisions. Pass one.`)
  return Object.fromEntries(all)
}

function parseDenial(text: string): readonly [string, Decision] {
  const [id, reason = 'The user denied it.'] = splitAtEquals(text)
  return [id, { type: 'deny', reason }]
}

function parseResult(text: string): readonly [string, Decision] {
  const [id, json] = splitAtEquals(text)
  if (json === undefined) throw new UsageError(`--result needs a call id and a result. Write ${id}=JSON.`)
  return [id, { type: 'result', value: parseJson(json, `The result of ${id}`) }]
}

function splitAtEquals(text: string): readonly [id: string, rest?: string] {
  const at = text.indexOf('=')
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}

/** The values that the printed command needs to resume a pending run. */
interface PausedRun {
  readonly file: string
  /** The value of `--agent`, if the option was used. */
  readonly agent?: string | undefined
  /** The file that contains the state. Undefined without `--state`. */
  readonly state?: string | undefined
}

/** Formats the pending calls and the command that resumes the run. Without a saved state, explains how to save it. */
export function formatPendingCalls(
  calls: readonly PendingCall[],
  { file, agent, state }: PausedRun,
): string[] {
  const lines = ['Pending:', ...calls.flatMap(formatEntry)]
  if (state === undefined) return [...lines, 'To decide later, save the run with --state FILE.']
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
    visibleText(`To resume: ${[...words, ...calls.flatMap(decisionFlag)].map(shellQuote).join(' ')}`),
    ...denyHint(calls),
  ]
}

function decisionFlag({ callId, kind }: PendingCall): string[] {
  return kind === 'approval' ? ['--approve', callId] : ['--result', `${callId}=JSON`]
}

function denyHint(calls: readonly PendingCall[]): string[] {
  const kinds = new Set(calls.map(({ kind }) => kind))
  return [
    ...(kinds.has('approval') ? ['To deny a call, replace --approve ID with --deny ID=REASON'] : []),
    ...(kinds.has('input') ? ['To decline a question, replace --result ID=JSON with --deny ID'] : []),
  ]
}

function formatEntry(call: PendingCall): string[] {
  const [first, ...rest] = formatPendingCall(call)
  return [`  ${visibleText(call.callId)}: ${first}`, ...rest.map((line) => `    ${line}`)]
}

/** Formats a pending call: why it is pending, and all its arguments. Escapes invisible characters. */
export function formatPendingCall(call: PendingCall): string[] {
  const { name, arguments: given, kind, reason, agent, message = '', schema, url } = call
  const needs = { approval: 'needs approval', result: 'needs a result from you', input: 'asks you' }
  const whose = agent === undefined ? '' : ` (called by ${agent})`
  const asked = kind === 'input' ? [...message.split('\n'), ...answerLines(schema, url)] : []
  return [`${name}${whose}: ${reason ?? needs[kind]}`, ...toLines(given), ...asked].map(visibleText)
}

function answerLines(schema: unknown, url: string | undefined): string[] {
  return url === undefined
    ? ['Answer with JSON that matches this schema:', ...toLines(schema)]
    : [`Open ${url}`]
}

function toLines(value: unknown): string[] {
  return (JSON.stringify(value, null, 2) ?? '').split('\n')
}
