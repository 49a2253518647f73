import type { AnyAgent, AnyRunResult, Run, RunInput, RunState } from '@capstan/core'
import { findAgent } from '../file/find-agent.js'
import { loadFile } from '../file/load-file.js'
import { command, type Line } from '../line/command.js'
import { askDecisions, canAsk } from '../run/ask-decisions.js'
import { type CallTree, treeOf } from '../run/call-tree.js'
import { decisionsOf } from '../run/decisions-of.js'
import { finishRun, keepFailed } from '../run/finish-run.js'
import { interruption } from '../run/interruption.js'
import { jsonReporter } from '../run/json-reporter.js'
import { exitOf } from '../run/outcome-lines.js'
import { type Reporter, toReporter } from '../run/reporter.js'
import { runFlags } from '../run/run-flags.js'
import { runInput } from '../run/run-input.js'
import { runOptions } from '../run/run-options.js'
import { tellError } from '../say/tell-error.js'
import { openScreen } from '../screen/open-screen.js'
import type { Screen } from '../screen/screen.js'

type RunLine = Line<typeof runFlags>

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
