import { CapstanError, type JsonSchemaParameters } from '@capstan/core'
import { joinSignals } from '@capstan/core/internal'
import type { Tool as ServerTool } from '@modelcontextprotocol/client'
import { Connection } from './connection.js'
import { type McpTool, type McpToolsOptions, usualTimeoutMs } from './options.js'
import { toParameters } from './schema.js'
import { tidyText } from './server-text.js'
import { type Reach, toolNames, toTool } from './tool.js'

/** The tools of a server, as long as it is connected. */
export interface McpTools {
  /** As the server has them now: a new list after each change, so an agent keeps those it was given. */
  readonly tools: readonly McpTool[]
  /** Tools of the server that no agent can use, and why. */
  readonly skipped: readonly SkippedTool[]
  /** Asks the server for its tools anew. @throws CapstanError; the tools stay as they were */
  refresh(): Promise<readonly McpTool[]>
  /** Ends the connection, and the server's process where there is one; calls that go on end with an error. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Connects to an MCP server and takes its tools, each a tool as `tool(...)` makes it. They are `untrusted` unless
 * said otherwise. Close it when it is no longer needed.
 * @throws CapstanError `not_found`, `network`, `timeout`, `auth` or `invalid_response` when the server cannot be used,
 * `invalid_tool` when it lacks a tool that `allow` names
 */
export async function mcpTools(options: McpToolsOptions): Promise<McpTools> {
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
  readonly #changes = new Paced(() => this.#listAnew())
  #tools: readonly McpTool[] = []
  #skipped: readonly SkippedTool[] = []
  #given: readonly string[] = []
  #now: Promise<unknown> = Promise.resolve()
  #next: Promise<readonly McpTool[]> | undefined

  constructor(options: McpToolsOptions) {
    this.#options = options
    this.#connection = new Connection(options, () => this.#changes.ask())
  }

  get tools(): readonly McpTool[] {
    return this.#tools
  }

  get skipped(): readonly SkippedTool[] {
    return this.#skipped
  }

  /** Whoever asks while others wait for the same is told the same. */
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
    this.#changes.stop()
    return this.#connection.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** @throws CapstanError `invalid_tool` when the server lacks a tool that was asked for */
  async open(): Promise<void> {
    const { signal } = this.#options
    await this.#connection.open(signal)
    await this.#list(signal)
    const lacking = this.#options.allow?.find((name) => !this.#given.includes(name))
    if (lacking === undefined) return
    const message = `The MCP server has no tool "${lacking}". Its tools: ${this.#given.join(', ')}.`
    throw new CapstanError('invalid_tool', tidyText(message, 2000), { evidence: { name: lacking } })
  }

  async #listAnew(): Promise<void> {
    // Where the list cannot be had, the tools stay as they were, and calls say what is wrong.
    const tools = await this.refresh().catch(() => undefined)
    try {
      if (tools) this.#options.onChange?.(tools)
    } catch (error) {
      globalThis.process?.emitWarning?.(error instanceof Error ? error : String(error))
    }
  }

  async #list(signal?: AbortSignal): Promise<readonly McpTool[]> {
    const { allow, timeoutMs = usualTimeoutMs } = this.#options
    const given = await listTools({ connection: this.#connection, timeoutMs, signal })
    const began = performance.now()
    this.#given = given.map(({ name }) => name)
    const wanted = allow ? given.filter(({ name }) => allow.includes(name)) : given
    const taken = takeTools(wanted, { connection: this.#connection, options: this.#options })
    this.#tools = taken.tools
    this.#skipped = taken.skipped
    this.#changes.took(performance.now() - began)
    return this.#tools
  }
}

/** A tool of a server that no agent can use, and why. */
export interface SkippedTool {
  /** As the server calls it. */
  readonly name: string
  readonly reason: string
}

interface TakenTools {
  readonly tools: readonly McpTool[]
  readonly skipped: readonly SkippedTool[]
}

/** What a server lists, as tools of ours. @throws CapstanError `invalid_tool` for settings of the user's that cannot be kept */
function takeTools(given: readonly ServerTool[], reach: Reach): TakenTools {
  const names = toolNames(
    given.map(({ name }) => name),
    reach.options.prefix,
  )
  const tools = new Map<string, McpTool>()
  const skipped: SkippedTool[] = []
  for (const one of given) {
    const parameters = tools.has(one.name)
      ? 'The server has two tools of this name.'
      : tools.size < maxTools
        ? read(one)
        : tooMany
    if (typeof parameters === 'string') skipped.push({ name: one.name, reason: parameters })
    else tools.set(one.name, toTool(one, { name: names.get(one.name) ?? one.name, parameters }, reach))
  }
  return { tools: [...tools.values()], skipped }
}

/** More than any model can be shown, and few enough to be looked through at once. */
const maxTools = 1000
const tooMany = `The server has more tools than the ${maxTools} that are taken. Name those that you need in allow.`

/** The parameters of a tool, or why they cannot be used. */
function read({ inputSchema }: ServerTool): JsonSchemaParameters | string {
  try {
    return toParameters(inputSchema)
  } catch (error) {
    return tidyText(error instanceof Error ? error.message : String(error), 1000)
  }
}

/** Which list is wanted, and how soon. */
interface Listing {
  readonly connection: Connection
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

/**
 * The tools of a server. A list may come in many pages, each of them in time: all of it has to be.
 * @throws CapstanError, or the signal's reason
 */
async function listTools({ connection, timeoutMs, signal: given }: Listing): Promise<ServerTool[]> {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(tooLate(connection, timeoutMs)), timeoutMs)
  const { signal, release } = joinSignals([given, late.signal])
  try {
    const { tools } = await connection.use(
      'its list of tools',
      (client) => client.listTools(undefined, { timeout: timeoutMs, cacheMode: 'refresh', signal }),
      signal,
    )
    return tools
  } finally {
    clearTimeout(timer)
    release()
  }
}

function tooLate({ address: { called } }: Connection, ms: number): CapstanError {
  const message = `The MCP server "${called}" did not give its list of tools within ${ms} ms. Raise timeoutMs if it needs longer.`
  return new CapstanError('timeout', message, { evidence: { server: called }, retryable: true })
}

/**
 * Does something for whoever asks, once for all that ask meanwhile, and rests between: whoever asks without end does not
 * get all of this process's time.
 */
export class Paced {
  readonly #work: () => Promise<unknown>
  #waiting: ReturnType<typeof setTimeout> | undefined
  #restUntil = 0

  constructor(work: () => Promise<unknown>) {
    this.#work = work
  }

  ask(): void {
    if (this.#waiting !== undefined) return
    const begin = () => {
      this.#waiting = undefined
      void this.#work()
    }
    this.#waiting = setTimeout(begin, Math.max(0, this.#restUntil - performance.now()))
    // A program that is done need not wait for this.
    if (typeof this.#waiting === 'object') this.#waiting.unref()
  }

  /** What it took, in milliseconds, of which the next rest is a multiple. */
  took(ms: number): void {
    this.#restUntil = performance.now() + rest * ms
  }

  stop(): void {
    clearTimeout(this.#waiting)
    this.#waiting = undefined
  }
}

const rest = 20
