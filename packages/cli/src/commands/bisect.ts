import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chatModel } from '@capstan/core'
import { type ComparedStep, compareSteps } from '@capstan/testing/compare'
import { compareRuns, type ForkOptions, forkRun, type RunComparison } from '@capstan/testing/recording'
import { command } from '../args.js'
import { exitCodes, UsageError } from '../exit-codes.js'
import { openTerminal } from '../terminal.js'
import { formatFirst } from './compare.js'
import { agentFlags, readText, toForkOptions } from './fork.js'

/** `capstan bisect`: finds the first version of the instructions whose run differs from a recording. */
export const bisect = command({
  name: 'bisect',
  usage: 'RECORDING --instructions V1 V2 ...',
  summary: 'finds the first version of the instructions whose run differs from the recording',
  details:
    'The versions are files, oldest first. The first one is assumed good. Each run takes the results of recorded calls from the recording; other calls stay pending. The exit code is 1 if a version differs.',
  positionals: { least: 1, most: 1000 },
  flags: {
    instructions: {
      type: 'string',
      valueName: 'V1',
      description: 'oldest version; pass the others after it',
    },
    words: { type: 'boolean', description: 'compare text too (default: calls only)' },
    ...agentFlags,
  },
  async run({ positionals: [recording = '', ...later], flags }) {
    if (flags.instructions === undefined || later.length === 0)
      throw new UsageError('Missing versions. Usage: capstan bisect RECORDING --instructions V1 V2 ...')
    const files = [flags.instructions, ...later]
    const terminal = openTerminal(flags['no-color'])
    const versions = await Promise.all(files.map(readText))
    const options = await toForkOptions(flags)
    const going = options.agent || options.model ? options : { ...options, model: recordedModel(recording) }
    const folder = await mkdtemp(join(tmpdir(), 'capstan-bisect-'))
    try {
      const found = await findFirst(versions.length, async (version) => {
        const file = join(folder, `${version}.jsonl`)
        const instructions = versions[version] ?? ''
        const compared = behaviour(
          await runVersion(recording, { ...going, instructions, file }),
          flags.words === true,
        )
        const isOther = compared.first !== undefined || compared.ends.a !== compared.ends.b
        terminal.writeLine(
          `${files[version]} ${isOther ? 'differs from the recording' : 'is the same as the recording'}.`,
        )
        return isOther ? formatFirst(compared) : undefined
      })
      const lines = found
        ? [
            `${files[found.version]} is the first version that differs from the recording.`,
            ...found.difference,
          ]
        : ['No version differs from the recording.']
      process.stdout.write(`${lines.join('\n')}\n`)
      return found ? exitCodes.error : exitCodes.done
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
})

/**
 * Reruns a recording with different instructions, and compares the runs. If the rerun fails, compares them up to the
 * failure.
 */
async function runVersion(
  recording: string,
  options: Omit<ForkOptions, 'at'> & { readonly file: string },
): Promise<RunComparison> {
  let failure: unknown
  await forkRun(recording, { ...options, at: 0, ask: 'all' }).catch((error: unknown) => {
    failure = error
  })
  try {
    return compareRuns(recording, options.file)
  } catch {
    // The run failed before its first step, so there is no recording to compare.
    throw failure
  }
}

/** Compares only the model's replies, because the instructions in the requests differ. */
function behaviour(compared: RunComparison, countsWords: boolean): RunComparison {
  const toReplies = ({ at, reply }: ComparedStep): ComparedStep => ({
    at,
    request: { messages: [], tools: [] },
    ...(reply ? { reply: countsWords ? reply : { ...reply, text: '' } } : {}),
    results: [],
    artifacts: [],
  })
  const [a, b] = [compared.a.map(toReplies), compared.b.map(toReplies)]
  return { ...compareSteps(a, b), a, b, ends: compared.ends }
}

interface FoundVersion {
  readonly version: number
  readonly difference: readonly string[]
}

/**
 * Uses binary search to find the first version that behaves differently. Version 0 is assumed to be good. `run` returns
 * how a version differs, or undefined if it does not. Returns undefined if no version differs.
 */
async function findFirst(
  count: number,
  run: (version: number) => Promise<readonly string[] | undefined>,
): Promise<FoundVersion | undefined> {
  let [good, bad] = [0, count]
  let difference: readonly string[] | undefined
  while (bad - good > 1) {
    const version = Math.floor((good + bad) / 2)
    const parted = await run(version)
    if (parted) {
      bad = version
      difference = parted
    } else good = version
  }
  return difference && { version: bad, difference }
}

/**
 * Returns the recorded model, with the base URL from the environment.
 * @throws UsageError if the recording contains no request
 */
function recordedModel(recording: string) {
  const { a } = compareRuns(recording, recording)
  const name = a[0]?.request.model
  if (name === undefined)
    throw new UsageError(
      `"${recording}" contains no request, so its model is unknown. Choose one with --model.`,
    )
  return chatModel(name)
}
