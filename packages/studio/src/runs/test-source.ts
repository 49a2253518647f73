// Generates the source code of a test that repeats a run.

import { dirname, relative, sep } from 'node:path'
import type { ReplayedOutcome } from '../runtime/protocol.js'
import type { RoundOptions } from '../types.js'
import { askPolicy } from './round-options.js'

/** The data from which the source code of a test is generated. */
export interface TestParts {
  /** The path of the test's file. */
  readonly path: string
  /** The path of the recording. It is in the same folder as the test. */
  readonly recording: string
  /** The path of the agent's file. */
  readonly file: string
  /** The name under which the file exports the agent. */
  readonly exportName: string
  readonly title: string
  readonly outcome: ReplayedOutcome
  /** The options of each of the run's rounds, in order. */
  readonly options: readonly RoundOptions[]
}

/** Returns the source code of a test that replays the recording. */
export function replayTest(parts: TestParts): string {
  const { recording, path, title, outcome, options } = parts
  const name = relative(dirname(path), recording).split(sep).join('/')
  return `${[
    ...coreImport(options),
    "import { fileURLToPath } from 'node:url'",
    "import { replayRun } from '@capstan/testing/recording'",
    "import '@capstan/testing/vitest'",
    "import { expect, test } from 'vitest'",
    importOf(parts),
    '',
    `test(${quote(title)}, async () => {`,
    `  const file = fileURLToPath(new URL(${quote(`./${name}`)}, import.meta.url))`,
    ...replays(options),
    ...expectations(outcome),
    '})',
  ].join('\n')}\n`
}

/** Returns the lines that replay the rounds. If all rounds have the same options, one call replays them all. */
function replays(options: readonly RoundOptions[]): readonly string[] {
  const given = options.map(optionsText)
  const [first = ''] = given
  if (given.every((one) => one === first)) {
    const call = `await replayRun(file, { agent${first && `, options: { ${first} }`} })`
    return [given.length === 1 ? `  const [result] = ${call}` : `  const result = (${call}).at(-1)`]
  }
  return given.map((one, round) => {
    const call = `await replayRun(file, { agent, run: ${round}${one && `, options: { ${one} }`} })`
    return round === given.length - 1 ? `  const [result] = ${call}` : `  ${call}`
  })
}

/** Returns a round's options as source code. Omits `model`, because the test provides the replies. */
function optionsText({ settings, limits, instructions, effects }: RoundOptions): string {
  const fields = { settings, limits, instructions }
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  const texts = given.map(([name, value]) => `${name}: ${programText(value)}`)
  return [...texts, ...(effects === 'ask' ? [`policy: ${askPolicy}`] : [])].join(', ')
}

function coreImport(options: readonly RoundOptions[]): readonly string[] {
  return options.some(({ effects }) => effects === 'ask') ? ["import { verdict } from '@capstan/core'"] : []
}

/** The data from which the source code of a test with a scripted model is generated. */
export interface ScriptParts extends Omit<TestParts, 'recording'> {
  /** The input of the run. */
  readonly input: string
  /** The model's replies in the run, in order. */
  readonly replies: readonly ScriptedReply[]
}

export interface ScriptedReply {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly arguments: string }[]
}

/**
 * Returns the source code of a test in which a scripted model returns the run's replies, so that the user can edit
 * them.
 */
export function scriptTest(parts: ScriptParts): string {
  const { title, input, replies, outcome, options } = parts
  const [given = ''] = options.map(optionsText)
  return `${[
    ...coreImport(options),
    "import { reply, scriptedModel } from '@capstan/testing'",
    "import '@capstan/testing/vitest'",
    "import { expect, test } from 'vitest'",
    importOf(parts),
    '',
    `test(${quote(title)}, async () => {`,
    '  const model = scriptedModel([',
    ...replies.map((step) => `    ${scriptStep(step)},`),
    '  ])',
    `  const result = await agent.run(${quote(input)}, { model${given && `, ${given}`} })`,
    ...expectations(outcome),
    '})',
  ].join('\n')}\n`
}

function scriptStep({ text, calls }: ScriptedReply): string {
  if (calls.length === 0) return `reply.text(${quote(text)})`
  const [only, ...more] = calls.map(
    ({ name, arguments: json }) => `reply.call(${quote(name)}, ${argumentsOf(json)})`,
  )
  return more.length === 0 ? (only ?? '') : `reply.calls([${[only, ...more].join(', ')}])`
}

/**
 * Returns arguments as source code: an object literal if they are a JSON object, otherwise a string with the model's
 * text.
 */
function argumentsOf(json: string): string {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : quote(json)
  } catch {
    return quote(json)
  }
}

function importOf({ path, file, exportName }: Pick<TestParts, 'path' | 'file' | 'exportName'>): string {
  const to = relative(dirname(path), file).split(sep).join('/')
  const from = quote((to.startsWith('.') ? to : `./${to}`).replace(/\.([cm]?)tsx?$/, '.$1js'))
  if (exportName === 'default') return `import agent from ${from}`
  return exportName === 'agent'
    ? `import { agent } from ${from}`
    : `import { ${exportName} as agent } from ${from}`
}

function expectations({ calls, stopReason }: ReplayedOutcome): readonly string[] {
  return [
    `  expect(result).toHaveCalledTools([${calls.map(quote).join(', ')}])`,
    ...(stopReason === undefined ? [] : [`  expect(result).toStopWith(${quote(stopReason)})`]),
  ]
}

function programText(value: unknown): string {
  return typeof value === 'string' ? quote(value) : JSON.stringify(value)
}

/** Returns text as a string literal in single quotes. */
function quote(text: string): string {
  const json = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
  return `'${json.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}

/** Returns a file name for a title, without an extension: `look-up-the-weather-in-oslo`. */
export function slugOf(title: string): string {
  const words = title
    .normalize('NFKD')
    .toLowerCase()
    .match(/[a-z0-9]+/g)
  return (words ?? ['run']).slice(0, 8).join('-').slice(0, 60).replace(/-$/, '')
}
