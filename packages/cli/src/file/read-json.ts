import { UsageError } from '../line/usage-error.js'

/** A JSON text of the command line as its value. @throws UsageError that names what it was to be */
export function readJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new UsageError(`${what} is no JSON: ${reason}.`, { cause })
  }
}
