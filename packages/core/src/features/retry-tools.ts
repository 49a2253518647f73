import { sleep } from '../async.js'
import { isCapstanError } from '../errors.js'
import { checkOptionNames, type OptionKind } from '../option-names.js'
import type { Middleware } from '../run/middleware.js'
import type { RunningCall } from '../tools/tool.js'

export interface RetryToolsOptions {
  /** Attempts after the first. Default 2. */
  readonly times?: number
  /**
   * The wait before the second attempt, in milliseconds. The wait doubles for each later attempt, up to 30 s. Default
   * 200.
   */
  readonly delayMs?: number
  /**
   * Additional tools to retry. List only tools that pass `ctx.idempotencyKey` to a service that ignores duplicates.
   * Default: none, so only tools with `effects: 'read'` are retried.
   */
  readonly idempotent?: readonly string[]
  /**
   * Whether to retry after an error. Default: after timeouts, network errors, and CapstanErrors that are `retryable`.
   * There is never a retry after an abort, or after a run limit has been reached.
   */
  on?(error: unknown, call: RunningCall): boolean
}

/**
 * Calls a tool's function again after a failure. Each attempt has the same idempotency key and the tool's full
 * `timeoutMs`; the spending of all attempts counts. Attempts are not stored: after a crash during a call, they start
 * over. Results of finished calls are stored, so these calls do not run again.
 * @throws CapstanError `invalid_request` for an unknown option, or a value of the wrong type
 */
export function retryTools(options: RetryToolsOptions = {}): Middleware {
  checkOptionNames(options, optionKinds, {
    of: 'retryTools',
    names: { times: 'retries maxretries attempts' },
  })
  const { times = 2, delayMs: firstDelayMs = 200, idempotent = [], on = isTransient } = options
  return {
    name: 'retry-tools',
    async wrapTool(call, next, run) {
      const mayRepeat = call.tool.settings.effects === 'read' || idempotent.includes(call.name)
      let outcome = await next()
      for (let attempt = 1; mayRepeat && attempt <= times; attempt++) {
        const { status, limit, error, content } = outcome
        if (status !== 'error' || limit || !on(error, call)) break
        const delayMs = Math.min(firstDelayMs * 2 ** (attempt - 1), 30_000)
        const data = { attempt, delayMs, content }
        run.emit({ name: 'retry-tools', action: 'retry', callId: call.callId, data })
        await sleep(delayMs, call.signal)
        outcome = await next()
      }
      return outcome
    },
  }
}

const optionKinds: Readonly<Record<keyof RetryToolsOptions, OptionKind>> = {
  times: 'a number of at least 0',
  delayMs: 'a number of at least 0',
  idempotent: 'an array: [one, two]',
  on: 'a function',
}

/** Whether a retry may succeed. `fetch` puts the network error in `cause`. */
function isTransient(error: unknown): boolean {
  if (isCapstanError(error)) return error.retryable || error.code === 'timeout' || error.code === 'network'
  return [Object(error), Object(Object(error).cause)].some(
    ({ name, code }) => name === 'TimeoutError' || networkCode.test(code),
  )
}

const networkCode = /^(E(CONN|PIPE|TIMEDOUT|NET|HOST|NOTFOUND|AI_AGAIN)|UND_ERR)/
