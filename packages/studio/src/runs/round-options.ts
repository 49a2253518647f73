// Run options that neither the state nor the recording contains. The studio stores them itself.

import { type Policy, type RunOptions, verdict } from '@capstan/core'
import type { RoundOptions, StartRun } from '../types.js'

/** Returns the options to store for a round. Options that are not set are omitted. */
export function ownOptions({ settings, limits, instructions, model, effects }: StartRun): RoundOptions {
  return {
    ...(settings ? { settings } : {}),
    ...(limits ? { limits } : {}),
    ...(instructions === undefined ? {} : { instructions }),
    ...(model === undefined ? {} : { model }),
    ...(effects === 'ask' ? { effects } : {}),
  }
}

/** Converts stored options to run options. Omits `model`, which `modelOverride` chooses. */
export function toRunOptions({
  settings,
  limits,
  instructions,
  effects,
}: RoundOptions): Pick<RunOptions, 'settings' | 'limits' | 'instructions' | 'policy'> {
  return {
    ...(settings ? { settings } : {}),
    ...(limits ? { limits } : {}),
    ...(instructions === undefined ? {} : { instructions }),
    ...(effects === 'ask' ? { policy: askBeforeEffects } : {}),
  }
}

/** The policy for `effects: 'ask'`. Keep it in sync with `askPolicy`, which exported tests contain. */
const askBeforeEffects: Policy = ({ readsOnly }) =>
  readsOnly ? verdict.allow : verdict.ask('It can change data.')

/** The source code of the policy for `effects: 'ask'`, for exported tests. */
export const askPolicy = "({ readsOnly }) => (readsOnly ? verdict.allow : verdict.ask('It can change data.'))"
