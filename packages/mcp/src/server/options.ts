import type {
  AnyAgent,
  AnyTool,
  Artifact,
  ArtifactStore,
  Decision,
  PendingCall,
  RunOptions,
} from '@capstan/core'
import { checkOptionNames, type OptionKind, safeListener } from '@capstan/core/internal'

/** The tools and agents to serve. An agent is served as one tool, `ask_` and its name. */
export type Served = AnyAgent | readonly (AnyTool | AnyAgent)[]

/** A call from a client. */
export interface McpCall {
  /** Name of the tool. */
  readonly name: string
  /** The value that `authenticate` returned. `undefined` over stdio. */
  readonly caller?: unknown
  /** The call's `_meta`, such as a trace. */
  readonly meta: Readonly<Record<string, unknown>>
  /** The HTTP request, if there is one. */
  readonly request?: Request
}

export type CallRunOptions = Pick<RunOptions<never>, 'host' | 'limits' | 'observe' | 'settings'> & {
  readonly context?: unknown
}

export interface McpServerOptions {
  /** Name of the server. Default: the agent's name, or `capstan`. */
  readonly name?: string
  /** Version of the server. Default `0.0.0`. */
  readonly version?: string
  /** Text about the server that clients may show to their model. Default: none. */
  readonly instructions?: string
  /**
   * Store of the artifacts that tools make, for clients to read; agents have their own. Each caller gets a
   * view with the artifacts of its own calls, as far as this process knows. A function returns a store for
   * each caller, for tools and agents; it must have the same artifacts each time. Default: in memory, for the
   * lifetime of the server.
   */
  readonly artifacts?: ArtifactStore | ((caller: unknown) => ArtifactStore)
  /**
   * Images and audio up to this size are in the result, and texts up to 16 KiB of it; larger ones and files are
   * links. In bytes. Default 256 KiB.
   */
  readonly inlineBytes?: number
  /**
   * Whether a caller may read an artifact. Default: those that this caller's calls stored, as far as this
   * process knows.
   */
  readonly mayRead?: (artifact: Artifact, caller: unknown) => boolean | Promise<boolean>
  /** The largest artifact that can be read, in bytes; a larger one is rejected. Default 6 MiB. */
  readonly maxReadBytes?: number
  /**
   * Returns options of the run that answers a call: `context`, `host`, `limits`, `observe`, `settings`.
   * Default: none.
   */
  readonly runOptions?: (call: McpCall) => CallRunOptions | Promise<CallRunOptions>
  /** Decides on calls that need approval. Default: they are denied, because no person can be asked. */
  readonly decide?: (pending: PendingCall, call: McpCall) => Decision | Promise<Decision>
  /** Concurrent calls and reads of artifacts. Calls beyond this limit get an error. Default 100. */
  readonly maxCalls?: number
  /**
   * Authenticates an HTTP request. `undefined`, `false` and `null` refuse it with 401; a `Response` is sent
   * unchanged; any other value becomes the call's `caller`. A caller with an empty id gets 500. Required for
   * hosts other than this machine.
   */
  readonly authenticate?: (request: Request) => unknown
  /**
   * Host names that are served. A page can point its own name at this machine, so other names are rejected. Default:
   * the names of this machine.
   */
  readonly hosts?: readonly string[]
  /**
   * Origins whose pages may call, such as `https://app.example`, in addition to the server's own. Default:
   * none.
   */
  readonly origins?: readonly string[]
  /** Bytes of an HTTP request's body. Default 4 MiB. */
  readonly maxBodyBytes?: number
  /**
   * Bytes of all HTTP bodies that are being read. A body beyond this limit gets 503. Default 64 MiB, and at
   * least `maxBodyBytes`.
   */
  readonly maxBodiesBytes?: number
  /**
   * Whether clients of 2025 get a session over HTTP. Without one they cannot cancel a call. A session lives
   * in this process, for 30 minutes after its last request. Default true.
   */
  readonly sessions?: boolean
  /**
   * Receives each failure whose message clients do not get. May return a promise. If it fails itself, a
   * process warning is emitted. Default: a failure before a call is a process warning, others are not reported.
   */
  readonly onError?: (error: Error) => void
}

const optionKinds: Readonly<Record<keyof McpServerOptions, OptionKind>> = {
  name: 'a string',
  version: 'a string',
  instructions: 'a string',
  artifacts: true,
  inlineBytes: 'a number of at least 0',
  mayRead: 'a function',
  maxReadBytes: 'a number of at least 0',
  runOptions: 'a function',
  decide: 'a function',
  maxCalls: ['a number of 1 or more', (value) => typeof value === 'number' && value >= 1],
  authenticate: 'a function',
  hosts: 'an array: [one, two]',
  origins: 'an array: [one, two]',
  maxBodyBytes: true,
  maxBodiesBytes: true,
  sessions: 'true or false',
  onError: 'a function',
}

/** Checks names and kinds, also of a caller without types. @throws CapstanError `invalid_request` */
export function checkServerOptions(options: McpServerOptions): void {
  checkOptionNames(options, optionKinds, {
    of: 'mcpServer',
    code: 'invalid_request',
    names: { authenticate: 'auth', origins: 'cors' },
  })
}

export const defaultInlineBytes = 256 * 1024
/** 8 MiB as base64: clients accept messages of 10 MiB. */
export const defaultMaxReadBytes = 6 * 1024 * 1024
export const defaultMaxBodyBytes = 4 * 1024 * 1024
export const defaultMaxCalls = 100

/** Reports an error to `onError`; the client gets a generic message. Never throws. */
export function reportError(error: unknown, { onError }: Pick<McpServerOptions, 'onError'>): void {
  if (onError)
    safeListener(onError)(error instanceof Error ? error : new Error('The call failed.', { cause: error }))
}
