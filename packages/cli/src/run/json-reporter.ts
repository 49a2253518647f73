import { toJsonText } from '@capstan/core/wire'
import type { Reporter } from './reporter.js'

/** Each event as a line of JSON. */
export function jsonReporter(write: (text: string) => void): Reporter {
  return {
    take: (event) => write(`${toJsonText(event)}\n`),
    pause() {},
    end() {},
  }
}
