import { CapstanError, type JsonSchemaParameters, type ToolContext, tool } from '@capstan/core'
import { isRecord, toJsonText, tryJson } from '@capstan/core/internal'
import { sanitizeText } from '@capstan/schema/sanitize-text'
import type { CallToolResult, Progress, Tool as ServerTool } from '@modelcontextprotocol/client'
import type { Connection } from './connection.js'
import { type CommonOptions, defaultTimeoutMs, type McpTool, type McpToolResult } from './options.js'
import { type McpResult, toResult } from './result.js'

export interface ToolConnection {
  readonly connection: Connection
  readonly options: CommonOptions
}

/** The name and the parameters with which the model sees a tool, and the schema of its results. */
interface ExposedTool {
  readonly name: string
  readonly parameters: JsonSchemaParameters
  readonly output: JsonSchemaParameters | undefined
}

/**
 * Converts a server's tool.
 * @throws CapstanError `invalid_tool` for settings that are not valid
 */
export function toTool(
  serverTool: ServerTool,
  { name, parameters, output }: ExposedTool,
  access: ToolConnection,
): McpTool {
  const { untrusted = true, timeoutMs = defaultTimeoutMs, trustReadOnlyHint, settings } = access.options
  const { name: serverName, title, description = title, annotations } = serverTool
  const made = tool({
    untrusted,
    timeoutMs,
    ...(trustReadOnlyHint && annotations?.readOnlyHint === true ? { effects: 'read' as const } : {}),
    ...settings?.({
      name: serverName,
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(annotations === undefined ? {} : { annotations }),
    }),
    name,
    description: sanitizeText(description ?? serverName, maxDescription),
    parameters,
    ...(output && checked(output)),
    async execute(args, ctx: ToolContext): Promise<McpToolResult> {
      const result = await call(serverTool, args, { ...access, ctx })
      return output ? structuredOf(result, serverTool) : result
    },
  })
  return { ...made, isDynamic: true }
}

/** What else than structured content came with it: the program has that alone, and the model reads all. */
const beside = new WeakMap<object, McpResult>()

function checked(output: JsonSchemaParameters) {
  return { output, toModel: (result: unknown) => beside.get(Object(result)) ?? result } as object
}

/**
 * Returns the structured content of a result. A text that is such JSON counts as one.
 * @throws CapstanError `invalid_response` for a result without any
 */
function structuredOf(result: McpResult, { name }: ServerTool): Readonly<Record<string, unknown>> {
  const { structured, ...others } = typeof result === 'string' ? { structured: tryJson(result) } : result
  if (!isRecord(structured)) {
    const message = `"${sanitizeText(name, maxName)}" has an outputSchema, but returned no structuredContent. Report it to the authors of the MCP server.`
    throw new CapstanError('invalid_response', message)
  }
  if (Object.keys(others).length > 0) beside.set(structured, result)
  return structured
}

const maxDescription = 4096

interface CallScope extends ToolConnection {
  readonly ctx: ToolContext
}

async function call(
  serverTool: ServerTool,
  args: Record<string, unknown>,
  scope: CallScope,
): Promise<McpResult> {
  const { connection, options, ctx } = scope
  const result = await connection.use(
    `calling "${sanitizeText(serverTool.name, maxName)}"`,
    (client) =>
      client.callTool(
        { name: serverTool.name, arguments: args, ...(options.meta ? { _meta: options.meta(ctx) } : {}) },
        {
          signal: ctx.signal,
          // The tool's own deadline aborts the signal.
          timeout: noTimeout,
          onprogress: progressOf(ctx),
          // The server's schema of results is untrusted, so it is not compiled. Results are untrusted anyway.
          toolDefinition: { name: serverTool.name, inputSchema: serverTool.inputSchema },
        },
      ),
    ctx.signal,
  )
  if (result.isError) throw toolError(result)
  return toResult(result, {
    artifacts: ctx.artifacts,
    read: (uri) =>
      connection.use(
        'reading a linked resource',
        (client) => client.readResource({ uri }, { signal: ctx.signal, cacheMode: 'bypass' }),
        ctx.signal,
      ),
  })
}

const maxName = 200
const maxError = 8000
const maxProgress = 1000
const noTimeout = 2 ** 31 - 1

/** Returns the server's error text for the model, without the prefix that the run writes again. */
function toolError({ content, structuredContent }: CallToolResult): CapstanError {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  if (texts.length === 0 && structuredContent !== undefined) texts.push(toJsonText(structuredContent))
  const text = sanitizeText(texts.join('\n'), maxError).replace(/^Error: /, '')
  return new CapstanError('api', text === '' ? 'The tool failed without a message.' : text)
}

/** Reports progress up to a limit, so that a server cannot send it forever. */
function progressOf(ctx: ToolContext): (progress: Progress) => void {
  let left = maxProgress
  return ({ progress, total, message }) => {
    if (left-- <= 0) return
    const text = message === undefined ? {} : { message: sanitizeText(message, maxName) }
    ctx.progress({ progress, ...(total === undefined ? {} : { total }), ...text })
  }
}
