import { randomBytes } from 'node:crypto'
import { type ChaosRule, checkRules } from './chaos/chaos.js'
import type { ModelNames } from './endpoints/models.js'
import { isLoopback } from './http/check-caller.js'
import { checkPace, type Pace } from './pace.js'
import { checkScript, type ScriptOptions, type ScriptRule } from './script.js'
import { checkUpstream, type Upstream } from './upstream.js'

export interface ServiceOptions {
  /** The port. Default: 0, which selects any free port. */
  readonly port?: number | undefined
  /** The address to listen on. Default: `127.0.0.1`, which only this machine can reach. */
  readonly host?: string | undefined
  /**
   * The key that clients must send. Default: a random key. With `false`, no key is needed, and `host` must be a
   * loopback address.
   */
  readonly apiKey?: string | false | undefined
  /** Origins whose pages have access, such as `https://app.example`. `*` allows all. Default: none. */
  readonly cors?: readonly string[] | undefined
  /** The maximum size of a request body in bytes. Default: 32 MB. */
  readonly maxBodyBytes?: number | undefined
  /** The maximum number of concurrent connections. Further connections are closed immediately. Default: 1000. */
  readonly maxConnections?: number | undefined
  /** The time limit for receiving a request's head and body, in milliseconds. Default: 30 000. */
  readonly requestTimeoutMs?: number | undefined
  /**
   * The time limit from the last byte of a request to the last byte of its response, in milliseconds. Default: 300 000.
   */
  readonly answerTimeoutMs?: number | undefined
  /** How long `close()` waits for open responses, in milliseconds. Default: 5000. */
  readonly closeTimeoutMs?: number | undefined
  /**
   * The number of worker threads for painting and audio. Default: the number of cores minus one, but at least 1 and at
   * most 4.
   */
  readonly workers?: number | undefined
  /**
   * The maximum number of requests that wait for a worker thread. Further requests get a 429 with Retry-After. Default:
   * 32.
   */
  readonly queue?: number | undefined
  /** Scripted chat replies. The planner replies to requests that no rule matches. Default: none. */
  readonly script?: ScriptOptions | readonly ScriptRule[] | undefined
  /** The folder of a Piper or Kokoro voice. That voice replaces the built-in voices. Default: none. */
  readonly voice?: string | undefined
  /**
   * The folder of a Whisper or Moonshine model for transcription and translation. The model replaces the built-in
   * recogniser. Default: none.
   */
  readonly recognizer?: string | undefined
  /**
   * The model names that requests may use. With `any`, every name works, and the endpoint's engine replies. With an
   * array, any other name gets a 404. Default: `any`.
   */
  readonly models?: ModelNames | undefined
  /**
   * Whether unknown fields and values out of bounds get a 400 that names them, as in the reference service. A value of
   * the wrong type always gets a 400. Default: `false`.
   */
  readonly strict?: boolean | undefined
  /**
   * The context window of chat, in tokens as `usage` counts them. A longer prompt gets a 400 `context_length_exceeded`.
   * Default: no limit.
   */
  readonly contextTokens?: number | undefined
  /** The speed of chat replies. Default: no delay. */
  readonly pace?: Pace | undefined
  /** Whether requests from this machine may contain rules in the header `x-capstan-rules`. Default: `false`. */
  readonly testing?: boolean | undefined
  /** The number of requests that `service.requests` keeps. Use 0 to keep none. Default: 100. */
  readonly journal?: number | undefined
  /** Another server that handles some endpoints. Default: none. */
  readonly upstream?: Upstream | undefined
  /**
   * Rules for fault injection, or `true` to use no rules. In both cases, a request can choose a quirk in the header
   * `x-capstan-chaos`. Default: `false`.
   */
  readonly chaos?: boolean | readonly ChaosRule[] | undefined
  /**
   * Called with one line per request (method, path, status, milliseconds, request id) and one line per internal error
   * (its type and position). The lines never contain content. Default: nothing is logged.
   */
  readonly log?: ((line: string) => void) | undefined
}

type Optional = 'log' | 'workers' | 'contextTokens' | 'upstream' | 'voice' | 'recognizer' | 'pace'

export type CheckedOptions = {
  readonly [Key in Exclude<keyof ServiceOptions, Optional | 'script'>]-?: NonNullable<ServiceOptions[Key]>
} & Pick<ServiceOptions, Optional> & { readonly script: ScriptOptions | undefined }

const numbers = {
  port: { least: 0, most: 65_535, usual: 0 },
  maxBodyBytes: { least: 1, most: 2 ** 31, usual: 32 * 2 ** 20 },
  maxConnections: { least: 1, most: 100_000, usual: 1000 },
  requestTimeoutMs: { least: 1, most: 2 ** 31 - 1, usual: 30_000 },
  answerTimeoutMs: { least: 1, most: 2 ** 31 - 1, usual: 300_000 },
  closeTimeoutMs: { least: 0, most: 2 ** 31 - 1, usual: 5000 },
  workers: { least: 1, most: 64, usual: undefined },
  queue: { least: 0, most: 10_000, usual: 32 },
  journal: { least: 0, most: 100_000, usual: 100 },
  contextTokens: { least: 1, most: 2 ** 31, usual: undefined },
} as const

/** Checks the options and fills in the defaults. @throws TypeError that names the invalid option */
export function checkOptions(options: ServiceOptions): CheckedOptions {
  const { host = '127.0.0.1', apiKey = randomBytes(24).toString('base64url') } = options
  const { cors = [], chaos = false, strict = false, testing = false, models = 'any' } = options
  const { script, voice, recognizer, upstream, pace, log } = options
  if (host === '') throw new TypeError('host must be an address to listen on, such as 127.0.0.1.')
  checkKeyOption(apiKey, host)
  cors.forEach(checkOrigin)
  if (upstream) checkUpstream(upstream)
  if (pace) checkPace(pace, 'pace')
  checkModelNames(models)
  const checkedScript = script && checkScript(script)
  if (typeof chaos !== 'boolean') checkRules(chaos)
  return {
    ...checkNumbers(options),
    host,
    apiKey,
    cors,
    chaos,
    script: checkedScript,
    models,
    strict,
    testing,
    pace,
    voice,
    recognizer,
    upstream,
    log,
  }
}

type Numbers = {
  readonly [Key in Exclude<keyof typeof numbers, 'workers' | 'contextTokens'>]: number
} & Pick<ServiceOptions, 'workers' | 'contextTokens'>

function checkNumbers(options: ServiceOptions): Numbers {
  const entries = Object.entries(numbers).map(([name, { least, most, usual }]) => {
    const value = options[name as keyof typeof numbers] ?? usual
    if (value === undefined || (Number.isInteger(value) && value >= least && value <= most))
      return [name, value]
    throw new TypeError(`${name} must be a whole number from ${least} to ${most}, not ${value}.`)
  })
  return Object.fromEntries(entries) as Numbers
}

// Without a key, every client that can reach the address has access.
function checkKeyOption(apiKey: string | false, host: string): void {
  if (apiKey === false) {
    if (isLoopback(host)) return
    throw new TypeError(
      `apiKey must be set when host is ${host}. Only clients on this machine have access without a key.`,
    )
  }
  if (!/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be one or more visible ASCII characters, without spaces.')
  }
}

function checkModelNames(models: unknown): void {
  if (models === 'any') return
  if (
    Array.isArray(models) &&
    models.length > 0 &&
    models.every((name) => typeof name === 'string' && name !== '')
  )
    return
  throw new TypeError('models must be "any" or a non-empty array of model names.')
}

function checkOrigin(origin: string): void {
  if (origin === '*' || (URL.canParse(origin) && new URL(origin).origin === origin)) return
  throw new TypeError(
    `cors must contain origins such as https://app.example, without a path, or *; not ${origin}.`,
  )
}
