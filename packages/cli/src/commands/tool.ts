import { type AnyTool, memoryArtifacts } from '@capstan/core'
import { formatType } from '@capstan/core/internal'
import { folderArtifacts } from '@capstan/core/node'
import { callTool } from '@capstan/testing'
import { type CommandLine, command } from '../args.js'
import { exitCodes, listenForInterrupt } from '../exit-codes.js'
import { displayWidth, formatFailure, sanitizeText, toOneLine } from '../format.js'
import { readStdin } from '../input.js'
import { findTool, findTools, loadFile } from '../load-file.js'
import { openTerminal, type Paint, type Terminal } from '../terminal.js'
import { contextOption } from './run.js'

const flags = {
  out: {
    type: 'string',
    valueName: 'DIR',
    description: 'folder for artifacts, in which earlier results can be used by id',
  },
  context: { type: 'string', valueName: 'JSON', description: 'context object for the tool' },
  json: { type: 'boolean', description: 'print the tools as JSON, as a model sees them' },
} as const

/** `capstan tool`: lists a file's tools, or calls one of them without a model. */
export const tool = command({
  name: 'tool',
  usage: 'FILE [NAME [ARGUMENTS]]',
  summary: "lists a file's tools, or calls one",
  details:
    'The arguments are JSON; without them, or with -, they are read from stdin. The result goes to stdout.',
  positionals: { least: 1, most: 3 },
  flags,
  async run({ positionals: [file = '', name, given], flags }) {
    const terminal = openTerminal(flags['no-color'])
    const tools = findTools(await loadFile(file), file)
    if (name === undefined) return listTools(tools, flags.json ?? false, terminal)
    const found = findTool(tools, name)
    const piped = given === undefined || given === '-' ? await readStdin(given === '-') : given
    return callAndPrint(found, piped?.trim() || '{}', { flags, screen: terminal })
  },
})

function listTools(tools: readonly AnyTool[], asJson: boolean, terminal: Terminal): number {
  const definitions = tools.map(({ definition }) => definition)
  const text = asJson
    ? sanitizeText(JSON.stringify(definitions, null, 2))
    : tools.flatMap((one) => formatTool(one, terminal.paint)).join('\n')
  process.stdout.write(`${text}\n`)
  return exitCodes.done
}

interface CallContext {
  readonly flags: CommandLine<typeof flags>['flags']
  readonly screen: Terminal
}

async function callAndPrint(
  tool: AnyTool,
  json: string,
  { flags, screen: terminal }: CallContext,
): Promise<number> {
  const artifacts = flags.out === undefined ? memoryArtifacts() : folderArtifacts(flags.out)
  const work = listenForInterrupt()
  const options = { artifacts, signal: work.signal, ...contextOption(flags.context) }
  const { status, result, content, thrown } = await callTool(tool, json, options)
  work.release()
  if (status === 'ok') {
    process.stdout.write(`${sanitizeText(JSON.stringify(result ?? null, null, 2))}\n`)
    return exitCodes.done
  }
  const why = thrown === undefined ? content.replace(/^Error: /, '') : thrown
  terminal.writeLine(`capstan: ${formatFailure(why, flags.debug)}`)
  return work.exitCode ?? exitCodes.error
}

/** Formats a tool: its name and description, then one line per parameter. */
function formatTool({ definition }: AnyTool, paint: Paint): string[] {
  const { name, description, parameters } = definition.function
  const { properties = {}, required = [] } = parameters as Schema
  const rows = Object.entries(properties).map(
    ([parameter, schema]) => [toOneLine(parameter), schema] as const,
  )
  const width = Math.max(0, ...rows.map(([parameter]) => displayWidth(parameter)))
  const lines = rows.map(([parameter, schema]) => {
    const facts = [formatType(schema), ...formatOptional(schema, required.includes(parameter))].join(', ')
    const told = toOneLine(`${facts}. ${schema.description ?? ''}`, 200)
    return `  ${parameter}${' '.repeat(width - displayWidth(parameter))}  ${told}`
  })
  return [`${paint('strong', toOneLine(name))}: ${toOneLine(description ?? '', 200)}`, ...lines]
}

function formatOptional(schema: Schema, isRequired: boolean): string[] {
  if (schema.default !== undefined) return [`default ${JSON.stringify(schema.default)}`]
  return isRequired ? [] : ['optional']
}

/** The JSON Schema fields that are shown. */
interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
  readonly default?: unknown
}
