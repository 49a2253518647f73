import type { Tool, ToolContext, ToolSettings } from '@capstan/core'
import type {
  AuthProvider,
  OAuthClientProvider,
  Tool as ServerTool,
  Transport,
} from '@modelcontextprotocol/client'
import type { McpResult } from './result.js'

/** A server that is a process of its own, spoken to over its input and output. */
export interface StdioServer {
  /** What is started; no shell reads it. */
  readonly command: string
  readonly args?: readonly string[]
  /** Besides `PATH`, `HOME` and the like: no other variable of this process reaches the server. */
  readonly env?: Readonly<Record<string, string>>
  /** Default: that of this process. */
  readonly cwd?: string
}

/** A server behind an address, over streamable HTTP. */
export interface HttpServer {
  readonly url: string | URL
  /** Sent with each request; a function is asked each time. */
  readonly headers?: SentHeaders | (() => SentHeaders | Promise<SentHeaders>)
  /** Default: that of this process. */
  readonly fetch?: typeof globalThis.fetch
  /** For servers with OAuth: a provider as the client of `@modelcontextprotocol/client` takes it. */
  readonly authProvider?: AuthProvider | OAuthClientProvider
}

type SentHeaders = Readonly<Record<string, string>>

/** A server behind a transport of `@modelcontextprotocol/client`, or of your own. */
export interface OtherServer {
  /** Makes a new transport for each connection. */
  readonly transport: () => Transport | Promise<Transport>
}

/** A tool as its server describes it: words of a stranger. */
export type McpToolInfo = Pick<ServerTool, 'name' | 'title' | 'description' | 'annotations'>

export type McpToolsOptions = (StdioServer | HttpServer | OtherServer) & CommonOptions

export interface CommonOptions {
  /** The names the model sees begin with this and `_`. Default: none. */
  readonly prefix?: string
  /** Which of the server's tools to take, by the server's names. Default: all. */
  readonly allow?: readonly string[]
  /** Whether results may hold words of strangers: see the setting `untrusted` of tools. Default true. */
  readonly untrusted?: boolean
  /** Bound on connecting, on the list of tools and on each call, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number
  /** Bytes of one message of the server; a longer one ends the call, over stdio also the connection. Default 10 MiB. */
  readonly maxBytes?: number
  /** Whether a call after the connection has ended makes a new one. Default true. */
  readonly reconnect?: boolean
  /** Settings of single tools, such as `effects: 'read'` or `needsApproval`. Default: none. */
  readonly settings?: (tool: McpToolInfo) => McpToolSettings
  /** What goes along with a call as its `_meta`, such as a trace. Default: nothing. */
  readonly meta?: (ctx: ToolContext) => Readonly<Record<string, unknown>>
  /** Told when the server has changed its tools: `tools` are the new ones. */
  readonly onChange?: (tools: readonly McpTool[]) => void
  /** Ends the attempt to connect. */
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

export const usualTimeoutMs = 60_000
export const usualMaxBytes = 10 * 1024 * 1024

/** A tool of an MCP server: its name and its arguments are known at run time only. */
export type McpTool = Tool<{
  name: string
  input: Record<string, unknown>
  args: Record<string, unknown>
  result: McpResult
  context: unknown
}>
