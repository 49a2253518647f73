import { readFileSync } from 'node:fs'
import { checkScript } from './check-script.js'
import type { ScriptOptions } from './script-rule.js'

/** Reads a script from a JSON file. @throws TypeError naming the file and what is wrong with it */
export function readScript(path: string): ScriptOptions {
  try {
    return checkScript(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new TypeError(`The script ${path} cannot be used: ${reason}`, { cause })
  }
}
