import { createHash } from 'node:crypto'
import type { Limits, RunState } from '@capstan/core'
import type { RunSettings } from '../run-settings.js'

/** Of what is asked for, whoever asks, and whatever the tools and the agent's own limits are meanwhile. */
export function digestOf(
  { runId: _, definitionHash: __, limits: ___, ...asked }: RunState,
  settings: RunSettings & { readonly limits?: Limits | undefined },
): string {
  return createHash('sha256')
    .update(JSON.stringify([asked, settings]))
    .digest('base64url')
}
