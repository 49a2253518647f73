import { createHash } from 'node:crypto'
import type { RunState } from '@capstan/core'
import type { RunSettings } from './kept.js'

/** Of what is asked for, whoever asks and whatever the tools are meanwhile. */
export function digestOf(
  { runId: _, definitionHash: __, ...asked }: RunState,
  settings: RunSettings,
): string {
  return createHash('sha256')
    .update(JSON.stringify([asked, settings]))
    .digest('base64url')
}
