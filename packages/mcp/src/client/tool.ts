import { CapstanError, type JsonSchemaParameters, type ToolContext, tool } from '@capstan/core'
import type { CallToolResult, Progress, Tool as ServerTool } from '@modelcontextprotocol/client'
import type { Connection } from './connection.js'
import { type CommonOptions, type McpTool, usualTimeoutMs } from './options.js'
import { type McpResult, toResult } from './result.js'
import { tidyText } from './server-text.js'

/** How the tools of a server are reached. */
export interface Reach {
  readonly connection: Connection
  readonly options: CommonOptions
}

/** What of a tool the model is shown in place of the server's own. */
interface Shown {
  readonly name: string
  readonly parameters: JsonSchemaParameters
}

/** A server's tool as one of ours. @throws CapstanError `invalid_tool` for settings that cannot be kept */
export function toTool(given: ServerTool, { name, parameters }: Shown, reach: Reach): McpTool {
  const { untrusted = true, timeoutMs = usualTimeoutMs, settings } = reach.options
  const { name: serverName, title, description = title, annotations } = given
  const made = tool({
    untrusted,
    timeoutMs,
    ...settings?.({
      name: serverName,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(annotations === undefined ? {} : { annotations }),
    }),
    name,
    description: tidyText(description ?? serverName, maxDescription),
    parameters,
    execute: (args, ctx: ToolContext) => call(given, args, { ...reach, ctx }),
  })
  return { ...made, isDynamic: true }
}

const maxDescription = 4096

interface Site extends Reach {
  readonly ctx: ToolContext
}

async function call(given: ServerTool, args: Record<string, unknown>, site: Site): Promise<McpResult> {
  const { connection, options, ctx } = site
  const result = await connection.use(
    `a call of "${tidyText(given.name, maxName)}"`,
    (client) =>
      client.callTool(
        { name: given.name, arguments: args, ...(options.meta ? { _meta: options.meta(ctx) } : {}) },
        {
          signal: ctx.signal,
          // The tool's own deadline aborts the signal.
          timeout: never,
          onprogress: progressOf(ctx),
          // A stranger's schema of results is not compiled here: what comes is a stranger's word in any case.
          toolDefinition: { name: given.name, inputSchema: given.inputSchema },
        },
      ),
    ctx.signal,
  )
  if (result.isError) throw toolError(result)
  return toResult(result, {
    artifacts: ctx.artifacts,
    read: (uri) =>
      connection.use(
        'reading what it linked to',
        (client) => client.readResource({ uri }, { signal: ctx.signal, cacheMode: 'bypass' }),
        ctx.signal,
      ),
  })
}

const maxName = 200
const maxError = 8000
const maxProgress = 1000
const never = 2 ** 31 - 1

/** What a server says went wrong, for the model to read. */
function toolError({ content }: CallToolResult): CapstanError {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const text = tidyText(texts.join('\n'), maxError)
  return new CapstanError('api', text === '' ? 'The tool failed and said nothing of why.' : text)
}

/** A server that goes on and on about its progress is not heard for ever. */
function progressOf(ctx: ToolContext): (progress: Progress) => void {
  let left = maxProgress
  return ({ progress, total, message }) => {
    if (left-- <= 0) return
    const said = message === undefined ? {} : { message: tidyText(message, maxName) }
    ctx.progress({ progress, ...(total === undefined ? {} : { total }), ...said })
  }
}

/** The name that a model calls each of a server's tools by: `prefix_name`, in letters that all servers of models take. */
export function toolNames(given: readonly string[], prefix = ''): ReadonlyMap<string, string> {
  const wanted = [...new Set(given)].map((name) => {
    const full = prefix === '' ? name : `${prefix}_${name}`
    const spelt = toSpelling(full)
    return { name, spelt, isPlain: spelt === full }
  })
  // Who needs no other spelling keeps its name, whatever comes before it.
  const taken = new Set(wanted.filter(({ isPlain }) => isPlain).map(({ spelt }) => spelt))
  const names = new Map<string, string>()
  for (const { name, spelt, isPlain } of wanted) {
    let unique = spelt
    // A server may call a tool as another one would be marked.
    for (let mark = name; !isPlain && taken.has(unique); mark += ' ') unique = withMark(spelt, mark)
    taken.add(unique)
    names.set(name, unique)
  }
  return names
}

const longest = 64

function toSpelling(name: string): string {
  const spelt = name.replace(/[^a-zA-Z0-9_-]+/g, '_')
  if (spelt.replace(/_/g, '') === '') return withMark('tool', name)
  // A name that objects inherit is one that somebody's record will stumble over.
  if (spelt in {}) return `${spelt}_`
  return spelt.length > longest ? withMark(spelt, name) : spelt
}

/** The mark depends on the name alone: it stays when other tools come and go. */
function withMark(spelt: string, name: string): string {
  const mark = hash(name)
  return `${spelt.slice(0, longest - 1 - mark.length)}_${mark}`
}

/** FNV-1a, 32 bits. */
function hash(text: string): string {
  let value = 0x811c9dc5
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193)
  return (value >>> 0).toString(36)
}
