import type { AnyAgent, AnyRunResult, CallOptions, Run, RunInput, RunOptions, RunState } from '@capstan/core'
import { recordRun } from '@capstan/testing/recording'
import { askDecisions, canAsk, decisionsOf } from '../approvals.js'
import { command, type Flags, type Line } from '../args.js'
import { type CallTree, treeOf } from '../call-tree.js'
import { interruption } from '../exit-codes.js'
import { tellError } from '../format.js'
import { readJson, runInput } from '../input.js'
import { findAgent, loadFile } from '../load-file.js'
import { exitOf, finishRun, keepFailed } from '../outcome.js'
import { jsonReporter, type Reporter, toReporter } from '../run-view.js'
import { openScreen, type Screen } from '../terminal.js'

type RunLine = Line<typeof runFlags>

/** The options of `capstan run`. */
const runFlags = {
  agent: { type: 'string', value: 'NAME', says: 'the export to run, where there are several agents' },
  json: { type: 'boolean', says: 'every event as a line of JSON, and nothing else' },
  attach: { type: 'string', value: 'PATH', multiple: true, says: 'a file for the agent to work with' },
  out: { type: 'string', value: 'DIR', says: 'write what was made into this folder' },
  context: { type: 'string', value: 'JSON', says: 'what the tools are told of the run' },
  state: { type: 'string', value: 'FILE', says: 'write the state of the run here at its end' },
  resume: { type: 'string', value: 'FILE', says: 'go on with the run of this state' },
  approve: { type: 'string', value: 'ID', multiple: true, says: 'let a call that waits run' },
  deny: { type: 'string', value: 'ID=REASON', multiple: true, says: 'refuse a call that waits' },
  result: {
    type: 'string',
    value: 'ID=JSON',
    multiple: true,
    says: 'answer a call that waits for its result',
  },
  record: { type: 'string', value: 'FILE', says: 'record the run, for capstan explain and for tests' },
} as const satisfies Flags

/** `capstan run` */
export const run = command({
  name: 'run',
  form: 'FILE [PROMPT]',
  says: 'runs an agent that a file exports',
  more: 'Without a prompt, or with -, it is read from what is piped in. Words of the model go to stdout, all else to stderr.',
  words: { least: 1, most: 2 },
  flags: runFlags,
  async run({ words: [file = '', prompt], flags }) {
    const screen = openScreen(flags['no-color'])
    const decisions = decisionsOf(flags)
    const agent = findAgent(await loadFile(file), file, flags.agent)
    const input = await runInput(prompt, flags.resume)
    const ending = { file, agent, screen, flags }
    const work = interruption()
    const reporter = flags.json
      ? jsonReporter((text) => process.stdout.write(text))
      : toReporter(screen, pendingIn(input))
    try {
      const begun = { agent, input, reporter, screen, flags, signal: work.signal, decisions }
      const result = await toEnd(begun).finally(reporter.end)
      await finishRun(result, ending)
      return result.stopReason === 'aborted' ? (work.exit ?? exitOf('aborted')) : exitOf(result.stopReason)
    } catch (error) {
      await keepFailed(error, ending)
      throw error
    } finally {
      work.release()
    }
  },
})

interface Begun {
  readonly agent: AnyAgent
  readonly input: RunInput
  readonly reporter: Reporter
  readonly screen: Screen
  readonly flags: RunLine['flags']
  readonly signal: AbortSignal
  readonly decisions: ReturnType<typeof decisionsOf>
}

/** Calls that wait in a state, as it says itself. */
function pendingIn(input: RunInput): CallTree {
  const { pending = [] } = Object(input) as Partial<RunState>
  return Array.isArray(pending) ? treeOf(pending) : []
}

/** The run, and again after each time that a user decided. */
async function toEnd({
  agent,
  input,
  reporter,
  screen,
  flags,
  signal,
  decisions,
}: Begun): Promise<AnyRunResult> {
  const options = runOptions(flags, signal)
  const attachments = (flags.attach ?? []).map((path) => ({ path }))
  const watching = { reporter, screen, flags }
  let result = await watched(agent.stream(input, { ...options, attachments, decisions }), watching)
  while (result.stopReason === 'pending' && !flags.json && canAsk()) {
    reporter.pause()
    const decided = await askDecisions(result.pending ?? [], { screen, signal })
    if (!decided) return result
    result = await watched(agent.stream(result.state, { ...options, decisions: decided }), watching)
  }
  return result
}

async function watched(
  run: Run<AnyRunResult>,
  { reporter, screen, flags }: Pick<Begun, 'reporter' | 'screen' | 'flags'>,
): Promise<AnyRunResult> {
  for await (const event of run) {
    reporter.take(event)
    if (flags.debug && event.type === 'tool-end' && event.error !== undefined)
      screen.line(`${event.name}: ${tellError(event.error, true)}`)
  }
  return run.result
}

/** Options of a run whose types nobody knows here. */
type AnyOptions = RunOptions<never>

/** What the command line says of a run, besides its input. @throws UsageError */
function runOptions({ context, record }: Line<typeof runFlags>['flags'], signal: AbortSignal): AnyOptions {
  const given = {
    signal,
    ...(record === undefined ? {} : recordRun(record)),
    ...withContext(context),
  }
  return given as AnyOptions
}

/** The context of a command line as an option of a run or a call. */
export function withContext(context: string | undefined): Pick<CallOptions, 'context'> {
  return context === undefined ? {} : { context: readJson(context, 'The context') }
}
