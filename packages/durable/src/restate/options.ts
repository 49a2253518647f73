import { type AnyAgent, CapstanError, type Json } from '@capstan/core'
import { getEnv } from '@capstan/core/internal'
import { EventSubscribers } from '../events.js'
import { defaultMaxStepBytes } from '../recorded.js'

/** Options for an agent whose runs are stored by a Restate server. */
export interface RestateOptions {
  /**
   * The URL of Restate's ingress, which starts runs. Default: `RESTATE_INGRESS_URL`; if that is not set,
   * `http://127.0.0.1:8080`.
   */
  readonly ingress?: string
  /**
   * The URL of Restate's admin interface, which reports on runs. Default: `RESTATE_ADMIN_URL`; if that is not set,
   * `http://127.0.0.1:9070`.
   */
  readonly admin?: string
  /** Headers for requests to both URLs, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Maximum size of a step's result, in bytes of JSON. Default 256 KiB. */
  readonly maxStepBytes?: number
  /**
   * Maximum size of a run's state and results, in bytes of JSON. Restate accepts messages of up to 32 MiB. Default 16
   * MiB.
   */
  readonly maxStateBytes?: number
  /**
   * The number of attempts without progress after which a run is paused. Attempts that do not reach a worker count
   * too, so this option also limits how long all workers can be down. Default 50: roughly 20 minutes with the default
   * pauses.
   */
  readonly maxAttempts?: number
  /**
   * Pauses between attempts, in milliseconds. Each pause is twice as long as the previous one, from `first` up to
   * `longest`. Default: `{ first: 200, longest: 30000 }`.
   */
  readonly retryMs?: { readonly first: number; readonly longest: number }
  /**
   * Milliseconds after which a run that is waiting for decisions or child runs leaves its worker. If a step takes
   * longer than this, it is told of an abort only when it ends. Default 60000.
   */
  readonly suspendAfterMs?: number
  /**
   * Maximum duration of a step, in milliseconds. A worker that is silent for longer than this is considered dead.
   * Default: one hour.
   */
  readonly stepTimeoutMs?: number
  /** How long a result is kept after the run has ended, in milliseconds. Default 7 days. */
  readonly retentionMs?: number
}

type CreateContext = (runId: string, data: Json | undefined) => unknown

/** A durable agent's configuration: the agent, and its options with defaults. */
export interface RestateConfig extends Required<RestateOptions> {
  readonly agent: AnyAgent
  /** Creates a run's context whenever a worker starts or continues the run. */
  readonly context?: CreateContext
  readonly events: EventSubscribers
  /** The name of the agent's service in Restate, which is the same as the agent's name. */
  readonly service: string
}

/** Checks the options and adds defaults. @throws CapstanError `invalid_request` for a name that Restate does not accept */
export function toConfig(
  agent: AnyAgent,
  options: RestateOptions & { readonly context?: CreateContext },
): RestateConfig {
  if (!/^[A-Za-z][\w.-]*$/.test(agent.name) || /^(restate|openapi)/i.test(agent.name)) {
    const message = `Restate does not accept the agent name "${agent.name}". Use letters, digits, "_", "-" and "."; start with a letter, not with "restate" or "openapi".`
    throw new CapstanError('invalid_request', message, { evidence: { name: agent.name } })
  }
  const ingress = toUrl(options.ingress ?? getEnv('RESTATE_INGRESS_URL') ?? 'http://127.0.0.1:8080')
  const admin = toUrl(options.admin ?? getEnv('RESTATE_ADMIN_URL') ?? 'http://127.0.0.1:9070')
  return {
    headers: {},
    maxStepBytes: defaultMaxStepBytes,
    maxStateBytes: 16 * 1024 * 1024,
    maxAttempts: 50,
    retryMs: { first: 200, longest: 30_000 },
    suspendAfterMs: 60_000,
    stepTimeoutMs: 3_600_000,
    retentionMs: 7 * 24 * 3_600_000,
    events: new EventSubscribers(),
    ...options,
    ingress,
    admin,
    agent,
    service: agent.name,
  }
}

/** Validates a URL. The error does not contain the URL, because it may include a password. */
function toUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (isPlain) return given.replace(/\/+$/, '')
  const message =
    'Invalid Restate URL. Use one like "http://127.0.0.1:8080", without a user or password. Pass credentials as { headers: { authorization } }.'
  throw new CapstanError('invalid_request', message)
}

export type Sdk = typeof import('@restatedev/restate-sdk')

/**
 * Loads the SDK, which is an optional dependency.
 * @throws CapstanError `unsupported` if the SDK is not installed, or if Node is too old
 */
export async function loadSdk(version = process.versions.node): Promise<Sdk> {
  if (Number(version.split('.')[0]) < 22) {
    const message = `Restate workers need Node 22 or newer; this is ${version}. Start the worker on a newer Node. Only workers need it; clients can use this version.`
    throw new CapstanError('unsupported', message, { evidence: { version } })
  }
  try {
    return await import(/* webpackIgnore: true */ '@restatedev/restate-sdk')
  } catch (cause) {
    const message = 'Restate workers need @restatedev/restate-sdk. Run npm install @restatedev/restate-sdk'
    throw new CapstanError('unsupported', message, { cause })
  }
}
