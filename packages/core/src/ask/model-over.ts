import type { Secrets } from '../secrets/secrets.js'
import { CapstanError, isCapstanError } from '../words/error.js'
import { Gate } from '../words/gate.js'
import type { ChatModel, ModelReply, ModelRequest, ModelSink } from '../words/model.js'
import { pause } from '../words/pause.js'
import { readReply } from './read-reply.js'
import { withoutSecrets } from './redact.js'
import { leavesUsageOpen, toRequestBody } from './request-body.js'
import { defaultMaxBytes, type Transport } from './transport.js'
import { withRetries } from './with-retries.js'

export interface Politeness {
  /** How often a request that failed in a way that may pass is sent again, `0` for never. Default 2. */
  readonly maxRetries?: number
  /** Requests of this model object at one time; further ones wait in line, first come first served. Default 64. */
  readonly maxInFlight?: number
  /**
   * Bytes of one answer at most, counted after decompression. A longer answer fails with `invalid_response` and closes
   * the connection; of the body of a failed request no more is read. Default 64 MiB. `Infinity` is no limit.
   */
  readonly maxBytes?: number
}

/** Where a request goes. */
export interface Address {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

export interface Wiring extends Politeness {
  readonly name: string
  readonly transport: Transport
  /** What must never be told: filled by whoever knows what is sent. */
  readonly secrets: Secrets
  address(request: ModelRequest): Address
}

/**
 * The wire, whatever carries it: a request out, its answer read, its failure told without secrets, and again if need be.
 * @throws CapstanError `invalid_request` for a bound that is no whole number
 */
export function modelOver(wiring: Wiring): ChatModel {
  const {
    name,
    transport,
    secrets,
    address,
    maxRetries = 2,
    maxInFlight = 64,
    maxBytes = defaultMaxBytes,
  } = wiring
  checkCount('maxRetries', maxRetries, 0)
  checkCount('maxInFlight', maxInFlight, 1)
  checkCount('maxBytes', maxBytes, 1)
  const line = new Gate(maxInFlight)
  const sendOnce = (asked: ModelRequest, withUsage: boolean, sink?: ModelSink) => {
    const letter = { ...address(asked), body: toRequestBody(name, asked, withUsage) }
    return exchange(transport, letter, { asked, maxBytes, sink })
  }
  /** Whether the server once refused to report the usage of a stream. */
  let isUsageRefused = false
  const send = async (asked: ModelRequest, sink?: ModelSink) => {
    const withUsage = !isUsageRefused && leavesUsageOpen(asked)
    try {
      return await sendOnce(asked, withUsage, sink)
    } catch (error) {
      if (!withUsage || !refusesUsage(error)) throw error
      // Under the same key, a service that drops doubles would refuse again without a look.
      const idempotencyKey = `${asked.idempotencyKey}/without-usage`
      const reply = await sendOnce({ ...asked, idempotencyKey }, false, sink)
      isUsageRefused = true
      return reply
    }
  }
  const retries = { max: maxRetries, wait: pause }
  return {
    name,
    async complete(request, sink) {
      request.signal.throwIfAborted()
      const ask = (asked: ModelRequest) => {
        const inTurn = () => line.through(asked.signal, () => send(asked, sink))
        return withoutSecrets(secrets, inTurn, asked.signal)
      }
      return request.retries === false ? ask(request) : withRetries(ask, request, retries, sink)
    },
  }
}

/** Whether a server refuses a request because it asks for the usage of a stream. */
function refusesUsage(error: unknown): boolean {
  if (!isCapstanError(error)) return false
  const { status, message, evidence } = error
  return (
    (status === 400 || status === 422) && /stream_options|include_usage/.test(`${message} ${evidence?.body}`)
  )
}

function checkCount(option: string, count: number, least: number): void {
  if (count === Number.POSITIVE_INFINITY || (Number.isInteger(count) && count >= least)) return
  const message = `${option} must be a whole number of at least ${least}, or Infinity; it is ${String(count)}.`
  throw new CapstanError('invalid_request', message, { evidence: { option } })
}

interface Letter {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: readonly Uint8Array[]
}

interface Reading {
  readonly asked: ModelRequest
  readonly maxBytes: number
  readonly sink: ModelSink | undefined
}

async function exchange(
  transport: Transport,
  letter: Letter,
  { asked: { tools, signal }, maxBytes, sink }: Reading,
): Promise<ModelReply> {
  const response = await transport({ ...letter, signal })
  let names: ReadonlySet<string> | undefined
  const isTool = (name: string) => {
    names ??= new Set(tools.map((tool) => tool.function.name))
    return names.has(name)
  }
  return readReply(response, { isTool, sink, signal, maxBytes })
}
