// The options of a run that neither its state nor its recording has.

import { type Policy, type RunOptions, verdict } from '@capstan/core'
import type { RoundOptions, StartRun } from '../types.js'

/** Returns the options that a run was started with. */
export function ownOptions({ settings, limits, instructions, model, effects }: StartRun): RoundOptions {
  return {
    ...(settings ? { settings } : {}),
    ...(limits ? { limits } : {}),
    ...(instructions === undefined ? {} : { instructions }),
    ...(model === undefined ? {} : { model }),
    ...(effects === 'ask' ? { effects } : {}),
  }
}

/** Converts stored options to run options. `modelOverride` chooses the model. */
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

/** The policy for `effects: 'ask'`. Exported tests contain it as text: `askPolicy`. */
const askBeforeEffects: Policy = ({ readsOnly }) =>
  readsOnly ? verdict.allow : verdict.ask('It may change something.')

/** The policy for `effects: 'ask'`, as source text of a test. */
export const askPolicy =
  "({ readsOnly }) => (readsOnly ? verdict.allow : verdict.ask('It may change something.'))"
