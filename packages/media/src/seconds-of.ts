import type { Loaded } from './load.js'
import { wavDuration } from './wav-duration.js'

/** How long a recording sounds; where that is not known, how long its bytes would at 32 kbit/s, as speech is often packed. */
export function secondsOf({ artifact, bytes }: Loaded): number {
  const known = artifact.durationMs ?? wavDuration(bytes)
  return known === undefined ? bytes.byteLength / 4000 : known / 1000
}
