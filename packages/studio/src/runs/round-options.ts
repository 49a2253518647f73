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

/** Returns them as options of a run. The model is chosen by `modelOverride`. */
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

/** Exported tests have it as text: `askPolicy`. */
const askBeforeEffects: Policy = ({ readsOnly }) =>
  readsOnly ? verdict.allow : verdict.ask('It may change something.')

/** The policy of `effects: 'ask'` as a part of a program. */
export const askPolicy =
  "({ readsOnly }) => (readsOnly ? verdict.allow : verdict.ask('It may change something.'))"
