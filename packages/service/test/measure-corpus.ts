import type { ChatMessage } from '../src/plan/conversation.js'
import { plan } from '../src/plan/plan.js'
import type { PlannedCall } from '../src/plan/task.js'
import { type CaseCall, definitionsOf, type PlannerCase } from './planner-case.js'
import { corpusNow } from './tuned-corpus.js'

/** The result of the planner for one case. */
export interface Measured {
  readonly one: PlannerCase
  readonly right: boolean
  /** Asked: a call is lacking, and each one made is right. Wrong: a call that should not have been made. */
  readonly verdict: 'right' | 'asked' | 'wrong'
  /** Its calls, one entry per reply. */
  readonly made: readonly (readonly CaseCall[])[]
  /** Milliseconds per reply. */
  readonly times: readonly number[]
}

/** Runs every case of a corpus with all its tools on offer. */
export function measureCorpus(
  corpus: readonly PlannerCase[],
  tools: readonly object[],
  now = corpusNow,
): Measured[] {
  return corpus.map((one) => measureCase(one, tools, now))
}

/** The tasks of a request are kept for its day. */
let unusedDay = 1

function measureCase(one: PlannerCase, tools: readonly object[], at: Date): Measured {
  const messages: ChatMessage[] = [...(one.earlier ?? []), { role: 'user', text: one.ask }]
  const expected = [one.calls, ...(one.rounds ?? [])]
  const accepted = [expected, ...(one.or ?? []).map((calls) => [calls, ...expected.slice(1)])]
  const made: CaseCall[][] = []
  const times: number[] = []
  for (const round of expected.keys()) {
    const answerOn = (now: Date) => plan({ messages, tools: definitionsOf(tools), now, ...one.options })
    const answer = answerOn(at)
    times.push(fastestOf(3, () => answerOn(new Date(2001, 0, unusedDay++))))
    const calls = 'calls' in answer ? answer.calls : []
    made.push(calls.map((call) => [call.name, call.arguments]))
    messages.push(...answered(calls, one, round))
  }
  const isTold = one.rest === undefined || namesRest(one.rest, messages, tools)
  const right = isTold && accepted.some((calls) => plain(made) === plain(calls))
  const isAsked = isTold && accepted.some((calls) => isPart(made, calls))
  const verdict = right ? 'right' : isAsked ? 'asked' : 'wrong'
  return { one, right, verdict, made, times }
}

// Whether the reply after all calls contains each of the words.
function namesRest(
  rest: readonly string[],
  messages: readonly ChatMessage[],
  tools: readonly object[],
): boolean {
  const answer = plan({ messages, tools: definitionsOf(tools), now: corpusNow })
  return 'text' in answer && rest.every((words) => answer.text.includes(words))
}

// Whether each call made is one of the expected ones of its round, and none is made twice.
function isPart(made: readonly (readonly CaseCall[])[], expected: readonly (readonly CaseCall[])[]): boolean {
  return made.every((calls, round) => {
    const left = (expected[round] ?? []).map((call) => plain([[call]]))
    return calls.every((call) => {
      const at = left.indexOf(plain([[call]]))
      if (at >= 0) left.splice(at, 1)
      return at >= 0
    })
  })
}

/** Counts the verdicts of a corpus. */
export function countVerdicts(measured: readonly Measured[]): Record<Measured['verdict'], number> {
  const count = (verdict: Measured['verdict']) => measured.filter((one) => one.verdict === verdict).length
  return { right: count('right'), asked: count('asked'), wrong: count('wrong') }
}

// Other load can make a reply slower, never faster: the minimum counts.
function fastestOf(times: number, run: () => unknown): number {
  const taken = Array.from({ length: times }, () => {
    const started = performance.now()
    run()
    return performance.now() - started
  })
  return Math.min(...taken)
}

function answered(calls: readonly PlannedCall[], { results }: PlannerCase, round: number): ChatMessage[] {
  const made = calls.map((call, index) => {
    return { id: `${round}_${index}`, name: call.name, arguments: JSON.stringify(call.arguments) }
  })
  const answers = made.map(({ id, name }): ChatMessage => {
    return { role: 'tool', callId: id, text: JSON.stringify(results?.[name] ?? 'ok') }
  })
  return [{ role: 'assistant', text: '', calls: made }, ...answers]
}

/** Renders calls as text, independent of argument order, capitals and a leading article. */
function plain(rounds: readonly (readonly CaseCall[])[]): string {
  return JSON.stringify(rounds, (_, value: unknown) => {
    if (typeof value === 'string')
      return value
        .toLowerCase()
        .replace(/^(?:the|an?) /, '')
        .replace(/[.!?]$/, '')
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
  })
}
