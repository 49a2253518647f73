import { isCapstanError } from '@capstan/core'

/** What an error is called: never what it says. */
export function codeOf(error: unknown): string {
  return isCapstanError(error) ? error.code : '_OTHER'
}
