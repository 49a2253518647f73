import { isCapstanError } from '@capstan/core'
import type { HandlerOptions } from './options.js'

/** Tells the application of a failure, whose words callers are not told. Never throws. */
export function tellHouse(
  error: unknown,
  request: Request,
  { onError }: Pick<HandlerOptions, 'onError'>,
): void {
  if (onError) callOnError(async () => onError(error, request)).catch(() => {})
  else warnOnce(kindOf(error), 'An agent could not answer')
}

async function callOnError(call: () => Promise<unknown>): Promise<void> {
  try {
    await call()
  } catch (error) {
    warnOnce(kindOf(error), 'The option onError of agentHandler failed')
  }
}

const warned = new Set<string>()
/** Names of errors may be anything: then those that come later are not told. */
const mostWarnings = 100

/** One warning for each kind of failure in a process. Its text has the kind alone: messages may hold secrets. */
function warnOnce(kind: string, what: string): void {
  const message = `${what} (${kind}). Further failures of this kind are not shown: give agentHandler an onError that reports each.`
  if (warned.has(message) || warned.size >= mostWarnings) return
  warned.add(message)
  if (globalThis.process?.emitWarning)
    globalThis.process.emitWarning(message, { type: 'CapstanWarning', code: `capstan_http_${kind}` })
  else console.warn(message)
}

/** The code of an error of ours; of any other its class. */
function kindOf(error: unknown): string {
  try {
    if (isCapstanError(error)) return error.code
    const name = error instanceof Error ? error.name : typeof error
    return /^\w{1,60}$/.test(name) ? name : 'Error'
  } catch {
    return 'Error'
  }
}
