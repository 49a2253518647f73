import { createHash, randomUUID } from 'node:crypto'
import type { ServiceRequest } from './http/endpoint.js'
import { ServiceError } from './http/service-error.js'
import { playScript, type Script } from './play-script.js'
import { checkScript, type ScriptOptions, type ScriptRule } from './script.js'

/** The scripts of a service: its own, and those from request headers. */
export interface Scripts {
  /**
   * Replaces the rules for later requests. An empty array removes them.
   * @throws TypeError that names the rule and the problem
   */
  readonly set: (script: ScriptOptions | readonly ScriptRule[]) => void
  /** Restores the script from the options, resets its counts, and removes scripts from headers. */
  readonly reset: () => void
  /**
   * Returns a request's script: from its header `x-capstan-rules`, or the service's. Throws a 400 for the header unless
   * `testing` is set, and a 403 if it comes from another machine.
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
      if (!testing) throw refused(400, 'needs a service that was started with the option testing')
      if (!isLocal) throw refused(403, 'works only for clients on the same machine as the service')
      return scriptOf(rules, brought)
    },
  }
}

const header = 'x-capstan-rules'

/**
 * Returns the header that sends rules with the requests of one test:
 * `new OpenAI({ defaultHeaders: rulesHeader(rules) })`. Requests with the same header share the counts for `times`.
 * Each call of this function returns a different header.
 * @throws TypeError that names the rule and the problem
 */
export function rulesHeader(script: ScriptOptions | readonly ScriptRule[]): { 'x-capstan-rules': string } {
  const checked = checkScript(script)
  const text = JSON.stringify({ ...checked, id: randomUUID() })
  // Headers are ASCII.
  const ascii = text.replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return { [header]: ascii }
}

// Limits memory: a long-running service must not remember every test.
const mostScripts = 1000

/** Returns the player for a script header. Requests with equal headers share a player, which counts its replies. */
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
