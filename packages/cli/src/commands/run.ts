import type {
  AnyAgent,
  CallOptions,
  ModelOverride,
  Run,
  RunInput,
  RunOptions,
  RunResult,
  RunState,
} from '@capstan/core'
import { recordRun } from '@capstan/testing/recording'
import { canPrompt, parseDecisions, promptDecisions } from '../approvals.js'
import { type CommandLine, command, type Flags } from '../args.js'
import { type CallTree, pendingCallTree } from '../call-tree.js'
import { listenForInterrupt } from '../exit-codes.js'
import { formatError } from '../format.js'
import { parseJson, readRunInput } from '../input.js'
import { findAgent, loadFile } from '../load-file.js'
import { type ModelServer, openModelServer } from '../model-server.js'
import { exitCodeOf, finishRun, saveFailedRun } from '../outcome.js'
import { createJsonView, createRunView, type RunView } from '../run-view.js'
import { openTerminal, type Terminal } from '../terminal.js'

type RunLine = CommandLine<typeof runFlags>

/** The options that `capstan run` accepts. */
const runFlags = {
  agent: {
    type: 'string',
    valueName: 'NAME',
    description: 'agent to run, if FILE exports several',
  },
  json: { type: 'boolean', description: 'print every event as a line of JSON, and nothing else' },
  attach: {
    type: 'string',
    valueName: 'PATH',
    multiple: true,
    description: 'file for the agent to work with',
  },
  out: { type: 'string', valueName: 'DIR', description: 'write artifacts into this folder' },
  context: { type: 'string', valueName: 'JSON', description: 'context object for the tools' },
  state: { type: 'string', valueName: 'FILE', description: 'write the final run state to this file' },
  resume: { type: 'string', valueName: 'FILE', description: 'resume the run whose state is in this file' },
  approve: { type: 'string', valueName: 'ID', multiple: true, description: 'approve a pending call' },
  deny: { type: 'string', valueName: 'ID=REASON', multiple: true, description: 'deny a pending call' },
  result: {
    type: 'string',
    valueName: 'ID=JSON',
    multiple: true,
    description: 'pass the result of a pending call',
  },
  record: {
    type: 'string',
    valueName: 'FILE',
    description: 'record the run, for capstan explain and for tests',
  },
} as const satisfies Flags

/** `capstan run`: runs an agent once and prints its result. */
export const run = command({
  name: 'run',
  usage: 'FILE [PROMPT]',
  summary: 'runs an agent that a file exports',
  details:
    "Without a prompt, or with -, the prompt is read from stdin. The model's text goes to stdout, everything else to stderr.",
  positionals: { least: 1, most: 2 },
  flags: runFlags,
  async run({ positionals: [file = '', prompt], flags }) {
    const terminal = openTerminal(flags['no-color'])
    const decisions = parseDecisions(flags)
    const agent = findAgent(await loadFile(file), file, flags.agent)
    const input = await readRunInput(prompt, flags.resume)
    const ending = { file, agent, screen: terminal, flags }
    const work = listenForInterrupt()
    const server = openModelServer((line) => flags.json || terminal.writeLine(line))
    const reporter = flags.json
      ? createJsonView((text) => process.stdout.write(text))
      : createRunView(terminal, pendingCalls(input))
    try {
      const { signal } = work
      const begun = { agent, input, reporter, screen: terminal, flags, signal, decisions, server }
      const result = await runToEnd(begun).finally(reporter.end)
      await finishRun(result, ending)
      return result.stopReason === 'aborted'
        ? (work.exitCode ?? exitCodeOf('aborted'))
        : exitCodeOf(result.stopReason)
    } catch (error) {
      await saveFailedRun(error, ending)
      throw error
    } finally {
      work.release()
      await server.close()
    }
  },
})

interface RunParts {
  readonly agent: AnyAgent
  readonly input: RunInput
  readonly reporter: RunView
  readonly screen: Terminal
  readonly flags: RunLine['flags']
  readonly signal: AbortSignal
  readonly decisions: ReturnType<typeof parseDecisions>
  readonly server: ModelServer
}

/** Returns the pending calls to show. The state is from a file and has not been validated yet. */
function pendingCalls(input: RunInput): CallTree {
  const { pending = [] } = Object(input) as Partial<RunState>
  return Array.isArray(pending) ? pendingCallTree(pending) : []
}

/**
 * Runs the agent. As long as calls are pending and the user can be prompted, resumes the run with the user's decisions.
 */
async function runToEnd({
  agent,
  input,
  reporter,
  screen: terminal,
  flags,
  signal,
  decisions,
  server,
}: RunParts): Promise<RunResult> {
  const options = toRunOptions(flags, { signal, model: server.model })
  const attachments = (flags.attach ?? []).map((path) => ({ path }))
  const watching = { reporter, screen: terminal, flags }
  let result = await followRun(agent.stream(input, { ...options, attachments, decisions }), watching)
  while (result.stopReason === 'pending' && !flags.json && canPrompt()) {
    reporter.pause()
    const decided = await promptDecisions(result.pending ?? [], { screen: terminal, signal })
    if (!decided) return result
    result = await followRun(agent.stream(result.state, { ...options, decisions: decided }), watching)
  }
  return result
}

async function followRun(
  run: Run<RunResult>,
  { reporter, screen: terminal, flags }: Pick<RunParts, 'reporter' | 'screen' | 'flags'>,
): Promise<RunResult> {
  for await (const event of run) {
    reporter.handle(event)
    if (flags.debug && event.type === 'tool-end' && event.error !== undefined)
      terminal.writeLine(`${event.name}: ${formatError(event.error, true)}`)
  }
  return run.result
}

/** Run options for an agent whose context type is unknown here. */
type AnyOptions = RunOptions<never>

/** Returns the run options, with a recording if `--record` is set. @throws UsageError if `--context` is not JSON */
function toRunOptions(
  { context, record }: CommandLine<typeof runFlags>['flags'],
  { signal, model }: { readonly signal: AbortSignal; readonly model: ModelOverride },
): AnyOptions {
  const given = {
    signal,
    ...(record === undefined ? { model } : recordRun(record, { model })),
    ...contextOption(context),
  }
  return given as AnyOptions
}

/** Returns `--context` as an option for a run or a call. @throws UsageError if it is not JSON */
export function contextOption(context: string | undefined): Pick<CallOptions, 'context'> {
  return context === undefined ? {} : { context: parseJson(context, '--context') }
}
