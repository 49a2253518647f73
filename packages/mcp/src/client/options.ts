import { CapstanError, type Tool, type ToolContext, type ToolSettings } from '@capstan/core'
import { checkOptionNames, type OptionKind } from '@capstan/core/internal'
import type {
  AuthProvider,
  OAuthClientProvider,
  Tool as ServerTool,
  Transport,
} from '@modelcontextprotocol/client'
import type { McpResult } from './result.js'

/** A server that runs as a child process and communicates over its standard input and output. */
export interface StdioServer {
  /** The program to start, without a shell. */
  readonly command: string
  readonly args?: readonly string[]
  /**
   * Environment variables in addition to `PATH`, `HOME` and the like. The server gets no other variables of this
   * process.
   */
  readonly env?: Readonly<Record<string, string>>
  /** The server's working directory. Default: the working directory of this process. */
  readonly cwd?: string
}

/** A server that is available at a URL and uses streamable HTTP. */
export interface HttpServer {
  readonly url: string | URL
  /** Headers to send with each request. If you pass a function, it is called for each request. */
  readonly headers?: SentHeaders | (() => SentHeaders | Promise<SentHeaders>)
  /** Sends the requests. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch
  /** For servers with OAuth: a provider from `@modelcontextprotocol/client`. */
  readonly authProvider?: AuthProvider | OAuthClientProvider
}

type SentHeaders = Readonly<Record<string, string>>

/** A server that is reached through a custom transport, such as one from `@modelcontextprotocol/client`. */
export interface OtherServer {
  /** Returns a new transport for each connection. */
  readonly transport: () => Transport | Promise<Transport>
}

/** A tool in the form in which its server describes it. The text is untrusted. */
export type McpToolInfo = Pick<ServerTool, 'name' | 'title' | 'description' | 'annotations' | '_meta'>

export type McpToolsOptions = (StdioServer | HttpServer | OtherServer) & CommonOptions

export interface CommonOptions {
  /** A prefix for the tools' names. The prefix is followed by `_`. Default: none. */
  readonly prefix?: string
  /** The tools to import, by their names on the server. Default: all. */
  readonly allow?: readonly string[]
  /** Whether results may contain text from untrusted sources, as with the tool setting `untrusted`. Default true. */
  readonly untrusted?: boolean
  /**
   * Whether tools that the server marks with `readOnlyHint: true` get `effects: 'read'`. Calls to such tools run
   * without an approval even after the run has read untrusted text, and may run a second time. Set this option only for
   * servers whose hints you trust. `settings` can override the value for each tool. Default false: hints have no
   * effect.
   */
  readonly trustReadOnlyHint?: boolean
  /** The deadline for connecting, for listing tools and for each call, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number
  /**
   * Maximum bytes of one server message. A longer message ends the call; over stdio it also ends the connection.
   * Default 10 MiB.
   */
  readonly maxBytes?: number
  /** Whether a call reconnects after the connection has been lost. Default true. */
  readonly reconnect?: boolean
  /** Returns the settings of a tool, such as `effects: 'read'` or `needsApproval`. Default: none. */
  readonly settings?: (tool: McpToolInfo) => McpToolSettings
  /** Returns the `_meta` to send with a call, such as trace data. Default: none. */
  readonly meta?: (ctx: ToolContext) => Readonly<Record<string, unknown>>
  /**
   * The path to a file with hashes of the tools' descriptions, schemas and hints. Capstan writes the file if it does
   * not exist. A tool that is new or has changed is listed in `skipped` until you run `capstan mcp accept FILE`.
   * Default: none, so changed tools are used without a review.
   */
  readonly pins?: string
  /** Called with the new tools when the server has changed its tools. */
  readonly onChange?: (tools: readonly McpTool[]) => void
  /** Aborts the attempt to connect. */
  readonly signal?: AbortSignal
}

export type McpToolSettings = Pick<
  ToolSettings<Record<string, unknown>>,
  | 'effects'
  | 'needsApproval'
  | 'untrusted'
  | 'timeoutMs'
  | 'concurrency'
  | 'rate'
  | 'returnDirect'
  | 'show'
  | 'maxResultBytes'
  | 'maxRejections'
>

export const defaultTimeoutMs = 60_000
export const defaultMaxBytes = 10 * 1024 * 1024

/** A tool from an MCP server. Its name and arguments are known only at run time. */
export type McpTool = Tool<{
  name: string
  input: Record<string, unknown>
  args: Record<string, unknown>
  result: McpToolResult
  context: unknown
}>

/** A call's result. For a tool with an `outputSchema`, it is only the structured content. */
export type McpToolResult = McpResult | Readonly<Record<string, unknown>>

type ServerOption = keyof StdioServer | keyof HttpServer | keyof OtherServer | keyof CommonOptions

const optionKinds: Readonly<Record<ServerOption, OptionKind>> = {
  command: 'a string',
  args: 'an array: [one, two]',
  env: 'an object',
  cwd: 'a string',
  url: true,
  headers: true,
  fetch: 'a function',
  authProvider: 'an object',
  transport: 'a function',
  prefix: 'a string',
  allow: 'an array: [one, two]',
  untrusted: 'true or false',
  trustReadOnlyHint: 'true or false',
  timeoutMs: true,
  maxBytes: true,
  reconnect: 'true or false',
  settings: 'a function',
  meta: 'a function',
  pins: 'a string',
  onChange: 'a function',
  signal: 'controller.signal',
}

/**
 * Checks the names and types of the options, because JavaScript callers can pass anything.
 * @throws CapstanError `invalid_request` for an invalid option
 */
export function checkServerOptions(options: McpToolsOptions): void {
  checkOptionNames(options, optionKinds, {
    of: 'mcpTools',
    code: 'invalid_request',
    names: { url: 'baseurl endpoint' },
  })
  const { command, url, transport }: Partial<StdioServer & HttpServer & OtherServer> = options
  if (command === undefined && url === undefined && transport === undefined)
    throw new CapstanError(
      'invalid_request',
      'mcpTools needs a server. Use { command, args }, { url } or { transport }.',
    )
  // Do not show the value, because it may contain a secret.
  if (command === undefined && url !== undefined && !URL.canParse(url))
    throw new CapstanError(
      'invalid_request',
      'mcpTools: url is not a URL. Use one such as https://example.com/mcp.',
    )
}
