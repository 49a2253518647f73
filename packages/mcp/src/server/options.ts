import type {
  AnyAgent,
  AnyTool,
  Artifact,
  ArtifactStore,
  Decision,
  PendingCall,
  RunOptions,
} from '@capstan/core'
import { safeListener } from '@capstan/core/internal'

/** What is served: tools, agents, or both. An agent is one tool, `ask_` and its name. */
export type Served = AnyAgent | readonly (AnyTool | AnyAgent)[]

/** A call that came from a client. */
export interface McpCall {
  /** The tool, as the client names it. */
  readonly name: string
  /** Who calls: what `authenticate` said. Undefined over stdio. */
  readonly caller?: unknown
  /** What came along with the call, such as a trace. */
  readonly meta: Readonly<Record<string, unknown>>
  /** The HTTP request, where there is one. */
  readonly request?: Request
}

/** What a call's run can be given. */
export type CallRunOptions = Pick<RunOptions<never>, 'host' | 'limits' | 'observe' | 'settings'> & {
  readonly context?: unknown
}

export interface McpServerOptions {
  /** What the server calls itself. Default: the agent's name, or `capstan`. */
  readonly name?: string
  /** Default `0.0.0`. */
  readonly version?: string
  /** What clients may tell their model of the server. Default: nothing. */
  readonly instructions?: string
  /**
   * Where tools store what they make, for clients to read; agents have their own. Each caller's calls see a view that has
   * what they made, as far as this process knows. A function gives each caller a store, for tools and agents: the same
   * artifacts each time. Default: in memory, as long as the server.
   */
  readonly artifacts?: ArtifactStore | ((caller: unknown) => ArtifactStore)
  /** Pictures and sound of at most so many bytes are in the answer; all else is linked to. Default 256 KiB. */
  readonly inlineBytes?: number
  /** Whether a caller may read an artifact. Default: what this caller's calls stored, as far as this process knows. */
  readonly mayRead?: (artifact: Artifact, caller: unknown) => boolean | Promise<boolean>
  /** Bytes of an artifact that can be read; a larger one is refused. Default 6 MiB. */
  readonly maxReadBytes?: number
  /** Options of the run that answers a call: its `context`, its `host`, its `limits`, who observes it. Default: none. */
  readonly runOptions?: (call: McpCall) => CallRunOptions | Promise<CallRunOptions>
  /** Decides on calls that wait for approval. Default: they are denied, for nobody is there to ask. */
  readonly decide?: (pending: PendingCall, call: McpCall) => Decision | Promise<Decision>
  /** Calls and artifacts that are answered with at one time; further ones are told to come back. Default 100. */
  readonly maxCalls?: number
  /**
   * Whether an HTTP request may be answered, and for whom: nothing, `false` and `null` are answered by 401, a
   * `Response` is the answer, all else is the call's `caller`. Must be there for hosts beyond this machine.
   */
  readonly authenticate?: (request: Request) => unknown
  /** Host names under which HTTP requests are answered: others may be a page that had its name changed. Default: those of this machine. */
  readonly hosts?: readonly string[]
  /** Origins of pages that may call, such as `https://app.example`, besides the server's own. Default: none. */
  readonly origins?: readonly string[]
  /** Bytes of an HTTP request. Default 4 MiB. */
  readonly maxBodyBytes?: number
  /**
   * Bytes of all HTTP requests that are being read at one time; more are answered with 503. Default 64 MiB, and at least
   * `maxBodyBytes`.
   */
  readonly maxBodiesBytes?: number
  /**
   * Whether older clients (of 2025) get a session over HTTP: without one they cannot cancel a call. It lives in this
   * process, for 30 minutes after its last request. Default true.
   */
  readonly sessions?: boolean
  /**
   * Takes each failure whose message callers are not given; may return a promise. When it fails itself, that is a process
   * warning. Default: none.
   */
  readonly onError?: (error: Error) => void
}

export const usualInlineBytes = 256 * 1024
/** As base64 it is 8 MiB: clients take messages of 10. */
export const usualMaxReadBytes = 6 * 1024 * 1024
export const usualMaxBodyBytes = 4 * 1024 * 1024
export const usualMaxCalls = 100

/** Tells the application of a failure. Never throws. */
export function reportError(error: unknown, { onError }: Pick<McpServerOptions, 'onError'>): void {
  if (onError)
    safeListener(onError)(error instanceof Error ? error : new Error('The call failed.', { cause: error }))
}
