import { type AnyAgent, CapstanError, type Json } from '@capstan/core'
import { getEnv } from '@capstan/core/internal'
import { EventSubscribers } from '../events.js'
import { defaultMaxStepBytes } from '../recorded.js'

export interface RestateOptions {
  /** Where runs are started. Default: `RESTATE_INGRESS_URL`, else `http://127.0.0.1:8080`. */
  readonly ingress?: string
  /** Where runs are looked after. Default: `RESTATE_ADMIN_URL`, else `http://127.0.0.1:9070`. */
  readonly admin?: string
  /** Sent to both, such as `authorization`. */
  readonly headers?: Readonly<Record<string, string>>
  /** What one step may come to, as JSON. Default 256 KiB. */
  readonly maxStepBytes?: number
  /** What a run may come to, its state and results together: Restate takes up to 32 MiB at once. Default 16 MiB. */
  readonly maxStateBytes?: number
  /**
   * How often a run is taken up at one place, without getting on, before it is set aside. Restate counts as well when no
   * worker answers, so it bounds how long all may be away. Default 50: with the usual pauses about 20 minutes.
   */
  readonly maxAttempts?: number
  /** The pause before a run is taken up again: doubled each time, from the first to the longest. Default 200 and 30000. */
  readonly retryMs?: { readonly first: number; readonly longest: number }
  /**
   * After which a run that waits, or whose agents work elsewhere, leaves its worker. A step that takes longer hears of an
   * abort only when it is over. Default 60000.
   */
  readonly suspendAfterMs?: number
  /** What one step may take: a worker that is silent for longer is taken for dead. Default one hour. */
  readonly stepTimeoutMs?: number
  /** For how long what a run came to is kept after its end. Default 7 days. */
  readonly retentionMs?: number
}

type CreateContext = (runId: string, data: Json | undefined) => unknown

/** An agent, and all that is said of its runs. */
export interface RestateConfig extends Required<RestateOptions> {
  readonly agent: AnyAgent
  /** Makes the context of a run where it is worked on, each time that a worker takes it up. */
  readonly context?: CreateContext
  readonly events: EventSubscribers
  /** What Restate calls it. */
  readonly service: string
}

/** @throws CapstanError `invalid_request` for an agent whose name Restate cannot call it by */
export function toConfig(
  agent: AnyAgent,
  options: RestateOptions & { readonly context?: CreateContext },
): RestateConfig {
  if (!/^[A-Za-z][\w.-]*$/.test(agent.name) || /^(restate|openapi)/i.test(agent.name)) {
    const message = `Restate cannot call an agent "${agent.name}". Name it by letters, digits, "_", "-" and ".", a letter first, and not "restate" or "openapi".`
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

/** Never said again when it is none: it may hold a password. */
function toUrl(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === ''
  if (isPlain) return given.replace(/\/+$/, '')
  const message =
    'Restate is reached by URLs like "http://127.0.0.1:8080", with no user or password in them. Give what it asks for as headers: durable(agent, { headers: { authorization } }).'
  throw new CapstanError('invalid_request', message)
}

export type Sdk = typeof import('@restatedev/restate-sdk')

/** What workers are made of. @throws CapstanError `unsupported` where it is not installed, or cannot run */
export async function loadSdk(version = process.versions.node): Promise<Sdk> {
  if (Number(version.split('.')[0]) < 22) {
    const message = `Workers of Restate need Node 22 or newer, and this is ${version}. Start them on a newer one; runs can be started, awaited and decided on from here.`
    throw new CapstanError('unsupported', message, { evidence: { version } })
  }
  try {
    return await import('@restatedev/restate-sdk')
  } catch (cause) {
    const message =
      'Workers of Restate need the package @restatedev/restate-sdk: npm install @restatedev/restate-sdk'
    throw new CapstanError('unsupported', message, { cause })
  }
}
