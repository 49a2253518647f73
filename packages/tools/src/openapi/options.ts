import { type Artifact, CapstanError, type Json, type Tool, type ToolSettings } from '@capstan/core'
import { checkOptionNames, type OptionKind } from '@capstan/core/internal'

export interface OpenApiToolsOptions {
  /**
   * The operations that become tools, by id, or by method and path as in the document. In `'GET /repos/*'`, `*` matches
   * any text. A function returns whether to allow an operation. `'*'` allows all operations.
   */
  readonly allow: '*' | readonly string[] | ((operation: OpenApiOperation) => boolean)
  /**
   * The API's URL, such as `http://localhost:8080/v1`. Replaces the document's servers, but not a server that a path or
   * an operation declares itself. Only this URL may have a private address. Default: the document's first server.
   */
  readonly baseURL?: string | URL
  /**
   * Credentials, by the names of the document's security schemes. A request gets the credentials that its operation
   * requires, but only if it is sent to the API's origin. Functions are called for each request. Default: none.
   */
  readonly auth?: Readonly<Record<string, OpenApiCredential | (() => MayWait<OpenApiCredential>)>>
  /** Headers for requests to the API's origin. A function is called for each request. Default: none. */
  readonly headers?: SentHeaders | (() => MayWait<SentHeaders>)
  /**
   * Sends the requests. Capstan does not check the addresses that your function connects to. Default: a connection to
   * an address that has been checked.
   */
  readonly fetch?: typeof globalThis.fetch
  /** A prefix for the tools' names, separated from each name by `_`. Default: none. */
  readonly prefix?: string
  /** Returns the settings for an operation's tool, such as `needsApproval`. Default: none. */
  readonly settings?: (operation: OpenApiOperation) => OpenApiToolSettings
  /** Whether results may contain untrusted text, as in the tool setting `untrusted`. Default true. */
  readonly untrusted?: boolean
  /** The time limit for each call, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number
  /** The size limit for request bodies and for responses, in bytes. Default 10 MiB. */
  readonly maxBytes?: number
}

/** A key or token. For the scheme `basic`, a user name and password. */
export type OpenApiCredential = string | { readonly username: string; readonly password: string }

type MayWait<Value> = Value | Promise<Value>

export type SentHeaders = Readonly<Record<string, string>>

/** An operation, as the document describes it. */
export interface OpenApiOperation {
  /** The operation's `operationId`, if it has one. */
  readonly id?: string
  /** The method in upper case, such as `GET`. */
  readonly method: string
  /** The path as in the document, such as `/repos/{owner}`. */
  readonly path: string
  readonly summary?: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly deprecated: boolean
}

export type OpenApiToolSettings = Pick<
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

/** A tool for an operation. Its name and arguments are known only at run time. */
export type OpenApiTool = Tool<{
  name: string
  input: Record<string, unknown>
  args: Record<string, unknown>
  result: OpenApiResult
  context: unknown
}>

/** The value of a JSON response, the text of a text response, or the artifact of a binary response. */
export type OpenApiResult = Json | Artifact

export interface OpenApiTools {
  /** The tools, in the document's order. */
  readonly tools: readonly OpenApiTool[]
  /** Allowed operations for which no tool can be created, and paths that cannot be read. */
  readonly skipped: readonly SkippedOperation[]
}

export interface SkippedOperation {
  /** The operation's id, or its method and path. For a path that cannot be read, the path. */
  readonly name: string
  readonly reason: string
}

export const defaultTimeoutMs = 30_000
export const defaultMaxBytes = 10 * 1024 * 1024

const optionKinds: Readonly<Record<keyof OpenApiToolsOptions, OptionKind>> = {
  allow: [
    'an array of one or more operations, a function, or "*"',
    (value) => value === '*' || typeof value === 'function' || isFilledList(value),
  ],
  baseURL: ['an http(s) URL without a password, query or fragment', isPlainAddress],
  auth: 'an object',
  headers: ['an object, or a function', (value) => typeof value === 'function' || isObject(value)],
  fetch: 'a function',
  prefix: 'a string',
  settings: 'a function',
  untrusted: 'true or false',
  timeoutMs: ['a number above 0', isAboveZero],
  maxBytes: ['a number above 0', isAboveZero],
}

/**
 * Checks option names and values, because not all callers use TypeScript.
 * @throws CapstanError `invalid_request` for an unknown or invalid option, or if `allow` is missing
 */
export function checkOptions(options: OpenApiToolsOptions): void {
  checkOptionNames(options, optionKinds, { of: 'openapiTools', names: { baseURL: 'url server endpoint' } })
  if (options.allow !== undefined) return
  const message =
    'openapiTools: allow is missing. List the operations that may be called, or use "*" for all of them.'
  throw new CapstanError('invalid_request', message, { evidence: { option: 'allow' } })
}

function isFilledList(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isAboveZero(value: unknown): boolean {
  return typeof value === 'number' && value > 0
}

function isPlainAddress(value: unknown): boolean {
  const isText = typeof value === 'string' || value instanceof URL
  return isText && URL.canParse(value) && isApiAddress(new URL(value))
}

/**
 * Whether an API can have this base URL: http(s), without credentials, a query or a fragment. Credentials in a base URL
 * would appear in every error.
 */
export function isApiAddress({ protocol, username, password, search, hash }: URL): boolean {
  return /^https?:$/.test(protocol) && username + password + search + hash === ''
}
