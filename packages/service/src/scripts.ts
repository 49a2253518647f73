import { createHash, randomUUID } from 'node:crypto'
import type { ServiceRequest } from './http/endpoint.js'
import { ServiceError } from './http/service-error.js'
import { playScript, type Script } from './play-script.js'
import { checkScript, type ScriptOptions, type ScriptRule } from './script.js'

/** The scripts of a service: its own script, and scripts in request headers. */
export interface Scripts {
  /**
   * Replaces the service's rules for later requests. An empty array removes them.
   * @throws TypeError that names the rule and the problem
   */
  readonly set: (script: ScriptOptions | readonly ScriptRule[]) => void
  /** Restores the script in the options, resets its counts, and removes scripts from headers. */
  readonly reset: () => void
  /**
   * Returns a request's script: the script in its header `x-capstan-rules`, or the service's own. If the header is set,
   * throws a 400 unless `testing` is on, and a 403 if the request is from another machine.
   */
  readonly of: (request: Pick<ServiceRequest, 'headers' | 'isLocal'>) => Script | undefined
}

interface ScriptsOptions {
  readonly script: ScriptOptions | undefined
  /** Whether requests may contain rules. */
  readonly testing: boolean
}

export function startScripts({ script, testing }: ScriptsOptions): Scripts {
  const start = () => script && playScript(script)
  let own = start()
  const brought = new Map<string, Script>()
  return {
    set: (next) => {
      own = playScript(checkScript(next))
    },
    reset: () => {
      own = start()
      brought.clear()
    },
    of: ({ headers, isLocal }) => {
      const rules = headers[header]
      if (typeof rules !== 'string') return own
      if (!testing) throw refused(400, 'needs a service that was started with the testing option')
      if (!isLocal) throw refused(403, 'works only for clients on the same machine as the service')
      return scriptOf(rules, brought)
    },
  }
}

const header = 'x-capstan-rules'

/**
 * Returns a header with rules for the requests of one test: `new OpenAI({ defaultHeaders: rulesHeader(rules) })`.
 * Requests with the same header share the counts for `times`. Each call to `rulesHeader` returns a different header.
 * @throws TypeError that names the rule and the problem
 */
export function rulesHeader(script: ScriptOptions | readonly ScriptRule[]): { 'x-capstan-rules': string } {
  const checked = checkScript(script)
  const text = JSON.stringify({ ...checked, id: randomUUID() })
  // Headers must be ASCII.
  const ascii = text.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return { [header]: ascii }
}

// Limits memory, because a service that runs for a long time must not remember every test.
const mostScripts = 1000

/**
 * Returns the player for the script in a header. Requests with equal headers share a player, which counts its replies.
 */
function scriptOf(rules: string, brought: Map<string, Script>): Script {
  const key = createHash('sha256').update(rules).digest('base64')
  const found = brought.get(key) ?? playScript(parse(rules))
  brought.delete(key)
  brought.set(key, found)
  const [oldest] = brought.keys()
  if (brought.size > mostScripts && oldest !== undefined) brought.delete(oldest)
  return found
}

function parse(rules: string): ScriptOptions {
  try {
    const given: unknown = JSON.parse(rules)
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return checkScript(given)
    const { id: _, ...script } = given as { readonly id?: unknown }
    return checkScript(script)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw refused(400, `cannot be used: ${reason.replace(/\.$/, '')}`)
  }
}

function refused(status: number, why: string): ServiceError {
  return new ServiceError(status, 'invalid_rules', `The header ${header} ${why}.`, header)
}
