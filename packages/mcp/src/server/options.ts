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

/** The tools and agents to serve. An agent is served as a tool whose name is `ask_` and the agent's name. */
export type Served = AnyAgent | readonly (AnyTool | AnyAgent)[]

/** A client's call to a served tool or agent. */
export interface McpCall {
  /** The called tool's name. For an agent, `ask_` and the agent's name. */
  readonly name: string
  /** The value that `authenticate` returned. Undefined over stdio. */
  readonly caller?: unknown
  /** The call's `_meta`, such as trace data. */
  readonly meta: Readonly<Record<string, unknown>>
  /** The HTTP request. Undefined over stdio. */
  readonly request?: Request
}

export type CallRunOptions = Pick<RunOptions<never>, 'host' | 'limits' | 'observe' | 'settings'> & {
  readonly context?: unknown
}

export interface McpServerOptions {
  /** The server's name. Default: the agent's name, or `capstan`. */
  readonly name?: string
  /** The server's version. Default `0.0.0`. */
  readonly version?: string
  /** Text about the server. Clients may pass it to their model. Default: none. */
  readonly instructions?: string
  /**
   * The store for artifacts from tools; agents have their own stores. Clients can read these artifacts. Each caller
   * gets a view with only the artifacts that its own calls have stored in this process. To give each caller a separate
   * store, for both tools and agents, pass a function. The function must always return a store with the same artifacts
   * for a caller. Default: in memory, for the lifetime of the server.
   */
  readonly artifacts?: ArtifactStore | ((caller: unknown) => ArtifactStore)
  /**
   * Maximum bytes of an image, audio or text that a result includes. For text, at most 16 KiB are included. Larger
   * content, and other files, become links. Default 256 KiB.
   */
  readonly inlineBytes?: number
  /**
   * Whether a caller may read an artifact. By default, a caller may read the artifacts that its calls have stored in
   * this process or, if `artifacts` is a function, all artifacts in its store.
   */
  readonly mayRead?: (artifact: Artifact, caller: unknown) => boolean | Promise<boolean>
  /** Maximum bytes of an artifact that can be read. Larger ones are rejected. Default 6 MiB. */
  readonly maxReadBytes?: number
  /** Returns run options for a call: `context`, `host`, `limits`, `observe`, `settings`. Default: none. */
  readonly runOptions?: (call: McpCall) => CallRunOptions | Promise<CallRunOptions>
  /** Decides on pending calls if the client cannot ask its user. Default: such calls are denied. */
  readonly decide?: (pending: PendingCall, call: McpCall) => Decision | Promise<Decision>
  /** Maximum concurrent calls and artifact reads. Calls beyond this limit get an error. Default 100. */
  readonly maxCalls?: number
  /**
   * Authenticates an HTTP request. `undefined`, `false` and `null` reject the request with 401. A `Response` is sent
   * unchanged. Any other value becomes the call's `caller`. If the caller has an empty id, the client gets 500.
   * Required if `hosts` contains names other than those of this machine.
   */
  readonly authenticate?: (request: Request) => unknown
  /**
   * Host names to serve. Other names are rejected, because a page can point its own domain at this machine. Default:
   * the names of this machine.
   */
  readonly hosts?: readonly string[]
  /**
   * Origins whose pages may call the server, such as `https://app.example`, in addition to the server's own. Default:
   * none.
   */
  readonly origins?: readonly string[]
  /** Maximum bytes of an HTTP request's body. Default 4 MiB. */
  readonly maxBodyBytes?: number
  /**
   * Maximum bytes of all HTTP bodies that are being read at the same time. Requests beyond this limit get 503. Default
   * 64 MiB, and at least `maxBodyBytes`.
   */
  readonly maxBodiesBytes?: number
  /**
   * Whether clients that use the 2025 protocol get a session over HTTP. Without a session, they cannot cancel a call.
   * This process keeps a session for 30 minutes after its last request. Default true.
   */
  readonly sessions?: boolean
  /**
   * Receives each failure whose message is hidden from clients. May return a promise. If it fails, a process warning is
   * emitted. By default, a failure before a call becomes a process warning, and other failures are not reported.
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

/**
 * Checks the names and types of the options, because JavaScript callers can pass anything.
 * @throws CapstanError `invalid_request` for an invalid option
 */
export function checkServerOptions(options: McpServerOptions): void {
  checkOptionNames(options, optionKinds, {
    of: 'mcpServer',
    code: 'invalid_request',
    names: { authenticate: 'auth', origins: 'cors' },
  })
}

export const defaultInlineBytes = 256 * 1024
/** The default for `maxReadBytes`. As base64, 6 MiB become 8 MiB; clients accept messages of up to 10 MiB. */
export const defaultMaxReadBytes = 6 * 1024 * 1024
export const defaultMaxBodyBytes = 4 * 1024 * 1024
export const defaultMaxCalls = 100

/** Reports an error to `onError`, if that is set. Never throws. */
export function reportError(error: unknown, { onError }: Pick<McpServerOptions, 'onError'>): void {
  if (onError)
    safeListener(onError)(error instanceof Error ? error : new Error('The call failed.', { cause: error }))
}
