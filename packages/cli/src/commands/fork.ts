import { readFile } from 'node:fs/promises'
import { chatModel } from '@capstan/core'
import { type ForkOptions, forkRun } from '@capstan/testing/recording'
import { type CommandLine, command, type Flags } from '../args.js'
import { listenForInterrupt, UsageError } from '../exit-codes.js'
import { sanitizeText } from '../format.js'
import { parseJson, parseValue } from '../input.js'
import { findAgent, loadFile } from '../load-file.js'
import { exitCodeOf, formatOutcome } from '../outcome.js'
import { openTerminal } from '../terminal.js'
import { contextOption } from './run.js'

/** The options of `fork` and `bisect` that choose the agent and the model. */
export const agentFlags = {
  file: {
    type: 'string',
    valueName: 'FILE',
    description: 'file that exports the agent (default: use only the recording)',
  },
  agent: { type: 'string', valueName: 'NAME', description: 'agent to run, if FILE exports several' },
  model: { type: 'string', valueName: 'NAME', description: 'model to call instead of the recorded one' },
  context: { type: 'string', valueName: 'JSON', description: 'context object for the tools' },
  run: { type: 'string', valueName: 'N', description: 'number of the run, if the recording has several' },
} as const satisfies Flags

const forkFlags = {
  at: { type: 'string', valueName: 'N', description: 'step to start from, 0 or more' },
  ...agentFlags,
  prompt: { type: 'string', valueName: 'TEXT', description: "replaces the user's message" },
  instructions: { type: 'string', valueName: 'FILE', description: "replaces the agent's instructions" },
  reply: { type: 'string', valueName: 'TEXT', description: "replaces the model's reply at that step" },
  arguments: {
    type: 'string',
    valueName: 'CALL=JSON',
    multiple: true,
    description: 'replaces the arguments of an earlier call, such as step0/call0={"city":"Rome"}',
  },
  result: {
    type: 'string',
    valueName: 'CALL=JSON',
    multiple: true,
    description: 'replaces the result of an earlier call',
  },
  settings: {
    type: 'string',
    valueName: 'JSON',
    description: 'model settings for the requests, such as {"temperature":0}',
  },
  all: { type: 'boolean', description: 'call the model again for unchanged requests' },
  'run-effects': { type: 'boolean', description: 'run calls that can change data without approval' },
  record: { type: 'string', valueName: 'FILE', description: 'record the fork, for capstan compare' },
} as const satisfies Flags

/** `capstan fork`: reruns a recording from a step, with changes. */
export const fork = command({
  name: 'fork',
  usage: 'RECORDING --at N',
  summary: 'reruns a recording from a step, with changes',
  details:
    'Earlier steps come from the recording: no model is called and no tool runs again. Calls that can change data need approval.',
  positionals: { least: 1, most: 1 },
  flags: forkFlags,
  async run({ positionals: [recording = ''], flags }) {
    const terminal = openTerminal(flags['no-color'])
    const changes = await toChanges(flags)
    const going = await toForkOptions(flags)
    const work = listenForInterrupt()
    try {
      const at = parseNumber(flags.at ?? '', '--at')
      const options = { signal: work.signal }
      const result = await forkRun(recording, { at, ...going, ...changes, options })
      process.stdout.write(`${sanitizeText(result.text)}\n`)
      for (const { name, callId } of result.pending ?? [])
        terminal.writeLine(sanitizeText(`${name} (${callId}) is pending.`))
      for (const line of formatOutcome(result)) terminal.writeLine(terminal.paint('faint', line))
      return work.exitCode ?? exitCodeOf(result.stopReason)
    } finally {
      work.release()
    }
  },
})

async function toChanges(flags: CommandLine<typeof forkFlags>['flags']): Promise<Partial<ForkOptions>> {
  const { prompt, instructions, reply, settings, record, all } = flags
  return {
    ...(prompt === undefined ? {} : { prompt }),
    ...(instructions === undefined ? {} : { instructions: await readText(instructions) }),
    ...(reply === undefined ? {} : { reply }),
    ...(flags.arguments
      ? { arguments: parseCalls(flags.arguments, '--arguments') as Record<string, object> }
      : {}),
    ...(flags.result ? { results: parseCalls(flags.result, '--result') } : {}),
    ...(settings === undefined
      ? {}
      : { settings: parseJson(settings, '--settings') as Record<string, unknown> }),
    ...(record === undefined ? {} : { file: record }),
    ...(all ? { ask: 'all' as const } : {}),
    ...(flags['run-effects'] ? { effects: 'run' as const } : {}),
  }
}

/**
 * Loads the agent and the model that the options in `agentFlags` choose.
 * @throws UsageError for an invalid option or a missing file
 */
export async function toForkOptions({
  file,
  agent,
  model,
  context,
  run,
}: CommandLine<typeof agentFlags>['flags']): Promise<Omit<ForkOptions, 'at'>> {
  return {
    ...(file === undefined ? {} : { agent: findAgent(await loadFile(file), file, agent) }),
    ...(model === undefined ? {} : { model: chatModel(model) }),
    ...(run === undefined ? {} : { run: parseNumber(run, '--run') }),
    ...contextOption(context),
  }
}

/** Reads a text file and removes trailing white space. @throws UsageError if the file cannot be read */
export async function readText(file: string): Promise<string> {
  try {
    return (await readFile(file, 'utf8')).trimEnd()
  } catch {
    throw new UsageError(`Cannot read ${file}. Check the path and its permissions.`)
  }
}

function parseNumber(text: string, option: string): number {
  if (/^\d+$/.test(text)) return Number(text)
  throw new UsageError(`${option} must be a whole number, 0 or more, not "${text}".`)
}

function parseCalls(given: readonly string[], option: string): Record<string, unknown> {
  const entries = given.map((text): [string, unknown] => {
    const at = text.indexOf('=')
    if (at < 1) throw new UsageError(`${option} must have the form CALL=JSON, not "${text}".`)
    return [text.slice(0, at), parseValue(text.slice(at + 1))]
  })
  return Object.fromEntries(entries)
}
