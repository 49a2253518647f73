import { CapstanError } from '@capstan/core'
import { Connection } from './connection.js'
import { listTools } from './list-tools.js'
import { type McpToolsOptions, usualTimeoutMs } from './mcp-options.js'
import type { McpTool } from './mcp-tool.js'
import { Paced } from './paced.js'
import { type SkippedTool, takeTools } from './take-tools.js'
import { tidyText } from './tidy-text.js'

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
