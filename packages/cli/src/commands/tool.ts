import {
  Agent,
  type AnyTool,
  type AnyToolCall,
  type ArtifactStore,
  type ChatModel,
  memoryArtifacts,
} from '@capstan/core'
import { folderArtifacts } from '@capstan/core/node'
import { command, type Line } from '../args.js'
import { exits, interruption } from '../exit-codes.js'
import { columnsOf, oneLine, tellError } from '../format.js'
import { readInput } from '../input.js'
import { findTools, loadFile, pickTool } from '../load-file.js'
import { openScreen, type Paint, type Screen } from '../terminal.js'
import { withContext } from './run.js'

const flags = {
  out: {
    type: 'string',
    value: 'DIR',
    says: 'the folder of artifacts: what was made there before can be used by its id',
  },
  context: { type: 'string', value: 'JSON', says: 'what the tool is told of the run' },
  json: { type: 'boolean', says: 'list tools as a model is shown them' },
} as const

/** Here nobody has to read it who could read too much. */
const maxResultBytes = 2 ** 30

/** `capstan tool` */
export const tool = command({
  name: 'tool',
  form: 'FILE [NAME [ARGUMENTS]]',
  says: 'lists the tools of a file, or calls one',
  more: 'The arguments are JSON; without them, or with -, they are read from what is piped in. The result goes to stdout.',
  words: { least: 1, most: 3 },
  flags,
  async run({ words: [file = '', name, given], flags }) {
    const screen = openScreen(flags['no-color'])
    const tools = findTools(await loadFile(file), file)
    if (name === undefined) return list(tools, flags.json ?? false, screen)
    const found = pickTool(tools, name)
    const piped = given === undefined || given === '-' ? await readInput(given === '-') : given
    return call(found, piped?.trim() || '{}', { flags, screen })
  },
})

function list(tools: readonly AnyTool[], asJson: boolean, screen: Screen): number {
  const definitions = tools.map(({ definition }) => definition)
  const text = asJson
    ? JSON.stringify(definitions, null, 2)
    : tools.flatMap((one) => toolLines(one, screen.paint)).join('\n')
  process.stdout.write(`${text}\n`)
  return exits.done
}

interface Calling {
  readonly flags: Line<typeof flags>['flags']
  readonly screen: Screen
}

async function call(tool: AnyTool, json: string, { flags, screen }: Calling): Promise<number> {
  const artifacts = flags.out === undefined ? memoryArtifacts() : folderArtifacts(flags.out)
  const work = interruption()
  const options = { artifacts, signal: work.signal, ...withContext(flags.context) }
  const { status, result, content, thrown } = await callAlone(tool, json, options)
  work.release()
  if (status === 'ok') {
    process.stdout.write(`${JSON.stringify(result ?? null, null, 2)}\n`)
    return exits.done
  }
  const why = thrown === undefined ? content.replace(/^Error: /, '') : thrown
  screen.line(`capstan: ${tellError(why, flags.debug)}`)
  return work.exit ?? exits.error
}

/** A tool as one reads it: what it does, and each of its parameters. */
function toolLines({ definition }: AnyTool, paint: Paint): string[] {
  const { name, description, parameters } = definition.function
  const { properties = {}, required = [] } = parameters as Schema
  const rows = Object.entries(properties).map(([parameter, schema]) => [oneLine(parameter), schema] as const)
  const width = Math.max(0, ...rows.map(([parameter]) => columnsOf(parameter)))
  const lines = rows.map(([parameter, schema]) => {
    const facts = [typeText(schema), ...optional(schema, required.includes(parameter))].join(', ')
    const told = oneLine(`${facts}. ${schema.description ?? ''}`, 200)
    return `  ${parameter}${' '.repeat(width - columnsOf(parameter))}  ${told}`
  })
  return [`${paint('strong', oneLine(name))}: ${oneLine(description ?? '', 200)}`, ...lines]
}

function optional(schema: Schema, isRequired: boolean): string[] {
  if (schema.default !== undefined) return [`default ${JSON.stringify(schema.default)}`]
  return isRequired ? [] : ['optional']
}

/** A JSON Schema, as far as it is looked at. */
interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
  readonly default?: unknown
}

/** What a schema lets pass, in a few words. */
export function typeText(schema: Schema): string {
  const { type, enum: values, anyOf, oneOf, items } = schema
  if (values) return values.map((value) => JSON.stringify(value)).join(' | ')
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  const parts = anyOf ?? oneOf
  if (parts) return parts.map(typeText).join(' | ')
  if (type === 'array') return items ? `list of ${typeText(items)}` : 'list'
  return [type ?? 'anything'].flat().join(' | ')
}

/** What a call needs besides its arguments. */
interface AloneOptions {
  readonly artifacts: ArtifactStore
  readonly signal: AbortSignal
  readonly context?: unknown
}

/** What came of a call, and what its function threw, if it did. */
type AloneResult = AnyToolCall & { readonly thrown?: unknown }

/**
 * Calls one tool as a run would, with arguments as a model writes them: what does not fit is told as a model is told
 * it, with an example. Nobody is asked for approval: who calls it so has approved.
 */
async function callAlone(tool: AnyTool, json: string, options: AloneOptions): Promise<AloneResult> {
  const { artifacts, signal } = options
  let thrown: unknown
  const execute = async () => {
    try {
      return await tool.call(JSON.parse(json), options as never)
    } catch (error) {
      thrown = error
      throw error
    }
  }
  const { name, parameters, definition } = tool
  // The plain function in place of whatever answers its calls in a run, another agent for instance.
  const alone = { name, parameters, definition, settings: { maxResultBytes }, execute, call: tool.call }
  const agent = new Agent({
    model: calling(name, json),
    tools: [alone as AnyTool],
    artifacts,
    landing: false,
    stopWhen: () => true,
  })
  const [call] = (await agent.run(`Call ${name}.`, { signal })).toolCalls
  if (!call) throw new Error(`The call of ${name} was interrupted before it began.`)
  return { ...(call as AnyToolCall), ...(thrown === undefined ? {} : { thrown }) }
}

/** A model that makes one call. */
function calling(name: string, json: string): ChatModel {
  const call = { id: 'call_1', type: 'function', function: { name, arguments: json } } as const
  const message = { role: 'assistant', content: null, tool_calls: [call] } as const
  return { name: 'capstan tool', complete: async () => ({ message, finishReason: 'tool_calls' }) }
}
