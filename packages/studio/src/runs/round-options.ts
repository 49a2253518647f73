// The run options that are in neither the state nor the recording, so the studio stores them itself.

import { type Policy, type RunOptions, verdict } from '@capstan/core'
import type { RoundOptions, StartRun } from '../types.js'

/** Returns the options to store for a round. Omits those that are not set. */
export function ownOptions({ settings, limits, instructions, model, effects }: StartRun): RoundOptions {
  return {
    ...(settings ? { settings } : {}),
    ...(limits ? { limits } : {}),
    ...(instructions === undefined ? {} : { instructions }),
    ...(model === undefined ? {} : { model }),
    ...(effects === 'ask' ? { effects } : {}),
  }
}

/** Converts stored options to run options. Omits the model, which `modelOverride` chooses. */
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

/** The policy for `effects: 'ask'`. Keep it equal to `askPolicy`, which exported tests contain. */
const askBeforeEffects: Policy = ({ readsOnly }) =>
  readsOnly ? verdict.allow : verdict.ask('It can change data.')

/** The source text of the policy for `effects: 'ask'`, for exported tests. */
export const askPolicy = "({ readsOnly }) => (readsOnly ? verdict.allow : verdict.ask('It can change data.'))"
