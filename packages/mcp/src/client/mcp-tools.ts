import { CapstanError, type JsonSchemaParameters } from '@capstan/core'
import { joinSignals } from '@capstan/core/internal'
import { toParameters } from '@capstan/schema/imported-schema'
import { sanitizeText } from '@capstan/schema/sanitize-text'
import { toolNames } from '@capstan/schema/tool-names'
import type { Tool as ServerTool } from '@modelcontextprotocol/client'
import { Connection } from './connection.js'
import { skipReason } from './messages.js'
import { checkServerOptions, defaultTimeoutMs, type McpTool, type McpToolsOptions } from './options.js'
import { checkPins } from './pins.js'
import { type ToolConnection, toTool } from './tool.js'

/** A connection to an MCP server, with the server's tools. */
export interface McpTools {
  /**
   * The current tools. If the server changes its tools, this property returns a new array. Agents that were given the
   * old array keep it.
   */
  readonly tools: readonly McpTool[]
  /** The server's tools that agents cannot use, each with the reason. */
  readonly skipped: readonly SkippedTool[]
  /**
   * Requests the tools again, and returns the new array.
   * @throws CapstanError if the request fails; `tools` then stays unchanged
   */
  refresh(): Promise<readonly McpTool[]>
  /** Closes the connection, and ends the process of a stdio server. Active calls end with an error. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Connects to an MCP server and imports its tools for use in agents. They are `untrusted` by default. Call `close()`
 * when you no longer need them.
 * @throws CapstanError `not_found`, `network`, `timeout`, `auth` or `invalid_response` if the server cannot be used,
 * `invalid_tool` if it lacks a tool named in `allow`, `invalid_request` for an invalid option
 */
export async function mcpTools(options: McpToolsOptions): Promise<McpTools> {
  checkServerOptions(options)
  const server = new ConnectedTools(options)
  try {
    await server.open()
    return server
  } catch (error) {
    await server.close()
    throw error
  }
}

class ConnectedTools implements McpTools {
  readonly #options: McpToolsOptions
  readonly #connection: Connection
  readonly #updates = new Debouncer(() => this.#update())
  #tools: readonly McpTool[] = []
  #skipped: readonly SkippedTool[] = []
  #serverNames: readonly string[] = []
  #now: Promise<unknown> = Promise.resolve()
  #next: Promise<readonly McpTool[]> | undefined

  constructor(options: McpToolsOptions) {
    this.#options = options
    this.#connection = new Connection(options, () => this.#updates.request())
  }

  get tools(): readonly McpTool[] {
    return this.#tools
  }

  get skipped(): readonly SkippedTool[] {
    return this.#skipped
  }

  /** Requests the tools again. All calls made while a request is queued share that request. */
  refresh(): Promise<readonly McpTool[]> {
    this.#next ??= this.#now.then(() => {
      this.#next = undefined
      const listed = this.#list()
      this.#now = listed.catch(() => {})
      return listed
    })
    return this.#next
  }

  close(): Promise<void> {
    this.#updates.stop()
    return this.#connection.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /**
   * Connects and imports the tools.
   * @throws CapstanError `invalid_tool` if the server lacks a tool named in `allow`
   */
  async open(): Promise<void> {
    const { signal } = this.#options
    await this.#connection.open(signal)
    await this.#list(signal)
    const missing = this.#options.allow?.find((name) => !this.#serverNames.includes(name))
    if (missing === undefined) return
    const message = `The MCP server has no tool "${missing}". Its tools: ${this.#serverNames.join(', ')}.`
    throw new CapstanError('invalid_tool', sanitizeText(message, 2000), { evidence: { name: missing } })
  }

  async #update(): Promise<void> {
    // If the request fails, the tools stay unchanged, and the next call reports the error.
    const tools = await this.refresh().catch(() => undefined)
    try {
      if (tools) this.#options.onChange?.(tools)
    } catch (error) {
      globalThis.process?.emitWarning?.(error instanceof Error ? error : String(error))
    }
  }

  async #list(signal?: AbortSignal): Promise<readonly McpTool[]> {
    const { allow, pins, timeoutMs = defaultTimeoutMs } = this.#options
    const serverTools = await listTools({ connection: this.#connection, timeoutMs, signal })
    const began = performance.now()
    this.#serverNames = serverTools.map(({ name }) => name)
    const wanted = allow ? serverTools.filter(({ name }) => allow.includes(name)) : serverTools
    const unpinned = pins === undefined ? new Map<string, string>() : await checkPins(pins, serverTools)
    const imported = importTools(wanted, { connection: this.#connection, options: this.#options }, unpinned)
    this.#tools = imported.tools
    this.#skipped = imported.skipped
    this.#updates.worked(performance.now() - began)
    return this.#tools
  }
}

/** A tool that agents cannot use, with the reason. */
export interface SkippedTool {
  /** The tool's name on the server, without `prefix`. */
  readonly name: string
  readonly reason: string
}

interface ImportedTools {
  readonly tools: readonly McpTool[]
  readonly skipped: readonly SkippedTool[]
}

/**
 * Converts the server's tools, and skips those that agents cannot use.
 * @throws CapstanError `invalid_tool` for invalid settings
 */
function importTools(
  serverTools: readonly ServerTool[],
  access: ToolConnection,
  unpinned: ReadonlyMap<string, string>,
): ImportedTools {
  const names = toolNames(
    serverTools.map(({ name }) => name),
    access.options.prefix,
  )
  const tools = new Map<string, McpTool>()
  const skipped: SkippedTool[] = []
  for (const one of serverTools) {
    const parameters =
      skipReason(one) ??
      (tools.has(one.name)
        ? 'The server has two tools with this name.'
        : tools.size < maxTools
          ? (unpinned.get(one.name) ?? readSchema(one.inputSchema))
          : tooMany)
    if (typeof parameters === 'string') skipped.push({ name: one.name, reason: parameters })
    else {
      const output = one.outputSchema && readSchema(one.outputSchema)
      // If the output schema cannot be used, results are not checked.
      const checked = typeof output === 'string' ? undefined : output
      const exposed = { name: names.get(one.name) ?? one.name, parameters, output: checked }
      tools.set(one.name, toTool(one, exposed, access))
    }
  }
  return { tools: [...tools.values()], skipped }
}

/** Maximum number of tools to import. No model accepts more than this. */
const maxTools = 1000
const tooMany = `The server has more than ${maxTools} tools. List the tools that you need in allow.`

/** Returns a tool's schema, or the reason why it cannot be used. */
function readSchema(schema: Readonly<Record<string, unknown>>): JsonSchemaParameters | string {
  try {
    return toParameters(schema)
  } catch (error) {
    return sanitizeText(error instanceof Error ? error.message : String(error), 1000)
  }
}

interface ListOptions {
  readonly connection: Connection
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/**
 * Requests the server's tools. The deadline applies to all pages together.
 * @throws CapstanError, or the signal's reason
 */
async function listTools({ connection, timeoutMs, signal: serverTools }: ListOptions): Promise<ServerTool[]> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(tooLate(connection, timeoutMs)), timeoutMs)
  const { signal, release } = joinSignals([serverTools, late.signal])
  try {
    const { tools } = await connection.use(
      'listing tools',
      (client) => client.listTools(undefined, { timeout: timeoutMs, cacheMode: 'refresh', signal }),
      signal,
    )
    return tools
  } finally {
    clearTimeout(timer)
    release()
  }
}

function tooLate({ address: { label } }: Connection, ms: number): CapstanError {
  const message = `The MCP server "${label}" did not list its tools within ${ms} ms. Raise timeoutMs if it needs longer.`
  return new CapstanError('timeout', message, { evidence: { server: label }, retryable: true })
}

/**
 * Runs `work` on request, with a pause after each run to limit CPU use. Several requests during a pause cause only one
 * run.
 */
export class Debouncer {
  readonly #work: () => Promise<unknown>
  #timer: ReturnType<typeof setTimeout> | undefined
  #pausedUntil = 0

  constructor(work: () => Promise<unknown>) {
    this.#work = work
  }

  request(): void {
    if (this.#timer !== undefined) return
    const begin = () => {
      this.#timer = undefined
      void this.#work()
    }
    this.#timer = setTimeout(begin, Math.max(0, this.#pausedUntil - performance.now()))
    // The timer must not keep the process alive.
    if (typeof this.#timer === 'object') this.#timer.unref()
  }

  /** Starts a pause that is 20 times as long as the work (`ms`), and at least 500 ms. */
  worked(ms: number): void {
    this.#pausedUntil = performance.now() + Math.max(minPauseMs, pauseFactor * ms)
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

const pauseFactor = 20
/** The shortest pause in milliseconds. It includes the time to receive and parse a list. */
const minPauseMs = 500
